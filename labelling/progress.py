"""How far the labelling is, for leads: seats by query, judgments by annotator, and how many candidates disagree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from evalsets.models import EvalSet, Query
from labelling.models import Adjudication, Annotator, Judgment, Origin, QueuedQuery, Seat

# The pace is that of the latest judgments: people get faster.
JUDGMENTS_FOR_PACE = 200


_COUNTED = ("candidates", "done", "leased", "free")


@dataclass(frozen=True)
class SeatCount:
    """Seats by what became of them; `candidates` is how many candidates they stand at."""

    candidates: int = 0
    done: int = 0
    leased: int = 0
    free: int = 0

    @property
    def total(self) -> int:
        return self.done + self.leased + self.free


@dataclass(frozen=True)
class QueryRow:
    query: Query
    seats: SeatCount
    disagreeing: int


@dataclass(frozen=True)
class AnnotatorRow:
    """`median_seconds` and `per_hour` are of the annotator's latest 200 timed judgments, None where there are none."""

    name: str
    judged: int
    cannot_judge: int
    extra: int
    last_at: datetime | None
    median_seconds: float | None

    @property
    def per_hour(self) -> int | None:
        return round(3600 / self.median_seconds) if self.median_seconds else None


def count_all_seats(eval_set: EvalSet, at: datetime) -> SeatCount:
    """Count the seats of the whole eval set as they are at this time."""
    counts = Seat.objects.filter(query__eval_set=eval_set, query__retired_at=None).aggregate(**_counters(at))
    return SeatCount(**counts)


def list_queued_queries(eval_set: EvalSet) -> QuerySet[QueuedQuery]:
    """Return the queries that have seats, in the order of the eval set."""
    rows = QueuedQuery.objects.filter(eval_set=eval_set, query__retired_at=None).select_related("query")
    return rows.order_by("query__position", "query_id")


def describe_queries(queued: Sequence[QueuedQuery], at: datetime) -> list[QueryRow]:
    """Return the seats and the disagreements of these queries, in the same order."""
    numbers = [row.query_id for row in queued]
    seats: dict[int, SeatCount] = defaultdict(SeatCount)
    counted: QuerySet[Seat, Any] = Seat.objects.filter(query__in=numbers).order_by().values("query_id")
    for row in counted.annotate(**_counters(at)):
        seats[row["query_id"]] = SeatCount(**{name: row[name] for name in _COUNTED})
    unsettled = _disagreeing(Q(candidate__query__in=numbers))
    disagreeing = Counter(unsettled.values_list("candidate__query_id", flat=True))
    return [QueryRow(row.query, seats[row.query_id], disagreeing[row.query_id]) for row in queued]


def count_disagreeing(eval_set: EvalSet) -> int:
    """Count the candidates whose grades differ and that no lead has settled."""
    return _disagreeing(Q(candidate__query__eval_set=eval_set, candidate__query__retired_at=None)).count()


def describe_annotators(eval_set: EvalSet) -> list[AnnotatorRow]:
    """Return what each annotator has judged here, most first."""
    given = Judgment.objects.live().filter(annotator__eval_set=eval_set, origin=Origin.QUEUE)
    rows = (
        given.order_by()
        .values("annotator_id")
        .annotate(
            judged=Count("pk"),
            cannot_judge=Count("pk", filter=Q(grade__isnull=True)),
            extra=Count("pk", filter=Q(seat__isnull=True)),
            last_at=Max("judged_at"),
        )
    )
    names = dict(Annotator.objects.filter(eval_set=eval_set).values_list("pk", "name"))
    medians = _median_seconds(eval_set)
    described = [
        AnnotatorRow(
            name=names[row["annotator_id"]],
            judged=row["judged"],
            cannot_judge=row["cannot_judge"],
            extra=row["extra"],
            last_at=row["last_at"],
            median_seconds=medians.get(row["annotator_id"]),
        )
        for row in rows
    ]
    return sorted(described, key=lambda row: (-row.judged, row.name))


def _counters(at: datetime) -> dict[str, Count]:
    leased = Q(is_open=True, leased_until__gt=at)
    return {
        "candidates": Count("pk", filter=Q(number=1)),
        "done": Count("pk", filter=Q(is_open=False)),
        "leased": Count("pk", filter=leased),
        "free": Count("pk", filter=Q(is_open=True) & (Q(leased_until__isnull=True) | Q(leased_until__lte=at))),
    }


def _disagreeing(where: Q) -> QuerySet[Judgment, Any]:
    settled = Adjudication.objects.live().filter(candidate=OuterRef("candidate"))
    grades = Judgment.objects.live().graded().filter(where, ~Exists(settled)).order_by()
    by_candidate = grades.values("candidate_id", "candidate__query_id").annotate(
        lowest=Min("grade"), highest=Max("grade")
    )
    return by_candidate.filter(lowest__lt=F("highest"))


def _median_seconds(eval_set: EvalSet) -> dict[int, float]:
    timed = Judgment.objects.filter(annotator__eval_set=eval_set, seconds__isnull=False)
    place = Window(RowNumber(), partition_by=F("annotator"), order_by=F("pk").desc())
    latest = timed.annotate(place=place).filter(place__lte=JUDGMENTS_FOR_PACE)
    seconds: dict[int, list[float]] = defaultdict(list)
    for annotator, taken in latest.order_by().values_list("annotator", "seconds"):
        seconds[annotator].append(taken or 0.0)
    return {annotator: median(taken) for annotator, taken in seconds.items()}
