"""Bringing queries into an eval set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from evalsets.formats.problems import Problem
from evalsets.formats.query_rows import QueryRow
from evalsets.models import Answer, Candidate, EvalSet, Query

# What a later import may correct. The text may only change as long as nobody has answered or judged it.
FIELDS = [
    "text",
    "information_need",
    "expected_scope",
    "answerable",
    "expected_behaviour",
    "source",
    "source_family",
    "split",
    "tags",
    "synthetic",
    "permitted",
    "forbidden_documents",
    "stated_evidence",
    "metadata",
]


class QueryConflictError(Exception):
    """Some queries cannot be stored as they are; `problems` says which and why. Nothing was stored."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(str(problem) for problem in problems[:3]))


@dataclass(frozen=True)
class StoredQueries:
    """How many queries were new, changed in something else than a text in use, or as they were already."""

    added: int
    updated: int
    unchanged: int


def check_queries(*, eval_set: EvalSet, rows: Sequence[QueryRow]) -> list[Problem]:
    """Return a problem for each row whose id stands for another text that was already answered or judged."""
    known = _known_queries(eval_set, rows)
    changed = [row for row in rows if row.query_id in known and known[row.query_id].text != row.text]
    in_use = _ids_in_use([known[row.query_id] for row in changed])
    return [
        Problem(
            line=row.line,
            field="query",
            value=row.text,
            expected=f"the text that {row.query_id} has here ({known[row.query_id].text!r}), "
            "which was already answered or judged; give a changed query a new id",
        )
        for row in changed
        if known[row.query_id].pk in in_use
    ]


@transaction.atomic
def store_queries(*, eval_set: EvalSet, rows: Sequence[QueryRow], by: Any = None) -> StoredQueries:
    """Add new queries, correct known ones, leave equal ones alone. Raises QueryConflictError and stores nothing."""
    problems = check_queries(eval_set=eval_set, rows=rows)
    if problems:
        raise QueryConflictError(problems)
    known = _known_queries(eval_set, rows)
    first = (eval_set.queries.aggregate(last=Max("position"))["last"] or 0) + 1
    new: list[Query] = []
    changed: list[Query] = []
    for row in {row.query_id: row for row in rows}.values():
        values = to_values(row)
        query = known.get(row.query_id)
        if query is None:
            new.append(Query(eval_set=eval_set, query_id=row.query_id, position=first + len(new), **values))
        elif any(getattr(query, name) != value for name, value in values.items()):
            for name, value in values.items():
                setattr(query, name, value)
            changed.append(query)
    Query.objects.bulk_create(new, batch_size=500)
    Query.objects.bulk_update(changed, FIELDS, batch_size=100)
    return StoredQueries(added=len(new), updated=len(changed), unchanged=len(rows) - len(new) - len(changed))


def to_values(row: QueryRow) -> dict[str, Any]:
    """The fields of a `Query` that a row gives."""
    evidence = [{"document_id": one.document_id, "section_id": one.section_id} for one in row.relevant_evidence]
    return {
        "text": row.text,
        "information_need": row.information_need,
        "expected_scope": row.expected_scope,
        "answerable": row.answerable,
        "expected_behaviour": row.expected_behaviour,
        "source": row.source,
        "source_family": row.source_family,
        "split": row.split,
        "tags": list(row.tags),
        "synthetic": row.synthetic,
        "permitted": list(row.permitted),
        "forbidden_documents": list(row.forbidden_documents),
        "stated_evidence": evidence,
        "metadata": row.metadata,
    }


def _known_queries(eval_set: EvalSet, rows: Sequence[QueryRow]) -> dict[str, Query]:
    ids = {row.query_id for row in rows}
    return {query.query_id: query for query in eval_set.queries.all() if query.query_id in ids}


def _ids_in_use(queries: Sequence[Query]) -> set[int]:
    keys = [query.pk for query in queries]
    answered = Answer.objects.filter(query__in=keys).values_list("query_id", flat=True)
    pooled = Candidate.objects.filter(query__in=keys).values_list("query_id", flat=True)
    return set(answered) | set(pooled)
