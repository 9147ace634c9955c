"""Recorded runs: TREC files and JSON Lines."""

import gzip
import json

import pandas as pd
import pytest

from evalsets.formats.runs import RunFound, read_run


def ids(found: RunFound, query: str = "q1", stage: str | None = None) -> list[str]:
    return [row.doc_id for row in found.results if row.query_id == query and stage in (None, row.stage)]


def read(text: str, **options: str) -> RunFound:
    return read_run(text.encode(), name="run", **options)


def trec(*rows: tuple[str, str, object, object]) -> str:
    return "".join(f"{query} Q0 {doc} {rank} {score} tag\n" for query, doc, rank, score in rows)


def test_clean_file_and_file_with_a_blank_line_are_read_alike():
    text = trec(("q1", "d2", 2, 1.25), ("q1", "d1", 1, 2.5), ("q2", "0012", 1, "1e-3"))
    swept, slow = read(text), read(text + "\n \t \n")
    assert swept.results == slow.results
    assert [(row.doc_id, row.rank, row.score, row.line) for row in swept.results] == [
        ("d1", 1, 2.5, 2),
        ("d2", 2, 1.25, 1),
        ("0012", 1, 0.001, 3),
    ]
    assert swept.tag == "tag"
    assert [answer.query_id for answer in swept.answers] == ["q1", "q2"]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("q1 Q0 d9 x 1 tag", "rank"),
        ("q1 Q0 d9 1.0 1 tag", "rank"),
        ("q1 Q0 d9 1_0 1 tag", "rank"),
        ("q1 Q0 d9 -1 1 tag", "rank"),
        ("q1 Q0 d9 \u0661 1 tag", "rank"),
        ("q1 Q0 d9 99999999999999999999 1 tag", "rank"),
        ("q1 Q0 d9 2 nan tag", "score"),
        ("q1 Q0 d9 2 -inf tag", "score"),
        ("q1 Q0 d9 2 1e999 tag", "score"),
        ("q1 Q0 d9 2 1_0 tag", "score"),
        ("q1 Q0 d9 2 1,5 tag", "score"),
        ("q1 Q0 d9 2 0x10 tag", "score"),
        ("q1 Q0 d9 2 True tag", "score"),
        ("q1 Q0 d9 2 1", "fields"),
        ("d9", "fields"),
        ("q1 Q0 d9\r2 1 tag x", "line"),
    ],
)
def test_line_that_does_not_parse_is_named(line, field):
    found = read(trec(("q1", "d1", 1, 2)) + line + "\n")
    assert [(problem.line, problem.field) for problem in found.problems] == [(2, field)]
    assert found.results == []


def test_numbers_are_no_ids_and_ids_are_no_numbers():
    found = read(trec(("007", "1", 1, 3), ("007", "01", 2, 2), ("7", "1.0", 1, 1), ("7", "1", 2, 0)))
    assert [(row.query_id, row.doc_id) for row in found.results] == [
        ("007", "1"),
        ("007", "01"),
        ("7", "1.0"),
        ("7", "1"),
    ]


def test_only_spaces_and_tabs_separate_so_other_blanks_stay_in_ids():
    found = read(trec(("q1", "a\u00a0b", 1, 3), ("q1", "a\u2028b", 2, 2), ("q1", 'quo"te', 3, 1), ("q1", "#x", 4, 0)))
    assert ids(found) == ["a\u00a0b", "a\u2028b", 'quo"te', "#x"]


@pytest.mark.parametrize("rest", [" note", " two words", " many more words than any column"])
def test_text_after_the_tag_is_ignored_and_said(rest):
    found = read(trec(("q1", "d1", 1, 3)) + f"q1 Q0 d2 2 1 tag{rest}\n")
    assert ids(found) == ["d1", "d2"]
    assert found.warnings == ["text after the tag ignored on line 2"]


def test_ranks_may_start_at_zero_and_come_out_from_one():
    assert [row.rank for row in read(trec(("q1", "d1", 0, 3), ("q1", "d2", 1, 2))).results] == [1, 2]


def test_missing_rank_is_a_problem_until_an_order_is_chosen():
    text = trec(("q1", "d1", 1, 3), ("q1", "d2", 3, 2), ("q2", "d1", 2, 1))
    found = read(text)
    assert [(problem.line, problem.field) for problem in found.problems] == [(2, "rank"), (3, "rank")]
    by_rank = read(text, order="rank")
    assert [row.rank for row in by_rank.results] == [1, 2, 1]
    assert "missing before lines 2 and 3" in str(by_rank.warnings[0])
    assert read(text, order="score").ok


def test_repeated_rank_is_a_problem_unless_the_order_is_by_score():
    text = trec(("q1", "d1", 1, 3), ("q1", "d2", 1, 4))
    assert [problem.line for problem in read(text).problems if problem.field == "rank"] == [2]
    assert not read(text, order="rank").ok
    assert ids(read(text, order="score")) == ["d2", "d1"]


