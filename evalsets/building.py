"""Building the pool: what several runs retrieved, merged into candidates, each with where it came from.

A plan reads and computes, and writes nothing; building writes it in one transaction, and adds only what is not there yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from evalsets.hooks import announce_pool_built, get_labelling_terms
from evalsets.jobs import JobError, Progress, job_function, start_job
from evalsets.models import Candidate, Contribution, EvalSet, Job, Pool, Run, Unit
from evalsets.numbering import create_numbered
from evalsets.pool_results import count_results, read_results
from evalsets.pool_units import Passage, PoolProblem, UnitTexts
from evalsets.pooling.overlap import ChosenRun, PoolOverview, overview
from evalsets.pooling.strategies import DepthK, PooledCandidate
from evalsets.pooling.strategies import Unit as UnitName
from evalsets.pooling.strategies import build_pool as choose_candidates

if TYPE_CHECKING:
    from django.contrib.auth.models import User

JOB_KIND = "build_pool"
DEFAULT_DEPTH = 20
MOST_DEPTH = 1000
LARGE = 20_000  # results; more are pooled by a worker
BATCH = 1000
TRIES = 3
CandidateKey = tuple[str, str, str]


class PoolError(Exception):
    """The pool cannot be built. Its text is shown to the person who asked for it."""


@dataclass(frozen=True)
class PlannedCandidate:
    """A unit that the pool would hold: what is to be read, and the lists that brought it (none: only stated as evidence)."""

    query_id: str
    doc_id: str
    section_id: str
    passage: Passage
    pooled: PooledCandidate | None
    stated: bool

    @property
    def key(self) -> CandidateKey:
        return self.query_id, self.doc_id, self.section_id


@dataclass(frozen=True)
class PoolPlan:
    """What building would do. `known` are the keys of the candidates that the pool has already."""

    eval_set: EvalSet
    runs: list[Run]
    depth: int
    candidates: list[PlannedCandidate]
    problems: list[PoolProblem]
    known: frozenset[CandidateKey]

    @property
    def new(self) -> list[PlannedCandidate]:
        return [candidate for candidate in self.candidates if candidate.key not in self.known]

    @property
    def stated_only(self) -> int:
        """How many candidates no run found: they stand only in the queries' stated evidence."""
        return sum(candidate.pooled is None for candidate in self.candidates)


@dataclass(frozen=True)
class PoolBuilt:
    """What a building did; no pool where there was nothing to add."""

    pool: Pool | None
    added: int
    contributions: int
    problems: list[PoolProblem]


def plan_pool(*, eval_set: EvalSet, runs: Sequence[Run], depth: int = DEFAULT_DEPTH) -> PoolPlan:
    """Work out the pool of depth `depth` from complete runs of the eval set and its queries' stated evidence. Writes nothing.

    Raises PoolError without runs, for a run of another eval set or one that is not complete, or a depth that is none.
    """
    if not runs:
        raise PoolError(
            "No run was chosen. Choose at least one; three of different kinds make a pool that is fair to others."
        )
    if any(run.eval_set_id != eval_set.pk or run.frozen_at is None for run in runs):
        raise PoolError(f"Only complete runs of {eval_set} can be pooled.")
    if not 1 <= depth <= MOST_DEPTH:
        raise PoolError(f"The depth is {depth}; it is a whole number from 1 to {MOST_DEPTH}.")
    unit: UnitName = "section" if eval_set.unit == Unit.SECTION else "document"
    pooled = choose_candidates(read_results(runs, depth=depth, unit=unit), DepthK(depth), unit=unit)
    stated = read_stated_evidence(eval_set)
    texts = UnitTexts(eval_set, runs, {one.unit for one in pooled} | {key[1:] for key in stated})
    planned, problems = _give_texts(pooled, stated, texts)
    return PoolPlan(eval_set, list(runs), depth, planned, problems, frozenset(read_known(eval_set)))


