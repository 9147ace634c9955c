"""Background work: progress, cancelling, failing in words, and what becomes of a job whose worker died."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from evalsets.jobs import (
    MAX_ATTEMPTS,
    JobCancelledError,
    JobError,
    Progress,
    SilentProgress,
    cancel_job,
    job_function,
    requeue_dead_jobs,
    run_job,
    start_job,
)
from evalsets.models import Job, JobState
from evalsets.models.jobs import HEARTBEAT_LIMIT
from tests.factories import make_user

pytestmark = pytest.mark.django_db

KIND = "tests.work"
cleaned: list[int] = []


def report_and_look(job: Job, progress: Progress) -> dict[str, Any]:
    progress.report(3, 10, "Three of ten")
    progress.report(4, 10, "Too soon after the last to be written")
    now = Job.objects.get(pk=job.pk)
    progress.report(10, 10, "All")
    return {"seen": [now.state, now.done, now.total, now.message, now.percent]}


def cancel_oneself(job: Job, progress: Progress) -> dict[str, Any]:
    progress.report(1, 10)
    cancel_job(job)
    progress.report(10, 10)
    raise AssertionError("the report should have stopped it")


def cancel_and_keep_a_part(job: Job, progress: Progress) -> dict[str, Any]:
    raise JobCancelledError("Cancelled. Two runs were complete and are kept.")


def fail_in_words(job: Job, progress: Progress) -> dict[str, Any]:
    raise JobError("The file has gone. Upload it again.")


def fail_by_a_defect(job: Job, progress: Progress) -> dict[str, Any]:
    raise ZeroDivisionError("what only a log should show")


WORK: dict[str, Callable[[Job, Progress], dict[str, Any]]] = {
    function.__name__: function
    for function in (report_and_look, cancel_oneself, cancel_and_keep_a_part, fail_in_words, fail_by_a_defect)
}


@job_function(KIND, clean_up=lambda job: cleaned.append(job.pk))
def work(job: Job, progress: Progress) -> dict[str, Any]:
    return WORK[job.params["do"]](job, progress)


@pytest.fixture(autouse=True)
def nothing_cleaned() -> None:
    cleaned.clear()


def queue(do: Callable[..., Any] = report_and_look, **fields: Any) -> Job:
    return Job.objects.create(kind=KIND, title="Some work", params={"do": do.__name__}, **fields)


def run(do: Callable[..., Any]) -> Job:
    job = queue(do)
    run_job(job.pk)
    job.refresh_from_db()
    return job


def leave_dead(attempts: int = 1) -> Job:
    """A job whose worker was killed a while ago."""
    long_ago = timezone.now() - HEARTBEAT_LIMIT - timedelta(seconds=1)
    return queue(state=JobState.RUNNING, attempts=attempts, heartbeat_at=long_ago)


def test_job_runs_once_the_transaction_is_committed(django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        job = start_job(kind=KIND, title="Some work", params={"do": "report_and_look"}, by=make_user())
    assert Job.objects.get(pk=job.pk).state == JobState.QUEUED

    for callback in callbacks:
        callback()

    assert Job.objects.get(pk=job.pk).state == JobState.DONE


def test_work_that_nobody_can_do_is_refused_at_once() -> None:
    with pytest.raises(LookupError, match="no such kind"):
        start_job(kind="no such kind", title="", params={}, by=None)

    assert not Job.objects.exists()


def test_progress_is_seen_while_it_runs_and_at_most_twice_a_second() -> None:
    job = run(report_and_look)

    assert job.result == {"seen": ["running", 3, 10, "Three of ten", 30]}


def test_finished_job_is_whole_and_keeps_its_result() -> None:
    job = run(report_and_look)

    assert (job.state, job.done, job.total, job.message, job.percent) == (JobState.DONE, 10, 10, "", 100)
    assert job.finished_at is not None
    assert job.attempts == 1
    assert not cleaned


def test_job_is_done_once_however_often_it_is_handed_out() -> None:
    job = run(report_and_look)

    run_job(job.pk)

    assert Job.objects.get(pk=job.pk).attempts == 1


def test_waiting_job_is_cancelled_at_once() -> None:
    job = queue()

    cancel_job(job)
    run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.message, job.attempts) == (JobState.CANCELLED, "Cancelled before it began.", 0)
    assert cleaned == [job.pk]


def test_job_that_was_cancelled_while_a_worker_took_it_does_not_begin() -> None:
    job = queue(fail_by_a_defect, cancel_requested=True)

    run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.message) == (JobState.CANCELLED, "Cancelled before it began.")


def test_running_job_is_cancelled_at_its_next_report() -> None:
    job = run(cancel_oneself)

    assert (job.state, job.message) == (JobState.CANCELLED, "Cancelled. Nothing was kept.")
    assert job.result == {}
    assert cleaned == [job.pk]


def test_cancelled_job_says_what_it_kept() -> None:
    assert run(cancel_and_keep_a_part).message == "Cancelled. Two runs were complete and are kept."


def test_finished_job_cannot_be_cancelled() -> None:
    job = run(report_and_look)

    cancel_job(job)

    job.refresh_from_db()
    assert (job.state, job.cancel_requested) == (JobState.DONE, False)


def test_failure_that_a_person_can_act_on_is_told_in_its_own_words() -> None:
    job = run(fail_in_words)

    assert (job.state, job.message) == (JobState.FAILED, "The file has gone. Upload it again.")
    assert cleaned == [job.pk]


def test_defect_is_told_without_its_details_and_logged_with_them(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        job = run(fail_by_a_defect)

    assert job.state == JobState.FAILED
    assert job.message == "It failed by a defect of the program; the server's log has the details."
    assert "what only a log should show" in caplog.text
    assert cleaned == [job.pk]


def test_job_of_a_dead_worker_is_done_by_the_next_one() -> None:
    job = leave_dead()

    assert requeue_dead_jobs() == 1

    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.DONE, 2)


def test_job_whose_worker_was_heard_of_is_left_to_it() -> None:
    job = queue(state=JobState.RUNNING, attempts=1, heartbeat_at=timezone.now())

    assert requeue_dead_jobs() == 0
    run_job(job.pk)

    assert Job.objects.get(pk=job.pk).attempts == 1


def test_job_that_killed_three_workers_is_given_up() -> None:
    job = leave_dead(attempts=MAX_ATTEMPTS)

    assert requeue_dead_jobs() == 1

    job.refresh_from_db()
    assert (job.state, job.message) == (JobState.FAILED, "Its worker died 3 times.")
    assert cleaned == [job.pk]


def test_worker_that_was_given_up_learns_so_at_its_next_report() -> None:
    job = queue(state=JobState.FAILED)

    with pytest.raises(JobCancelledError):
        Progress(job.pk).report(1, 1)


def test_work_of_a_command_needs_no_job() -> None:
    SilentProgress().report(1, 2, "Halfway")

    assert not Job.objects.exists()
