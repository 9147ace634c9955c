"""Real processes killed in the middle of an import: nothing half-written is left, and the import can be made again."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.utils import timezone

from evalsets.formats.query_rows import QueryRow
from evalsets.importing.applying import confirm_import, open_import
from evalsets.importing.registry import get_kind
from evalsets.importing.uploads import store_upload
from evalsets.jobs import requeue_dead_jobs, run_job
from evalsets.models import Document, Import, ImportState, Job, JobState, Run, Snapshot
from evalsets.models.jobs import HEARTBEAT_LIMIT
from evalsets.queries import store_queries
from labelling.models import Judgment
from tests.evalsets.import_steps import count_rows, make_empty_set, run_import, write_file
from tests.evalsets.test_killed_worker import start_worker, wait_until
from tests.factories import make_user
from tests.labelling.grading_process import environment

pytestmark = pytest.mark.django_db(transaction=True)

DOCUMENTS = 3000
QUERIES, LABELS_OF_QUERY = 100, 100


def is_writing(table: str) -> bool:
    """Whether another process is inside a transaction that writes (on PostgreSQL: into this table)."""
    if connection.vendor == "sqlite":
        probe = sqlite3.connect(connection.settings_dict["NAME"], timeout=0)
        try:
            probe.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        finally:
            probe.close()
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE c.relname = %s AND l.mode = %s",
            [table, "RowExclusiveLock"],
        )
        return bool(cursor.fetchone()[0])


def start_command(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "manage.py", *arguments]
    env = environment(connection.settings_dict)
    return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def write_corpus() -> ContentFile:
    """A file large enough for the background: over two mebibytes."""
    lines = (json.dumps({"_id": f"d{n}", "text": f"words {n} " * 80}) for n in range(DOCUMENTS))
    return ContentFile("\n".join(lines).encode(), name="corpus.jsonl")


def open_big_import() -> Import:
    kind = get_kind("documents")
    assert kind is not None
    return open_import(eval_set=make_empty_set(), kind=kind, file=write_corpus(), options={}, by=make_user())


def test_killed_worker_leaves_no_half_snapshot_and_the_next_one_finishes_the_import(settings: Any) -> None:
    item = open_big_import()
    item.refresh_from_db()
    assert item.state == ImportState.READY
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    assert confirm_import(item=item, by=item.created_by)
    killed = start_worker()
    try:
        wait_until(lambda: Document.objects.exists())
    finally:
        killed.kill()
        killed.wait()

    assert 0 < Document.objects.count() < DOCUMENTS
    assert not Snapshot.objects.complete().exists()
    item.eval_set.refresh_from_db()
    assert item.eval_set.snapshot is None

    Job.objects.filter(kind="apply_import").update(heartbeat_at=timezone.now() - HEARTBEAT_LIMIT - timedelta(seconds=1))
    assert requeue_dead_jobs() == 1
    assert start_worker("--batch").wait(timeout=120) == 0

    item.refresh_from_db()
    item.eval_set.refresh_from_db()
    whole = Snapshot.objects.get()
    assert (item.state, item.job.state, item.job.attempts) == (ImportState.DONE, JobState.DONE, 2)
    assert whole.document_count == Document.objects.count() == DOCUMENTS
    assert item.eval_set.snapshot == whole


def test_worker_killed_between_the_snapshot_and_its_record_makes_no_second_one() -> None:
    item = open_big_import()
    item.refresh_from_db()
    confirm_import(item=item, by=item.created_by)
    item.refresh_from_db()
    upload = store_upload(file=write_corpus(), by=None)
    Import.objects.filter(pk=item.pk).update(state=ImportState.IMPORTING, upload=upload, result={})
    Job.objects.filter(pk=item.job_id).update(state=JobState.QUEUED)

    run_job(item.job_id)

    item.refresh_from_db()
    assert item.state == ImportState.DONE
    assert Snapshot.objects.count() == 1


def test_killed_import_of_labels_leaves_every_table_as_it_was_and_can_be_repeated(tmp_path: Path) -> None:
    eval_set = make_empty_set()
    store_queries(eval_set=eval_set, rows=[QueryRow(f"q{n}", f"text {n}") for n in range(QUERIES)])
    lines = "".join(f"q{n} 0 d{m} {m % 4}\n" for n in range(QUERIES) for m in range(LABELS_OF_QUERY))
    file = write_file(tmp_path, "big.qrels", lines)
    before = count_rows()

    killed = start_command("import_labels", "set", str(file))
    try:
        wait_until(lambda: is_writing("labelling_judgment") or killed.poll() is not None)
    finally:
        killed.kill()
        killed.wait()

    assert killed.returncode == -9
    wait_until(lambda: not is_writing("labelling_judgment"))
    assert count_rows() == before
    assert run_import("import_labels", "set", file).counts["labels"] == QUERIES * LABELS_OF_QUERY
    assert Judgment.objects.count() == QUERIES * LABELS_OF_QUERY


def test_killed_import_of_a_run_leaves_nothing_that_counts_and_can_be_repeated(tmp_path: Path) -> None:
    eval_set = make_empty_set()
    store_queries(eval_set=eval_set, rows=[QueryRow(f"q{n}", f"text {n}") for n in range(QUERIES * 3)])
    lines = "".join(f"q{n} Q0 d{m} {m + 1} {50 - m} r\n" for n in range(QUERIES * 3) for m in range(50))
    file = write_file(tmp_path, "big.trec", lines)

    killed = start_command("import_run", "set", "r", str(file))
    try:
        wait_until(lambda: Run.objects.filter(answers__isnull=False).exists() or killed.poll() is not None)
    finally:
        killed.kill()
        killed.wait()

    assert killed.returncode == -9
    assert not Run.objects.complete().exists()
    assert not Import.objects.exists()
    assert run_import("import_run", "set", "r", file).counts["results"] == QUERIES * 3 * 50
    assert Run.objects.complete().count() == 1
