"""Steps of grading that several tests take."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from evalsets.models import EvalSet
from labelling.annotators import get_annotator
from labelling.judging import Judged, Verdict, judge
from labelling.models import Annotator, Seat
from labelling.plans import declare_plan
from labelling.queue import take_next
from labelling.seating import open_missing_seats
from tests.factories import make_eval_set, make_member, make_pool, make_query

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def minutes(number: float) -> datetime:
    """So many minutes after noon."""
    return NOON + timedelta(minutes=number)


def make_seated_set(*, queries: int = 2, per_query: int = 3, rate: float = 0.0, **fields: Any) -> EvalSet:
    """An eval set whose pool waits for labels, with a known share of double labels."""
    eval_set = make_eval_set(**fields)
    make_pool(eval_set, [make_query(eval_set) for _ in range(queries)], per_query)
    declare_plan(eval_set=eval_set, rate=rate, seed="a seed", by=None)
    open_missing_seats(eval_set=eval_set)
    return eval_set


def make_annotator(eval_set: EvalSet, name: str = "") -> Annotator:
    return get_annotator(eval_set, make_member(eval_set, username=name))


def take(annotator: Annotator, at: datetime = NOON) -> Seat:
    seat = take_next(annotator=annotator, at=at)
    assert seat is not None
    return seat


def give(annotator: Annotator, seat: Seat, grade: int | None = 2, at: datetime = NOON, **fields: Any) -> Judged:
    verdict = Verdict(grade=grade, cannot_judge=fields.pop("cannot_judge", ""), note=fields.pop("note", ""))
    request_id = fields.pop("request_id", None) or uuid.uuid4()
    return judge(candidate=seat.candidate, annotator=annotator, verdict=verdict, request_id=request_id, at=at, **fields)


def grade_all(annotator: Annotator, grade: int = 2, at: datetime = NOON) -> list[Judged]:
    """Grade until nothing is left for this annotator."""
    given = []
    while (seat := take_next(annotator=annotator, at=at)) is not None:
        given.append(give(annotator, seat, grade, at))
    return given
