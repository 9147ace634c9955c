"""Agreement taken apart: for each pair of annotators, each annotator against the rest, each query and each tag."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from labelling.statistics.alpha import Level, alpha_of_counts, binary_alpha
from labelling.statistics.coefficient import Coefficient, Undefined, no_coefficient
from labelling.statistics.intervals import Interval, Withheld, query_bootstrap, withheld_interval
from labelling.statistics.kappa import (
    Weights,
    agreement_within_one,
    at_least,
    cohen_kappa,
    confusion_matrix,
    exact_agreement,
    raw_agreement,
    raw_within_one,
)
from labelling.statistics.labels import Counts, LabelTable, at_threshold
from labelling.statistics.wording import (
    COPIED_FROM,
    FEWEST_FOR_COEFFICIENT,
    FEWEST_FOR_MATRIX,
    FEWEST_FOR_SETTLED,
    FEWEST_LABELS_OF_A_GRADE,
    FEWEST_QUERIES,
)


@dataclass(frozen=True)
class PairAgreement:
    """Two annotators on the candidates that both graded. `confusion` rows are the first one's grades; None under 20 candidates."""

    first: str
    second: str
    n_units: int
    exact: float | None
    within_one: float | None
    kappa: Coefficient
    kappa_linear: Coefficient
    kappa_quadratic: Coefficient
    kappa_binary: Coefficient
    confusion: tuple[tuple[int, ...], ...] | None
    measured: bool
    looks_copied: bool


@dataclass(frozen=True)
class AnnotatorAgreement:
    """One annotator against the rest.

    `alpha` is ordinal and counts each pairing of this annotator's label with another's on the same candidate as one unit of two labels.
    `bias` is the mean of this annotator's grade less the mean of the others' on the same candidate: above 0 is more generous.
    """

    annotator: str
    n_units: int
    mean_grade: float
    bias: float
    alpha: Coefficient
    preliminary: bool


@dataclass(frozen=True)
class GroupAgreement:
    """The candidates of one query or one tag. `interval` is None for a query: it comes from resampling queries."""

    name: str
    n_units: int
    n_queries: int
    n_same: int
    n_crossing: int
    exact: float | None
    within_one: float | None
    alpha: Coefficient
    alpha_binary: Coefficient
    interval: Interval | None
    preliminary: bool


def agreement_by_pair(table: LabelTable, *, threshold: int) -> tuple[PairAgreement, ...]:
    """Return the agreement of every pair of annotators that share a candidate, in the order of their names."""
    size = len(table.scale)
    position = int(np.searchsorted(table.scale, threshold))
    found = []
    for _, shared in _label_pairs(table).groupby(["first", "second"], sort=True):
        matrix = confusion_matrix(shared["grade_first"].to_numpy(), shared["grade_second"].to_numpy(), size=size)
        binary = cohen_kappa(at_least(matrix, position=position))
        n = int(matrix.sum())
        exact = exact_agreement(matrix)
        found.append(
            PairAgreement(
                first=table.annotators[shared["first"].iloc[0]],
                second=table.annotators[shared["second"].iloc[0]],
                n_units=n,
                exact=exact,
                within_one=agreement_within_one(matrix),
                kappa=with_enough(n, cohen_kappa(matrix)),
                kappa_linear=with_enough(n, cohen_kappa(matrix, Weights.LINEAR)),
                kappa_quadratic=with_enough(n, cohen_kappa(matrix, Weights.QUADRATIC)),
                kappa_binary=with_enough(n, no_coefficient(Undefined.ONE_SIDE) if binary.value is None else binary),
                confusion=as_rows(matrix) if n >= FEWEST_FOR_MATRIX else None,
                measured=n >= FEWEST_FOR_MATRIX,
                looks_copied=n >= COPIED_FROM and exact == 1.0,
            )
        )
    return tuple(found)


def agreement_by_annotator(table: LabelTable) -> tuple[AnnotatorAgreement, ...]:
    """Return each annotator against the rest, in the order of their names; the table holds comparable units only."""
    pairs = _label_pairs(table)
    values = np.asarray(table.scale, dtype=float)[table.grade]
    labels = table.counts.sum(axis=1)
    sums = np.bincount(table.unit, weights=values, minlength=len(labels))
    of_others = (sums[table.unit] - values) / (labels[table.unit] - 1)
    found = []
    for code, name in enumerate(table.annotators):
        own = table.annotator == code
        paired = pairs[(pairs["first"] == code) | (pairs["second"] == code)]
        n = int(own.sum())
        counts = _two_label_counts(paired, size=len(table.scale))
        found.append(
            AnnotatorAgreement(
                annotator=name,
                n_units=n,
                mean_grade=float(values[own].mean()),
                bias=float((values[own] - of_others[own]).mean()),
                alpha=with_enough(n, alpha_of_counts(counts, scale=table.scale)),
                preliminary=is_preliminary(counts, units=n, queries=len(np.unique(table.unit_query[table.unit[own]]))),
            )
        )
    return tuple(found)


