"""Each messy file, imported by command into a real database, gets what is said beside the files."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from evalsets.models import Corpus, Document, Query, Result, Role, Run, Snapshot
from labelling.models import Annotator, AnnotatorKind, Judgment
from tests.evalsets.import_steps import Said, count_rows, make_empty_set, make_set, run_import
from tests.factories import make_member
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db


def messy(name: str) -> Any:
    return shared_data("messy", name)


def import_documents(name: str, **options: Any) -> Said:
    return run_import("import_documents", "texts", messy(name), create=True, **options)


def labels_of(eval_set: Any) -> dict[tuple[str, str], int | None]:
    rows = Judgment.objects.of(eval_set).live()
    return {(row.candidate.query.query_id, row.candidate.doc_id): row.grade for row in rows}


def texts_of(name: str) -> dict[str, str]:
    rows = Document.objects.filter(snapshot__corpus__slug=name)
    return dict(rows.values_list("doc_id", "text"))


def refused(said: Said) -> bool:
    return said.code == 2 and not said.document["imported"] and bool(said.errors)


def test_base_files_become_queries_a_run_and_labels() -> None:
    eval_set = make_empty_set()

    queries = run_import("import_queries", "set", messy("00-base.queries.tsv"))
    run = run_import("import_run", "set", "base", messy("00-base.run"))
    labels = run_import("import_labels", "set", messy("00-base.qrels"))

    assert (queries.counts["added"], run.counts["results"], labels.counts["labels"]) == (3, 8, 9)
    assert eval_set.queries.values_list("query_id", "text")[0] == ("q1", "adjust rear bicycle gear")
    assert labels_of(eval_set)["q1", "d2"] == 2
    assert Annotator.objects.get().kind == AnnotatorKind.FILE


def test_tabs_blanks_and_text_after_the_tag_are_accepted_and_said() -> None:
    make_set({"q1": "one", "q2": "two"})

    said = run_import("import_run", "set", "a", messy("01-run-tabs-extra-columns.trec"))

    assert said.code == 0
    assert "lines 1 and 4" in said.warnings
    assert "lines 1 and 4" in "\n".join(Run.objects.get().warnings)


def test_repeated_document_in_a_list_is_refused_until_the_first_is_kept() -> None:
    make_set({"q1": "one", "q2": "two"})
    before = count_rows()

    said = run_import("import_run", "set", "a", messy("03-run-duplicate-docids.trec"))
    assert refused(said)
    assert said.problems == [(3, "doc_id", "d1")]
    assert {"name": "duplicates", "value": "keep_first"}.items() <= said.document["proposals"][0].items()
    assert count_rows() == before

    run_import("import_run", "set", "a", messy("03-run-duplicate-docids.trec"), duplicates="keep_first")
    rows = Result.objects.filter(answer__query__query_id="q1").order_by("rank")
    assert list(rows.values_list("doc_id", flat=True)) == ["d1", "d3"]


def test_ties_keep_the_recorded_rank_and_are_counted() -> None:
    make_set({"t1": "one", "t2": "two", "t3": "three"})

    said = run_import("import_run", "set", "a", messy("05-run-ties.trec"))

    assert "4 pairs" in said.warnings
    assert list(Result.objects.filter(answer__query__query_id="t1").values_list("doc_id", flat=True)) == ["b", "a"]


def test_ties_by_score_go_by_document_id_descending() -> None:
    make_set({"t1": "one", "t2": "two", "t3": "three"})

    run_import("import_run", "set", "a", messy("05-run-ties.trec"), order="score")

    assert list(Result.objects.filter(answer__query__query_id="t2").values_list("doc_id", flat=True)) == ["c", "b"]


def test_scores_that_are_no_numbers_are_all_listed() -> None:
    make_set({"q1": "one", "q2": "two"})

    said = run_import("import_run", "set", "a", messy("08-run-nan-inf-none.trec"))

    assert refused(said)
    assert [line for line, _, _ in said.problems] == [1, 3, 4, 5, 6]


@pytest.mark.parametrize(("order", "expected"), [("rank", ["d3", "d2", "d1"]), ("score", ["d1", "d2", "d3"])])
def test_ranks_and_scores_that_disagree_wait_for_a_choice(order: str, expected: list[str]) -> None:
    make_set({"q1": "one"})

    said = run_import("import_run", "set", "a", messy("10-run-rank-score-disagree.trec"))
    assert refused(said)
    assert {(item["name"], item["value"]) for item in said.document["proposals"]} == {
        ("order", "rank"),
        ("order", "score"),
    }

    run_import("import_run", "set", "a", messy("10-run-rank-score-disagree.trec"), order=order)
    assert list(Result.objects.order_by("rank").values_list("doc_id", flat=True)) == expected


def test_malformed_lines_are_all_named() -> None:
    make_set({"q1": "one", "q2": "two"})

    said = run_import("import_run", "set", "a", messy("11-run-malformed-lines.trec"))

    assert refused(said)
    assert [(line, name) for line, name, _ in said.problems] == [
        (2, "fields"),
        (4, "fields"),
        (6, "rank"),
        (6, "score"),
    ]


def test_query_ids_that_nobody_knows_are_shown_beside_the_near_ones() -> None:
    make_set({"101.1": "one", "102.1": "two"})
    run_import("import_labels", "set", messy("14-topic-suffix.qrels"))
    before = count_rows()

    said = run_import("import_run", "set", "a", messy("14-topic-suffix.trec"))

    assert refused(said)
    assert "none of the file's 2 query ids is in it (101 beside 101.1, 102 beside 102.1)" in said.errors
    assert said.problems[1:] == [(1, "query_id", "101"), (2, "query_id", "102")]
    assert count_rows() == before


def test_contradicting_labels_are_refused_and_the_repeated_one_only_said() -> None:
    make_set({"q1": "one", "q2": "two"})

    said = run_import("import_labels", "set", messy("16-qrels-duplicates.qrels"))

    assert refused(said)
    assert said.problems == [(4, "grade", "0")]
    assert "line 2" in said.errors
    assert "line 3 repeats line 1" in said.warnings


def test_negative_grades_wait_for_a_mapping() -> None:
    eval_set = make_set({"q1": "one", "q2": "two"})

    said = run_import("import_labels", "set", messy("18-qrels-negative.qrels"))
    assert refused(said)
    assert said.problems == [(2, "grade", "-1"), (5, "grade", "-2")]
    assert said.document["proposals"][0]["value"] == "negative=0"

    run_import("import_labels", "set", messy("18-qrels-negative.qrels"), mapping="negative=0")
    assert labels_of(eval_set)["q2", "d6"] == 0


def test_beir_header_three_columns_and_two_columns() -> None:
    make_set({"q1": "one", "q2": "two"}, slug="beir")
    make_set({"q1": "one", "q2": "two"}, slug="three")
    two = make_set({"q1": "one", "q2": "two"}, slug="two")

    assert run_import("import_labels", "beir", messy("19-qrels-beir-header.tsv")).counts["labels"] == 3
    bare = run_import("import_labels", "three", messy("19-qrels-three-columns.txt"))
    assert refused(bare)
    assert bare.document["proposals"][0]["value"] == "three_columns"
    three = run_import("import_labels", "three", messy("19-qrels-three-columns.txt"), format="three_columns")
    assert three.counts["labels"] == 3
    assert refused(run_import("import_labels", "two", messy("19-qrels-two-columns.txt")))
    options = {"format": "two_columns", "constant_grade": "2"}
    run_import("import_labels", "two", messy("19-qrels-two-columns.txt"), **options)
    assert set(labels_of(two).values()) == {2}


def test_labels_without_a_relevant_one_are_accepted() -> None:
    eval_set = make_set({"q1": "one", "q2": "two"})

    labels = run_import("import_labels", "set", messy("21-qrels-topic-without-relevant.qrels"))
    run = run_import("import_run", "set", "a", messy("21-run.trec"))

    assert (labels.code, run.code) == (0, 0)
    assert labels_of(eval_set)["q2", "d6"] == 0


def test_leading_zeros_keep_ids_apart() -> None:
    eval_set = make_set({"007": "bond", "7": "seven"})

    run_import("import_labels", "set", messy("23-leading-zero-ids.qrels"))
    run_import("import_run", "set", "a", messy("23-leading-zero-ids.trec"))

    assert labels_of(eval_set) == {("007", "0012"): 2, ("007", "12"): 0, ("7", "12"): 1}
    assert list(Result.objects.filter(answer__query__query_id="007").values_list("doc_id", flat=True)) == ["12", "0012"]


def test_number_and_text_are_one_id_and_other_field_names_are_offered() -> None:
    said = import_documents("24-corpus-int-ids.jsonl")

    assert refused(said)
    assert [(line, name) for line, name, _ in said.problems] == [(2, "doc_id"), (3, "_id"), (4, "text"), (4, "_id")]
    assert "'id', 'contents'" in said.errors
    assert "mapping" in said.document["wanted"]
    assert not Corpus.objects.exists()


def test_repeated_document_ids_with_other_text_are_refused() -> None:
    said = import_documents("26-corpus-duplicate-ids.jsonl")

    assert refused(said)
    assert said.problems == [(4, "doc_id", "d2")]
    assert "line 2 repeats line 1" in said.warnings


def test_broken_json_lines_are_named_with_line_and_column() -> None:
    said = import_documents("27-corpus-trailing-comma-crlf.jsonl")

    assert refused(said)
    assert [item["line"] for item in said.document["problems"]] == [1, 2, 5, 6]
    assert all(item["column"] for item in said.document["problems"])


def test_json_array_named_jsonl_is_accepted() -> None:
    assert import_documents("27-corpus-json-array-named.jsonl").counts["documents"] == 2


def test_utf16_waits_for_its_encoding_to_be_chosen() -> None:
    said = import_documents("29-corpus-utf16.csv")
    assert refused(said)
    assert said.document["proposals"][0]["value"] == "utf-16"

    import_documents("29-corpus-utf16.csv", encoding="utf-16")
    assert texts_of("texts") == {"d1": "Schaltung einstellen für Anfänger", "d2": "élagage d\u2019un pommier"}


@pytest.mark.parametrize("name", ["30-corpus-huge-field.csv", "30-corpus-huge-line.jsonl"])
def test_huge_texts_are_kept_to_the_character(name: str) -> None:
    assert import_documents(name).code == 0

    text = texts_of("texts")["d2"]
    assert text in messy(name).read_text()
    assert len(text) > 149_000


def test_queries_with_one_id_and_two_texts_are_refused() -> None:
    make_empty_set()

    said = run_import("import_queries", "set", messy("31-queries-duplicate-id.tsv"))

    assert refused(said)
    assert said.problems == [(3, "id", "44")]
    assert "line 4 repeats line 2" in said.warnings


def test_texts_that_look_alike_stay_apart_and_are_listed() -> None:
    eval_set = make_empty_set()

    said = run_import("import_labels", "set", messy("33-queries-case-and-space.csv"), unknown_queries="create")

    assert said.code == 0
    assert "'Dairy', 'dairy', 'dairy ', ' dairy', 'dai\\u200bry'" in said.warnings
    assert eval_set.queries.count() == 7
    assert Judgment.objects.count() == 7


def test_texts_of_queries_that_are_not_here_are_refused_with_their_lookalikes() -> None:
    make_set({"a": "dairy"})

    said = run_import("import_labels", "set", messy("33-queries-case-and-space.csv"))

    assert refused(said)
    assert (2, "query", "Dairy") in said.problems
    assert "near: 'dairy'; choose unknown_queries=create" in said.errors
    assert {item["value"] for item in said.document["proposals"]} == {"create", "skip"}


def test_comma_in_an_unquoted_query_is_named_with_its_line() -> None:
    make_empty_set()

    said = run_import("import_labels", "set", messy("34-ratings-comma-in-query.csv"), unknown_queries="create")

    assert refused(said)
    assert [line for line, _, _ in said.problems] == [3]
    assert "found 4" in said.errors


@pytest.mark.parametrize("name", ["36-ratings-bom.csv", "36-ratings-bom-quoted.csv"])
def test_byte_order_mark_is_no_part_of_the_first_column(name: str) -> None:
    eval_set = make_set({"card": "renew a library card"}, ("d5",))

    run_import("import_labels", "set", messy(name))

    assert labels_of(eval_set) == {("card", "d5"): 2}


ODD_IDS = [
    "mydoc.pdf",
    "http://example.org/a/b.pdf?x=1&y=2#frag",
    "../../etc/notes",
    "a b c",
    "100%",
    "<b>d7</b>",
    "Äpfel/Birnen",
    "<dbpedia:St._John's_Church>",
]


def test_odd_document_ids_are_kept_in_labels_with_and_without_their_documents() -> None:
    with_documents = make_set({"q": "q"}, tuple(ODD_IDS), slug="with")
    without = make_set({"q": "q"}, slug="without")

    for eval_set in (with_documents, without):
        said = run_import("import_labels", eval_set.slug, messy("38-ratings-odd-docids.csv"))
        assert said.code == 0
        assert [doc_id for _, doc_id in labels_of(eval_set)] == ODD_IDS


def test_odd_document_ids_work_in_every_page_and_are_never_html(client: Any) -> None:
    eval_set = make_set({"q": "q"}, tuple(ODD_IDS))
    run_import("import_labels", "set", messy("38-ratings-odd-docids.csv"))
    client.force_login(make_member(eval_set, Role.ENGINEER))
    documents = Document.objects.filter(snapshot=eval_set.snapshot)
    urls = [
        reverse("evalsets:list_documents", args=["set"]),
        reverse("evalsets:view_candidates", args=["set"]),
        reverse("evalsets:view_query", args=["set", Query.objects.get().pk]),
        *(reverse("evalsets:view_document", args=["set", document.pk]) for document in documents),
    ]

    for url in urls:
        page = client.get(url)
        assert page.status_code == 200
        assert b"<b>d7</b>" not in page.content


def test_notes_with_line_breaks_come_in_by_a_column_mapping() -> None:
    make_empty_set()
    before = count_rows()

    said = run_import("import_labels", "set", messy("40-ratings-embedded-newlines.csv"), unknown_queries="create")
    assert refused(said)
    assert "columns" in said.document["wanted"]
    assert count_rows() == before

    columns = "doc_id=DocUrl, grade=Relevance, note=Notes"
    said = run_import(
        "import_labels", "set", messy("40-ratings-embedded-newlines.csv"), columns=columns, unknown_queries="create"
    )
    assert said.counts["labels"] == 3
    assert Judgment.objects.first().note == "Good, but there is a shorter way = \nuse the built-in"


def test_formulas_are_kept_as_they_are_written() -> None:
    make_set({"q": "q"})

    assert run_import("import_labels", "set", messy("41-notes-formula.csv")).code == 0

    notes = dict(Judgment.objects.values_list("candidate__doc_id", "note"))
    assert notes["d1"] == "=1+2"
    assert notes["d6"] == "\t=2+3"
    assert "=HYPERLINK(0)" in notes


def test_values_that_are_no_grades_are_all_named_and_a_mapping_settles_what_it_names() -> None:
    eval_set = make_set({"q": "q"})

    said = run_import("import_labels", "set", messy("42-ratings-blank-zero-text.csv"))
    assert refused(said)
    assert [line for line, _, _ in said.problems] == [4, 7, 8, 9, 10, 11]
    assert {"value": "unrateable", "count": 1} in said.document["unmapped"]

    mapping = "unrateable=cannot_judge, NaN=skip, -=skip, three=3, 1.5=1, TRUE=skip"
    said = run_import("import_labels", "set", messy("42-ratings-blank-zero-text.csv"), mapping=mapping)
    assert said.code == 0
    assert labels_of(eval_set) == {
        ("q", "d1"): 0,
        ("q", "d3"): None,
        ("q", "d4"): 3,
        ("q", "d5"): 2,
        ("q", "d8"): 3,
        ("q", "d9"): 1,
    }
    assert eval_set.queries.get().candidates.filter(doc_id="d2").exists()
    assert not Judgment.objects.filter(candidate__doc_id="d2").exists()
    unrateable = Judgment.objects.get(grade=None)
    assert (unrateable.cannot_judge, unrateable.note) == ("other", "unrateable")


def test_quepid_book_keeps_each_rater_apart() -> None:
    eval_set = make_set({"screen": "projector screen"})

    said = run_import("import_labels", "set", messy("43-quepid-book.json"))

    assert said.code == 0
    assert eval_set.queries.get().candidates.count() == 3
    given = {(row.annotator.name, row.candidate.doc_id): row.grade for row in Judgment.objects.all()}
    assert given == {
        ("rater01@example.org", "325"): 3,
        ("rater02@example.org", "325"): None,
        ("43-quepid-book.json", "327"): 1,
    }
    assert said.document["skipped"] == {"marked to be judged later": 1}
    assert "document fields are not JSON" in said.warnings


def test_label_studio_export_is_refused_for_its_third_task() -> None:
    make_empty_set()

    said = run_import("import_labels", "set", messy("46-label-studio-export.json"), unknown_queries="create")

    assert refused(said)
    assert {name for _, name, _ in said.problems} == {"grade", "completed_by"}


def test_retrieval_log_makes_ids_from_texts_and_says_so() -> None:
    eval_set = make_set({"q2": "renew a library card", "gear": "adjust rear gear"})

    said = run_import("import_run", "set", "rag", messy("48-retrieval-log.jsonl"), unknown_queries="create")

    assert said.code == 0
    assert "ids were made" in said.warnings
    assert "kept once" in said.warnings
    assert said.counts["queries_made"] == 1
    assert set(eval_set.queries.values_list("text", flat=True)) == {
        "renew a library card",
        "adjust rear gear",
        "prune an apple tree",
    }
    gear = Result.objects.filter(answer__query__query_id="gear").order_by("rank")
    assert list(gear.values_list("rank", "text")) == [(1, "Turn the barrel adjuster."), (2, "Oil the chain.")]
    assert Result.objects.filter(answer__query__query_id="q2", score=None).count() == 1


def test_raters_of_one_file_stay_apart_for_agreement() -> None:
    make_empty_set()

    said = run_import(
        "import_labels",
        "set",
        messy("49-agreement-degenerate.csv"),
        columns="query=case, doc_id=item, annotator=rater",
        unknown_queries="create",
    )

    assert (said.counts["labels"], said.counts["annotators"]) == (24, 3)


def test_fourteen_labels_of_one_query_all_come_in() -> None:
    eval_set = make_set({"card": "renew a library card"}, tuple(f"d{number}" for number in range(1, 15)))

    run_import("import_labels", "set", messy("51-ratings-fourteen-for-one-query.csv"))

    assert len(labels_of(eval_set)) == 14


def test_snapshots_of_one_corpus_are_numbered_and_compared() -> None:
    import_documents("27-corpus-json-array-named.jsonl")

    again = import_documents("27-corpus-json-array-named.jsonl", dry_run=True)
    other = import_documents("30-corpus-huge-field.csv")

    assert "every text is the same as in" in again.warnings
    assert "2 changed, 0 not there any more" in other.warnings
    assert list(Snapshot.objects.order_by("number").values_list("number", flat=True)) == [1, 2]
