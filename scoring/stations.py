"""The station of the scores, behind the gold sets: the best mean of the newest gold set version, as far as it was computed."""

from __future__ import annotations

from dataclasses import dataclass

from evalsets.models import GoldSet
from evalsets.permissions import Action
from evalsets.stations import NOTHING, Station, Visit, name_count, register_station
from scoring.engine import ENGINE_VERSION
from scoring.models import Report


@dataclass(frozen=True)
class Best:
    """The run that leads, by the mean of a measure over `n` queries."""

    run: str
    measure: str
    mean: float
    n: int


def register() -> None:
    """Register it as the last."""
    register_station(90, see_scores)


def see_scores(visit: Visit) -> Station | None:
    if not visit.may(Action.SCORE):
        return None
    gold_set = visit.eval_set.gold_sets.order_by("-number").first()
    runs = visit.eval_set.runs.complete().count()
    best = find_best(gold_set) if gold_set else None
    if gold_set is None:
        sentence = "Runs are scored against a published gold set."
    elif best:
        sentence = (
            f"{best.run}, mean over {name_count(best.n, 'query', 'queries')} of gold set version {gold_set.number}."
        )
    elif runs:
        sentence = f"Score {name_count(runs, 'run')} on gold set version {gold_set.number}."
    else:
        sentence = f"Gold set version {gold_set.number} has no run to score yet."
    url = visit.link("scoring:list_scores")
    ready = bool(gold_set and runs)
    return Station(
        key="scores",
        label="Scores",
        url=url,
        number=f"{best.mean:.3f}" if best else NOTHING,
        unit=f"best {best.measure}" if best else "best nDCG",
        state="done" if best else "open" if ready else "waiting",
        sentence=sentence,
        action_url=url if ready else "",
        action_label="Read the scores" if best else "Score",
    )


def find_best(gold_set: GoldSet) -> Best | None:
    """Return the run with the highest mean nDCG among the reports on all queries under the gold set's own depths, threshold and gain."""
    header = gold_set.header
    reports = Report.objects.filter(
        gold_set=gold_set,
        split="",
        engine_version=ENGINE_VERSION,
        **{name: header[name] for name in ("threshold", "gain", "depth_n", "depth_k")},
    )
    found = []
    rows = reports.values_list(
        "run__number", "run__retriever__name", "page__measure_names__ndcg", "page__document__measures"
    )
    for number, retriever, measure, measures in rows:
        mean, n = measures[measure]["mean"], measures[measure]["n"]
        if mean is not None and n:
            found.append(Best(f"Run {number}, {retriever}", measure, mean, n))
    return max(found, key=lambda best: best.mean, default=None)
