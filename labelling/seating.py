"""Opening seats: one place for one annotator at each candidate of the pool, two where the double-label plan chose the candidate."""

from __future__ import annotations

from collections import defaultdict
from hashlib import sha256

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Sum

from evalsets.models import Candidate, EvalSet, Pool
from labelling.models import DoubleLabelPlan, Judgment, Origin, QueuedQuery, Seat
from labelling.plans import get_plan, lock_row
from labelling.rubrics import get_current_rubric
from labelling.sampling import is_double_labelled, unit_name

# One transaction each, so that on SQLite nobody who grades meanwhile waits for more than a moment.
CANDIDATES_AT_ONCE = 2000
SEATS_OF_DOUBLE = 2
_RING_DIGITS = 13


def open_missing_seats(*, eval_set: EvalSet) -> int:
    """Open the seats of all pooled candidates that have none yet; returns for how many candidates that was.

    Call it whenever somebody enters: when nothing is missing it costs two small queries. It declares the default plan where none
    was declared, and may be interrupted and called again at any time, by several processes at once.
    """
    plan = get_plan(eval_set)
    if plan.seated_count >= _count_pooled(eval_set):
        return 0
    get_current_rubric(eval_set)
    opened, last = 0, 0
    while True:
        found, last = _open_some(plan, after=last)
        opened += found
        if found < CANDIDATES_AT_ONCE:
            fill_seats(eval_set=eval_set)
            return opened


def seat_new_pool(eval_set: EvalSet) -> None:
    """What is called when a pool was built."""
    open_missing_seats(eval_set=eval_set)


def fill_seats(*, eval_set: EvalSet) -> int:
    """Give imported labels the free seats at their candidates, so that nobody grades these again; returns how many were given.

    Call it after an import of labels. A label without a free seat stays as an extra one.
    """
    filled = 0
    while found := _fill_some(eval_set):
        filled += found
    return filled


def ring_place(query_id: str) -> int:
    """Place a query on the ring of 16^13 places from which annotators draw their next one."""
    return int(sha256(f"ring|{query_id}".encode()).hexdigest()[:_RING_DIGITS], 16)


def _count_pooled(eval_set: EvalSet) -> int:
    return Pool.objects.filter(eval_set=eval_set).aggregate(total=Sum("candidate_count"))["total"] or 0


def _without_seats(eval_set: EvalSet) -> QuerySet[Candidate]:
    seats = Seat.objects.filter(candidate_id=OuterRef("pk"))
    return Candidate.objects.filter(~Exists(seats), query__eval_set=eval_set, pool__isnull=False)


def _open_some(plan: DoubleLabelPlan, *, after: int) -> tuple[int, int]:
    """Open the seats of the next candidates after row number `after`; returns how many candidates, and the last row number."""
    with transaction.atomic():
        plan = lock_row(plan)
        waiting = _without_seats(plan.eval_set).filter(pk__gt=after).order_by("pk")
        rows = list(waiting.values_list("pk", "query", "query__query_id", "doc_id", "section_id")[:CANDIDATES_AT_ONCE])
        seats = []
        for pk, query, query_id, doc_id, section_id in rows:
            twice = is_double_labelled(plan.seed, query_id, unit_name(doc_id, section_id), rate=plan.rate)
            numbers = range(1, 1 + (SEATS_OF_DOUBLE if twice else 1))
            seats += [Seat(candidate_id=pk, query_id=query, number=number) for number in numbers]
        Seat.objects.bulk_create(seats)
        queries = {query: ring_place(query_id) for _pk, query, query_id, _doc, _section in rows}
        QueuedQuery.objects.bulk_create(
            [QueuedQuery(eval_set=plan.eval_set, query_id=query, place=place) for query, place in queries.items()],
            ignore_conflicts=True,
        )
        plan.seated_count += len(rows)
        plan.save(update_fields=["seated_count"])
    return len(rows), rows[-1][0] if rows else after


def _fill_some(eval_set: EvalSet) -> int:
    with transaction.atomic():
        open_here = Seat.objects.open().filter(candidate_id=OuterRef("candidate_id"), leased_by__isnull=True)
        unseated = Judgment.objects.of(eval_set).live().filter(Exists(open_here), origin=Origin.IMPORT, seat=None)
        judgments = list(unseated.order_by("pk").only("pk", "candidate_id")[:CANDIDATES_AT_ONCE])
        free: dict[int, list[Seat]] = defaultdict(list)
        candidates = {judgment.candidate_id for judgment in judgments}
        seats = Seat.objects.open().filter(candidate_id__in=candidates, leased_by__isnull=True)
        # Held until the end, so that none of them is handed out meanwhile. Highest number first: the first is popped first.
        for seat in seats.order_by("candidate_id", "-number").select_for_update(no_key=True):
            free[seat.candidate_id].append(seat)
        filled = []
        for judgment in judgments:
            if free[judgment.candidate_id]:
                judgment.seat = free[judgment.candidate_id].pop()
                judgment.seat.is_open = False
                filled.append(judgment)
        Seat.objects.bulk_update([judgment.seat for judgment in filled if judgment.seat], ["is_open"], batch_size=500)
        Judgment.objects.bulk_update(filled, ["seat"], batch_size=500)
    return len(filled)
