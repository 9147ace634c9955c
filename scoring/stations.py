"""The station of the scores."""

from __future__ import annotations

from django.contrib.auth.models import User

from evalsets.models import EvalSet
from evalsets.permissions import Action
from evalsets.stations import NO_NUMBER, Station, count, register_station


def register() -> None:
    """Add it to the page of the eval set."""
    register_station("scores", place=100, needs=Action.SCORE, make=make_scores)


def make_scores(eval_set: EvalSet, user: User) -> Station:
    runs = eval_set.runs.complete().count()
    latest = eval_set.gold_sets.order_by("-number").values_list("number", flat=True).first()
    if latest is None:
        sentence = "Scores are computed on a published gold set."
    else:
        sentence = f"On gold set version {latest}." if runs else "There is a gold set, and no run to score on it."
    return Station(
        key="scores",
        label="Scores",
        needs=Action.SCORE,
        number=count(runs) if latest else NO_NUMBER,
        unit="runs to score",
        sentence=sentence,
        page="scoring:list_scores",
        possible=latest is not None and runs > 0,
        finished=False,
        action=("scoring:list_scores",),
        action_label="Read the scores",
        action_needs=Action.SCORE,
    )
