"""Labels from files become judgments: of the right annotator, on the right unit, once, and never against what is here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from evalsets.formats.document_rows import DocumentRow, SectionRow
from evalsets.formats.query_rows import QueryRow
from evalsets.models import Candidate, EvalSet, Import, ImportState, Scale, sha256_of
from evalsets.queries import store_queries
from evalsets.snapshots import choose_snapshot, store_snapshot
from labelling.annotators import get_annotator
from labelling.judging import Verdict, judge
from labelling.models import Annotator, AnnotatorKind, Judgment, Origin, Seat
from labelling.plans import declare_plan
from labelling.seating import open_missing_seats
from tests.evalsets.import_steps import Said, count_rows, make_empty_set, make_set, run_import, write_file
from tests.factories import make_member, make_pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def bring(tmp_path: Path) -> Any:
    """Import labels that are given as text."""

    def bring_labels(text: str, name: str = "labels.csv", **options: Any) -> Said:
        return run_import("import_labels", "set", write_file(tmp_path, name, text), **options)

    return bring_labels


def make_sectioned_set() -> EvalSet:
    eval_set = make_empty_set(unit="section")
    text = "# Keep\nThirty days.\n# Drop\nNever.\n"
    sections = (SectionRow("keep", "Keep", 1, 0, 20), SectionRow("drop", "Drop", 1, 20, len(text)))
    rows = [DocumentRow("guide", "Guide", text, sections=sections), DocumentRow("note", "", "No headings here.")]
    choose_snapshot(
        eval_set=eval_set, snapshot=store_snapshot(corpus=eval_set.corpus, documents=rows, source="made", by=None)
    )
    store_queries(eval_set=eval_set, rows=[QueryRow("q1", "how long")])
    return eval_set


def test_each_annotator_of_a_column_is_a_person_of_their_own(bring: Any) -> None:
    make_set({"q1": "one"})

    said = bring("query_id,doc_id,grade,annotator\nq1,d1,3,ann\nq1,d1,1,bea\n")

    assert said.counts == {"labels": 2, "annotators": 2, "candidates_made": 1, "queries_made": 0, "seats_filled": 0}
    assert set(Annotator.objects.values_list("name", "kind", "user")) == {
        ("ann", AnnotatorKind.PERSON, None),
        ("bea", AnnotatorKind.PERSON, None),
    }
    assert set(Judgment.objects.values_list("origin", "rubric", "seat")) == {(Origin.IMPORT, None, None)}


def test_labels_without_annotators_belong_to_their_file(bring: Any) -> None:
    make_set({"q1": "one"})

    bring("q1 0 d1 3\n", name="first.qrels")
    bring("q1 0 d1 1\n", name="second.qrels")

    assert set(Judgment.objects.values_list("annotator__name", "annotator__kind", "grade")) == {
        ("first.qrels", AnnotatorKind.FILE, 3),
        ("second.qrels", AnnotatorKind.FILE, 1),
    }


def test_anonymous_annotators_of_two_files_are_not_taken_for_each_other(bring: Any) -> None:
    make_set({"q1": "one"})

    bring("q1 0 d1 3\nq1 0 d1 1\n", name="a.qrels", repeats="anonymous")
    bring("q1 0 d1 2\n", name="b.qrels", repeats="anonymous")

    names = set(Annotator.objects.values_list("name", flat=True))
    assert names == {"anonymous 1 of a.qrels", "anonymous 2 of a.qrels", "anonymous 1 of b.qrels"}


def test_same_label_again_is_left_out_and_counted(bring: Any) -> None:
    make_set({"q1": "one"})
    text = "query_id,doc_id,grade,annotator\nq1,d1,3,ann\nq1,d2,0,ann\n"
    bring(text)

    again = bring(text + "q1,d3,1,ann\n")

    assert again.counts["labels"] == 1
    assert again.document["skipped"] == {"here already, the same": 2}


def test_other_grade_of_the_same_annotator_is_a_problem_and_changes_nothing(bring: Any) -> None:
    make_set({"q1": "one"})
    bring("query_id,doc_id,grade,annotator\nq1,d1,3,ann\n")
    before = count_rows()

    said = bring("query_id,doc_id,grade,annotator\nq1,d2,3,ann\nq1,d1,1,ann\n")

    assert said.code == 2
    assert said.problems == [(3, "grade", "1")]
    assert "3, which 'ann' has here" in said.errors
    assert count_rows() == before


def test_name_of_somebody_who_signs_in_here_is_kept_apart(bring: Any) -> None:
    eval_set = make_set({"q1": "one"})
    own = get_annotator(eval_set, make_member(eval_set, username="ann"))

    said = bring("query_id,doc_id,grade,annotator\nq1,d1,3,ann\n")

    assert Judgment.objects.get().annotator.name == "ann (imported)"
    assert not own.judgments.exists()
    assert "kept apart" in said.warnings


def test_grade_outside_the_scale_is_a_problem(bring: Any) -> None:
    make_set({"q1": "one"}, scale=Scale.BINARY, threshold=1)

    said = bring("q1 0 d1 1\nq1 0 d2 2\n", name="l.qrels")

    assert said.problems == [(2, "grade", "2")]
    assert "from 0 to 1" in said.errors


def test_text_of_a_known_query_that_is_another_here_is_a_problem(bring: Any) -> None:
    make_set({"q1": "one"})

    said = bring("query_id,query,doc_id,grade\nq1,two,d1,3\n")

    assert said.problems == [(2, "query", "two")]


def test_query_text_that_two_queries_have_is_a_problem(bring: Any) -> None:
    make_set({"q1": "one", "q2": "one"})

    said = bring("query,doc_id,grade\none,d1,3\n")

    assert said.code == 2
    assert "'q1', 'q2'" in said.errors


def test_unknown_queries_are_left_out_when_that_is_chosen(bring: Any) -> None:
    make_set({"q1": "one"})

    said = bring("q1 0 d1 3\nq9 0 d1 3\nq9 0 d2 3\n", name="l.qrels", unknown_queries="skip")

    assert said.counts["labels"] == 1
    assert said.document["skipped"] == {"query not in the eval set": 2}


def test_query_is_not_made_without_a_text(bring: Any) -> None:
    make_set({"q1": "one"})

    said = bring("q9 0 d1 3\n", name="l.qrels", unknown_queries="create")

    assert said.code == 2
    assert "or its text in the file" in said.errors


def test_section_after_the_document_id_is_found(bring: Any) -> None:
    make_sectioned_set()

    bring("query_id,doc_id,section_id,grade\nq1,guide#keep,,3\nq1,guide,drop,0\nq1,note,,1\n")

    units = {(row.candidate.doc_id, row.candidate.section_id): row for row in Judgment.objects.all()}
    assert {unit: row.grade for unit, row in units.items()} == {
        ("guide", "keep"): 3,
        ("guide", "drop"): 0,
        ("note", ""): 1,
    }
    kept = units["guide", "keep"].candidate
    assert kept.text == "# Keep\nThirty days.\n"
    assert kept.text_sha256 == units["guide", "keep"].text_sha256 == sha256_of(kept.text)


def test_label_on_a_whole_document_is_refused_where_sections_are_labelled(bring: Any) -> None:
    make_sectioned_set()

    said = bring("query_id,doc_id,section_id,grade\nq1,guide,,3\nq1,guide,kep,1\nq1,guide#kepe,,1\nq1,away,,2\n")

    assert [(line, name) for line, name, _ in said.problems] == [
        (2, "doc_id"),
        (3, "section_id"),
        (4, "doc_id"),
        (5, "doc_id"),
    ]
    assert "it has 'keep', 'drop'" in said.errors
    assert "near: 'keep'" in said.errors


def test_label_on_a_section_is_refused_where_documents_are_labelled(bring: Any) -> None:
    make_set({"q1": "one"}, ("d1",))

    said = bring("query_id,doc_id,section_id,grade\nq1,d1,s1,3\n")

    assert said.problems == [(2, "section_id", "s1")]


def test_passage_of_a_document_that_is_not_here_is_kept_as_the_text(bring: Any) -> None:
    make_set({"q1": "one"}, ("d1",))

    said = bring("query_id,doc_id,grade,passage\nq1,away,3,The words that were judged.\n")

    candidate = Candidate.objects.get()
    assert candidate.text == "The words that were judged."
    assert candidate.pool is None
    assert "not in set snapshot 1: 'away'" in said.warnings


def test_label_given_on_another_text_is_marked_by_its_own_checksum(bring: Any) -> None:
    make_set({"q1": "one"}, ("d1", "d2"))

    said = bring("query_id,doc_id,grade,passage\nq1,d1,3,An older wording.\nq1,d2,1,Text  of d2.\n")

    judged = {row.candidate.doc_id: row for row in Judgment.objects.all()}
    assert judged["d1"].text_sha256 == sha256_of("An older wording.") != judged["d1"].candidate.text_sha256
    assert judged["d2"].text_sha256 == judged["d2"].candidate.text_sha256
    assert "1 passage of" in said.warnings


def test_imported_labels_take_the_free_seats_of_the_pool_in_order(bring: Any) -> None:
    eval_set = make_set({"q1": "one"}, ("d1",))
    snapshot = eval_set.corpus.snapshots.create(number=9)
    EvalSet.objects.filter(pk=eval_set.pk).update(snapshot=snapshot)
    eval_set.refresh_from_db()
    make_pool(eval_set, list(eval_set.queries.all()), per_query=1)
    declare_plan(eval_set=eval_set, rate=1.0, by=None)
    open_missing_seats(eval_set=eval_set)
    doc_id = Candidate.objects.get().doc_id

    said = bring(
        f"query_id,doc_id,grade,annotator\nq1,{doc_id},3,ann\nq1,{doc_id},1,bea\nq1,{doc_id},2,cal\n",
    )

    assert said.counts["seats_filled"] == 2
    assert said.counts["candidates_made"] == 0
    assert not Seat.objects.open().exists()
    assert set(Judgment.objects.values_list("annotator__name", "seat__number")) == {
        ("ann", 1),
        ("bea", 2),
        ("cal", None),
    }


def test_own_judgment_of_a_person_stays_beside_an_import(bring: Any) -> None:
    eval_set = make_set({"q1": "one"}, ("d1",))
    bring("query_id,doc_id,grade,annotator\nq1,d1,3,ann\n")
    own = get_annotator(eval_set, make_member(eval_set, username="bea"))

    judge(
        candidate=Candidate.objects.get(),
        annotator=own,
        verdict=Verdict(grade=1),
        request_id=Judgment.objects.get().request_id.__class__(int=7),
        at=timezone.now(),
    )

    assert sorted(Judgment.objects.live().values_list("annotator__name", "grade")) == [("ann", 3), ("bea", 1)]


def test_ids_longer_than_the_database_keeps_are_problems(bring: Any) -> None:
    make_set({"q1": "one"})

    said = bring(f"query_id,doc_id,grade,annotator\nq1,{'d' * 501},1,{'a' * 201}\n")

    assert sorted(name for _, name, _ in said.problems) == ["annotator", "doc_id"]


def test_dry_run_writes_nothing(bring: Any) -> None:
    make_set({"q1": "one"})
    before = count_rows()

    said = bring("q1 0 d1 3\n", name="l.qrels", dry_run=True)

    assert (said.code, said.document["imported"], said.document["total"]) == (0, False, 1)
    assert count_rows() == before


def test_command_leaves_a_line_in_the_list_of_imports(bring: Any) -> None:
    make_set({"q1": "one"})

    bring("q1 0 d1 3\nq1 0 d1 3\n", name="l.qrels")

    item = Import.objects.get()
    assert (item.state, item.kind, item.file_name) == (ImportState.DONE, "labels", "l.qrels")
    assert "line 2 repeats line 1" in item.result["warnings"][0]


def test_thousands_of_labels_of_hundreds_of_queries_take_few_database_calls(
    bring: Any, django_assert_max_num_queries: Any
) -> None:
    eval_set = make_empty_set()
    store_queries(eval_set=eval_set, rows=[QueryRow(f"q{n}", f"text {n}") for n in range(225)])
    lines = "".join(f"q{n} 0 d{m} {m % 4}\n" for n in range(225) for m in range(20))

    with django_assert_max_num_queries(200):
        said = bring(lines, name="l.qrels")

    assert said.counts["labels"] == Judgment.objects.count() == 4500
