"""Runs: the list, one with its queries, and what one run answered to one query."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evalsets.job_fragment import describe_job, find_job
from evalsets.models import EvalSet, Run, Stage
from evalsets.permissions import Action, can
from evalsets.retrieving import JOB_KIND
from evalsets.run_figures import describe_runs
from evalsets.run_lists import list_answers, list_first_documents, list_results, list_unanswered
from evalsets.views.access import MemberRequest, for_members

RUNS_ON_A_PAGE = 50
QUERIES_ON_A_PAGE = 50
NAMED = 50


@require_safe
@for_members(Action.READ_DATA)
def list_runs(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """All complete runs, latest first, and work that is under way."""
    job = find_job(eval_set, JOB_KIND, request.GET.get("job"))
    context: dict[str, Any] = {"job": describe_job(job, request.get_full_path()), "can_run": _may_run(request)}
    if request.htmx.target == "job":  # type: ignore[attr-defined]  # django-htmx's middleware
        return render(request, "evalsets/list_runs.html#work", context)
    runs = eval_set.runs.complete().select_related("retriever", "snapshot", "created_by").order_by("-number")
    page = Paginator(runs, RUNS_ON_A_PAGE).get_page(request.GET.get("page"))
    context |= {"page": page, "rows": describe_runs(list(page))}
    return render(request, "evalsets/list_runs.html", context)


@require_safe
@for_members(Action.READ_DATA)
def view_run(request: MemberRequest, eval_set: EvalSet, number: int) -> HttpResponse:
    """One run: what it stands on, how fast it was, what happened, and its queries, those without a result first."""
    run = _get_run(eval_set, number)
    [row] = describe_runs([run])
    kept = request.GET.get("kept", "")
    answers = list_answers(run, empty_only=kept == "empty")
    page = Paginator(answers, QUERIES_ON_A_PAGE).get_page(request.GET.get("page"))
    first = list_first_documents(list(page))
    unanswered = list_unanswered(run)
    missed = unanswered.count()
    context = {
        "run": run,
        "figures": row.figures,
        "facts": _facts(run),
        "page": page,
        "kept": kept,
        "answers": [{"answer": answer, "first": first.get(answer.pk, [])} for answer in page],
        "unanswered": unanswered[:NAMED],
        "unanswered_count": missed,
        "asked_words": f"{missed} of the eval set were not asked" if missed else "every query of the eval set",
    }
    return render(request, "evalsets/run.html", context)


@require_safe
@for_members(Action.READ_DATA)
def view_answer(request: MemberRequest, eval_set: EvalSet, number: int, pk: int) -> HttpResponse:
    """What one run answered to one query, by stage, with the passages."""
    run = _get_run(eval_set, number)
    answer = get_object_or_404(run.answers.select_related("query"), query_id=pk)
    listed = list_results(answer.results.order_by("rank"), run.snapshot or eval_set.snapshot)
    stages = [
        {"stage": stage, "results": [one for one in listed if one.result.stage == stage]}
        for stage in Stage
        if any(one.result.stage == stage for one in listed)
    ]
    return render(request, "evalsets/answer.html", {"run": run, "answer": answer, "stages": stages})


def _get_run(eval_set: EvalSet, number: int) -> Run:
    runs = eval_set.runs.complete().select_related("retriever", "snapshot__corpus", "created_by", "eval_set")
    return get_object_or_404(runs, number=number)


def _facts(run: Run) -> list[dict[str, Any]]:
    known: list[dict[str, Any]] = [
        {"name": name.replace("_", " "), "value": value} for name, value in run.versions.items()
    ]
    own: list[dict[str, Any]] = [
        {"name": "depth", "value": run.depth},
        {"name": "recorded", "value": f"{run.frozen_at:%d %B %Y %H:%M} UTC"},
        {"name": "source", "value": run.source or "run here"},
        {"name": "SHA-256 of the results", "value": run.sha256, "mono": True},
    ]
    return known + own


def _may_run(request: MemberRequest) -> bool:
    return can(request.role, Action.RETRIEVE)
