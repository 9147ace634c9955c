"""Retrievers: the configurations there are, adding one, and running them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Count, Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from evalsets.models import EvalSet
from evalsets.permissions import Action, can
from evalsets.retrieval import KINDS, ConfigError
from evalsets.retriever_forms import RetrieverForm, RunForm
from evalsets.retrievers import built_in, create_retriever
from evalsets.retrieving import RetrievingError, start_run_all
from evalsets.views.access import MemberRequest, for_members

UNPROCESSABLE = 422


@require_safe
@for_members(Action.READ_DATA)
def list_retrievers(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """All configurations with their settings, and the form that runs the built-in ones."""
    form = RunForm(eval_set=eval_set, retrievers=built_in(eval_set))
    return _show_list(request, eval_set, form)


@require_POST
@for_members(Action.RETRIEVE)
def run_retrievers(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Hand the chosen retrievers to a worker; the page of runs shows how far it is."""
    form = RunForm(request.POST, eval_set=eval_set, retrievers=built_in(eval_set))
    runs_url = reverse("evalsets:list_runs", args=[eval_set.slug])
    if form.is_valid():
        try:
            depth = form.cleaned_data["depth"]
            job = start_run_all(eval_set=eval_set, retrievers=form.chosen(), depth=depth, by=request.user, url=runs_url)
        except RetrievingError as error:
            form.add_error(None, f"{error}.")
        else:
            return redirect(f"{runs_url}?job={job.pk}")
    return _show_list(request, eval_set, form, status=UNPROCESSABLE)


@for_members(Action.RETRIEVE)
def add_retriever(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Name and configure a retriever of one kind (`?kind=`)."""
    kind = request.GET.get("kind") or next(iter(KINDS))
    if kind not in KINDS:
        return redirect("evalsets:create_retriever", eval_set.slug)
    members = built_in(eval_set)
    form = RetrieverForm(request.POST or None, kind=kind, members=members)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["name"]
        try:
            create_retriever(eval_set=eval_set, name=name, kind=kind, config=form.to_config(), by=request.user)
        except ConfigError as error:
            form.refuse(error)
        else:
            messages.success(request, f"{name} was added. It has no run yet.")
            return redirect("evalsets:list_retrievers", eval_set.slug)
    context = {"form": form, "kind": KINDS[kind], "tabs": _kind_tabs(kind), "members": members}
    return render(request, "evalsets/create_retriever.html", context, status=UNPROCESSABLE if form.errors else 200)


def _show_list(request: MemberRequest, eval_set: EvalSet, form: RunForm, status: int = 200) -> HttpResponse:
    retrievers = eval_set.retrievers.order_by("name").annotate(run_count=Count("runs"), last_run=Max("runs__number"))
    context: dict[str, Any] = {
        "rows": [
            {
                "retriever": retriever,
                "kind": KINDS[retriever.kind].label if retriever.kind in KINDS else "recorded elsewhere",
                "settings": sorted(retriever.config.items()),
            }
            for retriever in retrievers
        ],
        "form": form,
        "can_run": can(request.role, Action.RETRIEVE),
        "ready": eval_set.snapshot_id and eval_set.queries.active().exists(),
    }
    return render(request, "evalsets/list_retrievers.html", context, status=status)


def _kind_tabs(chosen: str) -> list[dict[str, Any]]:
    return [{"label": kind.label, "url": f"?kind={name}", "current": name == chosen} for name, kind in KINDS.items()]
