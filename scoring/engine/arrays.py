"""Ranked lists and gold grades of many queries at once, as integer-coded arrays."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

UNJUDGED = -1


@dataclass(frozen=True)
class RankedGrades:
    """What a run returned, as grades: one entry per unit, sorted by query code and then by rank.

    `query` holds codes 0 .. queries-1, `rank` counts from 1 inside each query without gaps, and `grade` is 0 or
    more for a labelled unit and `UNJUDGED` for the others. A query without results has no entry.
    """

    queries: int
    query: Ints
    rank: Ints
    grade: Ints

    @classmethod
    def from_grades(cls, queries: int, query: Ints, grade: Ints) -> "RankedGrades":
        """Number the entries of each query from 1; `query` must be sorted."""
        starts = np.searchsorted(query, np.arange(queries))
        rank = np.arange(len(query), dtype=np.int64) - starts[query] + 1
        return cls(queries, query, rank, grade)

    def condensed(self) -> "RankedGrades":
        """The same lists with unjudged units taken out and the rest closed up."""
        judged = self.grade != UNJUDGED
        return RankedGrades.from_grades(self.queries, self.query[judged], self.grade[judged])

    def cut(self, depth: int | None) -> "RankedGrades":
        """The first `depth` entries of each query; all of them when depth is None."""
        if depth is None:
            return self
        kept = self.rank <= depth
        return RankedGrades(self.queries, self.query[kept], self.rank[kept], self.grade[kept])

    def returned(self) -> Ints:
        """How many units each query has."""
        return np.bincount(self.query, minlength=self.queries).astype(np.int64)

    def count(self, flags: Flags) -> Ints:
        """How many flagged entries each query has."""
        return np.bincount(self.query[flags], minlength=self.queries).astype(np.int64)

    def total(self, values: Floats) -> Floats:
        """The sum of one value per entry, by query."""
        return np.bincount(self.query, weights=values, minlength=self.queries).astype(np.float64)

    def running(self, flags: Flags) -> Ints:
        """For each entry, how many flagged entries its query has at this rank or above."""
        counted = np.cumsum(flags, dtype=np.int64)
        before = np.concatenate([np.zeros(1, dtype=np.int64), counted])
        starts = np.searchsorted(self.query, np.arange(self.queries))
        return counted - before[starts][self.query]


@dataclass(frozen=True)
class GoldGrades:
    """The labels of many queries: sorted by query code, the highest grade of each query first.

    `position` counts from 1 inside each query: the rank each label has in the best possible list.
    """

    queries: int
    query: Ints
    position: Ints
    grade: Ints

    @classmethod
    def from_labels(cls, queries: int, query: Ints, grade: Ints) -> "GoldGrades":
        """Sort the labels into the best possible list of each query."""
        order = np.lexsort((-grade, query))
        query, grade = query[order], grade[order]
        starts = np.searchsorted(query, np.arange(queries))
        position = np.arange(len(query), dtype=np.int64) - starts[query] + 1
        return cls(queries, query, position, grade)

    def count_at_least(self, threshold: int) -> Ints:
        """How many units of each query are labelled `threshold` or higher."""
        return np.bincount(self.query[self.grade >= threshold], minlength=self.queries).astype(np.int64)

    def count_below(self, threshold: int) -> Ints:
        """How many units of each query are labelled lower than `threshold`."""
        return np.bincount(self.query[self.grade < threshold], minlength=self.queries).astype(np.int64)


def divide(numerator: Floats | Ints, denominator: Floats | Ints, *, otherwise: float) -> Floats:
    """Divide element by element; where the denominator is zero the answer is `otherwise`, on purpose and in sight."""
    answer = np.full(len(denominator), otherwise, dtype=np.float64)
    np.divide(numerator, denominator, out=answer, where=denominator != 0)
    return answer
