"""What other tools export: Quepid books, Label Studio tasks, logs of retrieval frameworks."""

import json

import pytest

from evalsets.formats.label_rows import LabelsFound
from evalsets.formats.label_studio import read_export
from evalsets.formats.quepid import read_book
from evalsets.formats.query_rows import id_from_text
from evalsets.formats.retrieval_log import LogFound, read_log


def book(*pairs: dict[str, object], **options: str) -> LabelsFound:
    return read_book(json.dumps({"name": "b", "query_doc_pairs": list(pairs)}), name="book.json", **options)


def judged(rating: object = None, **fields: object) -> dict[str, object]:
    return {"rating": rating, "unrateable": False, "judge_later": False, "user_email": "a@x", **fields}


def test_book_keeps_raters_apart_and_reads_unrateable_as_cannot_judge():
    found = book(
        {
            "query_text": "q",
            "doc_id": 5,
            "judgements": [judged(2), judged(unrateable=True, user_email="b@x"), judged(judge_later=True)],
        }
    )
    assert [(row.doc_id, row.annotator, row.grade, row.cannot_judge) for row in found.labels] == [
        ("5", "a@x", 2, ""),
        ("5", "b@x", None, "unrateable"),
    ]
    assert found.skipped == {"marked to be judged later": 1}


def test_book_gives_queries_and_documents_their_texts():
    fields = json.dumps({"title": "T", "body": "long text", "year": 2001})
    found = book(
        {"query_text": "q", "doc_id": "d", "document_fields": fields, "information_need": "need", "judgements": []}
    )
    assert (found.queries[0].text, found.queries[0].information_need) == ("q", "need")
    assert (found.documents[0].title, found.documents[0].text) == ("T", "body: long text\nyear: 2001")
    assert found.pairs == [("q", "d", "")]


@pytest.mark.parametrize(
    ("judgement", "field"),
    [
        (judged(7), "grade"),
        (judged("x"), "grade"),
        (judged(1, unrateable=True), "cannot_judge"),
        ("x", "judgements"),
        (judged(1, judge_later="perhaps"), "judge_later"),
    ],
)
def test_wrong_judgement_is_a_problem(judgement, field):
    assert [
        problem.field for problem in book({"query_text": "q", "doc_id": "d", "judgements": [judgement]}).problems
    ] == [field]


def test_mapping_reaches_the_ratings_of_a_book():
    found = book(
        {"query_text": "q", "doc_id": "d", "judgements": [judged(10.0), judged(unrateable=True, user_email="b")]},
        mapping="10=3,unrateable=skip",
    )
    assert [row.grade for row in found.labels] == [3]


def test_book_as_csv_has_a_column_for_each_rater():
    found = read_book("query,docid,Ann,Bo\nq,1,3,\nq,2,1,0\n", name="book.csv")
    assert [(row.doc_id, row.annotator, row.grade) for row in found.labels] == [
        ("1", "Ann", 3),
        ("2", "Ann", 1),
        ("2", "Bo", 0),
    ]
    assert read_book("question,docid\nq,1\n", name="book.csv").problems[0].field == "header"


def test_broken_book_is_a_problem():
    assert read_book('{"query_doc_pairs": 1}', name="b").problems[0].field == "query_doc_pairs"
    assert read_book('{"query_doc_pairs": [1]}', name="b").problems[0].line == 1
    assert read_book('{"query_doc_pairs": [', name="b").problems[0].column == 22


# --- Label Studio


def task(*annotations: object, **data: object) -> dict[str, object]:
    return {
        "id": 1,
        "data": {"query": "q", "docid": "d"} | data,
        "annotations": list(annotations),
        "predictions": [{"result": [choice("0")]}],
    }


def choice(value: object, name: str = "grade") -> dict[str, object]:
    return {"from_name": name, "type": "choices", "value": {"choices": [value]}}


def annotation(*results: object, by: object = 1, **fields: object) -> dict[str, object]:
    return {"completed_by": by, "was_cancelled": False, "result": list(results), **fields}


def export(*tasks: object, **options: str) -> LabelsFound:
    return read_export(json.dumps(list(tasks)), name="export.json", **options)


def test_annotator_is_known_by_address_wherever_the_export_gives_it():
    found = export(
        task(annotation(choice("3"), by=1)),
        task(annotation(choice("2"), by={"id": 1, "email": "a@x"}), docid="e"),
        task(annotation(choice("1"), by=2), docid="f"),
    )
    assert [(row.doc_id, row.annotator, row.grade) for row in found.labels] == [
        ("d", "a@x", 3),
        ("e", "a@x", 2),
        ("f", "2", 1),
    ]


def test_ratings_numbers_and_notes_are_read():
    rating = {"from_name": "grade", "type": "rating", "value": {"rating": 2}}
    note = {"from_name": "why", "type": "textarea", "value": {"text": ["one", "two"]}}
    row = export(task(annotation(rating, note), passage="the passage")).labels[0]
    assert (row.grade, row.note, row.passage_text) == (2, "one\ntwo", "the passage")


