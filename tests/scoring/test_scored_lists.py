"""One order, one stage, one entry per evidence unit."""

import pandas as pd
import pytest

from scoring.engine.lists import ListError, choose_stage, ranked_units
from tests.scoring.frames import results_frame, score, value

COLUMNS = ["query_id", "stage", "rank", "score", "doc_id"]


def results(*rows):
    return pd.DataFrame([("q", "candidates", *row) for row in rows], columns=COLUMNS)


def test_results_are_ordered_by_rank_whatever_the_order_of_the_rows_and_the_scores():
    units = ranked_units(results((3, 9.0, "c"), (1, 1.0, "a"), (2, 5.0, "b")), unit="document")
    assert list(units["doc_id"]) == ["a", "b", "c"]


def test_by_score_ties_go_to_the_higher_document_id():
    units = ranked_units(
        results((1, 2.0, "a"), (2, 2.0, "b"), (3, 3.0, "0"), (4, 2.0, "é")), unit="document", order="score"
    )
    assert list(units["doc_id"]) == ["0", "é", "b", "a"]
    assert list(units["rank"]) == [1, 2, 3, 4]
    assert list(units["recorded_rank"]) == [3, 4, 2, 1]


def test_ids_are_compared_as_texts_not_as_numbers():
    units = ranked_units(results((1, 1.0, "10"), (2, 1.0, "9"), (3, 1.0, "010")), unit="document", order="score")
    assert list(units["doc_id"]) == ["9", "10", "010"]


def test_ranks_may_start_at_zero():
    assert list(ranked_units(results((0, 1.0, "a"), (1, 0.5, "b")), unit="document")["rank"]) == [1, 2]


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("document", [("a", ""), ("b", "")]), ("section", [("a", "s1"), ("b", "s1"), ("a", "s2")])],
)
def test_chunks_collapse_to_their_unit_and_the_first_one_keeps_its_place(unit, expected):
    frame = results_frame({"q": ["a#s1/1", "a#s1/2", "b#s1/1", "a#s2/1", "b#s1/2"]})
    units = ranked_units(frame, unit=unit)
    assert list(zip(units["doc_id"], units["section_id"], strict=True)) == expected
    assert list(units["rank"]) == list(range(1, len(expected) + 1))


def test_sections_without_chunk_ids_collapse_to_documents():
    assert list(ranked_units(results_frame({"q": ["a#s1", "a#s2"]}), unit="document")["doc_id"]) == ["a"]


@pytest.mark.parametrize("unit", ["document", "section"])
def test_one_unit_twice_without_chunk_ids_is_an_error_that_names_it(unit):
    with pytest.raises(ListError, match="query q, stage candidates: a > s1 is listed twice without chunk ids"):
        ranked_units(results_frame({"q": ["a#s1", "b#s1", "a#s1"]}), unit=unit)


def test_the_same_unit_in_two_stages_or_queries_is_no_repetition():
    frame = pd.concat([results_frame({"q": ["a"], "r": ["a"]}), results_frame({"q": ["a"]}, stage="final")])
    assert len(ranked_units(frame, unit="document")) == 3


@pytest.mark.parametrize(
    ("rows", "order", "message"),
    [
        ([(1, 1.0, "a"), (1, 0.5, "b")], "rank", "rank 1 is given to more than one result"),
        ([(1, 1.0, "a"), (None, 0.5, "b")], "rank", "query q: b has no rank"),
        ([(1, 1.0, "a"), (2, None, "b")], "score", "query q: b has no finite score"),
        ([(1, float("inf"), "a")], "score", "a has no finite score"),
        ([(1, 1.0, "a")], "best", "order 'best' is none of rank, score"),
    ],
)
def test_a_list_that_cannot_be_ordered_is_refused(rows, order, message):
    with pytest.raises(ListError, match=message):
        ranked_units(results(*rows), unit="document", order=order)


def test_an_unknown_stage_is_refused():
    with pytest.raises(ListError, match="stage 'rerank' is none of candidates, final, context"):
        ranked_units(results_frame({"q": ["a"]}, stage="rerank"), unit="document")


def test_a_run_without_results_has_an_empty_list():
    units = ranked_units(results_frame({}), unit="document")
    assert len(units) == 0
    assert {"query_id", "stage", "rank", "doc_id", "section_id"} <= set(units.columns)


@pytest.mark.parametrize(
    ("present", "wanted", "read"),
    [
        (["candidates", "final"], "candidates", "candidates"),
        (["candidates", "final"], "final", "final"),
        (["candidates"], "final", "candidates"),
        (["final", "context"], "candidates", "final"),
        (["candidates", "final"], "context", None),
        ([], "final", None),
    ],
)
def test_a_run_with_one_stage_is_scored_on_it_at_both_depths(present, wanted, read):
    assert choose_stage(present, wanted) == read


def test_recall_reads_the_candidates_and_precision_the_final_list():
    stages = pd.concat([results_frame({"q": ["x", "a", "b"]}), results_frame({"q": ["b", "x"]}, stage="final")])
    scores = score(stages, {"q": {"a": 2, "b": 3}}, "R@3", "P@1", "RR", "AP")
    assert scores.stage_of == {"R@3": "candidates", "P@1": "final", "RR": "final", "AP": "candidates"}
    assert value(scores, "R@3") == 1.0
    assert value(scores, "P@1") == 1.0
    assert value(scores, "RR") == 1.0
    assert value(scores, "AP") == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_depths_cut_what_has_no_cutoff_of_its_own():
    stages = pd.concat([results_frame({"q": ["x", "y", "a"]}), results_frame({"q": ["x", "a"]}, stage="final")])
    scores = score(stages, {"q": {"a": 2}}, "AP", "RR", "RR@2", depth=2, k=1)
    assert value(scores, "AP") == 0.0
    assert value(scores, "RR") == 0.0
    assert value(scores, "RR@2") == 0.5
    assert "in the top 1" in scores.definition(scores.measures[1])
    one_stage = score({"q": ["x", "y", "a"]}, {"q": {"a": 2}}, "RR", depth=3, k=1)
    assert value(one_stage, "RR") == pytest.approx(1 / 3)
