"""What a pool would be like, before it is made: its size, who brings what, what labelling it costs, what to mind."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from evalsets.pooling.strategies import DepthK, PooledCandidate, RankedResult, RrfTake, Unit, collapsed, unit_of

SECONDS_A_JUDGMENT = 20.0
SECONDS_AN_ADJUDICATION = 60.0
# Of 4,493 passages of TREC DL 2019 that were judged again, 27 % crossed the line between grades 1 and 2 and 54 %
# differed at all: A. Parry and others, arXiv 2502.20937.
SHARE_CROSSING = 0.27
SHARE_DIFFERING = 0.54

FEWEST_RUNS = 3
FEWEST_FAMILIES = 2


@dataclass(frozen=True)
class ChosenRun:
    """A run that a pool is drawn from: the configuration it executed, and that configuration's family."""

    run: str
    configuration: str
    family: str


@dataclass(frozen=True)
class RunShare:
    """What one run brings: `contributed` candidates, of which `unique` come from no other run."""

    run: str
    contributed: int
    unique: int


@dataclass(frozen=True)
class PairOverlap:
    """Two runs' contributions over all queries; `share` is shared / union (Jaccard), None where neither has any."""

    first: str
    second: str
    shared: int
    union: int

    @property
    def share(self) -> float | None:
        return self.shared / self.union if self.union else None


@dataclass(frozen=True)
class LabellingCost:
    """Judgments to make and hours of work. Adjudications are a range: what crosses the threshold, what differs at all."""

    candidates: int
    double_labelled: int
    seconds_a_judgment: float
    adjudications_low: int
    adjudications_high: int
    seconds_an_adjudication: float

    @property
    def judgments(self) -> int:
        return self.candidates + self.double_labelled

    @property
    def judging_hours(self) -> float:
        return self.judgments * self.seconds_a_judgment / 3600

    @property
    def adjudicating_hours(self) -> tuple[float, float]:
        """Hours of a lead's work, at least and at most."""
        hours = self.seconds_an_adjudication / 3600
        return self.adjudications_low * hours, self.adjudications_high * hours


@dataclass(frozen=True)
class PoolWarning:
    """Something to mind about a pool: a stable code, and a message that says what and what to do."""

    code: str
    message: str


@dataclass(frozen=True)
class PoolOverview:
    """Everything a page shows of a pool before it is made. `sizes` has a 0 for a query that no run answered."""

    size: int
    sizes: dict[str, int]
    shares: list[RunShare]
    overlaps: list[PairOverlap]
    cost: LabellingCost
    warnings: list[PoolWarning]

    @property
    def median_size(self) -> float | None:
        """The median number of candidates a query; None without queries."""
        return median(self.sizes.values()) if self.sizes else None

    @property
    def empty_queries(self) -> list[str]:
        """The queries without any candidate."""
        return [query_id for query_id, size in self.sizes.items() if size == 0]


def overview(
    pool: Sequence[PooledCandidate],
    *,
    runs: Sequence[ChosenRun],
    query_ids: Iterable[str],
    strategy: DepthK | RrfTake,
    k: int,
    double_rate: float,
    candidate_depth: int | None = None,
    seconds_a_judgment: float = SECONDS_A_JUDGMENT,
) -> PoolOverview:
    """Describe a pool. `k` is the largest depth that scores read; `double_rate` the share that two people grade."""
    names = [chosen.run for chosen in runs]
    return PoolOverview(
        size=len(pool),
        sizes=sizes_by_query(pool, query_ids),
        shares=run_shares(pool, names),
        overlaps=pairwise_overlap(pool, names),
        cost=labelling_cost(len(pool), double_rate=double_rate, seconds_a_judgment=seconds_a_judgment),
        warnings=pool_warnings(runs, strategy=strategy, k=k, candidate_depth=candidate_depth),
    )


def sizes_by_query(pool: Iterable[PooledCandidate], query_ids: Iterable[str]) -> dict[str, int]:
    """Count the candidates of each query, the given queries first and in their order, 0 for those without any."""
    counted = Counter(candidate.query_id for candidate in pool)
    return {query_id: counted[query_id] for query_id in [*query_ids, *counted]}


def run_shares(pool: Iterable[PooledCandidate], runs: Iterable[str]) -> list[RunShare]:
    """Count for each run the candidates it brings, and those that it alone brings."""
    contributed: Counter[str] = Counter()
    unique: Counter[str] = Counter()
    for candidate in pool:
        contributed.update(candidate.runs)
        if len(candidate.runs) == 1:
            unique.update(candidate.runs)
    return [RunShare(run, contributed[run], unique[run]) for run in runs]


def pairwise_overlap(pool: Iterable[PooledCandidate], runs: Sequence[str]) -> list[PairOverlap]:
    """Count, for each two runs, the candidates that both bring and that either brings."""
    contributed: Counter[str] = Counter()
    shared: Counter[frozenset[str]] = Counter()
    for candidate in pool:
        contributed.update(candidate.runs)
        shared.update(frozenset(pair) for pair in combinations(candidate.runs, 2))
    overlaps = []
    for first, second in combinations(runs, 2):
        both = shared[frozenset((first, second))]
        overlaps.append(PairOverlap(first, second, both, contributed[first] + contributed[second] - both))
    return overlaps