def test_order_by_score_breaks_ties_by_document_id_descending_in_utf8_order():
    text = trec(("q1", "B", 1, 1), ("q1", "a", 2, 1), ("q1", "\ufb01", 3, 1), ("q1", "😀", 4, 1), ("q1", "z", 5, 2))
    found = read(text, order="score")
    assert ids(found) == ["z", *sorted(["B", "a", "\ufb01", "😀"], key=str.encode, reverse=True)]
    assert found.ties == 3


def test_disagreement_is_one_problem_a_query_at_its_first_place():
    found = read(trec(("q1", "a", 1, 1), ("q1", "b", 2, 2), ("q1", "c", 3, 3), ("q2", "a", 1, 2), ("q2", "b", 2, 1)))
    assert [(problem.line, problem.field) for problem in found.problems] == [(2, "score")]
    assert "at 2 places" in found.problems[0].expected


def test_keeping_the_first_keeps_the_one_with_the_better_rank():
    found = read(trec(("q1", "x", 3, 1), ("q1", "y", 2, 2), ("q1", "x", 1, 3)), duplicates="keep_first")
    assert [(row.doc_id, row.rank, row.line) for row in found.results] == [("x", 1, 3), ("y", 2, 2)]
    assert found.skipped == {"listed again for the same query": 1}


def test_unknown_choice_is_a_problem_and_nothing_is_read():
    found = read(trec(("q1", "d1", 1, 1)), order="best")
    assert [problem.field for problem in found.problems] == ["order"]


def test_stage_of_a_trec_file_can_be_chosen():
    assert {row.stage for row in read(trec(("q1", "d1", 1, 1)), stage="final").results} == {"final"}


def test_frame_has_the_agreed_columns_and_no_rows_where_there_are_problems():
    columns = ["query_id", "stage", "rank", "score", "doc_id", "section_id", "chunk_id"]
    frame = read(trec(("q1", "d1", 1, 1))).frame()
    assert list(frame.columns) == columns
    assert frame.to_dict("records") == [dict(zip(columns, ["q1", "candidates", 1, 1.0, "d1", "", ""], strict=True))]
    assert read("x\n").frame().empty
    assert list(read("x\n").frame().columns) == columns


def test_packed_file_is_read():
    assert read_run(gzip.compress(trec(("q1", "d1", 1, 1)).encode()), name="run.gz").ok


def test_empty_file_is_no_problem_but_said():
    assert read("").warnings == ["the file holds no results"]


def test_large_clean_file_and_large_broken_file_name_the_same_things():
    rows = [(f"q{number // 100}", f"d{number}", number % 100 + 1, 1000 - number % 100) for number in range(20_000)]
    assert len(read(trec(*rows)).frame()) == 20_000
    found = read(trec(*rows) + "broken\n")
    assert [problem.line for problem in found.problems] == [20_001]


# --- JSON Lines


def lines(*items: object) -> str:
    return "".join(json.dumps(item) + "\n" for item in items)


RUN_LINE = {
    "run": {"tag": "bm25-a", "corpus": "handbook 3", "index": 7, "reranker": "none", "k": 10, "quantised": True}
}
CHUNK = {"doc_id": "d1", "section_id": "s", "chunk_id": "c1", "score": 2, "text": "one", "start": 0, "end": 3}
ANSWER = {
    "query_id": "q1",
    "query": "rotate the key",
    "latency_ms": 41.5,
    "event": "fallback",
    "filters": {"lang": "en"},
    "results": {"candidates": [CHUNK, {"doc_id": "d1", "chunk_id": "c2", "score": None}], "context": [{"doc_id": 12}]},
}


def test_run_line_gives_the_versions_behind_a_run():
    found = read(lines(RUN_LINE, ANSWER))
    assert found.problems == []
    assert (found.tag, found.k) == ("bm25-a", 10)
    assert found.versions == {"corpus": "handbook 3", "index": "7", "reranker": "none", "quantised": "true"}


def test_answer_line_gives_time_event_and_filters():
    answer = read(lines(RUN_LINE, ANSWER)).answers[0]
    assert (answer.query_text, answer.latency_ms, answer.event) == ("rotate the key", 41.5, "fallback")
    assert (answer.filters, answer.line) == ({"lang": "en"}, 2)


def test_answer_line_gives_results_by_stage_with_their_passages():
    first, second, third = read(lines(RUN_LINE, ANSWER)).results
    assert (first.section_id, first.chunk_id, first.text, first.start, first.end, first.score) == (
        "s",
        "c1",
        "one",
        0,
        3,
        2.0,
    )
    assert (second.rank, second.score, second.start) == (2, None, None)
    assert (third.stage, third.rank, third.doc_id, third.line) == ("context", 1, "12", 2)


