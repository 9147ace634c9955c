"""Recorded runs are stored whole and frozen, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import IntegrityError, transaction

from evalsets.formats.runs import read_run
from evalsets.models import Answer, EvalSet, Job, JobState, Result, Retriever, Run
from evalsets.runs import AnsweredQuery, begin_run, fill_run, find_or_make_retriever, group_by_query, store_run
from tests.factories import make_eval_set, make_query

pytestmark = pytest.mark.django_db

LINES = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d3 1 0.5 tag\n"


def make_set() -> tuple[EvalSet, Retriever]:
    eval_set = make_eval_set()
    for query_id in ("q1", "q2"):
        make_query(eval_set, query_id=query_id)
    return eval_set, find_or_make_retriever(eval_set=eval_set, name="Our search", by=None)


def store(eval_set: EvalSet, retriever: Retriever, text: str) -> Run:
    found = read_run(text, name="run.trec")
    return store_run(eval_set=eval_set, retriever=retriever, found=found, source="run.trec", by=None)


def test_results_are_read_back_as_recorded() -> None:
    eval_set, retriever = make_set()

    run = store(eval_set, retriever, LINES)

    found = Result.objects.filter(answer__run=run).order_by("answer__query__query_id", "rank")
    assert list(found.values_list("answer__query__query_id", "stage", "rank", "score", "doc_id")) == [
        ("q1", "candidates", 1, 2.5, "d1"),
        ("q1", "candidates", 2, 1.5, "d2"),
        ("q2", "candidates", 1, 0.5, "d3"),
    ]
    assert (run.result_count, run.depth) == (3, 2)


def test_same_results_have_the_same_checksum_whatever_their_order() -> None:
    eval_set, retriever = make_set()
    lines = LINES.splitlines(keepends=True)

    first, again = store(eval_set, retriever, LINES), store(eval_set, retriever, "".join([lines[2], *lines[:2]]))
    other = store(eval_set, retriever, LINES.replace("d3", "d4"))

    assert first.sha256 == again.sha256 != other.sha256


def test_query_unknown_to_the_eval_set_is_left_out_and_said() -> None:
    eval_set, retriever = make_set()

    run = store(eval_set, retriever, LINES + "q9 Q0 d1 1 1 tag\n")

    assert Answer.objects.filter(run=run).count() == 2
    assert "q9" in run.warnings[-1]


def test_run_of_unknown_queries_only_is_refused() -> None:
    eval_set, retriever = make_set()

    with pytest.raises(ValueError, match="none of the run's 1 query ids"):
        store(eval_set, retriever, "101.1 Q0 d1 1 1 tag\n")

    assert not Run.objects.exists()


def test_retriever_that_fails_halfway_leaves_no_run() -> None:
    eval_set, retriever = make_set()
    answered = group_by_query(read_run(LINES, name="run.trec"))

    def failing() -> Iterator[AnsweredQuery]:
        yield answered[0]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        fill_run(begin_run(eval_set=eval_set, retriever=retriever, by=None), failing(), total=2)

    assert not Run.objects.exists()
    assert not Result.objects.exists()


def test_repeated_job_throws_away_what_its_killed_attempt_left() -> None:
    eval_set, retriever = make_set()
    job = Job.objects.create(kind="retrieve", title="Run all", state=JobState.RUNNING)
    left = begin_run(eval_set=eval_set, retriever=retriever, by=None, job=job)

    again = begin_run(eval_set=eval_set, retriever=retriever, by=None, job=job)

    assert list(Run.objects.all()) == [again]
    assert again.pk != left.pk


def test_frozen_run_takes_no_further_answer_and_no_change() -> None:
    eval_set, retriever = make_set()
    run = store(eval_set, retriever, LINES)
    late = make_query(eval_set)

    with pytest.raises(IntegrityError), transaction.atomic():
        Answer.objects.create(run=run, query=late)
    with pytest.raises(IntegrityError), transaction.atomic():
        Result.objects.create(answer=Answer.objects.filter(run=run).first(), stage="final", rank=1, doc_id="late")
    with pytest.raises(IntegrityError), transaction.atomic():
        Result.objects.filter(answer__run=run).update(score=9)
