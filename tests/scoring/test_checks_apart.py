"""What is never averaged: how a run declines, what it must not show, how long it takes."""

import numpy as np
import pandas as pd
import pytest

from scoring.engine.checks import check_declines, find_leaks, latency, nearest_rank
from tests.scoring.frames import queries_frame, results_frame


def unanswerable(expected):
    return queries_frame(["q"], answerable=[False], expected_behaviour=[expected])


def answers(event):
    return pd.DataFrame({"query_id": ["q"], "event": [event]})


def outcome(expected, docs, event, threshold=None):
    (check,) = check_declines(
        unanswerable(expected),
        results_frame({"q": docs}),
        None if event is None else answers(event),
        score_threshold=threshold,
    )
    return check.outcome, check.reason


@pytest.mark.parametrize(
    ("expected", "docs", "event", "threshold", "result"),
    [
        ("empty", [], "empty", None, "pass"),
        ("empty", ["d1"], "", None, "fail"),
        ("empty", [], "timeout", None, "fail"),
        ("empty", [], None, None, "cannot tell"),
        ("below_threshold", ["d1", "d2"], "", 1.5, "pass"),
        ("below_threshold", ["d1", "d2"], "", 1.0, "fail"),
        ("below_threshold", ["d1"], "", None, "cannot tell"),
        ("below_threshold", [], "", None, "pass"),
        ("insufficient_evidence", ["d1"], "insufficient_evidence", None, "pass"),
        ("insufficient_evidence", ["d1"], "", None, "fail"),
        ("insufficient_evidence", ["d1"], None, None, "cannot tell"),
        ("", ["d1"], "", None, "cannot tell"),
    ],
)
def test_an_unanswerable_query_passes_when_the_run_declines_as_expected(expected, docs, event, threshold, result):
    assert outcome(expected, docs, event, threshold)[0] == result


def test_the_reason_is_said():
    assert outcome("empty", ["d1", "d2"], "")[1] == "returned 2 results"
    assert outcome("below_threshold", ["d1"], "", 0.9)[1] == "highest score 1, threshold 0.9"


def test_scores_that_were_not_recorded_cannot_be_compared_with_a_threshold():
    results = results_frame({"q": ["d1"]}).assign(score=np.nan)
    (check,) = check_declines(unanswerable("below_threshold"), results, answers(""), score_threshold=1.0)
    assert (check.outcome, check.reason) == ("cannot tell", "the run recorded no scores")


def test_answerable_queries_are_not_asked_to_decline():
    assert check_declines(queries_frame(["q"], answerable=[True], expected_behaviour=[""]), results_frame({})) == []
    assert check_declines(queries_frame(["q"]), results_frame({})) == []


def test_a_forbidden_document_at_any_rank_of_any_stage_is_a_leak():
    queries = queries_frame(["q", "r"], forbidden_documents=[["secret"], []])
    results = pd.concat(
        [
            results_frame({"q": ["d1", "d2", "secret/1"], "r": ["secret"]}),
            results_frame({"q": ["secret/1"]}, stage="context"),
            results_frame({"q": ["d1"]}, stage="final"),
        ]
    )
    assert [(leak.query_id, leak.stage, leak.rank, leak.doc_id) for leak in find_leaks(queries, results)] == [
        ("q", "candidates", 3, "secret"),
        ("q", "context", 1, "secret"),
    ]


def test_latency_counts_timeouts_as_slower_than_any_number():
    found = latency(
        pd.DataFrame(
            {
                "query_id": [f"q{number:02}" for number in range(22)],
                "latency_ms": [*range(1, 20), None, None, 5.0],
                "event": [""] * 19 + ["timeout", "", "fallback"],
            }
        )
    )
    assert (found.n, found.unknown) == (21, 1)
    assert (found.p50, found.p95, found.p99, found.longest) == (10.0, 19.0, None, None)
    assert (found.timeouts, found.fallbacks, found.errors) == (["q19"], ["q21"], [])


def test_percentiles_of_nothing_are_empty():
    assert nearest_rank(np.array([]), 95) is None
