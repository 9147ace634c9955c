"""Documents out of force that stand above the one that holds instead: a list to read, never an average."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import pandas as pd

from scoring.engine.lists import text_column
from scoring.engine.registry import STAGES

CURRENT, ARCHIVED, NOT_YET, NO_LONGER = "current", "archived", "not yet effective", "no longer effective"
COLUMNS = ("doc_id", "lifecycle", "effective_from", "effective_to", "superseded_by")


@dataclass(frozen=True)
class Outdated:
    """One document out of force above its current one in one list; `current_rank` None: that one is not in the list."""

    query_id: str
    stage: str
    rank: int
    doc_id: str
    state: str
    current_doc_id: str
    current_rank: int | None


def state_of(lifecycle: str, effective_from: date | None, effective_to: date | None, *, on: date) -> str:
    """Whether a document was in force on a day, and if not, why."""
    if lifecycle == ARCHIVED:
        return ARCHIVED
    if effective_from is not None and effective_from > on:
        return NOT_YET
    return NO_LONGER if effective_to is not None and effective_to < on else CURRENT


def current_documents(documents: pd.DataFrame, *, on: date) -> dict[str, tuple[str, str]]:
    """For each document out of force its state and the id of the one in force; those without such a one are left out.

    `documents` has doc_id, lifecycle, effective_from, effective_to and superseded_by. What came later is found by
    following superseded_by; for a document that is not effective yet, what it will supersede.
    """
    columns: list[list[Any]] = [documents[name].tolist() for name in COLUMNS]
    states: dict[str, str] = {}
    later: dict[str, str] = {}
    for doc_id, lifecycle, since, until, superseded_by in zip(*columns, strict=True):
        states[doc_id] = state_of(lifecycle, since, until, on=on)
        if superseded_by:
            later[doc_id] = superseded_by
    earlier = {after: before for before, after in later.items()}
    found = {}
    for doc_id, state in states.items():
        if state != CURRENT:
            ways = (earlier, later) if state == NOT_YET else (later,)
            instead = next((held for way in ways if (held := _in_force(doc_id, way, states))), None)
            if instead is not None:
                found[doc_id] = (state, instead)
    return found


def _in_force(doc_id: str, way: Mapping[str, str], states: Mapping[str, str]) -> str | None:
    seen = {doc_id}
    while (doc_id := way.get(doc_id, "")) and doc_id not in seen:
        if states.get(doc_id) == CURRENT:
            return doc_id
        seen.add(doc_id)
    return None


def find_outdated(documents: pd.DataFrame, results: pd.DataFrame, *, on: date) -> list[Outdated]:
    """Every document out of force that a list shows above its current one, by query, stage and rank.

    Also where the current one is missing from the list altogether. Several passages of one document count once, at their best rank.
    """
    instead = current_documents(documents, on=on)
    watched = results[results["doc_id"].isin([*instead, *(current for _, current in instead.values())])]
    best: dict[tuple[str, str], dict[str, int]] = {}
    for query_id, stage, doc_id, rank in zip(
        *(text_column(watched, name) for name in ("query_id", "stage", "doc_id")), watched["rank"], strict=True
    ):
        ranks = best.setdefault((query_id, stage), {})
        ranks[doc_id] = min(int(rank), ranks.get(doc_id, int(rank)))
    found = []
    for (query_id, stage), ranks in best.items():
        for doc_id, rank in ranks.items():
            state, current = instead.get(doc_id, (CURRENT, ""))
            if state != CURRENT and rank < ranks.get(current, rank + 1):
                found.append(Outdated(query_id, stage, rank, doc_id, state, current, ranks.get(current)))
    return sorted(found, key=lambda row: (row.query_id, STAGES.index(row.stage), row.rank, row.doc_id))
