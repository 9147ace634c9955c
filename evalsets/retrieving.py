"""Running built-in retrievers over a snapshot: each query answered and timed, and all of it recorded as a frozen run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Prefetch

from evalsets.formats.run_rows import AnswerRow, ResultRow
from evalsets.jobs import JobCancelledError, JobError, Progress, SilentProgress, job_function, start_job
from evalsets.models import AnswerEvent, EvalSet, Job, Lifecycle, Query, Retriever, Run, Section, Snapshot, Stage, Unit
from evalsets.retrieval import ConfigError, Hit, SourceDocument, SourceSection, build_retriever
from evalsets.retrieval import Retriever as Searcher
from evalsets.retrieval.filters import search_allowed, split_config
from evalsets.retrievers import built_in, in_building_order
from evalsets.runs import AnsweredQuery, begin_run, fill_run

if TYPE_CHECKING:
    from django.contrib.auth.models import User

JOB_KIND = "run_retrievers"
# A pool of the customary depth must not run out of results, however small N is.
LEAST_DEPTH = 20


class RetrievingError(Exception):
    """Retrieval cannot start. Its text is shown to the person who asked for it."""


@dataclass(frozen=True)
class Haystack:
    """A snapshot as retrievers read it, with what the filters ask of each document."""

    snapshot: Snapshot
    documents: list[SourceDocument]
    access: dict[str, frozenset[str]]
    outdated: frozenset[str]


class _Share(Progress):
    """Progress of one retriever as a part of the whole job's."""

    def __init__(self, whole: Progress, *, before: int, total: int, name: str) -> None:
        super().__init__(whole.job_id)
        self._whole, self._before, self._total, self._name = whole, before, total, name

    def report(self, done: int, total: int, message: str = "") -> None:
        self._whole.report(self._before + done, self._total, f"{self._name}: {done} of {total} queries")


def run_retrievers(
    *,
    eval_set: EvalSet,
    retrievers: Sequence[Retriever],
    by: User | None,
    depth: int | None = None,
    job: Job | None = None,
    progress: Progress | None = None,
) -> list[Run]:
    """Run built-in retrievers over the eval set's current snapshot for all its active queries; returns their frozen runs.

    `depth` is how many results are kept as the candidates stage (by default N, and no less than a pool needs); the first k of them
    are the final stage. Members of a fusion are built for it, and run only when they are chosen themselves. A retriever that has a
    complete run of the same job is not run again. Raises RetrievingError before anything is done, ConfigError for a configuration
    that cannot be built over these documents.
    """
    reporter = progress or SilentProgress()
    queries = list(eval_set.queries.active().in_order())
    ordered = _check(eval_set, retrievers, queries)
    reporter.report(0, len(queries) * len(ordered), "Reading the documents")
    haystack = read_haystack(_snapshot_of(eval_set))
    chosen = {retriever.pk for retriever in retrievers}
    built: dict[str, Searcher] = {}
    runs: list[Run] = []
    for place, retriever in enumerate(ordered):
        before, total = place * len(queries), len(queries) * len(ordered)
        reporter.report(before, total, f"{retriever.name}: building the index")
        built[retriever.slug] = build(retriever, haystack, built)
        if retriever.pk in chosen:
            share = _Share(reporter, before=before, total=total, name=retriever.name)
            runs.append(
                _finished(retriever, job)
                or run_retriever(
                    retriever=retriever,
                    searcher=built[retriever.slug],
                    haystack=haystack,
                    queries=queries,
                    depth=depth or max(eval_set.depth_n, LEAST_DEPTH),
                    by=by,
                    job=job,
                    progress=share,
                )
            )
    reporter.report(len(queries) * len(ordered), len(queries) * len(ordered), "Done")
    return runs


