"""Which queries count, what is listed, and what is refused."""

import math

import pandas as pd
import pytest

from scoring.engine.remarks import remarks
from scoring.engine.scoring import Unanswered
from scoring.engine.settings import ScoringError, Settings
from tests.scoring.frames import queries_frame, results_frame, score, value

GOLD = {"a": {"d1": 3, "d2": 0}, "b": {"d1": 2}, "s": {"d1": 3}, "n": {"d1": 1}, "u": {}}
QUERIES = queries_frame(
    ["a", "b", "s", "n", "u", "x"],
    answerable=[True, True, True, True, False, True],
    synthetic=[False, False, True, False, False, False],
    split=["dev", "holdout", "dev", "dev", "dev", "dev"],
    forbidden_documents=[[], [], [], [], [], ["secret"]],
)


def test_every_query_is_either_scored_or_listed_with_its_reason():
    parts = score({"a": ["d1"]}, GOLD, "RR", queries=QUERIES).population
    assert parts.scored == ["a", "b"]
    assert parts.synthetic == ["s"]
    assert parts.without_relevant == ["n"]
    assert parts.unanswerable == ["u"]
    assert parts.security_only == ["x"]


def test_a_split_is_chosen_by_name_and_the_rest_is_listed():
    parts = score({"a": ["d1"]}, GOLD, "RR", queries=QUERIES, split="holdout").population
    assert parts.scored == ["b"]
    assert parts.other_split == ["a", "n", "s", "u", "x"]


def test_synthetic_queries_are_scored_apart():
    scores = score({"a": ["d1"], "s": ["d2", "d1"]}, GOLD, "RR", queries=QUERIES)
    assert list(scores.per_query.index) == ["a", "b"]
    assert scores.synthetic["RR"].to_dict() == {"s": 0.5}


def test_a_query_that_the_run_did_not_answer_scores_zero_and_its_reason_is_listed():
    answers = pd.DataFrame({"query_id": ["a", "b", "e"], "event": ["timeout", "", "fallback"]})
    gold = {name: {"d1": 2} for name in "abce"}
    scores = score({"e": ["d1"]}, gold, "RR", "P@5", answers=answers)
    assert scores.per_query["P@5"].to_dict() == {"a": 0.0, "b": 0.0, "c": 0.0, "e": 0.2}
    assert scores.unanswered == [
        Unanswered("a", "candidates", "timeout"),
        Unanswered("b", "candidates", "empty"),
        Unanswered("c", "candidates", "not recorded"),
    ]


def test_a_query_that_lost_its_final_list_is_listed_for_that_stage():
    stages = pd.concat([results_frame({"q": ["d1"], "r": ["d1"]}), results_frame({"q": ["d1"]}, stage="final")])
    scores = score(stages, {"q": {"d1": 2}, "r": {"d1": 2}}, "R@5", "RR")
    assert scores.unanswered == [Unanswered("r", "final", "not recorded")]
    assert value(scores, "R@5", "r") == 1.0
    assert value(scores, "RR", "r") == 0.0


def test_queries_of_the_run_and_of_the_labels_that_the_set_does_not_know_are_listed():
    scores = score({"q": ["d1"], "zz": ["d1"]}, {"q": {"d1": 2}, "yy": {"d1": 2}}, "RR", queries=queries_frame(["q"]))
    assert scores.unknown_queries == ["zz"]
    assert scores.population.without_query == ["yy"]


def test_leading_zeros_make_different_ids():
    scores = score(
        {"007": ["12", "0012"], "7": ["12"]}, {"007": {"0012": 2, "12": 0}, "7": {"12": 1}}, "RR", threshold=1
    )
    assert scores.per_query["RR"].to_dict() == {"007": 0.5, "7": 1.0}


def test_a_threshold_of_its_own_leaves_queries_without_such_a_unit_empty():
    scores = score({"a": ["d1"], "b": ["d1"]}, {"a": {"d1": 3}, "b": {"d1": 2}}, "R(rel=3)@5", "RR")
    assert value(scores, "R(rel=3)@5", "a") == 1.0
    assert math.isnan(value(scores, "R(rel=3)@5", "b"))
    assert value(scores, "RR", "b") == 1.0


