"""The list of eval sets, making one, changing one, and its page: the data flow from documents to scores."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from evalsets.creating import create_eval_set
from evalsets.forms import CreateEvalSetForm, DesignForm
from evalsets.models import Corpus, EvalSet
from evalsets.permissions import Action, can, can_create_eval_set
from evalsets.stations import describe_facts, list_stations
from evalsets.views.access import MemberRequest, for_members

SETTINGS = ("name", "description", "threshold", "gain", "depth_n", "depth_k")


def list_eval_sets(request: HttpRequest) -> HttpResponse:
    """The eval sets that the signed-in person is a member of."""
    rows = EvalSet.objects.visible_to(request.user).with_role_of(request.user).with_counts()
    return render(
        request, "evalsets/list_eval_sets.html", {"rows": rows, "can_create": can_create_eval_set(request.user)}
    )


def create(request: HttpRequest) -> HttpResponse:
    """Start an eval set; whoever does administers it."""
    if not can_create_eval_set(request.user) or not isinstance(request.user, User):
        raise PermissionDenied("To start an eval set you have to administer one already, or be staff of this server.")
    form = CreateEvalSetForm(request.POST or None, corpora=Corpus.objects.visible_to(request.user))
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        eval_set = create_eval_set(
            name=given["name"],
            slug=given["slug"],
            description=given["description"],
            corpus=given["corpus"],
            design=form.to_design(),
            by=request.user,
        )
        return redirect(eval_set)
    return render(request, "evalsets/create_eval_set.html", {"form": form})


@for_members(Action.MANAGE)
def edit_eval_set(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Change the name, the threshold, the gain and the depths; published gold sets keep theirs."""
    initial = {name: getattr(eval_set, name) for name in SETTINGS} | {"scale": eval_set.scale}
    form = DesignForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        EvalSet.objects.filter(pk=eval_set.pk).update(**{name: form.cleaned_data[name] for name in SETTINGS})
        messages.success(request, "The settings were saved. Gold sets that are published keep the settings they had.")
        return redirect("evalsets:edit_eval_set", eval_set.slug)
    return render(request, "evalsets/edit_eval_set.html", {"form": form})


@for_members(Action.VIEW)
def view_eval_set(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """The eval set as stations in order, each with its one number and the next thing to do."""
    context = {
        "eval_set": eval_set,
        "facts": describe_facts(eval_set) if can(request.role, Action.READ_DATA) else [],
        "stations": list_stations(eval_set, request.role, request.user),
        "can_edit": can(request.role, Action.MANAGE),
    }
    return render(request, "evalsets/eval_set.html", context)
