"""The eval set as the way its data goes: one station for each step, with its one number and the next thing to do there.

Each app registers its own stations in its AppConfig's `ready`, because this one imports none of the others. A station says how things
stand; which of them is the next thing to do for the person who looks is decided here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from django.urls import reverse

from evalsets.models import EvalSet, Role
from evalsets.permissions import Action, can

if TYPE_CHECKING:
    from django.contrib.auth.models import User

NOTHING = "\u2013"


@dataclass(frozen=True)
class Visit:
    """Who looks at which eval set."""

    eval_set: EvalSet
    role: Role
    user: User

    def may(self, action: Action) -> bool:
        return can(self.role, action)

    def link(self, name: str, *args: object) -> str:
        """The url of one of the eval set's pages."""
        return reverse(name, args=[self.eval_set.slug, *args])


@dataclass(frozen=True)
class Station:
    """One step on the page of an eval set.

    `number` is ready to show and `unit` says what it counts; `sentence` says what the state means. `done` of `total` draws a bar.
    State "waiting": nothing can be done yet; "open": something is to be done; "done"; "now": the next thing to do for this person.
    `urgent`: goes before everything else that is open, wherever it stands.
    """

    key: str
    label: str
    url: str
    number: str
    unit: str
    state: Literal["done", "now", "open", "waiting"]
    sentence: str
    done: int = 0
    total: int = 0
    action_url: str = ""
    action_label: str = ""
    urgent: bool = False


StationFunction = Callable[[Visit], Station | None]
_REGISTERED: dict[StationFunction, int] = {}


def register_station(order: int, function: StationFunction) -> None:
    """Have `function` asked for a station at this place of the order; it returns None where the role may not see it."""
    _REGISTERED[function] = order


def list_stations(eval_set: EvalSet, role: Role, user: User) -> list[Station]:
    """Return the stations that the role may see, in order, exactly one of them with state "now"."""
    visit = Visit(eval_set, role, user)
    asked = (function(visit) for function in sorted(_REGISTERED, key=lambda function: _REGISTERED[function]))
    stations = [station for station in asked if station is not None]
    now = find_next(stations)
    return [replace(station, state="now") if station is now else station for station in stations]


def find_next(stations: Sequence[Station]) -> Station | None:
    """Return the first open station with an action, urgent ones first; else the first open one; else the last that does not wait."""
    opened = [station for station in stations if station.state == "open"]
    acting = sorted((station for station in opened if station.action_url), key=lambda station: not station.urgent)
    begun = [station for station in stations if station.state != "waiting"]
    for candidates in (acting, opened, begun[::-1], stations):
        if candidates:
            return candidates[0]
    return None


def describe_facts(eval_set: EvalSet) -> list[dict[str, Any]]:
    """Return what every number of the eval set stands on, as components/facts.html shows it."""
    snapshot = f", snapshot {eval_set.snapshot.number}" if eval_set.snapshot else ""
    facts = [
        ("corpus", f"{eval_set.corpus}{snapshot}"),
        ("evidence unit", eval_set.get_unit_display()),
        ("grades", eval_set.get_scale_display()),
        ("relevant from", f"grade {eval_set.threshold}"),
        ("gain", eval_set.get_gain_display()),
        ("N, candidates", eval_set.depth_n),
        ("k, reach the model", eval_set.depth_k),
    ]
    return [{"name": name, "value": value} for name, value in facts]


def show_count(number: int) -> str:
    """A count as it is shown: "3,412"."""
    return f"{number:,}"


def name_count(number: int, one: str, many: str = "") -> str:
    """A count with its noun: "1 run", "3,412 runs"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
