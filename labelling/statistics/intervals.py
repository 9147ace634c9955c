"""Percentile intervals of alpha from resampling whole queries, or single units.

Labels of one query share its difficulty and each annotator's reading of it, so resampling units alone gives intervals that are too
narrow; whole queries are drawn instead (a cluster bootstrap: Field and Welsh 2007). Alpha depends only on the sum of the units'
coincidence matrices (Krippendorff 2011), so those are summed once for each query and a resample is a weighted sum of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from evalsets.randomness import resamples
from labelling.statistics.alpha import Level
from labelling.statistics.labels import Counts, check_scale

Matrices = NDArray[np.float64]

RESAMPLES = 2000
CONFIDENCE = 0.95
UNDEFINED_ALLOWED = 0.05


class Withheld(StrEnum):
    """Why an interval is not shown."""

    NOTHING_TO_RESAMPLE = "nothing_to_resample"
    ONE_GROUP = "one_group"
    OFTEN_UNDEFINED = "often_undefined"
    NO_COEFFICIENT = "no_coefficient"

    @property
    def words(self) -> str:
        """The reason as a sentence for the page."""
        return _WORDS[self]


_WORDS = {
    Withheld.NOTHING_TO_RESAMPLE: "No interval: no candidate has two labels.",
    Withheld.ONE_GROUP: "No interval: all labels that can be compared belong to one query, and an interval comes from resampling queries.",
    Withheld.OFTEN_UNDEFINED: "No interval: in more than 5 % of the resamples the labels did not vary, so it would describe only the others.",
    Withheld.NO_COEFFICIENT: "No interval, because there is no coefficient.",
}


@dataclass(frozen=True)
class Interval:
    """A percentile interval with what is needed to compute it again; `low` and `high` are None where it is withheld."""

    low: float | None
    high: float | None
    confidence: float
    resampled: str
    groups: int
    resamples: int
    undefined: int
    seed: int
    withheld: Withheld | None = None
    words: str = ""


def coincidences_by_group(counts: Counts, groups: NDArray[np.intp], *, size: int) -> Matrices:
    """Return a coincidence matrix for each of `size` groups: the sum over its units with two or more labels.

    Every ordered pair of labels of a unit with m labels adds 1 / (m - 1). Groups are numbered from 0; one number for each unit.
    """
    width = counts.shape[1]
    matrices = np.zeros((size, width, width))
    labels = counts.sum(axis=1)
    for m in np.unique(labels[labels >= 2]):
        chosen = labels == m
        rows = counts[chosen].astype(float)
        units = (rows[:, :, None] * rows[:, None, :] - rows[:, :, None] * np.eye(width)) / (m - 1)
        np.add.at(matrices, groups[chosen], units)
    return matrices


def resampled_coincidences(matrices: Matrices, *, count: int, seed: int) -> Matrices:
    """Return `count` coincidence matrices, each the sum over as many groups as there are, drawn with replacement."""
    groups, width, _ = matrices.shape
    flat = matrices.reshape(groups, width * width)
    sums = np.empty((count, width * width))
    for row, chosen in enumerate(resamples(seed, groups, count)):
        sums[row] = np.bincount(chosen, minlength=groups) @ flat
    return sums.reshape(count, width, width)


def alpha_of_coincidences(matrices: Matrices, *, scale: Sequence[int], level: Level) -> NDArray[np.float64]:
    """Return alpha of each coincidence matrix, not-a-number where it is undefined."""
    marginals = matrices.sum(axis=2)
    total = marginals.sum(axis=1)
    distances = _squared_distances(marginals, scale=scale, level=level)
    observed = (matrices * distances).sum(axis=(1, 2))
    expected = (marginals[:, :, None] * marginals[:, None, :] * distances).sum(axis=(1, 2))
    varied = np.count_nonzero(marginals, axis=1) > 1
    alphas = np.full(len(matrices), np.nan)
    alphas[varied] = 1 - (total[varied] - 1) * observed[varied] / expected[varied]
    return alphas


def collapse_at(matrices: Matrices, *, scale: Sequence[int], threshold: int) -> Matrices:
    """Return the 2 x 2 coincidence matrices of "below the threshold" and "at or above it"."""
    relevant = np.asarray(scale) >= threshold
    sides = np.stack([~relevant, relevant]).astype(float)
    return np.einsum("ai,gij,bj->gab", sides, matrices, sides)


def percentile_interval(
    replicates: NDArray[np.float64], *, resampled: str, groups: int, seed: int, confidence: float = CONFIDENCE
) -> Interval:
    """Return the percentile interval of the defined replicates (quantiles of type 7 of Hyndman and Fan, 1996), or why it is withheld."""
    defined = replicates[~np.isnan(replicates)]
    undefined = len(replicates) - len(defined)
    if undefined > UNDEFINED_ALLOWED * len(replicates):
        return withheld_interval(
            Withheld.OFTEN_UNDEFINED,
            resampled=resampled,
            groups=groups,
            seed=seed,
            count=len(replicates),
            undefined=undefined,
            confidence=confidence,
        )
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), confidence, resampled, groups, len(replicates), undefined, seed)


def withheld_interval(
    reason: Withheld,
    *,
    resampled: str,
    groups: int,
    seed: int,
    count: int = 0,
    undefined: int = 0,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Return the interval that is not shown for this reason."""
    return Interval(None, None, confidence, resampled, groups, count, undefined, seed, reason, reason.words)


