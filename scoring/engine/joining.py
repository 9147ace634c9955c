"""Brings labels and lists together: each retrieved unit gets its grade, and ids become codes."""

import numpy as np
import pandas as pd

from scoring.engine.arrays import UNJUDGED, GoldGrades, Ints, RankedGrades
from scoring.engine.codes import coded_column, places_in
from scoring.engine.lists import text_column
from scoring.engine.settings import ScoringError, Settings


def clean_labels(labels: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """The labels keyed by unit, each once; a unit with two different grades is an error."""
    frame = pd.DataFrame(
        {
            "query_id": text_column(labels, "query_id"),
            "doc_id": text_column(labels, "doc_id"),
            "section_id": text_column(labels, "section_id") if settings.unit == "section" else "",
            "grade": pd.to_numeric(labels["grade"]).to_numpy(dtype=np.int64),
        }
    ).drop_duplicates(ignore_index=True)
    outside = frame["grade"].lt(0) | frame["grade"].gt(settings.max_grade)
    if outside.any():
        row = frame[outside].iloc[0]
        raise ScoringError(
            f"query {row.query_id}, {row.doc_id}: grade {row.grade} is outside 0 to {settings.max_grade}"
        )
    twice = frame.duplicated(["query_id", "doc_id", "section_id"])
    if twice.any():
        row = frame[twice].iloc[0]
        name = f"{row.doc_id} > {row.section_id}" if row.section_id else row.doc_id
        raise ScoringError(
            f"query {row.query_id}: {name} has two different grades; a gold set holds one per {settings.unit}"
        )
    return frame


def grades_of(units: pd.DataFrame, labels: pd.DataFrame) -> Ints:
    """The grade of each retrieved unit, `UNJUDGED` where it has no label."""
    if not len(labels) or not len(units):
        return np.full(len(units), UNJUDGED, dtype=np.int64)
    key_of_unit, key_of_label = np.zeros(len(units), dtype=np.int64), np.zeros(len(labels), dtype=np.int64)
    retrieved = np.ones(len(labels), dtype=bool)
    for name in ("query_id", "doc_id", "section_id"):
        column = coded_column(units, name)
        of_label = pd.Index(column.ids, dtype=object).get_indexer(pd.Index(text_column(labels, name), dtype=object))
        retrieved &= of_label >= 0
        key_of_unit = key_of_unit * len(column.ids) + column.codes
        key_of_label = key_of_label * len(column.ids) + of_label
    key_of_label, grades = key_of_label[retrieved], labels["grade"].to_numpy(dtype=np.int64)[retrieved]
    if not len(key_of_label):
        return np.full(len(units), UNJUDGED, dtype=np.int64)
    order = np.argsort(key_of_label)
    keys, grades = key_of_label[order], grades[order]
    at = np.minimum(np.searchsorted(keys, key_of_unit), len(keys) - 1)
    return np.where(keys[at] == key_of_unit, grades[at], UNJUDGED)


def gold_grades(labels: pd.DataFrame, index: "pd.Index[str]") -> GoldGrades:
    """The labels of the queries in `index`, coded by their places in it."""
    query = places_in(coded_column(labels, "query_id"), index)
    return GoldGrades.from_labels(len(index), query[query >= 0], labels["grade"].to_numpy(dtype=np.int64)[query >= 0])


def ranked_grades(units: pd.DataFrame, stage: str, index: "pd.Index[str]") -> RankedGrades:
    """One stage's lists of the queries in `index` (sorted ids), coded by their places in it."""
    query = places_in(coded_column(units, "query_id"), index)
    # Units come sorted by query id and rank, and so do the codes of the index.
    wanted = (query >= 0) & (units["stage"] == stage).to_numpy()
    return RankedGrades.from_grades(len(index), query[wanted], units["grade"].to_numpy(dtype=np.int64)[wanted])
