"""Storing runs: those that were recorded elsewhere, and the frame in which built-in retrievers store theirs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from evalsets.batches import batched
from evalsets.formats.run_rows import AnswerRow, ResultRow, RunFound
from evalsets.gold.canonical import to_canonical_json
from evalsets.jobs import Progress, SilentProgress
from evalsets.models import Answer, EvalSet, Family, Job, Result, Retriever, Run, RunState, Snapshot, sha256_of
from evalsets.numbering import create_numbered

BATCH = 50  # queries; some thousands of results, so that nobody waits long for the database
ABANDONED_AFTER = timedelta(hours=1)


@dataclass(frozen=True)
class AnsweredQuery:
    """One query's answer and its results over all stages, ready to be stored."""

    answer: AnswerRow
    results: Sequence[ResultRow] = field(default_factory=tuple)


def find_or_make_retriever(
    *,
    eval_set: EvalSet,
    name: str,
    kind: str = Retriever.RECORDED,
    family: str = Family.UNKNOWN,
    config: dict[str, Any] | None = None,
    by: Any,
) -> Retriever:
    """Return the eval set's retriever of that name, made with the given configuration if there was none."""
    settings = config or {}
    slug = slugify(name)[:70] or f"retriever-{sha256_of(name)[:12]}"
    retriever, _made = Retriever.objects.get_or_create(
        eval_set=eval_set,
        slug=slug,
        defaults={
            "name": name[:200],
            "kind": kind,
            "family": family,
            "config": settings,
            "config_sha256": config_checksum(kind, settings),
            "created_by": by,
        },
    )
    return retriever


def config_checksum(kind: str, config: dict[str, Any]) -> str:
    """The SHA-256 over the canonical JSON of a retriever's kind and configuration."""
    return sha256_of(to_canonical_json({"kind": kind, "config": config}))


def store_run(
    *,
    eval_set: EvalSet,
    retriever: Retriever,
    found: RunFound,
    source: str,
    by: Any,
    snapshot: Snapshot | None = None,
    job: Job | None = None,
    progress: Progress | None = None,
) -> Run:
    """Store a run that was recorded elsewhere and freeze it. Queries that the eval set does not know are left out.

    Raises ValueError when it knows none of them. Whatever stops it leaves no run.
    """
    answered = group_by_query(found)
    unknown = unknown_query_ids(eval_set, [one.answer.query_id for one in answered])
    if len(unknown) == len(answered):
        raise ValueError(f"none of the run's {len(answered)} query ids is in {eval_set}")
    warnings = [str(warning) for warning in found.warnings]
    if unknown:
        warnings.append(f"{len(unknown)} queries are not in the eval set and were left out: {', '.join(unknown[:20])}")
    run = begin_run(
        eval_set=eval_set,
        retriever=retriever,
        by=by,
        snapshot=snapshot,
        job=job,
        source=source,
        versions=dict(found.versions),
        depth=found.k or 0,
        warnings=warnings,
    )
    left_out = set(unknown)
    return fill_run(run, [one for one in answered if one.answer.query_id not in left_out], progress=progress)


def begin_run(*, eval_set: EvalSet, retriever: Retriever, by: Any, job: Job | None = None, **fields: Any) -> Run:
    """Create a run that is not yet complete, after throwing away what earlier attempts of the same job left."""
    discard_unfinished_runs(eval_set=eval_set, retriever=retriever, job=job)
    return create_numbered(
        eval_set.runs.all(),
        lambda number: Run.objects.create(
            eval_set=eval_set,
            retriever=retriever,
            number=number,
            config=retriever.config,
            config_sha256=retriever.config_sha256,
            started_at=timezone.now(),
            created_by=by,
            job=job,
            **fields,
        ),
    )


