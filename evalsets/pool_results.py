"""Reading the results of runs for a pool: only as deep as the pool goes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet

from evalsets.batches import batched
from evalsets.models import Result, Run
from evalsets.pooling.strategies import RankedResult, Unit, unit_of

FIELDS = (
    "answer_id",
    "answer__run__number",
    "answer__query__query_id",
    "stage",
    "rank",
    "doc_id",
    "section_id",
    "chunk_id",
    "start",
    "end",
    "score",
)
# Several chunks of one unit count once, so a list is read deeper than the pool goes; rarely it has to be read to its end.
WIDER = 4
ANSWERS_AT_ONCE = 300


def read_results(runs: Sequence[Run], *, depth: int, unit: Unit) -> list[RankedResult]:
    """Give the results of all stages that can be among the first `depth` units of a list; retired queries are left out."""
    limit = depth * WIDER
    rows = Result.objects.filter(answer__run__in=runs, answer__query__retired_at__isnull=True)
    lists: dict[tuple[int, str], list[RankedResult]] = {}
    _collect(rows.filter(rank__lte=limit), lists)
    short = [key for key, found in lists.items() if len(found) == limit and _count_units(found, unit) < depth]
    for keys in batched(short, ANSWERS_AT_ONCE):
        _collect(rows.filter(rank__gt=limit, answer__in={answer for answer, _stage in keys}), lists, only=set(keys))
    return [result for found in lists.values() for result in found]


def count_results(runs: Collection[Run]) -> int:
    """How many results the runs hold in all: what tells whether building takes a worker."""
    return sum(run.result_count for run in runs)


def _collect(
    rows: QuerySet[Result],
    lists: dict[tuple[int, str], list[RankedResult]],
    only: Collection[tuple[int, str]] | None = None,
) -> None:
    for answer, number, query_id, stage, *rest in _values(rows):
        if only is None or (answer, stage) in only:
            lists.setdefault((answer, stage), []).append(RankedResult(str(number), query_id, stage, *rest))


def _values(rows: QuerySet[Result]) -> Iterator[tuple[Any, ...]]:
    return rows.order_by().values_list(*FIELDS).iterator(chunk_size=5000)


def _count_units(found: Sequence[RankedResult], unit: Unit) -> int:
    return len({unit_of(result, unit) for result in found})
