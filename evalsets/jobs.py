"""Background work: a registry of functions, progress with a heartbeat, cancelling, and picking up what a dead worker left.

Django's tasks carry a job's id to a worker; everything that a person sees of it stands in the `Job` row. A function
registered here may be run again from its start at any time, so it must throw away what an earlier attempt left half done.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from django_tasks import task

from evalsets.models import EvalSet, Job, JobState

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
REPORT_EVERY_SECONDS = 0.5
HEARTBEAT_EVERY_SECONDS = 10.0


class JobCancelledError(Exception):
    """Somebody cancelled the job; raised inside it at its next report of progress. Its text says what was kept, where something was."""


class JobError(Exception):
    """The work cannot be done, for a reason that the person who started it can act on. Its text is shown to them."""


class Progress:
    """Handed to a job's function, which calls `report` as it goes."""

    def __init__(self, job_id: int) -> None:
        self.job_id = job_id
        self._last = 0.0

    def report(self, done: int, total: int, message: str = "") -> None:
        """Record progress, at most twice a second. Raises JobCancelledError when somebody asked for it."""
        now = time.monotonic()
        if now - self._last < REPORT_EVERY_SECONDS and done < total:
            return
        self._last = now
        row = Job.objects.filter(pk=self.job_id, state=JobState.RUNNING)
        if not row.update(done=done, total=total, message=message[:500], heartbeat_at=timezone.now()):
            raise JobCancelledError
        if row.filter(cancel_requested=True).exists():
            raise JobCancelledError


class SilentProgress(Progress):
    """For work that a command does at once: nothing is recorded and nothing cancels."""

    def __init__(self) -> None:
        super().__init__(job_id=0)

    def report(self, done: int, total: int, message: str = "") -> None:
        return None


JobFunction = Callable[[Job, Progress], dict[str, Any]]
_FUNCTIONS: dict[str, JobFunction] = {}
_CLEANERS: dict[str, Callable[[Job], None]] = {}


def job_function(kind: str, *, clean_up: Callable[[Job], None] | None = None) -> Callable[[JobFunction], JobFunction]:
    """Register the function of a kind of job. It returns what is kept as the job's result.

    `clean_up` is called after a failure or cancelling, to throw away what was half done.
    """

    def register(function: JobFunction) -> JobFunction:
        _FUNCTIONS[kind] = function
        if clean_up:
            _CLEANERS[kind] = clean_up
        return function

    return register


def start_job(
    *, kind: str, title: str, params: dict[str, Any], by: Any, eval_set: EvalSet | None = None, next_url: str = ""
) -> Job:
    """Record a job and hand it to the workers once the surrounding transaction is committed."""
    if kind not in _FUNCTIONS:
        raise LookupError(f"no job function is registered for {kind!r}")
    job = Job.objects.create(kind=kind, title=title, params=params, created_by=by, eval_set=eval_set, next_url=next_url)
    transaction.on_commit(lambda: hand_over(job.pk))
    return job


def hand_over(job_id: int) -> None:
    """Put a job into the queue of the workers."""
    perform_job.enqueue(job_id)


@task()
def perform_job(job_id: int) -> None:
    """What a worker runs: pick up what dead workers left, then this job."""
    requeue_dead_jobs()
    run_job(job_id)


def run_job(job_id: int) -> None:
    """Run one queued job to its end and record how it ended. A job that is not queued is left alone."""
    now = timezone.now()
    claimed = Job.objects.filter(pk=job_id, state=JobState.QUEUED).update(
        state=JobState.RUNNING, started_at=now, heartbeat_at=now, attempts=F("attempts") + 1, message=""
    )
    if not claimed:
        return
    job = Job.objects.get(pk=job_id)
    if job.cancel_requested:
        finish_job(job, JobState.CANCELLED, "Cancelled before it began.")
        return
    with Heartbeat(job_id):
        try:
            result = _FUNCTIONS[job.kind](job, Progress(job_id))
        except JobCancelledError as error:
            finish_job(job, JobState.CANCELLED, str(error) or "Cancelled. Nothing was kept.")
        except JobError as error:
            finish_job(job, JobState.FAILED, str(error))
        except Exception:
            logger.exception("job %s (%s) failed", job.pk, job.kind)
            finish_job(job, JobState.FAILED, "It failed by a defect of the program; the server's log has the details.")
        else:
            finish_job(job, JobState.DONE, "", result)


def finish_job(job: Job, state: JobState, message: str, result: dict[str, Any] | None = None) -> None:
    """Record the end of a job, after throwing away what a failed or cancelled one left half done."""
    if state != JobState.DONE and job.kind in _CLEANERS:
        _CLEANERS[job.kind](job)
    fields: dict[str, Any] = {"state": state, "message": message, "finished_at": timezone.now(), "result": result or {}}
    if state == JobState.DONE:
        fields["done"] = F("total")
    Job.objects.filter(pk=job.pk).update(**fields)


def cancel_job(job: Job) -> None:
    """Ask a job to stop. One that waits is cancelled at once, one that runs at its next report of progress."""
    Job.objects.filter(pk=job.pk).unfinished().update(cancel_requested=True)
    waiting = Job.objects.filter(pk=job.pk, state=JobState.QUEUED)
    stopped = waiting.update(state=JobState.CANCELLED, message="Cancelled before it began.", finished_at=timezone.now())
    if stopped and job.kind in _CLEANERS:
        _CLEANERS[job.kind](job)


def requeue_dead_jobs() -> int:
    """Put jobs whose worker died back into the queue, or fail them after three attempts. Returns how many were found."""
    dead = list(Job.objects.dead(timezone.now()))
    for job in dead:
        if job.attempts >= MAX_ATTEMPTS:
            finish_job(job, JobState.FAILED, f"Its worker died {job.attempts} times.")
        elif Job.objects.filter(pk=job.pk, heartbeat_at=job.heartbeat_at).update(state=JobState.QUEUED):
            hand_over(job.pk)
    return len(dead)


class Heartbeat:
    """Says every ten seconds that the job's worker is alive, from a thread of its own, also during long single steps."""

    def __init__(self, job_id: int) -> None:
        self.job_id = job_id
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Heartbeat:
        # The immediate backend (tests, commands) works inside the caller's transaction, where a second connection would wait.
        if not settings.TASKS["default"]["BACKEND"].endswith("ImmediateBackend"):
            self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=HEARTBEAT_EVERY_SECONDS)

    def _beat(self) -> None:
        while not self._stop.wait(HEARTBEAT_EVERY_SECONDS):
            Job.objects.filter(pk=self.job_id).update(heartbeat_at=timezone.now())
        connection.close()
