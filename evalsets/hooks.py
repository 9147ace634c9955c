"""Where other apps ask to be called when something happened here, because this one imports none of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evalsets.models import EvalSet, Query

# Each is called with the eval set whose pool has grown, after the pool is complete; registered in an AppConfig's `ready`.
after_pool_built: list[Callable[[EvalSet], object]] = []


@dataclass(frozen=True)
class LabellingTerms:
    """What labelling costs in an eval set: the share (0-1) that two people grade, and the seconds that one judgment takes.

    `measured` says whether the seconds are the eval set's own median; otherwise they are the customary 20.
    """

    double_rate: float = 0.2
    seconds_a_judgment: float = 20.0
    measured: bool = False


# At most one app says it; registered in an AppConfig's `ready`.
labelling_terms: list[Callable[[EvalSet], LabellingTerms]] = []


@dataclass(frozen=True)
class Remark:
    """Something that another app has to say about a query: a word for a heading, and a sentence."""

    title: str
    sentence: str
    url: str = ""


# Each is called with a query and says what makers should know of it; registered in an AppConfig's `ready`. Never a judgment.
query_remarks: list[Callable[[Query], list[Remark]]] = []


def list_query_remarks(query: Query) -> list[Remark]:
    """Ask every app what it has to say about a query."""
    return [remark for call in query_remarks for remark in call(query)]


def announce_pool_built(eval_set: EvalSet) -> None:
    """Call whoever waits for a pool; whatever builds a pool calls this once it is complete."""
    for call in after_pool_built:
        call(eval_set)


def get_labelling_terms(eval_set: EvalSet) -> LabellingTerms:
    """Ask the app that labels what it costs; the customary figures where nobody says."""
    for call in labelling_terms:
        return call(eval_set)
    return LabellingTerms()