def test_result_lines_make_one_answer_a_query():
    found = read(
        lines(
            {"query_id": 1, "stage": "final", "rank": 1, "doc_id": "a", "latency_ms": 5},
            {"query_id": "1", "stage": "final", "rank": 2, "doc_id": "b", "query": "text"},
        )
    )
    assert [(answer.query_id, answer.query_text, answer.latency_ms) for answer in found.answers] == [("1", "text", 5.0)]
    assert ids(found, "1", "final") == ["a", "b"]


def test_lines_that_contradict_each_other_about_a_query_are_named():
    found = read(
        lines(
            {"query_id": "q", "results": [], "latency_ms": 5},
            {"query_id": "q", "results": [{"doc_id": "a"}], "latency_ms": 6},
        )
    )
    assert [(problem.line, problem.field) for problem in found.problems] == [(2, "latency_ms")]
    assert "line 1 says 5.0" in found.problems[0].expected


def test_answers_without_results_keep_their_event():
    found = read(
        lines(
            {"query_id": "a", "event": "timeout"},
            {"query_id": "b", "results": []},
            {"query_id": "c", "results": {"final": []}, "event": "error"},
        )
    )
    assert [(answer.query_id, answer.event) for answer in found.answers] == [
        ("a", "timeout"),
        ("b", "empty"),
        ("c", "error"),
    ]
    assert found.results == []


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({"query_id": "q", "rank": 1}, None),
        ({"query_id": "q", "rank": 1, "doc_id": 4.0}, "doc_id"),
        ({"query_id": "q", "rank": 1, "doc_id": ""}, "doc_id"),
        ({"query_id": "q", "rank": 1, "doc_id": True}, "doc_id"),
        ({"query_id": "q", "rank": "x", "doc_id": "d"}, "rank"),
        ({"query_id": "q", "doc_id": "d"}, "rank"),
        ({"query_id": "q", "rank": 1, "doc_id": "d", "score": "high"}, "score"),
        ({"query_id": "q", "rank": 1, "doc_id": "d", "stage": "rerank"}, "stage"),
        ({"query_id": "q", "rank": 1, "doc_id": "d", "event": "slow"}, "event"),
        ({"query_id": "q", "rank": 1, "doc_id": "d", "latency_ms": -1}, "latency_ms"),
        ({"query_id": "q", "rank": 1, "doc_id": "d", "filters": [1]}, "filters"),
        ({"query_id": "q", "rank": 1, "doc_id": "d", "start": 5, "end": 2}, "end"),
        ({"rank": 1, "doc_id": "d"}, "query_id"),
        ({"query_id": "q", "results": {"reranked": []}}, "results"),
        ({"query_id": "q", "results": ["d1"]}, "results"),
        (["q"], "line"),
    ],
)
def test_wrong_value_in_a_json_run_is_named(item, field):
    found = read(lines(item), format="jsonl")
    assert [problem.field for problem in found.problems] == ([field] if field else [])


def test_run_line_must_come_first():
    found = read(lines({"query_id": "q", "results": []}, {"run": {"k": 3}}))
    assert [(problem.line, problem.field) for problem in found.problems] == [(2, "run")]


def test_one_document_in_two_chunks_is_normal_and_without_chunks_is_not():
    assert read(
        lines({"query_id": "q", "results": [{"doc_id": "d", "chunk_id": "1"}, {"doc_id": "d", "chunk_id": "2"}]})
    ).ok
    found = read(lines({"query_id": "q", "results": [{"doc_id": "d"}, {"doc_id": "d"}]}))
    assert [(problem.line, problem.field) for problem in found.problems] == [(1, "doc_id")]


def test_result_lines_without_ranks_are_read_by_score():
    found = read(
        lines({"query_id": "q", "doc_id": "a", "score": 1}, {"query_id": "q", "doc_id": "b", "score": 2}), order="score"
    )
    assert ids(found, "q") == ["b", "a"]


def test_missing_scores_cannot_be_ordered_by():
    found = read(
        lines({"query_id": "q", "results": [{"doc_id": "a", "score": None}, {"doc_id": "b", "score": 1}]}),
        order="score",
    )
    assert [(problem.line, problem.field) for problem in found.problems] == [(1, "score")]


def test_fields_that_a_run_does_not_have_are_said():
    found = read(lines({"query_id": "q", "results": [{"doc_id": "a", "colour": "red"}], "mood": "good"}))
    assert found.warnings == ["fields that a run does not have were ignored: 'colour', 'mood'"]


def test_frame_keeps_missing_scores_missing():
    frame = read(lines({"query_id": "q", "results": [{"doc_id": "a", "chunk_id": "c"}]})).frame()
    assert pd.isna(frame["score"].iloc[0])
    assert frame["chunk_id"].iloc[0] == "c"
