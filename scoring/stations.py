"""The station of the scores, behind the gold sets."""

from __future__ import annotations

from django.urls import NoReverseMatch, reverse

from evalsets.permissions import Action
from evalsets.stations import NOTHING, Station, Visit, name_count, register_station, show_count


def register() -> None:
    """Register it as the last."""
    register_station(90, see_scores)


def see_scores(visit: Visit) -> Station | None:
    if not visit.may(Action.SCORE):
        return None
    runs = visit.eval_set.runs.complete().count()
    version = visit.eval_set.gold_sets.order_by("-number").values_list("number", flat=True).first()
    ready = bool(runs and version)
    if version is None:
        sentence = "Runs are scored against a published gold set."
    else:
        sentence = f"On gold set version {version}." if runs else f"Gold set version {version} has no run to score yet."
    try:
        url = reverse("scoring:list_scores", args=[visit.eval_set.slug])
    except NoReverseMatch:
        # As in the navigation: no station for a page that is not there.
        return None
    return Station(
        key="scores",
        label="Scores",
        url=url,
        number=show_count(runs) if ready else NOTHING,
        unit=name_count(runs, "run").split()[1] if ready else "runs",
        state="done" if ready else "waiting",
        sentence=sentence,
        action_url=url if ready else "",
        action_label="Read the scores",
    )
