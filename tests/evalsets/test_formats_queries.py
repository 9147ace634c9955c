"""Queries in every format, and texts that only look alike."""

import json

import pytest

from evalsets.formats.queries import EvidenceRef, QueriesFound, read_queries
from evalsets.formats.query_rows import lookalikes

FULL = {
    "id": "q1",
    "query": "How do I rotate the key?",
    "information_need": "the steps",
    "expected_scope": "handbook",
    "answerable": False,
    "expected_behaviour": "insufficient_evidence",
    "source": "ticket",
    "source_family": "f1",
    "split": "holdout",
    "tags": ["question", "keys"],
    "synthetic": True,
    "permitted": ["ops"],
    "forbidden_documents": ["d9", "a;b"],
    "relevant_evidence": [{"document_id": "d1", "section_id": "s"}, {"document_id": 2}],
}


def read(text: str, name: str = "queries", **options: str) -> QueriesFound:
    return read_queries(text.encode(), name=name, **options)


def as_csv(item: dict[str, object]) -> str:
    cells = [value if isinstance(value, str) else json.dumps(value) for value in item.values()]
    return ",".join(item) + "\n" + ",".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.jsonl", json.dumps(FULL)),
        ("q.json", json.dumps([FULL], indent=1)),
        ("q.csv", as_csv(FULL)),
        ("q.yaml", "- " + json.dumps(FULL)),
        ("q", "queries:\n- " + json.dumps(FULL)),
    ],
)
def test_every_format_carries_everything(name, text):
    found = read(text, name)
    assert found.problems == []
    row = found.queries[0]
    assert (row.query_id, row.text, row.information_need, row.expected_scope) == (
        "q1",
        "How do I rotate the key?",
        "the steps",
        "handbook",
    )
    assert (row.answerable, row.expected_behaviour, row.synthetic, row.split) == (
        False,
        "insufficient_evidence",
        True,
        "holdout",
    )
    assert (row.source, row.source_family, row.tags, row.permitted) == ("ticket", "f1", ("question", "keys"), ("ops",))
    assert row.forbidden_documents == ("d9", "a;b")
    assert row.relevant_evidence == (EvidenceRef("d1", "s"), EvidenceRef("2"))
    assert row.metadata == {}


def test_beir_queries_keep_their_metadata():
    row = read('{"_id": 12, "text": "what", "metadata": {"original_id": "001"}, "more": 1}').queries[0]
    assert (row.query_id, row.text, row.metadata) == ("12", "what", {"original_id": "001", "more": 1})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("split", "test"),
        ("answerable", "maybe"),
        ("expected_behaviour", "refuse"),
        ("tags", 3),
        ("tags", [1.5]),
        ("relevant_evidence", [{"section_id": "s"}]),
        ("id", 1.0),
        ("query", "  "),
        ("query", None),
        ("synthetic", 2),
    ],
)
def test_wrong_value_is_a_problem_at_its_line(field, value):
    found = read("\n" + json.dumps({"id": "q", "query": "text"} | {field: value}))
    assert [(problem.line, problem.field) for problem in found.problems] == [
        (2, "document_id" if field == "relevant_evidence" else field)
    ]
    assert found.queries == []


def test_unanswerable_query_must_state_what_is_expected():
    assert read('{"id": "q", "query": "x", "answerable": false}').problems[0].field == "expected_behaviour"


def test_problems_in_yaml_stand_at_the_line_of_their_query():
    found = read("- id: 1\n  query: a\n\n- id: 4.0\n  query: b\n- id: 3\n  query: c\n  split: x\n", "q.yaml")
    assert [(problem.line, problem.field) for problem in found.problems] == [(4, "id"), (6, "split")]


def test_lists_in_cells_stand_between_semicolons():
    row = read("id,query,tags,answerable\n1,x,a; b ;c,YES\n").queries[0]
    assert (row.tags, row.answerable) == (("a", "b", "c"), True)


def test_quotes_in_bare_lines_are_part_of_the_text():
    assert [(row.query_id, row.text) for row in read('1\t"what is" x\n2\ty\n').queries] == [
        ("1", '"what is" x'),
        ("2", "y"),
    ]
    assert [problem.line for problem in read("1\ta\n2\n3\tb\tc\n").problems] == [2, 3]


def test_queries_without_ids_get_them_from_their_texts():
    found = read("query\nfirst\nsecond\nfirst\n")
    assert [row.text for row in found.queries] == ["first", "second"]
    assert found.queries[0].query_id == read("query\nfirst\n").queries[0].query_id
    assert "3 queries have no id" in str(found.warnings[-1])


def test_queries_can_be_taken_from_a_file_of_ratings():
    found = read("query,docid,rating\na,d1,3\na,d2,0\nb,d1,1\n")
    assert [row.text for row in found.queries] == ["a", "b"]
    assert found.warnings[0] == "columns of labels are no part of a query and were ignored: 'docid', 'rating'"


def test_one_text_under_two_ids_is_said():
    assert "1, 2 ('same')" in str(read("1\tsame\n2\tsame\n").warnings[0])


def test_lookalikes_are_grouped_and_different_texts_are_not():
    assert lookalikes(
        ["Café", "cafe\u0301 ", "CAFÉ\u00a0", "cafe", "stra\u00dfe", "STRASSE", "a\u200bb", "ab", "a b"]
    ) == [
        ["Café", "cafe\u0301 ", "CAFÉ\u00a0"],
        ["straße", "STRASSE"],
        ["a\u200bb", "ab"],
    ]


def test_file_that_is_no_queries_proposes_the_formats():
    assert "format=id_tab_text" in read("just some words\n").problems[0].expected


def test_format_chosen_wins_over_what_the_file_looks_like():
    assert read("id\tquery\n1\tx\n", format="id_tab_text").queries[0].query_id == "id"
    assert read("x", format="xml").problems[0].field == "format"


@pytest.mark.parametrize(
    "text", ["id,query\n1,first\n,second\n", '{"id": "1", "query": "first"}\n{"query": "second"}\n']
)
def test_row_without_an_id_among_rows_with_ids_is_a_problem(text):
    found = read_queries(text, name="queries.csv" if text.startswith("id") else "queries.jsonl")

    assert [(problem.line, problem.field) for problem in found.problems] == [(3 if text.startswith("id") else 2, "id")]
    assert not found.queries


def test_file_without_any_ids_gets_them_from_the_texts():
    found = read_queries("query\nfirst\nsecond\n", name="queries.csv")

    assert not found.problems
    assert len({query.query_id for query in found.queries}) == 2
