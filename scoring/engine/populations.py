"""Which queries count, and the lists of those that do not, each with its reason."""

from dataclasses import dataclass, field

import pandas as pd

from scoring.engine.lists import text_column


@dataclass(frozen=True)
class Population:
    """The queries of an eval set, parted; every list is sorted by query id.

    scored: answerable, not synthetic, in the chosen split, with a label at or above the threshold.
    synthetic: the same, but made by a machine; reported apart.
    without_relevant: answerable, yet no relevant label: a defect of the data set, never a zero.
    unanswerable: checked for how the run declines, not scored.
    security_only: no relevant label, but documents that must not appear; checked for leaks, not scored.
    other_split: outside the chosen split.
    without_query: labels whose query the set does not hold.
    """

    scored: list[str] = field(default_factory=list)
    synthetic: list[str] = field(default_factory=list)
    without_relevant: list[str] = field(default_factory=list)
    unanswerable: list[str] = field(default_factory=list)
    security_only: list[str] = field(default_factory=list)
    other_split: list[str] = field(default_factory=list)
    without_query: list[str] = field(default_factory=list)

    def counted(self) -> list[str]:
        """Scored and synthetic queries together: all that get a value per measure."""
        return sorted([*self.scored, *self.synthetic])


def population(queries: pd.DataFrame, labels: pd.DataFrame, *, threshold: int, split: str | None = None) -> Population:
    """Part the queries.

    `queries` has query_id and, where they exist, answerable (default true), synthetic (default false), split and
    forbidden_documents; `labels` has query_id and grade. `split` None takes every split.
    """
    relevant = set(labels.loc[labels["grade"] >= threshold, "query_id"])
    parts = Population()
    rows = zip(
        text_column(queries, "query_id"),
        _flags(queries, "answerable", default=True),
        _flags(queries, "synthetic", default=False),
        text_column(queries, "split"),
        text_column(queries, "forbidden_documents"),
        strict=True,
    )
    for query_id, answerable, synthetic, its_split, forbidden in sorted(rows, key=lambda row: row[0]):
        if split is not None and its_split != split:
            parts.other_split.append(query_id)
        elif not answerable:
            parts.unanswerable.append(query_id)
        elif query_id in relevant:
            (parts.synthetic if synthetic else parts.scored).append(query_id)
        elif len(forbidden):
            parts.security_only.append(query_id)
        else:
            parts.without_relevant.append(query_id)
    known = set(text_column(queries, "query_id"))
    parts.without_query.extend(sorted(set(labels["query_id"]) - known))
    return parts


def _flags(queries: pd.DataFrame, name: str, *, default: bool) -> list[bool]:
    if name not in queries.columns:
        return [default] * len(queries)
    return [default if pd.isna(value) else bool(value) for value in queries[name]]