def run_retriever(
    *,
    retriever: Retriever,
    searcher: Searcher,
    haystack: Haystack,
    queries: Sequence[Query],
    depth: int,
    by: User | None,
    job: Job | None = None,
    progress: Progress | None = None,
) -> Run:
    """Answer the queries with a retriever that is built, and freeze the run. Whatever stops it leaves no run."""
    eval_set = retriever.eval_set
    run = begin_run(
        eval_set=eval_set,
        retriever=retriever,
        by=by,
        job=job,
        snapshot=haystack.snapshot,
        depth=depth,
        versions=name_versions(retriever, searcher, haystack.snapshot),
    )
    filters = split_config(retriever.config)[1]
    answered = (answer(query, searcher, haystack, filters, depth, eval_set) for query in queries)
    return fill_run(run, answered, total=len(queries), progress=progress)


def read_haystack(snapshot: Snapshot) -> Haystack:
    """Read all documents of a snapshot with their sections."""
    sections = Prefetch("sections", queryset=Section.objects.order_by("position"))
    rows = list(snapshot.documents.in_order().prefetch_related(sections))
    documents = [
        SourceDocument(
            row.doc_id,
            row.title,
            row.text,
            tuple(SourceSection(one.section_id, one.heading, one.start, one.end) for one in row.sections.all()),
        )
        for row in rows
    ]
    return Haystack(
        snapshot=snapshot,
        documents=documents,
        access={row.doc_id: frozenset(row.access) for row in rows if row.access},
        outdated=frozenset(row.doc_id for row in rows if row.lifecycle != Lifecycle.CURRENT),
    )


def build(retriever: Retriever, haystack: Haystack, others: Mapping[str, Searcher]) -> Searcher:
    """Build the retriever's index over the documents; a fusion takes its members from `others`, by slug."""
    return build_retriever(retriever.kind, split_config(retriever.config)[0], haystack.documents, others)


def answer(
    query: Query, searcher: Searcher, haystack: Haystack, filters: Mapping[str, Any], depth: int, eval_set: EvalSet
) -> AnsweredQuery:
    """Search once to `depth` and time it; the final list is its head. No result is recorded as the event "empty"."""
    allowed, applied = choose_allowed(query, haystack, filters)
    began = time.perf_counter()
    hits = search_allowed(searcher, query.text, depth, allowed)
    latency_ms = (time.perf_counter() - began) * 1000
    event = "" if hits else AnswerEvent.EMPTY.value
    row = AnswerRow(query.query_id, query.text, latency_ms=latency_ms, event=event, filters=applied)
    results = [_to_row(query, Stage.CANDIDATES, hit) for hit in hits]
    final = first_units(hits, k=eval_set.depth_k, unit=eval_set.unit)
    return AnsweredQuery(row, results + [_to_row(query, Stage.FINAL, hit) for hit in final])


def first_units(hits: Sequence[Hit], *, k: int, unit: str) -> Sequence[Hit]:
    """Return the hits down to the first one of the k-th evidence unit: nothing reranks here, so what is final is cut by units."""
    seen: set[tuple[str, str]] = set()
    for place, hit in enumerate(hits, start=1):
        seen.add((hit.doc_id, hit.section_id if unit == Unit.SECTION else ""))
        if len(seen) == k:
            return hits[:place]
    return hits


def choose_allowed(
    query: Query, haystack: Haystack, filters: Mapping[str, Any]
) -> tuple[Callable[[str], bool], dict[str, Any]]:
    """Say which document ids may be returned for a query, and what is recorded of that on the answer.

    Groups count only where the snapshot restricts something, lifecycle only where the configuration asks for it.
    """
    applied: dict[str, Any] = {}
    barred = haystack.outdated if filters.get("only_current") else frozenset()
    if filters.get("only_current"):
        applied["lifecycle"] = Lifecycle.CURRENT.value
    if filters.get("access_filter") and haystack.access:
        groups = frozenset(query.permitted)
        barred |= {doc_id for doc_id, access in haystack.access.items() if not access & groups}
        applied["access"] = sorted(groups)
    return (lambda doc_id: doc_id not in barred), applied


