"""Eval sets with a gold set and runs, for tests of reports: written as grades and lists, stored by the real work."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evalsets.formats.query_rows import QueryRow
from evalsets.formats.runs import read_run
from evalsets.gold.canonical import GoldContent
from evalsets.gold_sets import store_gold_set
from evalsets.models import EvalSet, GoldSet, Run, Snapshot
from evalsets.queries import store_queries
from evalsets.runs import find_or_make_retriever, store_run
from tests.evalsets.gold_contents import HEADER, label, query
from tests.factories import make_eval_set
from tests.labelling.queue_steps import NOON

Labels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class ScoredSet:
    """An eval set whose gold set and runs can be scored."""

    eval_set: EvalSet
    gold_set: GoldSet
    runs: tuple[Run, ...]


def make_scored_set(
    labels: Labels,
    *runs: str | Mapping[str, Iterable[str]] | list[dict[str, Any]],
    queries: Mapping[str, dict[str, Any]] | None = None,
    snapshot: Snapshot | None = None,
    is_demo: bool = False,
    **header: Any,
) -> ScoredSet:
    """Grades by query and unit ("doc" or "doc#section"), and runs: a TREC file, answers of a JSON Lines file, or lists of units.

    `queries` adds queries without labels and changes what is known about a query.
    """
    about = {query_id: {} for query_id in labels} | dict(queries or {})
    eval_set = make_eval_set(is_demo=is_demo)
    contents = [query(query_id, **{"text": f"text of {query_id}"} | given) for query_id, given in about.items()]
    store_queries(eval_set=eval_set, rows=[to_row(one) for one in contents])
    gold_set = publish(eval_set, labels, contents, **header)
    stored = [add_run(eval_set, run, name=f"retriever {n}", snapshot=snapshot) for n, run in enumerate(runs, start=1)]
    return ScoredSet(eval_set, gold_set, tuple(stored))


def publish(eval_set: EvalSet, labels: Labels, queries: list[dict[str, Any]], **header: Any) -> GoldSet:
    """Another gold set version, from labels as they stand in a test."""
    rows = [label(query_id, *_unit(unit), grade=grade) for query_id, of in labels.items() for unit, grade in of.items()]
    declared = HEADER | {"unit": "document", "depth_n": 10, "depth_k": 3} | header
    return store_gold_set(eval_set=eval_set, content=GoldContent(declared, queries, rows), by=None, at=NOON)


def add_run(
    eval_set: EvalSet,
    run: str | Mapping[str, Iterable[str]] | list[dict[str, Any]],
    *,
    name: str,
    snapshot: Snapshot | None = None,
) -> Run:
    """Store a run, as an import would."""
    found = read_run(run if isinstance(run, str) else jsonl(run), name="run")
    assert not found.problems, found.problems
    retriever = find_or_make_retriever(eval_set=eval_set, name=name, by=None)
    return store_run(eval_set=eval_set, retriever=retriever, found=found, source="run", by=None, snapshot=snapshot)


def jsonl(run: Mapping[str, Iterable[str]] | list[dict[str, Any]]) -> str:
    """A run as a JSON Lines file; lists of units become answers."""
    if isinstance(run, Mapping):
        run = [
            {"query_id": query_id, "results": [_result(unit, rank) for rank, unit in enumerate(units, start=1)]}
            for query_id, units in run.items()
        ]
    return "\n".join(map(json.dumps, run))


def to_row(content: dict[str, Any]) -> QueryRow:
    """The row that an import of queries would have read for a query of a gold set."""
    fields = {name: value for name, value in content.items() if name in QueryRow.__dataclass_fields__}
    for name in ("tags", "permitted", "forbidden_documents"):
        fields[name] = tuple(fields.get(name, ()))
    return QueryRow(**fields)


def _result(unit: str, rank: int) -> dict[str, Any]:
    doc_id, section_id = _unit(unit)
    return {"doc_id": doc_id, "section_id": section_id, "score": 1.0 / rank}


def _unit(name: str) -> tuple[str, str]:
    doc_id, _, section_id = name.partition("#")
    return doc_id, section_id