def test_words_as_choices_need_a_mapping():
    assert export(task(annotation(choice("Highly relevant")))).problems[0].field == "grade"
    assert export(task(annotation(choice("Highly relevant"))), mapping="Highly relevant=3").labels[0].grade == 3


def test_several_controls_need_a_choice():
    two = task(annotation(choice("3"), choice("yes", "seen")))
    assert "control=NAME" in export(two).problems[0].expected
    assert export(two, control="grade").labels[0].grade == 3


def test_several_choices_at_once_are_a_problem():
    both = {"from_name": "grade", "type": "choices", "value": {"choices": ["1", "2"]}}
    assert export(task(annotation(both))).problems[0].expected == "one choice"


def test_fields_of_a_task_can_be_named():
    found = export(
        {"data": {"frage": "q", "seite": "d"}, "annotations": [annotation(choice("1"))]},
        columns="query=frage,doc_id=seite",
    )
    assert [(row.query_text, row.doc_id) for row in found.labels] == [("q", "d")]
    assert [problem.field for problem in export({"data": {}, "annotations": []}).problems] == ["query", "doc_id"]


def test_what_is_no_task_is_a_problem():
    assert [problem.field for problem in export(1, {"data": 2}, task() | {"annotations": "x"}).problems] == [
        "data",
        "data",
        "annotations",
    ]


# --- Retrieval logs


def log(*items: object, **options: str) -> LogFound:
    return read_log("\n".join(map(json.dumps, items)), name="log.jsonl", **options)


@pytest.mark.parametrize(
    "item",
    [
        {"user_input": "q", "retrieved_contexts": ["one", "two"]},
        {"question": "q", "contexts": ["one", "two"], "answer": "a"},
        {"query_str": "q", "source_nodes": [{"node": {"text": "one"}, "score": 2}, {"text": "two", "score": None}]},
        {"input": "q", "context": [{"page_content": "one", "metadata": {}}, {"page_content": "two"}]},
        {
            "query": "q",
            "documents": [{"content": "one", "meta": {"a": 1}, "score": 0.5}, {"content": "two", "score": 0.4}],
        },
    ],
)
def test_every_known_shape_gives_the_same_run(item):
    found = log(item)
    assert found.problems == []
    made = [id_from_text(text, prefix="d") for text in ("one", "two")]
    assert [(row.rank, row.doc_id, row.text) for row in found.results] == [(1, made[0], "one"), (2, made[1], "two")]
    assert [(row.doc_id, row.text) for row in found.documents] == list(zip(made, ("one", "two"), strict=True))
    assert [(row.query_id, row.text) for row in found.queries] == [(id_from_text("q", prefix="q"), "q")]


def test_ids_that_are_there_are_used():
    found = log({"qid": 7, "query": "q", "retrieved_contexts": ["one", "two"], "retrieved_context_ids": ["x", 9]})
    assert [(row.query_id, row.doc_id) for row in found.results] == [("7", "x"), ("7", "9")]
    assert found.warnings == []


def test_place_of_the_document_id_makes_texts_its_chunks():
    items = [
        {"page_content": "one", "metadata": {"source": "a.md"}},
        {"page_content": "two", "metadata": {"source": "a.md"}},
    ]
    found = log({"query": "q", "documents": items}, document_id="metadata.source")
    assert [row.doc_id for row in found.results] == ["a.md", "a.md"]
    assert len({row.chunk_id for row in found.results}) == 2
    assert found.documents == []
    missing = log({"query": "q", "documents": ["text"]}, document_id="metadata.source")
    assert [problem.field for problem in missing.problems] == ["metadata.source"]


def test_scores_that_rise_down_a_list_need_an_order():
    item = {"query": "q", "documents": [{"content": "one", "score": 0.1}, {"content": "two", "score": 0.4}]}
    assert [problem.field for problem in log(item).problems] == ["score"]
    assert [row.text for row in log(item, order="rank").results] == ["one", "two"]


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({"query": "q"}, "retrieved_contexts"),
        ({"documents": ["a"]}, "query"),
        ({"query": "q", "documents": "a"}, "documents"),
        ({"query": "q", "documents": [5]}, "documents"),
        ({"query": "q", "documents": [" "]}, "documents"),
        ({"query": "q", "documents": [{"body": "x"}]}, "documents"),
        ({"query": "q", "documents": [{"content": "x", "id": 1.5}]}, "id"),
        ({"query": "q", "documents": [{"content": "x", "score": "high"}]}, "score"),
        (5, "line"),
    ],
)
def test_wrong_log_line_is_a_problem(item, field):
    found = log(item)
    assert field in [problem.field for problem in found.problems]
    assert (found.results, found.queries, found.documents) == ([], [], [])


def test_one_question_with_two_lists_is_a_conflict():
    assert log({"query": "q", "contexts": ["a"]}, {"query": "q", "contexts": ["b"]}).problems[0].line == 2
    assert log({"query": "q", "contexts": ["a"]}, {"query": "q", "contexts": ["a"]}).ok


def test_empty_list_is_an_empty_answer():
    assert log({"query": "q", "contexts": []}).answers[0].event == "empty"