def agreement_by_query(table: LabelTable, *, threshold: int) -> tuple[GroupAgreement, ...]:
    """Return the agreement within each query that has a comparable unit; no coefficient under 10 candidates."""
    bounds = np.searchsorted(table.unit_query, np.arange(len(table.queries) + 1))
    return tuple(
        _describe_group(query, table.counts[start:end], 1, scale=table.scale, threshold=threshold)
        for query, (start, end) in zip(table.queries, pairwise(bounds), strict=True)
    )


def agreement_by_tag(
    table: LabelTable, tags: Mapping[str, Iterable[str]], *, threshold: int, seed: int, count: int
) -> tuple[GroupAgreement, ...]:
    """Return the agreement over the queries of each tag, with an interval; `tags` maps a query id to its tags."""
    members: dict[str, list[int]] = {}
    for code, query in enumerate(table.queries):
        for tag in set(tags.get(query, ())):
            members.setdefault(tag, []).append(code)
    found = []
    for tag, codes in sorted(members.items()):
        chosen = np.isin(table.unit_query, codes)
        group = _describe_group(tag, table.counts[chosen], len(codes), scale=table.scale, threshold=threshold)
        if group.alpha.value is None:
            interval = withheld_interval(Withheld.NO_COEFFICIENT, resampled="queries", groups=len(codes), seed=seed)
        else:
            interval = query_bootstrap(
                table.counts[chosen],
                table.unit_query[chosen],
                scale=table.scale,
                level=Level.ORDINAL,
                seed=seed,
                count=count,
            )
        found.append(replace(group, interval=interval))
    return tuple(found)


def same_and_crossing(counts: Counts, *, scale: tuple[int, ...], threshold: int) -> tuple[int, int]:
    """Return how many units have one grade from everybody, and how many have labels on both sides of the threshold."""
    sides = at_threshold(counts, scale=scale, threshold=threshold)
    return int((np.count_nonzero(counts, axis=1) == 1).sum()), int((np.count_nonzero(sides, axis=1) == 2).sum())


def with_enough(units: int, coefficient: Coefficient) -> Coefficient:
    """Return the coefficient, or under 10 units none; a coefficient that doesn't exist keeps its own reason."""
    if coefficient.value is not None and units < FEWEST_FOR_COEFFICIENT:
        return no_coefficient(Undefined.TOO_FEW)
    return coefficient


def is_preliminary(counts: Counts, *, units: int, queries: int) -> bool:
    """Say whether a coefficient of 10 or more units still rests on too few units, queries, or labels of a second grade."""
    settled_grades = np.count_nonzero(counts.sum(axis=0) >= FEWEST_LABELS_OF_A_GRADE)
    little = units < FEWEST_FOR_SETTLED or queries < FEWEST_QUERIES or settled_grades < 2
    return bool(units >= FEWEST_FOR_COEFFICIENT and little)


def as_rows(matrix: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    """Return a matrix of counts as rows of plain integers."""
    return tuple(tuple(int(value) for value in row) for row in matrix)


def _describe_group(
    name: str, counts: Counts, queries: int, *, scale: tuple[int, ...], threshold: int
) -> GroupAgreement:
    n = len(counts)
    same, crossing = same_and_crossing(counts, scale=scale, threshold=threshold)
    return GroupAgreement(
        name=name,
        n_units=n,
        n_queries=queries,
        n_same=same,
        n_crossing=crossing,
        exact=raw_agreement(counts),
        within_one=raw_within_one(counts),
        alpha=with_enough(n, alpha_of_counts(counts, scale=scale)),
        alpha_binary=with_enough(n, binary_alpha(counts, scale=scale, threshold=threshold)),
        interval=None,
        preliminary=is_preliminary(counts, units=n, queries=queries),
    )


def _label_pairs(table: LabelTable) -> pd.DataFrame:
    """Pair the labels of each unit: one row for two annotators, the one whose name sorts first in `first`."""
    labels = pd.DataFrame({"unit": table.unit, "annotator": table.annotator, "grade": table.grade})
    pairs = labels.merge(labels, on="unit", suffixes=("_first", "_second"))
    pairs = pairs[pairs["annotator_first"] < pairs["annotator_second"]]
    return pairs.rename(columns={"annotator_first": "first", "annotator_second": "second"})


def _two_label_counts(pairs: pd.DataFrame, *, size: int) -> Counts:
    one_hot = np.eye(size, dtype=np.int64)
    return np.asarray(one_hot[pairs["grade_first"].to_numpy()] + one_hot[pairs["grade_second"].to_numpy()])
