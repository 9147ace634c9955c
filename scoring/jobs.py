"""Scoring in the background: runs so large that a page would not wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evalsets.jobs import JobError, Progress, job_function, start_job
from evalsets.models import EvalSet, Job
from scoring.reports import Choice, ReportError, get_report

if TYPE_CHECKING:
    from django.contrib.auth.models import User

KIND = "score_runs"


def start_scoring(*, eval_set: EvalSet, choices: Sequence[Choice], by: User, next_url: str) -> Job:
    """Hand the reports of these choices (of one gold set, one choice apart from the run) to a worker.

    A job that is already on its way to the same reports is returned instead: a page that is opened again starts nothing.
    """
    first = choices[0]
    names = ("depth_n", "depth_k", "threshold", "gain", "split")
    params: dict[str, Any] = {"gold_set": first.gold_set.number, "runs": [choice.run.number for choice in choices]}
    params |= {name: getattr(first, name) for name in names}
    waiting = eval_set.jobs.filter(kind=KIND, params=params).unfinished().first()
    return waiting or start_job(
        kind=KIND,
        title=f"Score {len(choices)} run{'' if len(choices) == 1 else 's'} on gold set {first.gold_set.number}",
        params=params,
        by=by,
        eval_set=eval_set,
        next_url=next_url,
    )


@job_function(KIND)
def score_runs(job: Job, progress: Progress) -> dict[str, Any]:
    """Compute the reports that are not there yet; one that was computed stays, so that a second attempt goes on behind it."""
    given = job.params
    assert job.eval_set is not None
    gold_set = job.eval_set.gold_sets.get(number=given["gold_set"])
    names = ("depth_n", "depth_k", "threshold", "gain", "split")
    runs = list(job.eval_set.runs.complete().filter(number__in=given["runs"]).order_by("number"))
    for done, run in enumerate(runs):
        progress.report(done, len(runs), f"Scoring run {run.number}")
        try:
            get_report(Choice(gold_set, run, **{name: given[name] for name in names}), by=job.created_by)
        except ReportError as error:
            raise JobError(f"Run {run.number}: {error}") from error
    progress.report(len(runs), len(runs), "")
    return {"runs": given["runs"]}
