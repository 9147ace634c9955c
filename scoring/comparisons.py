"""Two reports beside each other: the engine's comparison of their rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from scoring.engine.comparison import Comparison, compare, flip_rules
from scoring.models import Report
from scoring.reports import highest_grade
from scoring.shown import COMPARED, shown_measures


def compare_reports(first: Report, second: Report) -> Comparison:
    """Compare two reports of one gold set version under the same choices; differences are second minus first."""
    n, k, highest = first.depth_n, first.depth_k, highest_grade(first.gold_set)
    shown = shown_measures(n=n, k=k, max_grade=highest)
    rules = flip_rules(depth=n, k=k, max_grade=highest)
    measures = [shown[name] for name in COMPARED]
    return compare(table_of(first), table_of(second), measures, flips=rules)


def table_of(report: Report) -> pd.DataFrame:
    """The scored queries of a report as the engine's per-query frame: a column for each measure, under its name."""
    scored = ~np.array(report.rows["synthetic"], dtype=bool)
    ids = np.array(report.rows["query_id"], dtype=object)[scored]
    columns = {
        measure: np.array(report.rows[name], dtype=np.float64)[scored]
        for name, measure in report.page["measure_names"].items()
    }
    return pd.DataFrame(columns, index=pd.Index(ids, name="query_id", dtype=object))
