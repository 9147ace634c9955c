"""Checks that are never averaged: how the run declines, what it must not show, how long it takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil

import numpy as np
import pandas as pd

from scoring.engine.lists import choose_stage, text_column
from scoring.engine.registry import FINAL, STAGES

PASS, FAIL, CANNOT_TELL = "pass", "fail", "cannot tell"
EMPTY, BELOW_THRESHOLD, INSUFFICIENT = "empty", "below_threshold", "insufficient_evidence"
BEHAVIOURS = (EMPTY, BELOW_THRESHOLD, INSUFFICIENT)
TIMEOUT, FALLBACK, ERROR = "timeout", "fallback", "error"


@dataclass(frozen=True)
class DeclineCheck:
    """Whether the run declined an unanswerable query in the way the query states."""

    query_id: str
    expected: str
    outcome: str
    reason: str


@dataclass(frozen=True)
class Leak:
    """A forbidden document in a run: one is too many."""

    query_id: str
    stage: str
    rank: int
    doc_id: str


@dataclass(frozen=True)
class Latency:
    """Milliseconds by nearest rank over all answers. Timeouts and errors are slower than any number.

    A percentile that falls on a timeout or an error is None. `unknown` counts answers without a recorded time.
    """

    n: int
    p50: float | None
    p95: float | None
    p99: float | None
    longest: float | None
    unknown: int = 0
    timeouts: list[str] = field(default_factory=list)
    fallbacks: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def check_declines(
    queries: pd.DataFrame,
    results: pd.DataFrame,
    answers: pd.DataFrame | None = None,
    *,
    score_threshold: float | None = None,
) -> list[DeclineCheck]:
    """Check each unanswerable query against its expected_behaviour, sorted by query id.

    `empty`: an answer without results. `below_threshold`: every result of the final list scores under
    `score_threshold`. `insufficient_evidence`: the run recorded that event. What the run did not record cannot be told.
    """
    if "answerable" not in queries.columns:
        return []
    events: Mapping[str, str] | None = None
    if answers is not None and len(answers):
        events = dict(zip(text_column(answers, "query_id"), text_column(answers, "event"), strict=True))
    unanswerable = queries[~queries["answerable"].astype(bool)]
    stage = choose_stage(set(results["stage"].unique()), FINAL)
    asked = results["query_id"].isin(text_column(unanswerable, "query_id").tolist())
    final = results[(results["stage"] == stage) & asked]
    scores: dict[str, list[float]] = {}
    for query_id, score in zip(text_column(final, "query_id"), pd.to_numeric(final["score"]), strict=True):
        scores.setdefault(query_id, []).append(float(score))
    pairs = zip(text_column(unanswerable, "query_id"), text_column(unanswerable, "expected_behaviour"), strict=True)
    return [
        DeclineCheck(
            query_id,
            expected,
            *_declined(expected, scores.get(query_id, []), _event(events, query_id), score_threshold),
        )
        for query_id, expected in sorted(pairs)
    ]


def _event(events: Mapping[str, str] | None, query_id: str) -> str | None:
    """The recorded event ("" for an ordinary answer); None where the run says nothing about the query."""
    return None if events is None else events.get(query_id)


def _declined(expected: str, scores: list[float], event: str | None, line: float | None) -> tuple[str, str]:
    if expected not in BEHAVIOURS:
        return CANNOT_TELL, "the query states no expected behaviour"
    if not scores and event is None:
        return CANNOT_TELL, "the run recorded no answer"
    if event in (TIMEOUT, ERROR):
        return FAIL, f"the run ended in {event}"
    if expected == INSUFFICIENT:
        if event == INSUFFICIENT:
            return PASS, "said that the evidence is insufficient"
        return (
            (FAIL, "did not say that the evidence is insufficient")
            if event is not None
            else (CANNOT_TELL, "the run recorded no event")
        )
    if not scores:
        return PASS, "returned nothing"
    if expected == EMPTY:
        return FAIL, f"returned {len(scores)} results"
    if line is None:
        return CANNOT_TELL, "no score threshold was given"
    if not all(np.isfinite(scores)):
        return CANNOT_TELL, "the run recorded no scores"
    highest = max(scores)
    return (PASS if highest < line else FAIL), f"highest score {highest:g}, threshold {line:g}"


def find_leaks(queries: pd.DataFrame, results: pd.DataFrame) -> list[Leak]:
    """Every forbidden document at any rank of any stage, for every query (unanswerable and synthetic ones too)."""
    forbidden = {
        query_id: set(documents)
        for query_id, documents in zip(
            text_column(queries, "query_id"), text_column(queries, "forbidden_documents"), strict=True
        )
        if len(documents)
    }
    watched = results[results["query_id"].isin(list(forbidden))]
    rows = zip(
        text_column(watched, "query_id"), watched["stage"], watched["rank"], text_column(watched, "doc_id"), strict=True
    )
    leaks = [Leak(query, stage, int(rank), doc) for query, stage, rank, doc in rows if doc in forbidden[query]]
    return sorted(leaks, key=lambda leak: (leak.query_id, STAGES.index(leak.stage), leak.rank, leak.doc_id))


def latency(answers: pd.DataFrame) -> Latency:
    """Percentiles of latency_ms by nearest rank, with the timeouts, fallbacks and errors listed (event column)."""
    events, ids = text_column(answers, "event"), text_column(answers, "query_id")
    times = pd.to_numeric(answers["latency_ms"]).to_numpy(dtype=np.float64)
    over = np.isin(events, (TIMEOUT, ERROR))
    times = np.where(over, np.inf, times)
    known = np.sort(times[~np.isnan(times)])
    return Latency(
        n=len(known),
        p50=_finite(nearest_rank(known, 50)),
        p95=_finite(nearest_rank(known, 95)),
        p99=_finite(nearest_rank(known, 99)),
        longest=_finite(nearest_rank(known, 100)),
        unknown=int(np.isnan(times).sum()),
        timeouts=sorted(ids[events == TIMEOUT]),
        fallbacks=sorted(ids[events == FALLBACK]),
        errors=sorted(ids[events == ERROR]),
    )


def nearest_rank(ordered: "np.typing.NDArray[np.float64]", percentile: int) -> float | None:
    """The smallest value that at least `percentile` percent of the sorted values do not exceed; None of nothing."""
    n = len(ordered)
    return float(ordered[ceil(n * percentile / 100) - 1]) if n else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None