def discard_unfinished_runs(*, eval_set: EvalSet, retriever: Retriever, job: Job | None) -> None:
    """Delete what an earlier attempt of the same job, or a process that died, left half stored."""
    unfinished = Run.objects.filter(eval_set=eval_set, retriever=retriever, frozen_at__isnull=True)
    for run in unfinished.select_related("job"):
        abandoned = run.created_at < timezone.now() - ABANDONED_AFTER and (run.job is None or run.job.is_finished)
        if abandoned or (job is not None and run.job_id == job.pk):
            run.delete()


def fill_run(
    run: Run, answered: Iterable[AnsweredQuery], *, total: int | None = None, progress: Progress | None = None
) -> Run:
    """Store the answers in batches as they come, then freeze the run with its checksum; on any failure delete it.

    `answered` may be a generator that retrieves as it goes; `total` is then how many it will yield.
    """
    reporter = progress or SilentProgress()
    expected = total if total is not None else len(answered) if isinstance(answered, Sequence) else 0
    keys = dict(run.eval_set.queries.values_list("query_id", "pk"))
    lines: dict[str, str] = {}
    counts = [0, 0]
    try:
        for batch in batched(answered, BATCH):
            _insert(run, batch, keys)
            for one in batch:
                lines[one.answer.query_id] = sha256_of(describe_answer(one))
                counts[0] += len(one.results)
                counts[1] = max([counts[1], *[row.rank for row in one.results]])
            reporter.report(len(lines), expected, "Storing results")
        _freeze(run, lines, result_count=counts[0], deepest=counts[1])
    except BaseException:
        run.delete()
        raise
    return run


def group_by_query(found: RunFound) -> list[AnsweredQuery]:
    """Return the run's answers with their results, also for queries that stand only in one of the two lists."""
    answers = {answer.query_id: answer for answer in found.answers}
    results: dict[str, list[ResultRow]] = {query_id: [] for query_id in answers}
    for row in found.results:
        results.setdefault(row.query_id, []).append(row)
    return [AnsweredQuery(answers.get(query_id) or AnswerRow(query_id), rows) for query_id, rows in results.items()]


def unknown_query_ids(eval_set: EvalSet, query_ids: Iterable[str]) -> list[str]:
    """Return the ids that stand for no query of the eval set, each once, in order."""
    known = set(eval_set.queries.values_list("query_id", flat=True))
    return [query_id for query_id in dict.fromkeys(query_ids) if query_id not in known]


def describe_answer(one: AnsweredQuery) -> str:
    """The canonical line of one answered query, which the run's checksum is made of."""
    rows = sorted(one.results, key=lambda row: (row.stage, row.rank))
    return to_canonical_json(
        {
            "query_id": one.answer.query_id,
            "event": one.answer.event,
            "filters": one.answer.filters,
            "results": [
                [row.stage, row.rank, row.score, row.doc_id, row.section_id, row.chunk_id, row.text, row.start, row.end]
                for row in rows
            ],
        }
    )


@transaction.atomic
def _insert(run: Run, batch: Sequence[AnsweredQuery], keys: dict[str, int]) -> None:
    answers = Answer.objects.bulk_create(
        Answer(
            run=run,
            query_id=keys[one.answer.query_id],
            latency_ms=one.answer.latency_ms,
            event=one.answer.event,
            filters=one.answer.filters,
        )
        for one in batch
    )
    results = (
        Result(
            answer=answer,
            stage=row.stage,
            rank=row.rank,
            score=row.score,
            doc_id=row.doc_id,
            section_id=row.section_id,
            chunk_id=row.chunk_id,
            text=row.text,
            start=row.start,
            end=row.end,
        )
        for answer, one in zip(answers, batch, strict=True)
        for row in one.results
    )
    Result.objects.bulk_create(results, batch_size=2000)


def _freeze(run: Run, lines: dict[str, str], *, result_count: int, deepest: int) -> None:
    digest = hashlib.sha256()
    for query_id in sorted(lines):
        digest.update(f"{lines[query_id]}\n".encode())
    run.sha256 = digest.hexdigest()
    run.result_count = result_count
    run.depth = run.depth or deepest
    run.state = RunState.COMPLETE
    run.frozen_at = timezone.now()
    run.save()
