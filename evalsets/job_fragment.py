"""Background work as a page shows it (components/job.html)."""

from __future__ import annotations

from typing import Any

from evalsets.models import EvalSet, Job, JobState

_SHOWN = {
    JobState.QUEUED: "waiting",
    JobState.RUNNING: "running",
    JobState.DONE: "done",
    JobState.FAILED: "failed",
    JobState.CANCELLED: "failed",
}


def find_job(eval_set: EvalSet, kind: str, chosen: str | None) -> Job | None:
    """The job that the url names, else one of that kind that is not finished."""
    jobs = eval_set.jobs.filter(kind=kind)
    if chosen and chosen.isascii() and chosen.isdigit() and len(chosen) < 19:
        return jobs.filter(pk=int(chosen)).first()
    return jobs.unfinished().first()


def describe_job(job: Job | None, url: str) -> dict[str, Any] | None:
    """The variable `job` of the component; `url` answers with the fragment."""
    if job is None:
        return None
    return {
        "name": job.title,
        "state": _SHOWN[JobState(job.state)],
        "done": job.done,
        "total": job.total,
        "message": job.message,
        "url": url,
    }
