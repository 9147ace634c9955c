"""A worker that is killed in the middle of running retrievers leaves no half run, and the work is done again by the next one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from evalsets.formats.document_rows import DocumentRow
from evalsets.formats.query_rows import QueryRow
from evalsets.jobs import requeue_dead_jobs
from evalsets.models import Answer, EvalSet, Job, JobState, Result, Run
from evalsets.models.jobs import HEARTBEAT_LIMIT
from evalsets.queries import store_queries
from evalsets.retrieving import start_run_all
from tests.evalsets.retrieval_steps import add_retriever, make_searchable
from tests.factories import make_user
from tests.labelling.grading_process import environment

pytestmark = pytest.mark.django_db(transaction=True)

QUERIES = 3000
WORDS = [f"word{n}" for n in range(40)]


def start_worker(*options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "manage.py", "db_worker", "--interval", "0.1", *options]
    env = environment(connection.settings_dict)
    return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_until(happens: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def make_long_work() -> EvalSet:
    texts = [" ".join(WORDS[(n + step) % len(WORDS)] for step in range(12)) for n in range(60)]
    eval_set = make_searchable(documents=tuple(DocumentRow(f"d{n}", "", text) for n, text in enumerate(texts)))
    store_queries(eval_set=eval_set, rows=[QueryRow(f"long{n}", WORDS[n % len(WORDS)]) for n in range(QUERIES)])
    return eval_set


def test_worker_killed_during_run_all_leaves_no_half_run_and_the_next_one_does_it_again(settings: Any) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    eval_set = make_long_work()
    retrievers = [add_retriever(eval_set, "words")]
    job = start_run_all(eval_set=eval_set, retrievers=retrievers, depth=None, by=make_user(), url="/")
    killed = start_worker()
    try:
        wait_until(lambda: Answer.objects.exists())
    finally:
        killed.kill()
        killed.wait()

    half = Run.objects.get()
    assert half.frozen_at is None
    assert 0 < half.answers.count() < QUERIES
    assert not Run.objects.complete().exists()

    Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - HEARTBEAT_LIMIT - timedelta(seconds=1))
    assert requeue_dead_jobs() == 1
    finished = start_worker("--batch")
    assert finished.wait(timeout=120) == 0

    job.refresh_from_db()
    whole = Run.objects.get()
    assert (job.state, job.attempts) == (JobState.DONE, 2)
    assert whole.frozen_at
    assert whole.pk != half.pk
    assert whole.answers.count() == QUERIES + 3
    assert Result.objects.filter(answer__run=whole).count() == Result.objects.count() == whole.result_count
