"""The labels that agreement is computed from, checked once and turned into counts.

A unit is one candidate: one evidence unit of one query. Two labels on it can be compared when two people gave them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

COLUMNS = ("query_id", "unit_id", "annotator", "grade")

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LabelTable:
    """Labels of units in the order of (query, unit), as positions: `grade` is a position in `scale`, `unit_query` one in `queries`."""

    scale: tuple[int, ...]
    queries: tuple[str, ...]
    annotators: tuple[str, ...]
    unit_query: NDArray[np.intp]
    unit: NDArray[np.intp]
    annotator: NDArray[np.intp]
    grade: NDArray[np.intp]

    @cached_property
    def counts(self) -> Counts:
        """How many annotators gave each grade: a row for each unit, a column for each grade of the scale."""
        width = len(self.scale)
        flat = np.bincount(self.unit * width + self.grade, minlength=len(self.unit_query) * width)
        return flat.reshape(len(self.unit_query), width).astype(np.int64)

    def comparable(self) -> "LabelTable":
        """Return the table without units that have a single label, and without the queries and annotators that are then left with none."""
        keep = (self.counts.sum(axis=1) >= 2)[self.unit]
        kept_units, unit = np.unique(self.unit[keep], return_inverse=True)
        kept_queries, unit_query = np.unique(self.unit_query[kept_units], return_inverse=True)
        kept_annotators, annotator = np.unique(self.annotator[keep], return_inverse=True)
        return LabelTable(
            scale=self.scale,
            queries=tuple(self.queries[i] for i in kept_queries),
            annotators=tuple(self.annotators[i] for i in kept_annotators),
            unit_query=unit_query,
            unit=unit,
            annotator=annotator,
            grade=self.grade[keep],
        )


def read_labels(frame: pd.DataFrame, *, scale: Sequence[int]) -> LabelTable:
    """Check the eligible judgments of a frame [query_id, unit_id, annotator, grade] and index them.

    Ids are read as strings. Raises ValueError for a missing column or value, a grade outside the scale, and a second label by the same
    annotator on the same unit: which of two counts is for the caller to decide, not for a statistic.
    """
    scale = check_scale(scale)
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise ValueError(f"the frame of labels lacks the column(s) {', '.join(missing)}")
    frame = frame.loc[:, list(COLUMNS)].reset_index(drop=True)
    _refuse(frame, frame.isna().any(axis=1), "has an empty value; only judgments with a grade can be compared")
    _refuse(frame, ~frame["grade"].isin(scale), f"is outside the scale {scale}")
    ids = frame.loc[:, ["query_id", "unit_id", "annotator"]].astype(str)
    _refuse(frame, ids.duplicated(), "is a second label by the same annotator on the same candidate")
    # In one order whatever order they came in, so that sums of floats agree to the last digit.
    ids = ids.sort_values(["query_id", "unit_id", "annotator"])
    grades = frame["grade"].loc[ids.index].to_numpy(dtype=float)
    units = ids.loc[:, ["query_id", "unit_id"]].drop_duplicates(ignore_index=True)
    query_codes, queries = pd.factorize(units["query_id"], sort=True)
    annotator_codes, annotators = pd.factorize(ids["annotator"], sort=True)
    unit_codes = ids.merge(units.reset_index(names="unit"), on=["query_id", "unit_id"], how="left")["unit"]
    return LabelTable(
        scale=scale,
        queries=tuple(str(query) for query in queries),
        annotators=tuple(str(annotator) for annotator in annotators),
        unit_query=np.asarray(query_codes, dtype=np.intp),
        unit=unit_codes.to_numpy(dtype=np.intp),
        annotator=np.asarray(annotator_codes, dtype=np.intp),
        grade=np.searchsorted(scale, grades).astype(np.intp),
    )


def check_scale(scale: Sequence[int]) -> tuple[int, ...]:
    """Return the whole rubric scale as a tuple; raise ValueError unless it is two or more grades in ascending order."""
    grades = tuple(scale)
    if len(grades) < 2 or any(low >= high for low, high in pairwise(grades)):
        raise ValueError(f"a scale is two or more grades in ascending order, got {grades}")
    return grades


def at_threshold(counts: Counts, *, scale: Sequence[int], threshold: int) -> Counts:
    """Return the counts of two values for each unit: labels below the threshold, and at or above it."""
    relevant = np.asarray(scale) >= threshold
    if relevant.all() or not relevant.any():
        raise ValueError(f"the threshold {threshold} does not divide the scale {tuple(scale)}")
    return np.stack([counts[:, ~relevant].sum(axis=1), counts[:, relevant].sum(axis=1)], axis=1)


def _refuse(frame: pd.DataFrame, bad: pd.Series, what: str) -> None:
    if bad.any():
        row = frame[bad].iloc[0]
        shown = ", ".join(f"{column} {row[column]!r}" for column in COLUMNS)
        raise ValueError(f"{int(bad.sum())} label(s) cannot be used; the first ({shown}) {what}")
