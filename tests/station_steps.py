"""Reading the page of an eval set as somebody of a role would."""

from __future__ import annotations

from typing import Any

from evalsets.models import EvalSet, Role
from evalsets.stations import Station, list_stations
from tests.factories import make_member


def see(eval_set: EvalSet, role: Role, user: Any = None) -> dict[str, Station]:
    """The stations as a member of that role sees them, by key."""
    stations = list_stations(eval_set, role, user or make_member(eval_set, role))
    return {station.key: station for station in stations}


def next_of(stations: dict[str, Station]) -> str:
    """The key of the one station that is next."""
    [key] = [station.key for station in stations.values() if station.state == "now"]
    return key
