"""What a run looks like from outside: how fast it answered, and what happened to it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from evalsets.models import Answer, AnswerEvent, Run

# A query that timed out or failed was slower than any that did not.
SLOWEST = (AnswerEvent.TIMEOUT, AnswerEvent.ERROR)


@dataclass(frozen=True)
class RunFigures:
    """Answers by event, and latency in milliseconds by nearest rank; None where it is unknown, or falls on a timeout or an error.

    `timed` is the number of answers that the latencies stand on.
    """

    answers: int
    events: dict[str, int]
    timed: int
    p50: float | None
    p95: float | None
    longest: float | None

    @property
    def said_events(self) -> list[str]:
        """Each event with its count, in words."""
        return [f"{count} {AnswerEvent(event).label}" for event, count in sorted(self.events.items())]


@dataclass(frozen=True)
class RunRow:
    """A run with its figures."""

    run: Run
    figures: RunFigures


def describe_runs(runs: Sequence[Run]) -> list[RunRow]:
    """Give the figures of these runs, read in one query."""
    found: dict[int, list[tuple[str, float | None]]] = defaultdict(list)
    rows = Answer.objects.filter(run__in=runs).order_by().values_list("run_id", "event", "latency_ms")
    for run_pk, event, latency in rows:
        found[run_pk].append((event, latency))
    return [RunRow(run, summarise(found[run.pk])) for run in runs]


def summarise(answers: Sequence[tuple[str, float | None]]) -> RunFigures:
    """Sum up (event, latency) pairs."""
    events = Counter(event for event, _latency in answers if event)
    times = [
        math.inf if event in SLOWEST else latency
        for event, latency in answers
        if event in SLOWEST or latency is not None
    ]
    known = sorted(time for time in times if time is not None)
    timed = any(math.isfinite(time) for time in known)
    return RunFigures(
        answers=len(answers),
        events=dict(events),
        timed=len(known),
        p50=nearest_rank(known, 0.5) if timed else None,
        p95=nearest_rank(known, 0.95) if timed else None,
        longest=nearest_rank(known, 1.0) if timed else None,
    )


def nearest_rank(ordered: Sequence[float], share: float) -> float | None:
    """The smallest value that at least `share` (0-1) of the ordered values do not exceed; None where that is no number."""
    if not ordered:
        return None
    value = ordered[max(0, math.ceil(share * len(ordered)) - 1)]
    return value if math.isfinite(value) else None
