"""Two runs over the same labels, paired query by query: who moved, by how much, and whether it could be chance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from scoring.engine.arrays import Floats
from scoring.engine.intervals import SEED, Interval, bootstrap_interval, t_interval
from scoring.engine.measures import Measure
from scoring.engine.significance import ALPHA, Randomization, detectable_difference, holm, randomization_test, sign_test
from scoring.engine.summary import COUNTS_ONLY_UNDER

# Differences that are equal on paper differ in their last bits.
_NOTHING = 1e-12


@dataclass(frozen=True)
class FlipRule:
    """A measure whose step between 0 and above 0 is a flip, and the words for it."""

    measure: Measure
    up: str
    down: str


@dataclass(frozen=True)
class Flips:
    """The queries that flipped, in each direction, with the exact sign test on their counts."""

    rule: FlipRule
    up: list[str]
    down: list[str]
    p: float


@dataclass(frozen=True)
class MeasureComparison:
    """One measure of two runs. Differences are second minus first; wins and losses are ids of queries.

    left_out: queries without a value in one of the runs. The intervals are withheld (None) under ten queries or ten
    non-zero differences; `detectable` is the smallest mean difference that this many queries can show.
    """

    measure: str
    n: int
    left_out: list[str]
    first_mean: float | None
    second_mean: float | None
    difference: float | None
    sd: float | None
    wins: list[str]
    losses: list[str]
    ties: int
    interval: Interval | None
    bootstrap: Interval | None
    test: Randomization
    adjusted_p: float
    detectable: float | None
    verdict: str


@dataclass(frozen=True)
class Comparison:
    """All measures, all flips, and the queries that only one of the two runs was scored on."""

    measures: list[MeasureComparison]
    flips: list[Flips]
    only_in_first: list[str]
    only_in_second: list[str]


def flip_rules(*, depth: int, k: int, max_grade: int) -> list[FlipRule]:
    """The flips that are read first: found at all at depth N, first relevant unit at k, best unit at k."""
    rules = [
        FlipRule(Measure("R", depth), f"found within {depth}", f"lost within {depth}"),
        FlipRule(
            Measure("Hit", k), f"first relevant result enters the top {k}", f"first relevant result leaves the top {k}"
        ),
    ]
    if max_grade > 1:
        best = Measure("Hit", k, rel=max_grade)
        words = f"a grade-{max_grade} unit"
        rules.append(FlipRule(best, f"{words} enters the top {k}", f"{words} leaves the top {k}"))
    return rules


def compare(
    first: pd.DataFrame,
    second: pd.DataFrame,
    measures: Sequence[Measure],
    *,
    flips: Sequence[FlipRule] = (),
    epsilon: float = 0.0,
    seed: int = SEED,
) -> Comparison:
    """Compare two per-query frames of the same labels; both need a column per measure and per flip rule.

    `epsilon` is how far a query has to move to count as a win or a loss. With several measures the p-values are
    corrected together by Holm's method.
    """
    common = first.index.intersection(second.index).sort_values()
    rows = [_compare_measure(first.loc[common], second.loc[common], measure, epsilon, seed) for measure in measures]
    adjusted = holm([row.test.p for row in rows])
    rows = [
        replace(row, adjusted_p=p, verdict=_verdict(replace(row, adjusted_p=p)))
        for row, p in zip(rows, adjusted, strict=True)
    ]
    return Comparison(
        measures=rows,
        flips=[_flips(first.loc[common], second.loc[common], rule) for rule in flips],
        only_in_first=sorted(first.index.difference(second.index)),
        only_in_second=sorted(second.index.difference(first.index)),
    )


def paired_differences(first: "pd.Series[float]", second: "pd.Series[float]") -> "pd.Series[float]":
    """Second minus first for the queries that have both, sorted by id; differences of a few bits become 0."""
    differences = (second - first).dropna().sort_index()
    return differences.mask(differences.abs() <= _NOTHING, 0.0)


def _compare_measure(
    first: pd.DataFrame, second: pd.DataFrame, measure: Measure, epsilon: float, seed: int
) -> MeasureComparison:
    name = str(measure)
    differences = paired_differences(first[name], second[name])
    values: Floats = np.asarray(differences, dtype=np.float64)
    n = len(values)
    # For a rank, smaller is better.
    better = -differences if measure.kind == "FirstRel" else differences
    wins, losses = list(better[better > epsilon].index), list(better[better < -epsilon].index)
    enough = n >= COUNTS_ONLY_UNDER and int(np.count_nonzero(values)) >= COUNTS_ONLY_UNDER
    sd = float(np.std(values, ddof=1)) if n > 1 else None
    return MeasureComparison(
        measure=name,
        n=n,
        left_out=sorted(first.index.difference(differences.index)),
        first_mean=_mean(np.asarray(first.loc[differences.index, name], dtype=np.float64)),
        second_mean=_mean(np.asarray(second.loc[differences.index, name], dtype=np.float64)),
        difference=_mean(values),
        sd=sd,
        wins=wins,
        losses=losses,
        ties=n - len(wins) - len(losses),
        interval=t_interval(values) if enough else None,
        bootstrap=bootstrap_interval(values, seed=seed) if enough else None,
        test=randomization_test(values, seed=seed),
        adjusted_p=1.0,
        detectable=detectable_difference(sd, n) if sd is not None and n >= COUNTS_ONLY_UNDER else None,
        verdict="",
    )


def _mean(values: Floats) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _flips(first: pd.DataFrame, second: pd.DataFrame, rule: FlipRule) -> Flips:
    before, after = first[str(rule.measure)], second[str(rule.measure)]
    up = sorted(first.index[(before == 0.0) & (after > 0.0)])
    down = sorted(first.index[(before > 0.0) & (after == 0.0)])
    return Flips(rule, up, down, sign_test(len(up), len(down)))


def _verdict(row: MeasureComparison) -> str:
    """The comparison in words; the numbers stand beside them."""
    if row.n == 0 or row.difference is None:
        return "no query can be compared"
    if not row.wins and not row.losses:
        return "moves no query"
    moved = f"moves {len(row.wins)} {'query' if len(row.wins) == 1 else 'queries'} up and {len(row.losses)} down"
    if row.n < COUNTS_ONLY_UNDER:
        return f"{moved}; {row.n} queries are too few to say more"
    if row.adjusted_p < ALPHA:
        direction = "higher" if row.difference > 0 else "lower"
        chance = "p < 0.001" if row.adjusted_p < 0.001 else f"p = {row.adjusted_p:.3f}"
        return f"{moved}; {direction} by {abs(row.difference):.3f} on average, more than chance explains ({chance})"
    size = f" ({row.n} queries can show a difference of {row.detectable:.3f} or more)" if row.detectable else ""
    return f"{moved}; not distinguishable from noise{size}"
