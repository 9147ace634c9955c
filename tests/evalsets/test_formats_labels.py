"""Existing labels: qrels, tables with named columns, and what values mean."""

import json

import pytest

from evalsets.formats.labels import LabelsFound, read_labels


def read(text: str, name: str = "labels", **options: object) -> LabelsFound:
    return read_labels(text.encode(), name=name, **options)


def grades(found: LabelsFound) -> list[tuple[str, int | None]]:
    return [(row.doc_id, row.grade) for row in found.labels]


def test_trec_qrels_keep_ids_as_text_and_count_values():
    found = read("007 0 0012 2\r\n007\t0\t12   0 \n\n7 Q0 12 1")
    assert [(row.query_id, row.doc_id, row.grade, row.line) for row in found.labels] == [
        ("007", "0012", 2, 1),
        ("007", "12", 0, 2),
        ("7", "12", 1, 4),
    ]
    assert found.values == {"2": 1, "0": 1, "1": 1}
    assert found.format == "trec_qrels"


def test_every_malformed_line_of_qrels_is_named():
    found = read("q 0 a 1\nq 0 b\nq 0 c x\nq 0 d 1 extra\nq 0 e 4\n")
    assert [(problem.line, problem.field) for problem in found.problems] == [
        (2, "fields"),
        (3, "grade"),
        (4, "fields"),
        (5, "grade"),
    ]
    assert found.labels == []


def test_ids_with_blanks_are_read_between_tabs():
    found = read("q one\t0\ta b\t2\n", format="trec_qrels")
    assert [(row.query_id, row.doc_id) for row in found.labels] == [("q one", "a b")]


@pytest.mark.parametrize(
    ("value", "grade"), [("0", 0), ("3", 3), ("3.0", 3), (" 2 ", 2), ("+1", 1), ("02", 2), ("1.", 1), ("2.000", 2)]
)
def test_whole_numbers_from_0_to_3_are_grades(value, grade):
    assert grades(read(f"query,docid,rating\nq,d,{value}\n")) == [("d", grade)]


@pytest.mark.parametrize(
    "value", ["4", "-1", "1.5", "NaN", "-", "three", "TRUE", "1e0", "0x1", "\u0661", "2,0", "inf", "unrateable", "none"]
)
def test_any_other_value_is_a_problem(value):
    found = read(f'query,docid,rating\nq,d,"{value}"\n')
    assert [(problem.line, problem.field, problem.value) for problem in found.problems] == [(2, "grade", value)]


def test_blank_is_unjudged_and_counted():
    found = read("query,docid,rating\nq,a,\nq,b,  \nq,c,0\n")
    assert grades(found) == [("c", 0)]
    assert found.skipped == {"blank grade (unjudged)": 2}
    assert [pair[1] for pair in found.pairs] == ["a", "b", "c"]


def test_stated_mapping_covers_values_negatives_and_blanks():
    text = "query,docid,rating\nq,a,-2\nq,b,unrateable\nq,c,n/a\nq,d,5\nq,e,\nq,f,1\n"
    found = read(text, mapping="negative=0, unrateable=cannot_judge, n/a=skip, 5=3, blank=0")
    assert grades(found) == [("a", 0), ("b", None), ("d", 3), ("e", 0), ("f", 1)]
    assert found.labels[1].cannot_judge == "unrateable"
    assert found.skipped == {"'n/a' is mapped to nothing": 1}
    assert found.mapping["5"] == "3"


def test_mapping_may_be_given_as_values_or_json():
    text = "query,docid,rating\nq,a,4.0\nq,b,bad\n"
    assert grades(read(text, mapping={4: 3, "bad": None})) == [("a", 3)]
    assert grades(read(text, mapping='{"4": 3, "bad": 0}')) == [("a", 3), ("b", 0)]


def test_mapping_to_anything_else_is_a_problem():
    assert [problem.field for problem in read("q 0 d 1\n", mapping="1=9").problems] == ["mapping"]
    assert [problem.field for problem in read("q 0 d 1\n", mapping="nonsense").problems] == ["mapping"]