def test_the_threshold_of_the_set_decides_what_counts():
    lists, gold = {"q": ["d1", "d2"]}, {"q": {"d1": 1, "d2": 2}}
    assert value(score(lists, gold, "RR", threshold=1), "RR") == 1.0
    assert value(score(lists, gold, "RR", threshold=2), "RR") == 0.5


def test_unjudged_results_are_listed_with_their_ranks():
    scores = score({"q": ["d1", "new", "d2", "newer"]}, {"q": {"d1": 2, "d2": 0}}, "RR")
    assert scores.unjudged(3).to_dict("records") == [{"query_id": "q", "rank": 2, "doc_id": "new", "section_id": ""}]


def test_context_cover_looks_for_the_evidence_in_the_passages_that_reached_the_model():
    context = results_frame({"q": ["d1/1", "d2/1"], "r": ["d1/1"]}, stage="context")
    context["text"] = ["Keep backups\n  for 30 DAYS.", "Nothing here", "Other"]
    spans = pd.DataFrame({"query_id": ["q", "q", "r"], "text": ["for 30 days", "every hour", " "]})
    gold = {name: {"d1": 2} for name in "qrs"}
    scores = score(context, gold, "CtxCover", "RR", spans=spans)
    assert value(scores, "CtxCover", "q") == 0.5
    assert math.isnan(value(scores, "CtxCover", "r"))
    assert math.isnan(value(scores, "CtxCover", "s"))


def test_context_cover_is_empty_where_no_context_was_recorded():
    spans = pd.DataFrame({"query_id": ["q"], "text": ["words"]})
    scores = score({"q": ["d1"]}, {"q": {"d1": 2}}, "CtxCover", spans=spans)
    assert math.isnan(value(scores, "CtxCover"))
    assert "no value for any query: CtxCover" in remarks(scores, k=5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"threshold": 0}, "threshold 0 has to be 1 or more"),
        ({"depth": 0}, "depth 0 has to be 1 or more"),
        ({"gain": "log"}, "gain 'log' is none of exp, lin"),
        ({"unit": "page"}, "unit 'page' is none of document, section"),
        ({"threshold": 2, "max_grade": 1}, "threshold 2 is above the highest grade, 1"),
    ],
)
def test_settings_that_mean_nothing_are_refused(given, message):
    with pytest.raises(ScoringError, match=message):
        Settings(**given)


def test_a_grade_outside_the_scale_is_refused():
    with pytest.raises(ScoringError, match="query q, d1: grade 4 is outside 0 to 3"):
        score({"q": ["d1"]}, {"q": {"d1": 4}}, "RR")


def test_a_unit_with_two_grades_is_refused():
    with pytest.raises(ScoringError, match="query q: d1 has two different grades; a gold set holds one per document"):
        score({"q": ["d1"]}, {"q": {"d1#s1": 2, "d1#s2": 0}}, "RR")


def test_remarks_say_what_did_not_count_and_what_is_missing():
    scores = score({"a": ["d1", "d9"], "zz": ["d1"]}, GOLD, "P@5", "nDCG@10", queries=QUERIES)
    said = "\n".join(remarks(scores, k=5))
    assert "1 query answerable without a relevant label (a defect of the gold set, not scored): n" in said
    assert "means are over 2 scored queries" in said
    assert "1 query unanswerable, checked apart and not scored: u" in said
    assert "1 query checked for leaks only: x" in said
    assert "1 query synthetic, left out of these numbers: s" in said
    assert "1 query of the run not in the gold set, ignored: zz" in said
    assert "1 query without results in stage candidates (not recorded), scored 0: b" in said
    assert "the run has no stage final, so P@5, nDCG@10 read stage candidates" in said
    assert "the run returns at most 2 documents per query, fewer than P@5, nDCG@10 look at" in said
    assert "1 of 2 results in the top 5 (50 %) are unjudged" in said


def test_there_is_nothing_to_remark_on_a_complete_run():
    stages = pd.concat([results_frame({"q": ["d1"]}), results_frame({"q": ["d1"]}, stage="final")])
    assert remarks(score(stages, {"q": {"d1": 2}}, "R@1", "RR"), k=1) == []


def test_without_a_scored_query_there_are_no_rows_and_it_is_said():
    scores = score({"q": ["d1"]}, {"q": {"d1": 0}}, "RR")
    assert len(scores.per_query) == 0
    assert "no query can be scored: none is answerable with a relevant label" in remarks(scores, k=5)
