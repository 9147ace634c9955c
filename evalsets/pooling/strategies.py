"""Chooses which results of several runs go into a pool, and keeps where each came from.

Depth-k pooling: K. Sparck Jones and C. van Rijsbergen, 1975, as practised at TREC. Take-N by reciprocal-rank fusion:
G. Cormack, C. Clarke and S. Buettcher, SIGIR 2009.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Unit = Literal["document", "section"]
UnitKey = tuple[str, str]
ListKey = tuple[str, str]

_DIGITS = re.compile(r"([0-9]+)")
_SCORE_DECIMALS = 12


@dataclass(frozen=True)
class RankedResult:
    """One result of one run as it was recorded: ranks start at 1, by stage; start and end are character offsets."""

    run: str
    query_id: str
    stage: str
    rank: int
    doc_id: str
    section_id: str = ""
    chunk_id: str = ""
    start: int | None = None
    end: int | None = None
    score: float | None = None


@dataclass(frozen=True)
class Contribution:
    """How one list of one run brought a candidate: its best result there.

    `unit_rank` counts evidence units, each once; `result.rank` is the rank as recorded. `inclusion_probability` is the
    chance that this list's result had of being pooled: 1 for the strategies here, which sample nothing.
    """

    unit_rank: int
    result: RankedResult
    inclusion_probability: float = 1.0

    @property
    def run(self) -> str:
        return self.result.run

    @property
    def stage(self) -> str:
        return self.result.stage

    @property
    def rank(self) -> int:
        return self.result.rank


@dataclass(frozen=True)
class PooledCandidate:
    """One evidence unit of one query in a pool. `section_id` is "" where the unit is the document."""

    query_id: str
    doc_id: str
    section_id: str
    contributions: tuple[Contribution, ...]

    @property
    def unit(self) -> UnitKey:
        return self.doc_id, self.section_id

    @property
    def key(self) -> tuple[str, str, str]:
        return self.query_id, self.doc_id, self.section_id

    @property
    def runs(self) -> frozenset[str]:
        """The runs that brought it."""
        return frozenset(contribution.run for contribution in self.contributions)

    @property
    def best(self) -> Contribution:
        """The contribution that ranked it highest: its passage is the one to show."""
        return min(self.contributions, key=lambda found: (found.unit_rank, found.rank, found.run, found.stage))


Lists = Mapping[ListKey, Sequence[RankedResult]]


class Strategy(Protocol):
    """Chooses, for one query, units from lists whose results stand one a unit, best first."""

    def choose(self, lists: Lists, unit: Unit) -> dict[UnitKey, tuple[Contribution, ...]]: ...


@dataclass(frozen=True)
class DepthK:
    """The first `depth` units of each list of each run; only results inside that depth count as contributions."""

    depth: int = 20

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise ValueError(f"depth is {self.depth}; a pool takes at least the first result")

    def choose(self, lists: Lists, unit: Unit) -> dict[UnitKey, tuple[Contribution, ...]]:
        return _contributions({key: results[: self.depth] for key, results in lists.items()}, unit)


@dataclass(frozen=True)
class RrfTake:
    """The `take` units that fuse best over the runs; every result that was found counts as a contribution.

    With `depth`, each list is read only so far. A run counts once, with the best of its stages.
    """

    take: int = 40
    rrf_k: int = 60
    depth: int | None = None

    def __post_init__(self) -> None:
        if self.take < 1:
            raise ValueError(f"take is {self.take}; a pool takes at least one unit a query")
        if self.rrf_k < 0:
            raise ValueError(f"rrf_k is {self.rrf_k}; it must not be negative")
        if self.depth is not None and self.depth < 1:
            raise ValueError(f"depth is {self.depth}; a list is read to its first result at least")

    def choose(self, lists: Lists, unit: Unit) -> dict[UnitKey, tuple[Contribution, ...]]:
        found = _contributions({key: results[: self.depth] for key, results in lists.items()}, unit)
        ranks = {key: _best_rank_of_each_run(contributions) for key, contributions in found.items()}
        return {key: found[key] for key, _ in fused_order(ranks, rrf_k=self.rrf_k)[: self.take]}


def build_pool(
    results: Iterable[RankedResult],
    strategy: Strategy,
    *,
    unit: Unit,
    runs: Collection[str] | None = None,
    stages: Collection[str] | None = None,
) -> list[PooledCandidate]:
    """Merge the results of the chosen runs and stages (all, when left out) into candidates, one an evidence unit.

    Each list is first collapsed to units, in rank order, first occurrence kept; then the strategy chooses. Candidates
    come in the order of their ids, which says nothing of ranks; the order of `results` does not matter. Raises
    ValueError for two results of one run, query and stage at the same rank, or a rank below 1.
    """
    by_query: dict[str, dict[ListKey, list[RankedResult]]] = {}
    for result in results:
        if (runs is None or result.run in runs) and (stages is None or result.stage in stages):
            by_query.setdefault(result.query_id, {}).setdefault((result.run, result.stage), []).append(result)
    pool: list[PooledCandidate] = []
    for query_id in sorted(by_query, key=id_order):
        lists = {key: collapsed(by_query[query_id][key], unit) for key in sorted(by_query[query_id])}
        chosen = strategy.choose(lists, unit)
        for key in sorted(chosen, key=_unit_order):
            pool.append(PooledCandidate(query_id, key[0], key[1], chosen[key]))
    return pool


def collapsed(results: Iterable[RankedResult], unit: Unit) -> list[RankedResult]:
    """Keep the first result of each unit of one list, in rank order: the unit at index i has unit rank i + 1."""
    first: dict[UnitKey, RankedResult] = {}
    ranks: set[int] = set()
    for result in sorted(results, key=lambda result: result.rank):
        place = f"run {result.run!r}, query {result.query_id!r}, stage {result.stage!r}"
        if result.rank < 1:
            raise ValueError(f"{place}: rank is {result.rank}; ranks start at 1")
        if result.rank in ranks:
            raise ValueError(f"{place}: two results have rank {result.rank}; a rank names one result")
        ranks.add(result.rank)
        first.setdefault(unit_of(result, unit), result)
    return list(first.values())


def unit_of(result: RankedResult, unit: Unit) -> UnitKey:
    """Give the evidence unit that a result belongs to, as (doc_id, section_id)."""
    return result.doc_id, result.section_id if unit == "section" else ""


def fused_order(ranks: Mapping[UnitKey, Collection[int]], *, rrf_k: int = 60) -> list[tuple[UnitKey, float]]:
    """Order units by the sum of 1 / (rrf_k + rank) over the ranks that runs gave them; equal sums in id order."""
    # sorted() before the sum: the last bits of a sum must not depend on the order of the runs.
    scores = {key: sum(1 / (rrf_k + rank) for rank in sorted(found)) for key, found in ranks.items()}
    return sorted(scores.items(), key=lambda pair: (-round(pair[1], _SCORE_DECIMALS), _unit_order(pair[0])))


def not_yet_pooled(pool: Iterable[PooledCandidate], known: Collection[tuple[str, str, str]]) -> list[PooledCandidate]:
    """Give the candidates whose (query_id, doc_id, section_id) is not among those already pooled."""
    return [candidate for candidate in pool if candidate.key not in known]


def id_order(text: str) -> tuple[tuple[tuple[int, str] | str, ...], str]:
    """Give a sort key that puts numbers inside ids in the order of counting: d2 before d10."""
    pieces = _DIGITS.split(text)
    return tuple(_number(piece) if at % 2 else piece for at, piece in enumerate(pieces)), text


def _number(digits: str) -> tuple[int, str]:
    plain = digits.lstrip("0")
    return len(plain), plain


def _unit_order(key: UnitKey) -> tuple[object, object]:
    return id_order(key[0]), id_order(key[1])


def _contributions(lists: Lists, unit: Unit) -> dict[UnitKey, tuple[Contribution, ...]]:
    found: dict[UnitKey, list[Contribution]] = {}
    for results in lists.values():
        for unit_rank, result in enumerate(results, start=1):
            found.setdefault(unit_of(result, unit), []).append(Contribution(unit_rank, result))
    return {key: tuple(contributions) for key, contributions in found.items()}


def _best_rank_of_each_run(contributions: Iterable[Contribution]) -> list[int]:
    best: dict[str, int] = {}
    for found in contributions:
        best[found.run] = min(found.unit_rank, best.get(found.run, found.unit_rank))
    return list(best.values())
