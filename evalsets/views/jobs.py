"""Background work: how far it is, and stopping it."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from evalsets import jobs
from evalsets.job_fragment import describe_job
from evalsets.models import EvalSet
from evalsets.permissions import Action, can
from evalsets.views.access import MemberRequest, for_members


@require_safe
@for_members(Action.READ_DATA)
def view_job(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """How far a job is. Asked by htmx it is the fragment that a page polls; the page it leads to is loaded anew at its end."""
    jobs.requeue_dead_jobs()
    job = get_object_or_404(eval_set.jobs.all(), pk=pk)
    url = reverse("evalsets:view_job", args=[eval_set.slug, pk])
    context = {
        "job": describe_job(job, url),
        "item": job,
        "next_url": job.next_url,
        "next_label": "See the outcome",
        "may_cancel": can(request.role, Action.IMPORT) and not job.is_finished,
    }
    if not request.htmx:  # type: ignore[attr-defined]  # set by django_htmx's middleware
        return render(request, "evalsets/job.html", context)
    response = render(request, "components/job.html", context)
    if job.is_finished and job.next_url and request.htmx.current_url_abs_path == job.next_url:  # type: ignore[attr-defined]
        response["HX-Refresh"] = "true"
    return response


@require_POST
@for_members(Action.IMPORT)
def cancel_job(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """Stop a job at its next step. One that is over stays as it is."""
    job = get_object_or_404(eval_set.jobs.all(), pk=pk)
    if not job.is_finished:
        jobs.cancel_job(job)
    return redirect("evalsets:view_job", eval_set.slug, pk)
