"""The queue: which seat an annotator gets next.

One's own lease comes first, then whatever is left of the query in hand, in a shuffle of one's own, then the next query, drawn from a
ring at a point of one's own. A seat is taken by a conditional update, so two annotators never hold the same one; a lease that runs out
makes the seat free again without anybody's doing. Every step goes along an index: the cost does not grow with the number of seats.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Q

from evalsets.models import EvalSet, Query
from labelling.annotators import lock_annotator
from labelling.models import Annotator, DoubleLabelPlan, Judgment, QueuedQuery, Seat
from labelling.models.judgments import SeatQuerySet
from labelling.plans import get_plan
from labelling.sampling import query_shuffle_key, shuffle_key, unit_name

LEASE = timedelta(minutes=15)
_RING_DIGITS = 13


@dataclass(frozen=True)
class QueueProgress:
    """How far one annotator is. In the query: candidates that no longer wait for this annotator. In all: what the annotator judged."""

    query_done: int
    query_total: int
    done: int
    total: int


def take_next(*, annotator: Annotator, at: datetime) -> Seat | None:
    """Lease the annotator's next seat until `at` + LEASE and return it; None when no seat is free for this annotator."""
    with transaction.atomic():
        annotator = lock_annotator(annotator)
        seat = _renew_own(annotator, at)
        if seat:
            return seat
        plan = get_plan(annotator.eval_set)
        for query_pk in _queries_in_turn(annotator, plan, at):
            seat = _claim_in_query(annotator, plan, query_pk, at)
            if seat:
                if annotator.query_in_hand_id != query_pk:
                    Annotator.objects.filter(pk=annotator.pk).update(query_in_hand=query_pk)
                return seat
    return None


def claim(*, seat_pk: int, annotator: Annotator, at: datetime) -> bool:
    """Lease one seat if it is free at this moment; says whether it is now the annotator's."""
    free = Seat.objects.filter(pk=seat_pk).free(at)
    return bool(free.update(leased_by=annotator, leased_until=at + LEASE))


def waits_elsewhere(*, annotator: Annotator) -> bool:
    """Say whether there is a seat that this annotator could take if nobody else held it just now."""
    seats = Seat.objects.open().unjudged_by(annotator)
    return QueuedQuery.objects.filter(eval_set=annotator.eval_set_id).with_any(seats).exists()


def get_progress(*, annotator: Annotator, query: Query | None) -> QueueProgress:
    """Count how far the annotator is in a query and in all. Never counts seats, which would tell what is labelled twice."""
    plan = get_plan(annotator.eval_set)
    done = Judgment.objects.given_here_by(annotator).count()
    if query is None:
        return QueueProgress(query_done=0, query_total=0, done=done, total=plan.seated_count)
    seats = Seat.objects.filter(query=query)
    # Every candidate with seats has a first one, so first seats are candidates.
    total = Count("pk", filter=Q(number=1))
    query_total = seats.aggregate(total=total)["total"]
    waiting = seats.open().unjudged_by(annotator).aggregate(total=Count("candidate", distinct=True))["total"]
    return QueueProgress(query_done=query_total - waiting, query_total=query_total, done=done, total=plan.seated_count)


def _renew_own(annotator: Annotator, at: datetime) -> Seat | None:
    """A lease that has run out is one's own still, as long as nobody else took the seat."""
    held = Seat.objects.open().unjudged_by(annotator).filter(leased_by=annotator, query__retired_at__isnull=True)
    seat = held.select_related("candidate").order_by("-leased_until").first()
    if seat is None:
        return None
    seat.leased_until = at + LEASE
    kept = Seat.objects.open().filter(pk=seat.pk, leased_by=annotator).update(leased_until=seat.leased_until)
    return seat if kept else None


def _takeable(annotator: Annotator, at: datetime) -> SeatQuerySet:
    return Seat.objects.free(at).unjudged_by(annotator)


def _queries_in_turn(annotator: Annotator, plan: DoubleLabelPlan, at: datetime) -> Iterator[int]:
    """The query in hand, then draws from the ring, each made anew because others take seats meanwhile."""
    in_hand = annotator.query_in_hand
    if in_hand and in_hand.retired_at is None:
        yield in_hand.pk
    last = in_hand.query_id if in_hand else ""
    point = int(query_shuffle_key(plan.seed, annotator.pk, last)[:_RING_DIGITS], 16)
    while (drawn := _draw_query(annotator.eval_set, point, _takeable(annotator, at))) is not None:
        yield drawn


def _draw_query(eval_set: EvalSet, point: int, seats: SeatQuerySet) -> int | None:
    """The first query at or after the point of the ring, going round, that has one of these seats."""
    ring = QueuedQuery.objects.filter(eval_set=eval_set).with_any(seats).order_by("place")
    for part in (ring.filter(place__gte=point), ring.filter(place__lt=point)):
        drawn = part.values_list("query_id", flat=True).first()
        if drawn is not None:
            return drawn
    return None


def _claim_in_query(annotator: Annotator, plan: DoubleLabelPlan, query_pk: int, at: datetime) -> Seat | None:
    """Claim the first free seat in the annotator's own shuffle of the query's candidates."""
    rows = _takeable(annotator, at).filter(query=query_pk)
    free = rows.values_list("pk", "query__query_id", "candidate__doc_id", "candidate__section_id", "number")
    shuffled = sorted(
        free, key=lambda row: (shuffle_key(plan.seed, annotator.pk, row[1], unit_name(row[2], row[3])), row[4])
    )
    for pk, *_unit in shuffled:
        if claim(seat_pk=pk, annotator=annotator, at=at):
            return Seat.objects.select_related("candidate").get(pk=pk)
    return None
