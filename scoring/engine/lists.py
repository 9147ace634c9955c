"""The list that is scored: one order, one stage, one entry per evidence unit.

The order is the recorded rank, or on request trec_eval's: score descending, then document id descending. Results of
the same unit (chunks of one document or section) collapse to their first occurrence.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.engine.arrays import Ints
from scoring.engine.registry import CANDIDATES, CONTEXT, FINAL, STAGES

UNITS = ("document", "section")
ORDERS = ("rank", "score")

_INSTEAD_OF = {
    CANDIDATES: (CANDIDATES, FINAL, CONTEXT),
    FINAL: (FINAL, CANDIDATES, CONTEXT),
    CONTEXT: (CONTEXT,),
}


class ListError(ValueError):
    """A ranked list that cannot be scored; the message names the query and the result."""


def choose_stage(present: Collection[str], wanted: str) -> str | None:
    """The stage to read when a measure wants `wanted`: that one, or the one that stands in for it.

    A run that recorded only one of candidates and final is scored on that one at both depths. Nothing stands in for
    the context. None: the run has nothing to read.
    """
    return next((stage for stage in _INSTEAD_OF[wanted] if stage in present), None)


def text_column(frame: pd.DataFrame, name: str) -> npt.NDArray[np.object_]:
    """A column as an array of strings, with "" for a missing value or a missing column."""
    if name not in frame.columns:
        return np.full(len(frame), "", dtype=object)
    column = frame[name].astype(object)
    missing = column.isna()
    return (column.mask(missing, "") if missing.any() else column).to_numpy(dtype=object)


def codes_of(ids: npt.NDArray[np.object_], *, in_order: bool = False) -> tuple[Ints, npt.NDArray[np.object_]]:
    """Whole-number codes for ids and the ids behind them; `in_order` makes the codes follow the ids' order."""
    codes, uniques = pd.factorize(ids, sort=in_order)
    return codes.astype(np.int64), np.asarray(uniques, dtype=object)


def ranked_units(results: pd.DataFrame, *, unit: str, order: str = "rank") -> pd.DataFrame:
    """Order every list of a run and collapse it to evidence units.

    Takes results with query_id, stage, rank, score, doc_id and, where they exist, section_id and chunk_id. Gives one
    row per unit, sorted by query id, stage and rank, with the same columns: rank counts from 1 without gaps,
    recorded_rank is the run's own, section_id is "" when the unit is the document. Raises ListError for a rank that is missing
    or given twice, for a score that is needed and not a number, and for a unit that is listed twice without chunk ids.
    """
    _check_choice("unit", unit, UNITS)
    _check_choice("order", order, ORDERS)
    columns = {name: text_column(results, name) for name in ("query_id", "stage", "doc_id", "section_id", "chunk_id")}
    query, _ = codes_of(columns["query_id"], in_order=True)
    stage = _stage_codes(columns["stage"])
    group = query * len(STAGES) + stage
    doc, _ = codes_of(columns["doc_id"], in_order=order == "score")
    section, sections = codes_of(columns["section_id"], in_order=True)
    rank = _ranks(results)
    score = pd.to_numeric(results["score"], errors="coerce").to_numpy(dtype=np.float64)
    if order == "score":
        _check_scores(score, columns)
        within_tie = -section if unit == "section" else np.zeros_like(section)
        position = np.lexsort((rank, within_tie, -doc, -score, group))
    else:
        position = np.lexsort((rank, group))
        _check_ranks(group[position], rank[position], position, columns)
    _check_repeats(group, doc * max(len(sections), 1) + section, columns)
    key = doc * max(len(sections), 1) + section if unit == "section" else doc
    kept = position[_first_occurrences(group[position], key[position])]
    if unit == "document":
        columns["section_id"] = np.full(len(results), "", dtype=object)
    texts = {name: pd.Series(column[kept], dtype=object) for name, column in columns.items()}
    numbers = {"rank": _count_within(group[kept]), "recorded_rank": rank[kept], "score": score[kept]}
    return pd.DataFrame(texts | numbers)


def _first_occurrences(group: Ints, key: Ints) -> Ints:
    """Positions of the first entry of each (group, key), in the order given."""
    width = int(key.max()) + 1 if len(key) else 1
    return np.flatnonzero(~pd.Series(group * width + key).duplicated().to_numpy())


def _count_within(group: Ints) -> Ints:
    """1, 2, 3 ... inside each run of equal values."""
    if not len(group):
        return np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    lengths = np.diff(np.append(starts, len(group)))
    return np.arange(len(group), dtype=np.int64) - np.repeat(starts, lengths) + 1


def _stage_codes(stages: npt.NDArray[np.object_]) -> Ints:
    codes = pd.Index(STAGES, dtype=object).get_indexer(pd.Index(stages, dtype=object)).astype(np.int64)
    if (codes < 0).any():
        unknown = stages[int(np.argmax(codes < 0))]
        raise ListError(f"stage {unknown!r} is none of {', '.join(STAGES)}")
    return codes


def _ranks(results: pd.DataFrame) -> Ints:
    rank = pd.to_numeric(results["rank"], errors="coerce")
    if rank.isna().any():
        row = results.loc[rank.isna()].iloc[0]
        raise ListError(f"query {row['query_id']}: {row['doc_id']} has no rank")
    return rank.to_numpy(dtype=np.int64)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ListError(f"{name} {value!r} is none of {', '.join(choices)}")


def _check_scores(score: npt.NDArray[np.float64], columns: dict[str, npt.NDArray[np.object_]]) -> None:
    unusable = ~np.isfinite(score)
    if unusable.any():
        at = int(np.argmax(unusable))
        raise ListError(
            f"query {columns['query_id'][at]}: {columns['doc_id'][at]} has no finite score, so the run cannot be ordered by score; "
            "order it by rank"
        )


def _check_ranks(group: Ints, rank: Ints, position: Ints, columns: dict[str, npt.NDArray[np.object_]]) -> None:
    repeated = (group[1:] == group[:-1]) & (rank[1:] == rank[:-1])
    if repeated.any():
        at = int(position[int(np.argmax(repeated)) + 1])
        raise ListError(
            f"query {columns['query_id'][at]}, stage {columns['stage'][at]}: rank {rank[int(np.argmax(repeated))]} is given to more than "
            "one result"
        )


def _check_repeats(group: Ints, place: Ints, columns: dict[str, npt.NDArray[np.object_]]) -> None:
    """Without chunk ids nothing tells two results of one unit apart, so a second one is a mistake of the run."""
    bare = np.flatnonzero(columns["chunk_id"] == "")
    width = int(place.max()) + 1 if len(place) else 1
    key = group[bare] * width + place[bare]
    again = pd.Series(key).duplicated().to_numpy()
    if again.any():
        at = bare[int(np.argmax(again))]
        name = columns["doc_id"][at] + (f" > {columns['section_id'][at]}" if columns["section_id"][at] else "")
        raise ListError(
            f"query {columns['query_id'][at]}, stage {columns['stage'][at]}: {name} is listed twice without chunk ids; keep its first place"
        )
