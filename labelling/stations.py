"""The stations of the human work: grading, the rubric, agreement and adjudication. An annotator sees grading, the rubric and their own work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone

from evalsets.models import EvalSet, Role
from evalsets.permissions import Action
from evalsets.stations import NOTHING, Station, Visit, name_count, register_station, show_count
from labelling.agreement import count_double_set, measure_alpha
from labelling.disagreements import count_open, list_decisions
from labelling.models import Annotator, DoubleLabelPlan, Judgment, Rubric, Seat
from labelling.progress import SeatCount, count_all_seats
from labelling.queue import waits_elsewhere
from labelling.seating import count_pooled, open_missing_seats

if TYPE_CHECKING:
    from django.contrib.auth.models import User

# Below this many candidates with two labels the value of alpha says nothing.
FEWEST_COMPARED = 10


def register() -> None:
    """Register them, behind the pool and before gold sets."""
    for order, function in (
        (45, see_rubric),
        (50, see_labelling),
        (55, see_own_work),
        (60, see_agreement),
        (70, see_adjudication),
    ):
        register_station(order, function)


def see_rubric(visit: Visit) -> Station | None:
    if not visit.may(Action.VIEW):
        return None
    last = Rubric.objects.filter(eval_set=visit.eval_set).order_by("-number").only("number", "written_by_id").first()
    ours = last is None or last.written_by_id is None
    return Station(
        key="rubric",
        label="Rubric",
        url=visit.link("labelling:view_rubric"),
        number=str(last.number if last else 1),
        unit="version",
        state="done",
        sentence="The one that comes with Plumbline."
        if ours and visit.may(Action.PLAN)
        else "What each grade means here.",
    )


def see_labelling(visit: Visit) -> Station | None:
    if visit.role == Role.ANNOTATOR:
        return _see_own_grading(visit)
    if not visit.may(Action.READ_DATA):
        return None
    _open_seats(visit.eval_set)
    seats = count_all_seats(visit.eval_set, timezone.now())
    waits = seats.done < seats.total
    return Station(
        key="labelling",
        label="Labelling",
        url=visit.link("labelling:view_progress") if visit.may(Action.READ_AGREEMENT) else "",
        number=f"{100 * seats.done // seats.total} %" if seats.total else NOTHING,
        unit="of seats done",
        state="open" if waits else "done" if seats.total else "waiting",
        sentence=_say_seats(seats),
        done=seats.done,
        total=seats.total,
        action_url=visit.link("labelling:view_queue") if waits and visit.may(Action.GRADE) else "",
        action_label="Grade",
    )


def see_own_work(visit: Visit) -> Station | None:
    if visit.role != Role.ANNOTATOR:
        return None
    done, total = _count_own(visit.eval_set, visit.user), _count_seated(visit.eval_set)
    return Station(
        key="own-work",
        label="Your work",
        url=visit.link("labelling:list_judged") if done else "",
        number=show_count(done) if done else NOTHING,
        unit="judged by you",
        state="done" if done else "waiting",
        sentence="You can look at each again, and change it." if done else "What you judge is listed here.",
        done=done,
        total=total if done else 0,
    )


def see_agreement(visit: Visit) -> Station | None:
    if not visit.may(Action.READ_AGREEMENT):
        return None
    coefficient, compared = measure_alpha(visit.eval_set)
    double = count_double_set(visit.eval_set)
    enough = compared >= FEWEST_COMPARED and coefficient.value is not None
    if compared and not double.declared:
        sentence = f"{name_count(compared, 'candidate')} with labels of different people."
    elif compared:
        sentence = f"{double.complete} of {double.declared} candidates chosen for two labels have both."
    else:
        sentence = "Read once candidates have two labels of different people."
    if compared and coefficient.value is None:
        sentence += f" {coefficient.words}"
    return Station(
        key="agreement",
        label="Agreement",
        url=visit.link("labelling:view_agreement"),
        number=f"{coefficient.value:.3f}" if enough else NOTHING,
        unit=f"alpha, n = {compared}" if enough else "alpha",
        state="waiting" if not compared else "open" if double.is_interim else "done",
        sentence=sentence,
        done=double.complete,
        total=double.declared,
    )


def see_adjudication(visit: Visit) -> Station | None:
    if not visit.may(Action.ADJUDICATE):
        return None
    decisions = list_decisions(visit.eval_set)
    remaining = count_open(decisions)
    settled = len(decisions) - remaining
    if remaining:
        sentence = f"{settled} of {name_count(len(decisions), 'disagreement')} are settled."
    elif decisions:
        sentence = f"Every disagreement is settled: {name_count(settled, 'candidate')}."
    else:
        sentence = "No candidate has labels that differ."
    begun = bool(decisions) or Judgment.objects.of(visit.eval_set).live().exists()
    url = visit.link("labelling:list_disagreements")
    return Station(
        key="adjudication",
        label="Adjudication",
        url=url,
        number=show_count(remaining) if begun else NOTHING,
        unit="to settle",
        state="open" if remaining else "done" if begun else "waiting",
        sentence=sentence,
        action_url=url if remaining else "",
        action_label="Settle",
        urgent=True,
    )


def _see_own_grading(visit: Visit) -> Station:
    """Counts candidates and own judgments, never seats, which would tell what is labelled twice."""
    _open_seats(visit.eval_set)
    total, waits = _count_seated(visit.eval_set), _waits_for(visit.eval_set, visit.user)
    sentence = "Candidates wait for you." if waits else "Nothing waits for you just now."
    return Station(
        key="labelling",
        label="Grading",
        url=visit.link("labelling:view_queue"),
        number=show_count(total) if total else NOTHING,
        unit="candidates",
        state="open" if waits else "done" if total else "waiting",
        sentence=sentence if total else "There is nothing to grade yet.",
        action_url=visit.link("labelling:view_queue") if waits else "",
        action_label="Grade",
    )


def _open_seats(eval_set: EvalSet) -> None:
    if count_pooled(eval_set):
        open_missing_seats(eval_set=eval_set)


def _say_seats(seats: SeatCount) -> str:
    if not seats.total:
        return "People grade as soon as there is a pool."
    if seats.done == seats.total:
        return f"All {name_count(seats.candidates, 'candidate')} are judged."
    left = f"{show_count(seats.total - seats.done)} of {name_count(seats.total, 'seat')}"
    return f"{left} wait for a judgment; a candidate that two people grade has two."


def _count_own(eval_set: EvalSet, user: User) -> int:
    annotator = Annotator.objects.filter(eval_set=eval_set, user=user).first()
    return Judgment.objects.given_here_by(annotator).count() if annotator else 0


def _count_seated(eval_set: EvalSet) -> int:
    return DoubleLabelPlan.objects.filter(eval_set=eval_set).values_list("seated_count", flat=True).first() or 0


def _waits_for(eval_set: EvalSet, user: User) -> bool:
    annotator = Annotator.objects.filter(eval_set=eval_set, user=user).first()
    if annotator is not None:
        return waits_elsewhere(annotator=annotator)
    return Seat.objects.open().filter(query__eval_set=eval_set, query__retired_at__isnull=True).exists()
