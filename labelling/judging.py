"""Taking judgments: each is kept, once, and none is written over another.

Judgments are only ever added. A correction is a new row that replaces the old one; undoing takes the mark of being live from a row and
opens its seat again. Whatever one annotator does comes one after the other (`lock_annotator`), and seats change hands by conditional
updates, so what two tabs or two people send at once ends in one of the outcomes named here.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from django.db import IntegrityError, transaction
from django.db.models import Q

from evalsets.models import Candidate
from labelling.annotators import lock_annotator
from labelling.models import Annotator, CannotJudge, Judgment, Origin, Rubric, Seat
from labelling.plans import lock_plan
from labelling.queue import LEASE
from labelling.rubrics import get_current_rubric

LONGEST_NOTE = 2000


class JudgingError(Exception):
    """What was sent is not a judgment. Its text is shown to the person who sent it, and nothing was kept."""


class JudgingConflictError(JudgingError):
    """Something else was faster, and nothing was kept: the page has to be loaded again."""


class Outcome(Enum):
    """What became of a judgment that was sent."""

    FILLED = "it filled a seat"
    EXTRA = "the seat had gone to somebody else; it is kept as an extra label"
    CORRECTED = "it replaced an earlier one of the same annotator"
    REPEATED = "it had been kept already"


@dataclass(frozen=True)
class Verdict:
    """What an annotator says of a candidate: a grade or the code of a reason why there is none, and a note."""

    grade: int | None = None
    cannot_judge: str = ""
    note: str = ""
    context_opened: bool = False

    def check(self, grades: range) -> None:
        """Raise JudgingError, in words, unless this is exactly one of a grade of the scale and a known reason."""
        if (self.grade is None) == (not self.cannot_judge):
            raise JudgingError("Give a grade, or say why it cannot be judged.")
        if self.grade is not None and self.grade not in grades:
            raise JudgingError(
                f"The grade {self.grade} is not on the scale, which goes from {grades[0]} to {grades[-1]}."
            )
        if self.cannot_judge and self.cannot_judge not in CannotJudge.values:
            raise JudgingError(f"{self.cannot_judge!r} is not one of the reasons.")
        if len(self.note) > LONGEST_NOTE:
            raise JudgingError(f"The note has {len(self.note)} characters; there is room for {LONGEST_NOTE}.")


@dataclass(frozen=True)
class _Sent:
    verdict: Verdict
    request_id: uuid.UUID
    at: datetime
    seconds: float | None
    rubric: Rubric | None


@dataclass(frozen=True)
class Judged:
    """A judgment that is kept, and how; `replaced` is the earlier one that it corrects."""

    judgment: Judgment
    outcome: Outcome
    replaced: Judgment | None = None


def judge(
    *,
    candidate: Candidate,
    annotator: Annotator,
    verdict: Verdict,
    request_id: uuid.UUID,
    at: datetime,
    seconds: float | None = None,
    rubric: Rubric | None = None,
) -> Judged:
    """Keep an annotator's judgment of a candidate and close the seat, in one transaction.

    The seat is the one that the annotator holds there, else one that is free (a lease may have run out), else none: then it is an extra
    label. A candidate that the annotator has judged already is corrected. `request_id` counts once: sent again, the answer is the first
    one. `seconds` is the time that it took, measured by the page; without it, the time since the lease began. `rubric` is the version
    that was shown, by default the current one.

    Raises JudgingError for something that is no judgment, JudgingConflictError where something else was faster.
    """
    verdict.check(annotator.eval_set.grades)
    sent = _Sent(verdict=verdict, request_id=request_id, at=at, seconds=seconds, rubric=rubric)
    try:
        with transaction.atomic():
            return _keep(candidate, lock_annotator(annotator), sent)
    except IntegrityError as error:
        # The locks leave one way here: a request id that somebody else has used, or that was used for something else.
        raise JudgingConflictError(
            "This was not kept, because the same request had been used already. Load the page again and give the grade anew."
        ) from error


def change_judgment(
    *,
    judgment: Judgment,
    annotator: Annotator,
    verdict: Verdict,
    request_id: uuid.UUID,
    at: datetime,
    seconds: float | None = None,
    rubric: Rubric | None = None,
) -> Judged:
    """Correct what the annotator judged before: a new judgment that replaces it. Arguments and errors as those of `judge`."""
    if judgment.annotator_id != annotator.pk:
        raise JudgingError("Somebody else gave that judgment; it is not yours to change.")
    return judge(
        candidate=judgment.candidate,
        annotator=annotator,
        verdict=verdict,
        request_id=request_id,
        at=at,
        seconds=seconds,
        rubric=rubric,
    )


def undo(*, judgment: Judgment, annotator: Annotator, at: datetime) -> Judgment | None:
    """Take a judgment back: it is live no more, and its seat is open again and leased to the annotator.

    Any other lease of the annotator is given up, so that this candidate comes next. Returns None, and changes nothing, where the
    judgment has been replaced or taken back already: a second press undoes nothing more.
    """
    with transaction.atomic():
        annotator = lock_annotator(annotator)
        current = Judgment.objects.live().filter(pk=judgment.pk, annotator=annotator).first()
        if current is None:
            return None
        Judgment.objects.filter(pk=current.pk).update(live=False)
        current.live = False
        if current.seat_id is not None:
            Seat.objects.filter(leased_by=annotator).update(leased_by=None, leased_until=None)
            Seat.objects.filter(pk=current.seat_id).update(is_open=True, leased_by=annotator, leased_until=at + LEASE)
        return current


def _keep(candidate: Candidate, annotator: Annotator, sent: _Sent) -> Judged:
    own = Judgment.objects.filter(annotator=annotator)
    earlier = list(own.filter(Q(request_id=sent.request_id) | Q(candidate=candidate, live=True)))
    for judgment in earlier:
        if judgment.request_id == sent.request_id and judgment.candidate_id == candidate.pk:
            return Judged(judgment, Outcome.REPEATED)
    replaced = next((judgment for judgment in earlier if judgment.live and judgment.candidate_id == candidate.pk), None)
    lock_plan(annotator.eval_set, sent.at)
    if replaced:
        Judgment.objects.filter(pk=replaced.pk).update(live=False)
        judgment = _add_judgment(candidate, annotator, sent, seat_id=replaced.seat_id, replaces=replaced)
        return Judged(judgment, Outcome.CORRECTED, replaced)
    seat_id, held_since = _close_seat(candidate, annotator, sent.at)
    judgment = _add_judgment(candidate, annotator, sent, seat_id=seat_id, held_since=held_since)
    return Judged(judgment, Outcome.EXTRA if seat_id is None else Outcome.FILLED)


def _add_judgment(
    candidate: Candidate,
    annotator: Annotator,
    sent: _Sent,
    *,
    seat_id: int | None,
    held_since: datetime | None = None,
    replaces: Judgment | None = None,
) -> Judgment:
    seconds = sent.seconds
    if seconds is None and held_since is not None:
        seconds = max(0.0, (sent.at - held_since).total_seconds())
    return Judgment.objects.create(
        candidate=candidate,
        seat_id=seat_id,
        annotator=annotator,
        grade=sent.verdict.grade,
        cannot_judge=sent.verdict.cannot_judge,
        note=sent.verdict.note,
        context_opened=sent.verdict.context_opened,
        rubric=sent.rubric or get_current_rubric(annotator.eval_set),
        text_sha256=candidate.text_sha256,
        origin=Origin.QUEUE,
        request_id=sent.request_id,
        seconds=seconds,
        replaces=replaces,
        judged_at=sent.at,
    )


def _close_seat(candidate: Candidate, annotator: Annotator, at: datetime) -> tuple[int | None, datetime | None]:
    """Close the seat that the annotator holds at the candidate, else a free one; returns it and since when it was held."""
    seats = Seat.objects.filter(candidate=candidate)
    open_to_me = Q(leased_by=annotator) | Q(leased_until__isnull=True) | Q(leased_until__lte=at)
    found = sorted(seats.open().filter(open_to_me), key=lambda seat: (seat.leased_by_id != annotator.pk, seat.number))
    for seat in found:
        # Asked again in the update itself: between the two, somebody else may have taken it.
        if seats.open().filter(open_to_me, pk=seat.pk).update(is_open=False, leased_by=None, leased_until=None):
            mine = seat.leased_by_id == annotator.pk
            return seat.pk, seat.leased_until - LEASE if mine and seat.leased_until else None
    return None, None
