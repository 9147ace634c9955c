"""Parts of a query set: by tag, split, source and whatever else the query frame says, and each part's summary."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from scoring.engine.lists import text_column
from scoring.engine.measures import Measure
from scoring.engine.summary import COUNTS_ONLY_UNDER, Summary, summarise_all

# Column of the query frame -> what a slice over it is called. A column may hold one value or a list of them.
DIMENSIONS: dict[str, str] = {
    "tags": "tag",
    "split": "split",
    "source": "source",
    "source_family": "source family",
    "query_type": "query type",
    "doc_types": "document type",
    "gold_age": "age of the gold document",
    "answerable": "answerable",
    "synthetic": "synthetic",
}

_LENGTH_BANDS = ((3, "1-3 words"), (7, "4-7 words"), (15, "8-15 words"))
_EVIDENCE_BANDS = ((1, "1 unit"), (2, "2 units"), (5, "3-5 units"))


@dataclass(frozen=True)
class Slice:
    """The queries that share one value of one dimension, sorted by id."""

    dimension: str
    value: str
    query_ids: tuple[str, ...]

    @property
    def small(self) -> bool:
        """Whether raw counts have to stand beside the mean."""
        return len(self.query_ids) < COUNTS_ONLY_UNDER


def slices(queries: pd.DataFrame, per_query: pd.DataFrame) -> list[Slice]:
    """Part the queries of `per_query` in every way that the query frame allows.

    Beside the columns of `DIMENSIONS`, a `text` column gives length bands and the `relevant` column of `per_query`
    the number of evidence units. Sorted by dimension, then by value; a query with several tags is in several slices.
    """
    kept = queries[queries["query_id"].isin(per_query.index)]
    ids = text_column(kept, "query_id")
    found: dict[tuple[str, str], list[str]] = {}
    for column, name in DIMENSIONS.items():
        if column in kept.columns:
            for query_id, value in zip(ids, text_column(kept, column), strict=True):
                for single in _values(value):
                    found.setdefault((name, single), []).append(query_id)
    if "text" in kept.columns:
        for query_id, text in zip(ids, text_column(kept, "text"), strict=True):
            found.setdefault(("length", band(len(text.split()), _LENGTH_BANDS, "16 words or more")), []).append(
                query_id
            )
    if "relevant" in per_query.columns:
        for query_id, count in per_query["relevant"].items():
            key = ("evidence units", band(int(count), _EVIDENCE_BANDS, "6 units or more"))
            found.setdefault(key, []).append(str(query_id))
    return [Slice(dimension, value, tuple(sorted(members))) for (dimension, value), members in sorted(found.items())]


def summarise_slices(
    per_query: pd.DataFrame, parts: Iterable[Slice], measures: Iterable[Measure]
) -> list[tuple[Slice, Mapping[str, Summary]]]:
    """Each slice with its summaries (t-interval only; the bootstrap is for the whole)."""
    wanted = list(measures)
    return [(part, summarise_all(per_query.loc[list(part.query_ids)], wanted, bootstrap=False)) for part in parts]


def band(number: int, bands: tuple[tuple[int, str], ...], above: str) -> str:
    """The name of the first band whose upper end is not exceeded, else `above`."""
    return next((name for top, name in bands if number <= top), above)


def _values(value: object) -> list[str]:
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, Iterable):
        return sorted({str(single) for single in value if str(single)})
    return [str(value)]