def labelling_cost(
    candidates: int,
    *,
    double_rate: float,
    seconds_a_judgment: float = SECONDS_A_JUDGMENT,
    seconds_an_adjudication: float = SECONDS_AN_ADJUDICATION,
) -> LabellingCost:
    """Estimate the work of labelling so many candidates, `double_rate` (0-1) of them by two people."""
    if not 0 <= double_rate <= 1:
        raise ValueError(f"double_rate is {double_rate}; it is a share from 0 to 1")
    doubles = round(candidates * double_rate)
    return LabellingCost(
        candidates=candidates,
        double_labelled=doubles,
        seconds_a_judgment=seconds_a_judgment,
        adjudications_low=round(doubles * SHARE_CROSSING),
        adjudications_high=round(doubles * SHARE_DIFFERING),
        seconds_an_adjudication=seconds_an_adjudication,
    )


def pool_warnings(
    runs: Sequence[ChosenRun], *, strategy: DepthK | RrfTake, k: int, candidate_depth: int | None = None
) -> list[PoolWarning]:
    """Say what makes a pool unfit to compare retrievers: too few or too similar configurations, or too shallow.

    `k` is the largest depth at which precision or nDCG is read; `candidate_depth`, where given, that of recall.
    """
    warnings = _variety_warnings(runs)
    if not isinstance(strategy, DepthK):
        return warnings
    depth = strategy.depth
    if depth < k:
        message = (
            f"Pool depth {depth} is less than k = {k}, so results that are scored stay unjudged. Use depth {k} or more."
        )
        warnings.append(PoolWarning("depth_under_k", message))
    if candidate_depth is not None and depth < candidate_depth:
        message = (
            f"Recall is read to {candidate_depth} results and the pool to {depth}. Evidence deeper down stays unjudged, so "
            f"recall will come out too high. Use depth {candidate_depth}, or read recall with its Judged@{candidate_depth}."
        )
        warnings.append(PoolWarning("depth_under_candidate_depth", message))
    return warnings


def _variety_warnings(runs: Sequence[ChosenRun]) -> list[PoolWarning]:
    warnings = []
    configurations = {chosen.configuration for chosen in runs}
    if len(configurations) < FEWEST_RUNS:
        message = (
            f"{len(configurations)} of at least {FEWEST_RUNS} configurations are pooled. What none of them finds is never "
            "judged, and later retrievers that find it look worse than they are. Add runs of other configurations."
        )
        warnings.append(PoolWarning("few_configurations", message))
    families = {chosen.family for chosen in runs}
    if runs and len(families) < FEWEST_FAMILIES:
        message = (
            f"All runs are of one family, {next(iter(families))}. Such a pool can rank the other families backwards. "
            "Add a run of another family: lexical, dense or hybrid."
        )
        warnings.append(PoolWarning("one_family", message))
    return warnings


@dataclass(frozen=True)
class LeftOut:
    """One run (or group of runs) left out of a pool: what only it brought, and how far its own top k stay judged.

    The coverages are means over the queries that it answered of pooled units in its top k, divided by k; None
    without queries.
    """

    name: str
    unique: list[PooledCandidate]
    coverage: float | None
    coverage_without_own: float | None


def leave_one_out(
    pool: Sequence[PooledCandidate],
    results: Iterable[RankedResult],
    *,
    unit: Unit,
    k: int,
    groups: Mapping[str, str] | None = None,
) -> list[LeftOut]:
    """Leave each run out in turn, to see how a retriever that did not contribute would have been covered.

    `groups` names for each run what is left out together (its family, say); left out, each run stands alone.
    J. Zobel, How reliable are the results of large-scale information retrieval experiments?, SIGIR 1998.
    """
    lists: dict[tuple[str, str, str], list[RankedResult]] = {}
    for result in results:
        lists.setdefault((result.run, result.query_id, result.stage), []).append(result)
    group_of = {run: (groups or {}).get(run, run) for run, _, _ in lists}
    keys = {candidate.key for candidate in pool}
    answers = []
    for name in sorted(set(group_of.values())):
        own = {run for run, group in group_of.items() if group == name}
        unique = [candidate for candidate in pool if candidate.runs <= own]
        remaining = keys - {candidate.key for candidate in unique}
        tops = [_top(found, unit, k) for (run, _, _), found in lists.items() if run in own]
        answers.append(LeftOut(name, unique, _coverage(tops, keys, k), _coverage(tops, remaining, k)))
    return answers


def _top(results: Iterable[RankedResult], unit: Unit, k: int) -> list[tuple[str, str, str]]:
    return [(result.query_id, *unit_of(result, unit)) for result in collapsed(results, unit)[:k]]


def _coverage(
    tops: Sequence[Sequence[tuple[str, str, str]]], keys: Collection[tuple[str, str, str]], k: int
) -> float | None:
    if not tops:
        return None
    return sum(sum(key in keys for key in top) / k for top in tops) / len(tops)
