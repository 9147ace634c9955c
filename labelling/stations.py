"""The stations of the human work, and what a pool is told of its cost."""

from __future__ import annotations

from statistics import median

import numpy as np
from django.contrib.auth.models import User
from django.utils import timezone

from evalsets.hooks import LabellingTerms
from evalsets.models import EvalSet
from evalsets.permissions import Action, can, get_role
from evalsets.stations import NO_NUMBER, Station, count, register_station
from labelling.agreement import count_double_set, keep_comparable, read_submissions
from labelling.disagreements import count_open, list_decisions
from labelling.models import DoubleLabelPlan, Judgment, Origin
from labelling.plans import DEFAULT_RATE
from labelling.progress import count_all_seats
from labelling.statistics.alpha import alpha_of_counts

# A median of a few judgments says little about a pace.
FEWEST_TIMED = 30
LATEST_TIMED = 500
# With fewer units compared no coefficient is written, on this page as on that of agreement.
FEWEST_UNITS = 10


def register() -> None:
    """Add them to the page of the eval set."""
    register_station("labelling", place=60, needs=Action.GRADE, make=make_labelling)
    register_station("agreement", place=70, needs=Action.READ_AGREEMENT, make=make_agreement)
    register_station("adjudication", place=80, needs=Action.ADJUDICATE, make=make_adjudication)


def get_terms(eval_set: EvalSet) -> LabellingTerms:
    """The declared share of double labels, and the median time of the latest judgments where there are enough."""
    rate = DoubleLabelPlan.objects.filter(eval_set=eval_set).values_list("rate", flat=True).first()
    timed = Judgment.objects.of(eval_set).filter(origin=Origin.QUEUE, seconds__isnull=False).order_by("-pk")
    seconds = [one for one in timed.values_list("seconds", flat=True)[:LATEST_TIMED] if one is not None]
    share = DEFAULT_RATE if rate is None else rate
    if len(seconds) < FEWEST_TIMED:
        return LabellingTerms(double_rate=share)
    return LabellingTerms(double_rate=share, seconds_a_judgment=median(seconds), measured=True)


def make_labelling(eval_set: EvalSet, user: User) -> Station:
    """What is left to grade. Who only grades sees their own count: that of seats would tell what is labelled twice."""
    role = get_role(user, eval_set)
    if role is None or not can(role, Action.READ_AGREEMENT):
        return _own_labelling(eval_set, user)
    seats = count_all_seats(eval_set, timezone.now())
    left = seats.total - seats.done
    return Station(
        key="labelling",
        label="Labelling",
        needs=Action.GRADE,
        number=count(left),
        unit="to grade",
        sentence=f"{seats.done:,} of {seats.total:,} judgments are given, at {seats.candidates:,} candidates."
        if seats.total
        else "There is nothing to grade before there is a pool.",
        page="labelling:view_progress",
        possible=seats.total > 0,
        finished=seats.total > 0 and left == 0,
        done=seats.done,
        total=seats.total,
        action=("labelling:view_queue",),
        action_label="Grade" if left else "",
        action_needs=Action.GRADE,
    )


def _own_labelling(eval_set: EvalSet, user: User) -> Station:
    done = (
        Judgment.objects.live().filter(annotator__eval_set=eval_set, annotator__user=user, origin=Origin.QUEUE).count()
    )
    total = DoubleLabelPlan.objects.filter(eval_set=eval_set).values_list("seated_count", flat=True).first() or 0
    return Station(
        key="labelling",
        label="Grading",
        needs=Action.GRADE,
        number=count(done),
        unit="judged by you",
        sentence=f"The eval set has {total:,} candidates." if total else "There is nothing to grade yet.",
        page="labelling:view_queue",
        possible=total > 0,
        finished=False,
        done=done,
        total=total,
        action=("labelling:view_queue",),
        action_label="Grade",
        action_needs=Action.GRADE,
    )


def make_agreement(eval_set: EvalSet, user: User) -> Station:
    declared = count_double_set(eval_set)
    alpha, units = measure_alpha(eval_set)
    interim = f"{declared.complete:,} of {declared.declared:,} double labels are complete."
    return Station(
        key="agreement",
        label="Agreement",
        needs=Action.READ_AGREEMENT,
        number=NO_NUMBER if alpha is None else f"{alpha:.3f}",
        unit=f"alpha, n = {units:,}" if alpha is not None else "alpha",
        sentence=interim if declared.declared else "No candidate is labelled twice yet.",
        page="labelling:view_agreement",
        possible=declared.complete > 0,
        finished=declared.declared > 0 and not declared.is_interim,
        done=declared.complete,
        total=declared.declared,
        action=("labelling:view_agreement",),
        action_label="Read it",
        action_needs=Action.READ_AGREEMENT,
    )


def make_adjudication(eval_set: EvalSet, user: User) -> Station:
    decisions = list_decisions(eval_set)
    left = count_open(decisions)
    return Station(
        key="adjudication",
        label="Adjudication",
        needs=Action.ADJUDICATE,
        number=count(left),
        unit="to settle",
        sentence=f"{len(decisions) - left:,} of {len(decisions):,} disagreements are settled."
        if decisions
        else "No labels differ yet.",
        page="labelling:list_disagreements",
        possible=bool(decisions),
        finished=bool(decisions) and left == 0,
        done=len(decisions) - left,
        total=len(decisions),
        action=("labelling:list_disagreements",),
        action_label="Settle them" if left else "",
        action_needs=Action.ADJUDICATE,
    )


def measure_alpha(eval_set: EvalSet) -> tuple[float | None, int]:
    """Ordinal alpha of the double labels without its interval, None below ten units; and the number of units compared."""
    graded = [one for one in read_submissions(eval_set) if one.grade is not None]
    grades: dict[int, list[int]] = {}
    for one in keep_comparable(graded):
        if one.grade is not None:
            grades.setdefault(one.candidate_pk, []).append(one.grade)
    compared = [found for found in grades.values() if len(found) >= 2]
    if len(compared) < FEWEST_UNITS:
        return None, len(compared)
    scale = tuple(eval_set.grades)
    counts = np.array([[found.count(grade) for grade in scale] for found in compared])
    return alpha_of_counts(counts, scale=scale).value, len(compared)