def query_bootstrap(
    counts: Counts, queries: NDArray[np.intp], *, scale: Sequence[int], level: Level, seed: int, count: int = RESAMPLES
) -> Interval:
    """Return the interval of alpha from resampling queries with all their units; `queries` holds one number for each row of counts."""
    return _bootstrap(
        counts, queries, scale=check_scale(scale), level=level, seed=seed, count=count, resampled="queries"
    )


def unit_bootstrap(
    counts: Counts, *, scale: Sequence[int], level: Level, seed: int, count: int = RESAMPLES
) -> Interval:
    """Return the interval of alpha from resampling units: right where each unit stands for itself, too narrow where queries share them."""
    units = np.arange(len(counts))
    return _bootstrap(
        counts, units, scale=check_scale(scale), level=level, seed=seed, count=count, resampled="candidates"
    )


def _bootstrap(
    counts: Counts,
    groups: NDArray[np.intp],
    *,
    scale: tuple[int, ...],
    level: Level,
    seed: int,
    count: int,
    resampled: str,
) -> Interval:
    comparable = counts.sum(axis=1) >= 2
    names, numbers = np.unique(groups[comparable], return_inverse=True)
    if len(names) < 2:
        reason = Withheld.ONE_GROUP if len(names) else Withheld.NOTHING_TO_RESAMPLE
        return withheld_interval(reason, resampled=resampled, groups=len(names), seed=seed)
    matrices = coincidences_by_group(counts[comparable], numbers, size=len(names))
    sums = resampled_coincidences(matrices, count=count, seed=seed)
    replicates = alpha_of_coincidences(sums, scale=scale, level=level)
    return percentile_interval(replicates, resampled=resampled, groups=len(names), seed=seed)


def _squared_distances(marginals: NDArray[np.float64], *, scale: Sequence[int], level: Level) -> Matrices:
    if level is Level.NOMINAL:
        places = np.broadcast_to(np.arange(len(scale), dtype=float), marginals.shape)
        return (places[:, :, None] != places[:, None, :]).astype(float)
    if level is Level.ORDINAL:
        # The sum of labels from one grade to another less half of each end is the difference of their mid-ranks.
        places = np.cumsum(marginals, axis=1) - marginals / 2
    else:
        places = np.broadcast_to(np.asarray(scale, dtype=float), marginals.shape)
    return np.asarray((places[:, :, None] - places[:, None, :]) ** 2)
