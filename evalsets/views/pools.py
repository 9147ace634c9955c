"""The pool: what it would hold, building it, and its candidates with where they came from (for makers, never for annotators)."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from evalsets import building
from evalsets.job_fragment import describe_job, find_job
from evalsets.models import EvalSet
from evalsets.permissions import Action, can
from evalsets.pool_page import PoolForm, describe_candidates, describe_pool, describe_preview, list_candidates
from evalsets.views.access import MemberRequest, for_members

CANDIDATES_ON_A_PAGE = 50
UNPROCESSABLE = 422


@require_safe
@for_members(Action.READ_DATA)
def view_pool(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """The pool as it is, and what the chosen runs and depth would make of it. Nothing is created by looking."""
    form = _make_form(eval_set, request.GET if "depth" in request.GET else None)
    job = find_job(eval_set, building.JOB_KIND, request.GET.get("job"))
    context = _describe(request, eval_set, form) | {"job": describe_job(job, request.get_full_path())}
    target = request.htmx.target  # type: ignore[attr-defined]  # django-htmx's middleware
    part = {"preview": "#preview", "job": "#work"}.get(target or "", "")
    return render(request, f"evalsets/pool.html{part}", context)


@require_POST
@for_members(Action.RETRIEVE)
def build_pool(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Create what the preview showed; by a worker where there is much of it."""
    form = _make_form(eval_set, request.POST)
    url = reverse("evalsets:view_pool", args=[eval_set.slug])
    if not form.is_valid():
        return render(request, "evalsets/pool.html", _describe(request, eval_set, form), status=UNPROCESSABLE)
    given: dict[str, Any] = {"eval_set": eval_set, "runs": form.chosen(), "depth": form.cleaned_data["depth"]}
    if building.takes_a_worker(given["runs"]):
        job = building.start_building(**given, by=request.user, url=url)
        return redirect(f"{url}?job={job.pk}")
    built = building.build_pool(**given, by=request.user)
    said = (
        f"{built.added} candidates were added."
        if built.added
        else "The pool has all of that already; nothing was added."
    )
    messages.success(request, said)
    return redirect(url)


@require_safe
@for_members(Action.READ_DATA)
def view_candidates(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """The candidates with the runs that brought them."""
    words, run, alone = request.GET.get("q", "").strip(), request.GET.get("run", ""), "alone" in request.GET
    number = int(run) if run.isascii() and run.isdigit() and len(run) < 10 else None
    candidates = list_candidates(eval_set, words=words, run=number, alone=alone).with_provenance()
    page = Paginator(candidates, CANDIDATES_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": describe_candidates(list(page)),
        "runs": eval_set.runs.complete().select_related("retriever").order_by("number"),
        "words": words,
        "run": number,
        "alone": alone,
    }
    return render(request, "evalsets/candidates.html", context)


def _make_form(eval_set: EvalSet, data: Any) -> PoolForm:
    runs = eval_set.runs.complete().select_related("retriever").order_by("number")
    return PoolForm(data, runs=list(runs), latest=list(runs.latest_of_each_retriever()))


def _describe(request: MemberRequest, eval_set: EvalSet, form: PoolForm) -> dict[str, Any]:
    preview = None
    if form.is_bound and form.is_valid():
        try:
            preview = describe_preview(
                building.plan_pool(eval_set=eval_set, runs=form.chosen(), depth=form.cleaned_data["depth"])
            )
        except building.PoolError as error:
            form.add_error(None, str(error))
    return {
        "form": form,
        "runs": form.by_number,
        "pool": describe_pool(eval_set),
        "preview": preview,
        "can_create": can(request.role, Action.RETRIEVE),
        "create_url": reverse("evalsets:build_pool", args=[eval_set.slug]),
    }
