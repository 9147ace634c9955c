"""The pool: what several runs retrieved, merged into candidates, once, with where each came from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evalsets import hooks
from evalsets.building import JOB_KIND, PoolError, build_pool, describe_plan, plan_pool
from evalsets.formats.document_rows import DocumentRow
from evalsets.formats.query_rows import EvidenceRef, QueryRow
from evalsets.formats.runs import read_run
from evalsets.jobs import run_job
from evalsets.models import Candidate, Contribution, EvalSet, Job, JobState, Pool, Run, sha256_of
from evalsets.queries import store_queries
from evalsets.retrieving import run_retrievers
from evalsets.runs import find_or_make_retriever, store_run
from evalsets.snapshots import choose_snapshot, store_snapshot
from tests.evalsets.retrieval_steps import (
    DOCUMENTS,
    RETENTION,
    add_recorded_run,
    add_retriever,
    make_searchable,
)

pytestmark = pytest.mark.django_db

A, B, C = "d1 d2 d3 d4 d5 d6", "d2 d7 d1 d8 d3 d9", "d10 d2 d7 d11 d1 d12"
TOY = tuple(DocumentRow(f"d{n}", f"Document {n}", f"Text {n}.") for n in range(1, 13))


def make_toy() -> tuple[EvalSet, list[Run]]:
    eval_set = make_searchable(unit="document", documents=TOY)
    eval_set.queries.update(stated_evidence=[])
    runs = [add_recorded_run(eval_set, {"q1": found}, name) for name, found in zip("ABC", (A, B, C), strict=True)]
    return eval_set, runs


def list_units(eval_set: EvalSet, query_id: str = "q1") -> set[str]:
    found = Candidate.objects.filter(query__eval_set=eval_set, query__query_id=query_id)
    return {f"{candidate.doc_id} {candidate.section_id}".strip() for candidate in found}


@pytest.mark.parametrize(("depth", "expected"), [(2, "d1 d2 d7 d10"), (3, "d1 d2 d3 d7 d10")])
def test_pool_of_depth_k_is_the_union_of_the_first_k_of_each_run(depth: int, expected: str) -> None:
    eval_set, runs = make_toy()

    build_pool(eval_set=eval_set, runs=runs, depth=depth, by=None)

    assert list_units(eval_set) == set(expected.split())


def test_each_candidate_keeps_which_run_brought_it_at_which_rank() -> None:
    eval_set, runs = make_toy()

    build_pool(eval_set=eval_set, runs=runs, depth=3, by=None)

    found = Contribution.objects.filter(candidate__doc_id="d2").order_by("run__number")
    assert list(found.values_list("run__retriever__name", "stage", "rank")) == [
        ("A", "candidates", 2),
        ("B", "candidates", 1),
        ("C", "candidates", 2),
    ]


def test_run_added_later_adds_only_what_is_new_and_its_own_contributions() -> None:
    eval_set, runs = make_toy()
    build_pool(eval_set=eval_set, runs=runs[:2], depth=2, by=None)
    before = set(Candidate.objects.values_list("pk", flat=True))

    built = build_pool(eval_set=eval_set, runs=runs, depth=2, by=None)

    assert (built.added, built.contributions) == (1, 2)
    assert built.pool.candidate_count == 1
    assert set(Candidate.objects.exclude(pk__in=before).values_list("doc_id", flat=True)) == {"d10"}
    assert Contribution.objects.filter(candidate__doc_id="d2").count() == 3


def test_building_again_changes_nothing() -> None:
    eval_set, runs = make_toy()
    build_pool(eval_set=eval_set, runs=runs, depth=3, by=None)
    rows = Candidate.objects.count(), Contribution.objects.count(), Pool.objects.count()

    again = build_pool(eval_set=eval_set, runs=runs, depth=3, by=None)

    assert again.pool is None
    assert (Candidate.objects.count(), Contribution.objects.count(), Pool.objects.count()) == rows


def test_plan_counts_everything_and_creates_nothing() -> None:
    eval_set, runs = make_toy()

    seen = describe_plan(plan_pool(eval_set=eval_set, runs=runs, depth=3))

    assert seen.size == 5
    assert seen.sizes == {"q1": 5, "q2": 0, "q3": 0}
    assert {share.run: share.unique for share in seen.shares} == {"1": 1, "2": 0, "3": 1}
    assert {warning.code for warning in seen.warnings} == {"one_family", "depth_under_candidate_depth"}
    assert not Candidate.objects.exists()
    assert not Pool.objects.exists()


def test_fewer_than_three_configurations_are_warned_of() -> None:
    eval_set, runs = make_toy()

    seen = describe_plan(plan_pool(eval_set=eval_set, runs=runs[:2], depth=3))

    assert "few_configurations" in {warning.code for warning in seen.warnings}


def test_pool_is_announced_once_it_is_there() -> None:
    eval_set, runs = make_toy()
    told: list[int] = []
    listener = lambda about: told.append(Candidate.objects.filter(query__eval_set=about).count())  # noqa: E731
    hooks.after_pool_built.append(listener)
    try:
        build_pool(eval_set=eval_set, runs=runs, depth=2, by=None)
        build_pool(eval_set=eval_set, runs=runs, depth=2, by=None)
    finally:
        hooks.after_pool_built.remove(listener)

    assert told == [4]


def test_chunks_of_one_section_are_one_candidate_with_the_best_ones_place_marked() -> None:
    eval_set = make_searchable()
    run = run_retrievers(eval_set=eval_set, retrievers=[add_retriever(eval_set, size=4, overlap=0)], by=None)[0]

    build_pool(eval_set=eval_set, runs=[run], by=None)

    candidate = Candidate.objects.with_text().get(query__query_id="q1", section_id="retention")
    assert candidate.text == RETENTION
    assert candidate.text_sha256 == sha256_of(RETENTION)
    assert candidate.text[candidate.mark_start : candidate.mark_end] == "kept for thirty days."


def test_list_full_of_chunks_of_one_section_is_read_deep_enough() -> None:
    words = " ".join(f"copper{n} copper" for n in range(300))
    documents = (DocumentRow("long", "", words), DocumentRow("short", "", "copper in a short text of other words"))
    eval_set = make_searchable(documents=documents)
    retriever = add_retriever(eval_set, size=2, overlap=0, with_headings=False)
    run = run_retrievers(eval_set=eval_set, retrievers=[retriever], by=None, depth=400)[0]

    build_pool(eval_set=eval_set, runs=[run], depth=2, by=None)

    assert list_units(eval_set) >= {"long", "short"}


def test_stated_evidence_is_pooled_also_where_no_run_found_it() -> None:
    eval_set = make_searchable()
    run = add_recorded_run(eval_set, {"q1": "old"})

    build_pool(eval_set=eval_set, runs=[run], by=None)

    stated = Contribution.objects.get(run=None)
    assert str(stated.candidate) == "guide retention"
    assert list_units(eval_set) == {"old", "guide retention"}


def test_stated_evidence_that_is_not_in_the_snapshot_is_listed() -> None:
    eval_set = make_searchable()
    run = add_recorded_run(eval_set, {"q1": "old"})
    row = QueryRow("q4", "other", relevant_evidence=(EvidenceRef("guide", "gone"), EvidenceRef("guide")))
    store_queries(eval_set=eval_set, rows=[row])

    built = build_pool(eval_set=eval_set, runs=[run], by=None)

    said = sorted(str(problem) for problem in built.problems)
    assert "q4: guide, section gone: stated as evidence, but its document has no such section" in said[0]
    assert "q4: guide: stated as evidence, but it names none of the sections" in said[1]


def store_with_texts(eval_set: EvalSet, *results: dict[str, Any]) -> Run:
    text = json.dumps({"query_id": "q1", "results": list(results)})
    return store_run(
        eval_set=eval_set,
        retriever=find_or_make_retriever(eval_set=eval_set, name="elsewhere", by=None),
        found=read_run(text, name="run.jsonl"),
        source="run.jsonl",
        by=None,
        snapshot=eval_set.snapshot,
    )


def test_recorded_passage_of_an_unknown_document_keeps_its_own_text() -> None:
    eval_set = make_searchable()
    run = store_with_texts(eval_set, {"rank": 1, "doc_id": "wiki", "text": "Copper, says the wiki."})

    build_pool(eval_set=eval_set, runs=[run], by=None)

    candidate = Candidate.objects.with_text().get(doc_id="wiki")
    assert candidate.text == "Copper, says the wiki."
    assert candidate.text_sha256 == sha256_of("Copper, says the wiki.")
    assert candidate.source_document is None


def test_unit_without_any_text_is_left_out_and_listed() -> None:
    eval_set = make_searchable()
    run = add_recorded_run(eval_set, {"q1": "ghost old"})

    built = build_pool(eval_set=eval_set, runs=[run], by=None)

    assert "ghost" not in list_units(eval_set)
    assert [str(problem) for problem in built.problems] == [
        "q1: ghost: its document is not in the snapshot, and no run brought its text"
    ]


def test_passage_without_a_section_is_found_in_its_document_and_marked() -> None:
    eval_set = make_searchable()
    passage = "Snapshots of the copper plan\n are kept"
    run = store_with_texts(eval_set, {"rank": 1, "doc_id": "guide", "text": passage})

    build_pool(eval_set=eval_set, runs=[run], by=None)

    candidate = Candidate.objects.with_text().get(contributions__run=run)
    assert candidate.section_id == "retention"
    assert candidate.text[candidate.mark_start : candidate.mark_end] == "Snapshots of the copper plan are kept"
    assert "1 got the section in which their passage was found" in run.warnings[-1]


def test_passage_that_is_not_in_its_document_is_listed() -> None:
    eval_set = make_searchable()
    run = store_with_texts(eval_set, {"rank": 1, "doc_id": "guide", "text": "Somewhat else altogether"})

    built = build_pool(eval_set=eval_set, runs=[run], by=None)

    assert "it names none of the sections" in str(built.problems[0])
    assert "they cannot be judged (q1: guide)" in run.warnings[-1]


def test_offsets_of_an_older_snapshot_mark_only_text_that_is_still_the_same() -> None:
    eval_set = make_searchable()
    run = run_retrievers(eval_set=eval_set, retrievers=[add_retriever(eval_set, size=3, overlap=0)], by=None)[0]
    changed = (DOCUMENTS[0], DocumentRow("old", "Old guide", "Now: copper snapshots are kept for ninety days."))
    newer = store_snapshot(corpus=eval_set.corpus, documents=changed, source="folder", by=None)
    choose_snapshot(eval_set=eval_set, snapshot=newer)

    build_pool(eval_set=eval_set, runs=[run], by=None)

    assert Candidate.objects.get(query__query_id="q1", section_id="retention").mark_start is not None
    assert Candidate.objects.get(query__query_id="q1", doc_id="old").mark_start is None


def test_candidate_that_came_with_a_label_joins_the_pool_that_finds_it() -> None:
    eval_set, runs = make_toy()
    labelled = Candidate.objects.create(query=eval_set.queries.get(query_id="q1"), doc_id="d1", text_sha256="x")

    built = build_pool(eval_set=eval_set, runs=runs, depth=2, by=None)

    labelled.refresh_from_db()
    assert labelled.pool == built.pool
    assert built.pool.candidate_count == 4


@pytest.mark.parametrize("depth", [0, 1001])
def test_depth_outside_its_bounds_is_refused(depth: int) -> None:
    eval_set, runs = make_toy()

    with pytest.raises(PoolError, match="from 1 to 1000"):
        build_pool(eval_set=eval_set, runs=runs, depth=depth, by=None)


def test_run_of_another_eval_set_or_none_at_all_is_refused() -> None:
    eval_set, runs = make_toy()
    other = make_searchable("other")

    with pytest.raises(PoolError, match="complete runs of other"):
        build_pool(eval_set=other, runs=runs, by=None)
    with pytest.raises(PoolError, match="No run was chosen"):
        build_pool(eval_set=eval_set, runs=[], by=None)


def test_large_pool_is_built_as_a_job() -> None:
    eval_set, runs = make_toy()
    job = Job.objects.create(kind=JOB_KIND, eval_set=eval_set, params={"runs": [run.pk for run in runs], "depth": 3})

    run_job(job.pk)

    job.refresh_from_db()
    assert job.state == JobState.DONE
    assert (job.result["added"], job.result["problem_count"]) == (5, 0)


def test_command_builds_from_the_latest_run_of_each_retriever(capsys: pytest.CaptureFixture[str]) -> None:
    eval_set, _runs = make_toy()
    latest = add_recorded_run(eval_set, {"q1": "d12"}, "C")

    call_command("build_pool", eval_set.slug, "--depth", "2", "--json")

    figures = json.loads(capsys.readouterr().out)
    assert figures["added"] == 4
    assert figures["runs"] == ["1 A", "2 B", f"{latest.number} C"]
    assert list_units(eval_set) == {"d1", "d2", "d7", "d12"}


def test_command_says_which_runs_there_are_not() -> None:
    eval_set, _runs = make_toy()

    with pytest.raises(CommandError, match="no complete run 8"):
        call_command("build_pool", eval_set.slug, "--runs", "1", "8")