def describe_plan(plan: PoolPlan) -> PoolOverview:
    """The plan in figures: size, what each run brings, overlap, cost of labelling, warnings."""
    terms = get_labelling_terms(plan.eval_set)
    queries = plan.eval_set.queries.active().in_order().values_list("query_id", flat=True)
    pool = [one.pooled or PooledCandidate(*one.key, contributions=()) for one in plan.candidates]
    return overview(
        pool,
        runs=[ChosenRun(str(run.number), run.config_sha256, run.retriever.family) for run in plan.runs],
        query_ids=list(queries),
        strategy=DepthK(plan.depth),
        k=plan.eval_set.depth_k,
        candidate_depth=plan.eval_set.depth_n,
        double_rate=terms.double_rate,
        seconds_a_judgment=terms.seconds_a_judgment,
    )


def build_pool(*, eval_set: EvalSet, runs: Sequence[Run], depth: int = DEFAULT_DEPTH, by: User | None) -> PoolBuilt:
    """Add what the runs bring and the pool does not have yet: candidates, and to those it has, further contributions.

    Repeated, or done twice at once, it adds nothing more. Raises PoolError as `plan_pool` does.
    """
    plan = plan_pool(eval_set=eval_set, runs=runs, depth=depth)
    for attempt in range(1, TRIES + 1):
        try:
            built = _write(plan, by)
            break
        except IntegrityError:
            # An import of labels made one of the same candidates in between; the next try finds it.
            if attempt == TRIES:
                raise
    if built.pool:
        announce_pool_built(eval_set)
    return built


def takes_a_worker(runs: Sequence[Run]) -> bool:
    """Whether building from these runs is too long for a request."""
    return count_results(runs) > LARGE


def start_building(*, eval_set: EvalSet, runs: Sequence[Run], depth: int, by: User, url: str) -> Job:
    """Hand the building to a worker."""
    return start_job(
        kind=JOB_KIND,
        title=f"Build the pool from {len(runs)} runs to depth {depth}",
        params={"runs": [run.pk for run in runs], "depth": depth},
        by=by,
        eval_set=eval_set,
        next_url=url,
    )


@job_function(JOB_KIND)
def perform_building(job: Job, progress: Progress) -> dict[str, Any]:
    """Build the job's pool; the result counts what was added."""
    eval_set = job.eval_set
    if eval_set is None:
        raise JobError("The eval set of this work is gone.")
    runs = list(eval_set.runs.filter(pk__in=job.params["runs"]).select_related("retriever").order_by("number"))
    progress.report(0, 1, "Merging the results")
    try:
        built = build_pool(eval_set=eval_set, runs=runs, depth=job.params["depth"], by=job.created_by)
    except PoolError as error:
        raise JobError(str(error)) from error
    progress.report(1, 1, "Done")
    return {
        "added": built.added,
        "contributions": built.contributions,
        "problems": [str(problem) for problem in built.problems[:100]],
        "problem_count": len(built.problems),
    }


def read_stated_evidence(eval_set: EvalSet) -> list[CandidateKey]:
    """The units that the active queries' authors named as evidence, each once."""
    by_section = eval_set.unit == Unit.SECTION
    return list(
        dict.fromkeys(
            (query_id, one["document_id"], one.get("section_id", "") if by_section else "")
            for query_id, evidence in eval_set.queries.active().in_order().values_list("query_id", "stated_evidence")
            for one in evidence
        )
    )


def read_known(eval_set: EvalSet) -> set[CandidateKey]:
    """The keys of the candidates that are in the pool. One that came with an imported label alone is not yet in it."""
    rows = Candidate.objects.filter(query__eval_set=eval_set, pool__isnull=False)
    return set(rows.values_list("query__query_id", "doc_id", "section_id"))


def _give_texts(
    pooled: Sequence[PooledCandidate], stated: Sequence[CandidateKey], texts: UnitTexts
) -> tuple[list[PlannedCandidate], list[PoolProblem]]:
    planned: list[PlannedCandidate] = []
    problems: list[PoolProblem] = []
    named, found = set(stated), {candidate.key for candidate in pooled}
    for candidate in pooled:
        passage = texts.find(candidate)
        if isinstance(passage, PoolProblem):
            problems.append(passage)
        else:
            planned.append(PlannedCandidate(*candidate.key, passage, candidate, stated=candidate.key in named))
    for key in stated:
        source = texts.sources.get(key[1:])
        if key not in found and source:
            planned.append(PlannedCandidate(*key, Passage(source), None, stated=True))
        elif key not in found:
            problems.append(PoolProblem(*key, reason=f"stated as evidence, but {texts.why_not(key[1:])}"))
    return planned, problems


