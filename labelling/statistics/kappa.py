"""Agreement of two annotators, and the coefficients that are read beside alpha.

Cohen (1960) and, weighted, Cohen (1968); Fleiss (1971); Gwet, "Computing inter-rater reliability and its variance in the presence of
high agreement" (2008), with the weighted AC2 of his Handbook of Inter-Rater Reliability (2014).
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from labelling.statistics.coefficient import Coefficient, Undefined, no_coefficient
from labelling.statistics.labels import Counts

Matrix = NDArray[np.float64]


class Weights(StrEnum):
    """How much of an agreement two different grades are, by the number of steps between them."""

    NONE = "none"
    LINEAR = "linear"
    QUADRATIC = "quadratic"

    def matrix(self, size: int) -> Matrix:
        """Return the agreement weights for a scale of `size` grades: 1 on the diagonal, down to 0 at the two ends."""
        steps = _steps(size)
        if self is Weights.NONE:
            return (steps == 0).astype(float)
        return 1 - (steps / (size - 1)) ** (1 if self is Weights.LINEAR else 2)


def confusion_matrix(first: NDArray[np.intp], second: NDArray[np.intp], *, size: int) -> Counts:
    """Count pairs of labels: row = position of the first annotator's grade in the scale, column = the second's."""
    return np.bincount(first * size + second, minlength=size * size).reshape(size, size).astype(np.int64)


def exact_agreement(matrix: Counts) -> float | None:
    """Return the share of pairs with the same grade, None without a pair."""
    return float(np.trace(matrix) / matrix.sum()) if matrix.sum() else None


def agreement_within_one(matrix: Counts) -> float | None:
    """Return the share of pairs at most one grade apart, None without a pair."""
    return float(matrix[_steps(len(matrix)) <= 1].sum() / matrix.sum()) if matrix.sum() else None


def cohen_kappa(matrix: Counts, weights: Weights = Weights.NONE) -> Coefficient:
    """Return Cohen's kappa of a confusion matrix; undefined without a pair and where both gave one and the same grade throughout."""
    total = matrix.sum()
    if total == 0:
        return no_coefficient(Undefined.NO_PAIR)
    rows, columns = matrix.sum(axis=1), matrix.sum(axis=0)
    if np.count_nonzero(rows + columns) == 1:
        return no_coefficient(Undefined.NO_VARIATION)
    apart = 1 - weights.matrix(len(matrix))
    observed = (apart * matrix).sum() / total
    expected = (apart * np.outer(rows, columns)).sum() / total**2
    return Coefficient(float(1 - observed / expected))


def at_least(matrix: Counts, *, position: int) -> Counts:
    """Return the 2 x 2 confusion matrix of "at this position of the scale or above"."""
    rows = np.stack([matrix[:position].sum(axis=0), matrix[position:].sum(axis=0)])
    return np.stack([rows[:, :position].sum(axis=1), rows[:, position:].sum(axis=1)], axis=1)


def observed_agreement(counts: Counts, weights: Matrix) -> float | None:
    """Return the mean over units of the weighted agreement of their pairs of labels, None without a unit of two labels.

    A unit with many labels counts once, whatever the number of its pairs.
    """
    comparable = counts[counts.sum(axis=1) >= 2].astype(float)
    if len(comparable) == 0:
        return None
    labels = comparable.sum(axis=1)
    agreeing = np.einsum("ui,ij,uj->u", comparable, weights, comparable) - labels
    return float((agreeing / (labels * (labels - 1))).mean())


def raw_agreement(counts: Counts) -> float | None:
    """Return the mean over units of the share of their pairs of labels with the same grade, None without a pair."""
    return observed_agreement(counts, Weights.NONE.matrix(counts.shape[1]))


def raw_within_one(counts: Counts) -> float | None:
    """Return the mean over units of the share of their pairs of labels at most one grade apart, None without a pair."""
    return observed_agreement(counts, (_steps(counts.shape[1]) <= 1).astype(float))


def gwet_ac(counts: Counts, weights: Weights = Weights.NONE) -> Coefficient:
    """Return Gwet's AC1 (no weights) or AC2 of counts over the whole scale.

    By Gwet's definition chance is taken from all units with a label, agreement from those with two or more; pass only the latter
    where single labels must not matter.
    """
    matrix = weights.matrix(counts.shape[1])
    observed = observed_agreement(counts, matrix)
    if observed is None:
        return no_coefficient(Undefined.NO_PAIR)
    labelled = counts[counts.sum(axis=1) >= 1]
    shares = (labelled / labelled.sum(axis=1, keepdims=True)).mean(axis=0)
    size = len(shares)
    chance = matrix.sum() / (size * (size - 1)) * (shares * (1 - shares)).sum()
    return Coefficient(float((observed - chance) / (1 - chance)))


def fleiss_kappa(counts: Counts, *, annotators: int) -> Coefficient:
    """Return Fleiss' kappa over the units that all of the annotators graded, which is the only case it is defined for."""
    complete = counts[counts.sum(axis=1) == annotators]
    observed = raw_agreement(complete)
    if observed is None:
        return no_coefficient(Undefined.NOBODY_GRADED_ALL if annotators >= 2 else Undefined.NO_PAIR)
    shares = complete.sum(axis=0) / complete.sum()
    if np.count_nonzero(shares) == 1:
        return no_coefficient(Undefined.NO_VARIATION)
    chance = (shares**2).sum()
    return Coefficient(float((observed - chance) / (1 - chance)))


def _steps(size: int) -> NDArray[np.int64]:
    positions = np.arange(size)
    return np.abs(positions[:, None] - positions[None, :])