def test_annotators_stay_apart_and_one_annotator_twice_does_not():
    found = read("query,docid,rater,rating\nq,d,ann,3\nq,d,bo,1\nq,d,ann,3\n")
    assert [(row.annotator, row.grade) for row in found.labels] == [("ann", 3), ("bo", 1)]
    assert "line 4 repeats line 2" in str(found.warnings[0])
    conflict = read("query,docid,rater,rating\nq,d,ann,3\nq,d,bo,1\nq,d,ann,2\n")
    assert [problem.line for problem in conflict.problems] == [4]
    assert "line 2 says otherwise (3)" in conflict.problems[0].expected


def test_rows_without_annotator_may_be_taken_as_anonymous_annotators():
    found = read("query,docid,rating\nq,d,3\nq,d,1\nq,e,1\n", repeats="anonymous")
    assert [(row.annotator, row.doc_id, row.grade) for row in found.labels] == [
        ("anonymous 1", "d", 3),
        ("anonymous 2", "d", 1),
        ("anonymous 1", "e", 1),
    ]


def test_columns_are_found_by_their_usual_names_or_named():
    found = read("Query ID;Query Text;Document-ID;Section;Grade;Judge;Comment\n1;what;d;s;2;ann;why\n")
    row = found.labels[0]
    assert (row.query_id, row.query_text, row.doc_id, row.section_id, row.grade, row.annotator, row.note) == (
        "1",
        "what",
        "d",
        "s",
        2,
        "ann",
        "why",
    )
    named = read("Frage,Seite,Note\nwas,d,2\n", columns="query=Frage,doc_id=Seite,grade=Note", format="csv")
    assert [(row.query_text, row.doc_id, row.grade) for row in named.labels] == [("was", "d", 2)]


def test_columns_that_are_missing_or_unknown_are_named():
    assert "choose columns=doc_id=COLUMN" in read("query,url,rating\nq,u,1\n").problems[0].expected
    assert read("query,docid,rating\nq,d,1\n", columns="grade=stars").problems[0].value == "stars"
    assert read("query,docid,rating\nq,d,1\n", columns="colour=rating").problems[0].field == "columns (colour)"


def test_row_without_document_or_query_is_a_problem():
    found = read("query,docid,rating\n,d,1\nq,,1\n  ,d,1\n")
    assert [(problem.line, problem.field) for problem in found.problems] == [(2, "query"), (3, "docid"), (4, "query")]


def test_labels_as_json_keep_a_reason_for_not_judging():
    items = [
        {"query_id": 1, "doc_id": "d", "grade": 2, "annotator": "a"},
        {"query_id": 1, "doc_id": "e", "cannot_judge": "no access"},
    ]
    found = read("\n".join(map(json.dumps, items)))
    assert [(row.query_id, row.doc_id, row.grade, row.cannot_judge) for row in found.labels] == [
        ("1", "d", 2, ""),
        ("1", "e", None, "no access"),
    ]
    both = read(json.dumps({"query_id": 1, "doc_id": "e", "cannot_judge": "x", "grade": 1}))
    assert both.problems[0].field == "cannot_judge"


def test_constant_grade_is_for_two_columns_only():
    assert grades(read("q d\nq e\n", constant_grade="2")) == [("d", 2), ("e", 2)]
    assert read("q 0 d 1\n", constant_grade="2").problems[0].field == "constant_grade"
    assert read("q d\n", format="two_columns", constant_grade="7").problems[0].field == "grade"


def test_file_that_is_no_labels_proposes_the_formats():
    assert "format=trec_qrels" in read("some text of five words\n").problems[0].expected


def test_frame_holds_the_grades_only():
    found = read("query,docid,rating\nq,a,3\nq,b,?\n", mapping="?=cannot_judge")
    assert found.frame().to_dict("records") == [{"query_id": "q", "doc_id": "a", "section_id": "", "grade": 3}]
    assert read("x").frame().dtypes["grade"] == "int64"
