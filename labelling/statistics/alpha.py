"""Krippendorff's alpha by the `krippendorff` package, with every case in which it does not exist told apart.

K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011). Alpha is 1 - observed / expected disagreement, over units with
two or more labels. The value domain is always the whole scale, so that a grade that nobody used keeps its place.
"""

from collections.abc import Sequence
from enum import StrEnum

import krippendorff
import numpy as np
import pandas as pd

from labelling.statistics.coefficient import Coefficient, Undefined, no_coefficient
from labelling.statistics.labels import Counts, at_threshold, check_scale, read_labels


class Level(StrEnum):
    """How far apart two grades are: by how many labels lie between them, not at all or entirely, or by their difference squared."""

    ORDINAL = "ordinal"
    NOMINAL = "nominal"
    INTERVAL = "interval"


def krippendorff_alpha(frame: pd.DataFrame, *, scale: Sequence[int], level: Level = Level.ORDINAL) -> Coefficient:
    """Return alpha of the labels in a frame [query_id, unit_id, annotator, grade]; see `read_labels` for what is refused."""
    table = read_labels(frame, scale=scale)
    return alpha_of_counts(table.counts, scale=table.scale, level=level)


def alpha_of_counts(counts: Counts, *, scale: Sequence[int], level: Level = Level.ORDINAL) -> Coefficient:
    """Return alpha of counts (a row for each unit, a column for each grade of the scale), or the reason why there is none.

    Units with fewer than two labels are left out. Where a single label differs from all the others alpha is 0 by its formula.
    """
    scale = check_scale(scale)
    if counts.ndim != 2 or counts.shape[1] != len(scale):
        raise ValueError(f"counts need one column for each of the {len(scale)} grades, got the shape {counts.shape}")
    comparable = counts[counts.sum(axis=1) >= 2]
    if len(comparable) == 0:
        return no_coefficient(Undefined.NO_PAIR)
    if np.count_nonzero(comparable.sum(axis=0)) == 1:
        return no_coefficient(Undefined.NO_VARIATION)
    if has_one_dissent(comparable):
        return Coefficient(0.0)
    value = krippendorff.alpha(
        value_counts=comparable, value_domain=list(scale), level_of_measurement=Level(level).value
    )
    return Coefficient(float(value))


def binary_alpha(counts: Counts, *, scale: Sequence[int], threshold: int) -> Coefficient:
    """Return alpha of the decision "at or above the threshold"; with two values every level of measurement gives the same."""
    value = alpha_of_counts(at_threshold(counts, scale=scale, threshold=threshold), scale=(0, 1), level=Level.NOMINAL)
    if value.undefined is Undefined.NO_VARIATION:
        return no_coefficient(Undefined.ONE_SIDE)
    return value


def has_one_dissent(counts: Counts) -> bool:
    """Say whether exactly one label of units with two or more differs from all the others."""
    totals = counts[counts.sum(axis=1) >= 2].sum(axis=0)
    return bool(totals.sum() > 2 and totals.max() == totals.sum() - 1)