@transaction.atomic
def _write(plan: PoolPlan, by: User | None) -> PoolBuilt:
    eval_set = EvalSet.objects.select_for_update(no_key=True).get(pk=plan.eval_set.pk)
    queries = dict(eval_set.queries.values_list("query_id", "pk"))
    rows = Candidate.objects.filter(query__eval_set=eval_set)
    there: dict[CandidateKey, tuple[int, int | None]] = {
        (query_id, doc_id, section_id): (pk, pool)
        for query_id, doc_id, section_id, pk, pool in rows.values_list(
            "query__query_id", "doc_id", "section_id", "pk", "pool_id"
        )
    }
    new = [one for one in plan.candidates if one.key not in there]
    adopted = [there[one.key][0] for one in plan.candidates if one.key in there and there[one.key][1] is None]
    keys = {key: pk for key, (pk, _pool) in there.items()}
    brought = _missing_contributions(plan, keys)
    if not (new or adopted or brought):
        return PoolBuilt(None, 0, 0, plan.problems)
    pool = _create_pool(plan, eval_set, len(new) + len(adopted), by)
    made = Candidate.objects.bulk_create((_to_candidate(one, pool, queries) for one in new), batch_size=BATCH)
    keys.update((one.key, candidate.pk) for one, candidate in zip(new, made, strict=True))
    Candidate.objects.filter(pk__in=adopted).update(pool=pool)
    fresh = [contribution for one in new for contribution in _to_contributions(one, keys, plan.runs)]
    Contribution.objects.bulk_create(brought + fresh, batch_size=BATCH)
    return PoolBuilt(pool, len(new) + len(adopted), len(brought) + len(fresh), plan.problems)


def _missing_contributions(plan: PoolPlan, keys: dict[CandidateKey, int]) -> list[Contribution]:
    """What the runs add to candidates that are there already."""
    rows = Contribution.objects.filter(candidate__query__eval_set=plan.eval_set)
    there: set[tuple[int, int | None, str]] = set(
        rows.filter(Q(run__in=plan.runs) | Q(run=None)).values_list("candidate_id", "run_id", "stage")
    )
    return [
        contribution
        for one in plan.candidates
        if one.key in keys
        for contribution in _to_contributions(one, keys, plan.runs)
        if (contribution.candidate_id, contribution.run_id, contribution.stage) not in there
    ]


def _create_pool(plan: PoolPlan, eval_set: EvalSet, count: int, by: User | None) -> Pool:
    return create_numbered(
        Pool.objects.filter(eval_set=eval_set),
        lambda number: Pool.objects.create(
            eval_set=eval_set,
            number=number,
            strategy="depth_k",
            depth=plan.depth,
            run_numbers=[run.number for run in plan.runs],
            candidate_count=count,
            built_by=by,
        ),
    )


def _to_candidate(one: PlannedCandidate, pool: Pool, queries: dict[str, int]) -> Candidate:
    source, mark = one.passage.source, one.passage.mark or (None, None)
    return Candidate(
        query_id=queries[one.query_id],
        doc_id=one.doc_id,
        section_id=one.section_id,
        source_document_id=source.document_pk if source else None,
        source_section_id=source.section_pk if source else None,
        own_text=one.passage.own_text,
        text_sha256=one.passage.text_sha256,
        mark_start=mark[0],
        mark_end=mark[1],
        pool=pool,
    )


def _to_contributions(one: PlannedCandidate, keys: dict[CandidateKey, int], runs: Sequence[Run]) -> list[Contribution]:
    run_keys = {str(run.number): run.pk for run in runs}
    made = [
        Contribution(
            candidate_id=keys[one.key],
            run_id=run_keys[found.run],
            stage=found.stage,
            rank=found.rank,
            score=found.result.score,
        )
        for found in (one.pooled.contributions if one.pooled else ())
    ]
    return made + ([Contribution(candidate_id=keys[one.key])] if one.stated else [])
