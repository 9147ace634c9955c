"""The list that is scored: one order, one stage, one entry per evidence unit.

The order is the recorded rank, or on request trec_eval's: score descending, then document id descending. Results of
the same unit (chunks of one document or section) collapse to their first occurrence.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.engine.arrays import Ints
from scoring.engine.codes import Coded, coded_column, places_in
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


def ranked_units(results: pd.DataFrame, *, unit: str, order: str = "rank") -> pd.DataFrame:
    """Order every list of a run and collapse it to evidence units.

    Takes results with query_id, stage, rank, score, doc_id and, where they exist, section_id and chunk_id. Gives one
    row per unit, sorted by query id, stage and rank, with the same columns: rank counts from 1 without gaps,
    recorded_rank is the run's own, section_id is "" when the unit is the document. Raises ListError for a rank that is missing
    or given twice, for a score that is needed and not a number, and for a unit that is listed twice without chunk ids.
    """
    _check_choice("unit", unit, UNITS)
    _check_choice("order", order, ORDERS)
    columns = {name: coded_column(results, name) for name in ("query_id", "stage", "doc_id", "section_id", "chunk_id")}
    columns["query_id"] = columns["query_id"].in_order()
    section = columns["section_id"] = columns["section_id"].in_order()
    doc = columns["doc_id"].in_order() if order == "score" else columns["doc_id"]
    group = columns["query_id"].codes * len(STAGES) + _stage_codes(columns["stage"])
    rank = _ranks(results)
    score = pd.to_numeric(results["score"], errors="coerce").to_numpy(dtype=np.float64)
    if order == "score":
        _check_scores(score, columns)
        within_tie = -section.codes if unit == "section" else np.zeros_like(section.codes)
        position = np.lexsort((rank, within_tie, -doc.codes, -score, group))
    else:
        position = _order_by_rank(group, rank)
        _check_ranks(group[position], rank[position], position, columns)
    place = doc.codes * max(len(section.ids), 1) + section.codes
    single = _check_repeats(group, place, columns)
    if unit == "document":
        single = single and len(section.ids) == 1
        place = doc.codes
    kept = position if single else position[_first_occurrences(group[position], place[position])]
    if unit == "document":
        columns["section_id"] = Coded(np.zeros_like(section.codes), np.array([""], dtype=object))
    texts = {name: column.take(kept) for name, column in columns.items()}
    numbers = {"rank": _count_within(group[kept]), "recorded_rank": rank[kept], "score": score[kept]}
    return pd.DataFrame(texts | numbers)


def _order_by_rank(group: Ints, rank: Ints) -> Ints:
    """Positions by group and rank; most runs come in that order already, which is quicker to see than to sort."""
    later = (group[1:] > group[:-1]) | ((group[1:] == group[:-1]) & (rank[1:] >= rank[:-1]))
    return np.arange(len(group)) if later.all() else np.lexsort((rank, group))


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


def _stage_codes(stages: Coded) -> Ints:
    codes = places_in(stages, pd.Index(STAGES, dtype=object))
    if (codes < 0).any():
        raise ListError(f"stage {stages.id_at(int(np.argmax(codes < 0)))!r} is none of {', '.join(STAGES)}")
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


def _check_scores(score: npt.NDArray[np.float64], columns: dict[str, Coded]) -> None:
    unusable = ~np.isfinite(score)
    if unusable.any():
        at = int(np.argmax(unusable))
        raise ListError(
            f"query {columns['query_id'].id_at(at)}: {columns['doc_id'].id_at(at)} has no finite score, so the run cannot be ordered by "
            "score; order it by rank"
        )


def _check_ranks(group: Ints, rank: Ints, position: Ints, columns: dict[str, Coded]) -> None:
    repeated = (group[1:] == group[:-1]) & (rank[1:] == rank[:-1])
    if repeated.any():
        at = int(position[int(np.argmax(repeated)) + 1])
        raise ListError(
            f"query {columns['query_id'].id_at(at)}, stage {columns['stage'].id_at(at)}: rank {rank[int(np.argmax(repeated))]} is given to "
            "more than one result"
        )


def _check_repeats(group: Ints, place: Ints, columns: dict[str, Coded]) -> bool:
    """Without chunk ids nothing tells two results of one unit apart, so a second one is a mistake of the run.

    Returns whether no result has a chunk id, so that every place is known to be listed once.
    """
    bare = columns["chunk_id"].blank()
    rows = np.flatnonzero(bare)
    width = int(place.max()) + 1 if len(place) else 1
    key = group * width + place if len(rows) == len(bare) else group[rows] * width + place[rows]
    again = pd.Series(key).duplicated().to_numpy()
    if again.any():
        at = int(rows[int(np.argmax(again))])
        doc, section = columns["doc_id"].id_at(at), columns["section_id"].id_at(at)
        name = doc + (f" > {section}" if section else "")
        raise ListError(
            f"query {columns['query_id'].id_at(at)}, stage {columns['stage'].id_at(at)}: {name} is listed twice without chunk ids; keep "
            "its first place"
        )
    return len(rows) == len(bare)
