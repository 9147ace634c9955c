"""The stations of an eval set: each with one true number, what it means, and the next thing to do.

Apps register theirs, so that this one need not know them. Which station is the next thing to do is decided here, for the person who
looks: the first that can be worked on, is not finished, and offers this person something to do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.urls import NoReverseMatch, reverse

from evalsets.models import EvalSet, Role
from evalsets.permissions import Action, can


@dataclass(frozen=True)
class Station:
    """One station. `needs`: who may see it; `possible`: something can be done here yet; `finished`: nothing more has to be.

    `number` is ready to show and `unit` says what it counts. `done` and `total` draw a bar where total is above 0. `page` and
    `action` are (url name, *further arguments after the slug); the action takes `action_needs`.
    """

    key: str
    label: str
    needs: Action
    number: str
    unit: str
    sentence: str
    page: str
    possible: bool
    finished: bool
    done: int = 0
    total: int = 0
    action: tuple[str, ...] = ()
    action_label: str = ""
    action_needs: Action = Action.VIEW


# Stands where there is no number yet.
NO_NUMBER = "\N{EN DASH}"

StationMaker = Callable[[EvalSet, User], Station]
_MAKERS: dict[str, tuple[int, Action, StationMaker]] = {}


def register_station(key: str, *, place: int, needs: Action, make: StationMaker) -> None:
    """Add a station at a place (lower comes first). `make` is called only for people who may see it."""
    _MAKERS[key] = (place, needs, make)


def list_stations(eval_set: EvalSet, user: User, role: Role) -> list[dict[str, Any]]:
    """Return the stations that this person may see, in order, as the page shows them; at most one is "now"."""
    makers = sorted(_MAKERS.values(), key=lambda entry: entry[0])
    stations = [make(eval_set, user) for _place, needs, make in makers if can(role, needs)]
    rows = [_show(eval_set, station, role) for station in stations]
    for row, station in zip(rows, stations, strict=True):
        if row["action_url"] and station.possible and not station.finished:
            row["state"] = "now"
            break
    return rows


def count(number: int) -> str:
    """A number as a station shows it."""
    return f"{number:,}"


def _show(eval_set: EvalSet, station: Station, role: Role) -> dict[str, Any]:
    may = bool(station.action) and can(role, station.action_needs) and station.possible
    url = _reverse(eval_set, station.action) if may else ""
    return {
        "key": station.key,
        "label": station.label,
        "url": _reverse(eval_set, (station.page,)),
        "number": station.number,
        "unit": station.unit,
        "sentence": station.sentence,
        "state": "done" if station.finished else "open" if station.possible else "waiting",
        "done": station.done,
        "total": station.total,
        "action_url": url,
        "action_label": station.action_label if url else "",
    }


def _reverse(eval_set: EvalSet, target: tuple[str, ...]) -> str:
    """The url, or "" for a page that this installation does not have."""
    name, *further = target
    try:
        return reverse(name, args=[eval_set.slug, *further])
    except NoReverseMatch:
        return ""