def name_versions(retriever: Retriever, searcher: Searcher, snapshot: Snapshot) -> dict[str, str]:
    """Name everything that the answers depend on."""
    return {
        "corpus": f"{snapshot.corpus.slug}, snapshot {snapshot.number}, sha256 {snapshot.sha256}",
        **searcher.versions,
        "reranker": "none",
        "libraries": f"numpy {np.__version__}",
        "configuration": f"{retriever.slug}, sha256 {retriever.config_sha256}",
    }


def start_run_all(*, eval_set: EvalSet, retrievers: Sequence[Retriever], depth: int | None, by: User, url: str) -> Job:
    """Hand the retrievers to a worker. Raises RetrievingError, in words, where it could not work."""
    _check(eval_set, retrievers, list(eval_set.queries.active()[:1]))
    names = ", ".join(retriever.name for retriever in retrievers)
    return start_job(
        kind=JOB_KIND,
        title=f"Run {names}"[:300],
        params={"retrievers": [retriever.pk for retriever in retrievers], "depth": depth},
        by=by,
        eval_set=eval_set,
        next_url=url,
    )


def discard_unfinished(job: Job) -> None:
    """Throw away the runs that a stopped or killed attempt of the job left half done."""
    for run in Run.objects.filter(job=job, frozen_at__isnull=True):
        run.delete()


@job_function(JOB_KIND, clean_up=discard_unfinished)
def perform_run_all(job: Job, progress: Progress) -> dict[str, Any]:
    """Run the job's retrievers; one that an earlier attempt completed is kept, a half-done one is thrown away first."""
    discard_unfinished(job)
    eval_set = job.eval_set
    if eval_set is None:
        raise JobError("The eval set of this work is gone.")
    retrievers = list(eval_set.retrievers.filter(pk__in=job.params["retrievers"]))
    try:
        runs = run_retrievers(
            eval_set=eval_set,
            retrievers=retrievers,
            by=job.created_by,
            depth=job.params.get("depth"),
            job=job,
            progress=progress,
        )
    except (RetrievingError, ConfigError, ValueError) as error:
        raise JobError(f"{error}. {_say_what_is_kept(job)}") from error
    except JobCancelledError as error:
        raise JobCancelledError(f"Cancelled. {_say_what_is_kept(job)}") from error
    return {"runs": [run.number for run in runs]}


def _say_what_is_kept(job: Job) -> str:
    numbers = list(Run.objects.complete().filter(job=job).order_by("number").values_list("number", flat=True))
    if not numbers:
        return "Nothing was kept."
    return f"Runs that were complete by then are kept: {', '.join(map(str, numbers))}."


def _finished(retriever: Retriever, job: Job | None) -> Run | None:
    return Run.objects.complete().filter(job=job, retriever=retriever).first() if job else None


def _snapshot_of(eval_set: EvalSet) -> Snapshot:
    if eval_set.snapshot is None or eval_set.snapshot.frozen_at is None:
        raise RetrievingError(f"{eval_set} has no snapshot of its corpus yet. Import documents first")
    return eval_set.snapshot


def _check(eval_set: EvalSet, retrievers: Sequence[Retriever], queries: Sequence[Query]) -> list[Retriever]:
    """Raise RetrievingError unless there is something to run, something to ask, and something to search; give the order."""
    known = built_in(eval_set)
    recorded = [retriever.name for retriever in retrievers if retriever not in known]
    if recorded:
        raise RetrievingError(f"{', '.join(recorded)}: recorded elsewhere, so it cannot be run here")
    if not retrievers:
        raise RetrievingError("No retriever was chosen. Choose at least one")
    if not queries:
        raise RetrievingError(f"{eval_set} has no queries yet. Import queries first")
    _snapshot_of(eval_set)
    return in_building_order(retrievers, known)


def _to_row(query: Query, stage: Stage, hit: Hit) -> ResultRow:
    return ResultRow(
        query_id=query.query_id,
        stage=stage.value,
        rank=hit.rank,
        score=hit.score,
        doc_id=hit.doc_id,
        section_id=hit.section_id,
        chunk_id=hit.chunk_id,
        start=hit.start,
        end=hit.end,
    )
