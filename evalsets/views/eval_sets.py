"""The list of eval sets, and the page of one: the data flow from documents to scores."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evalsets.models import EvalSet
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members


def list_eval_sets(request: HttpRequest) -> HttpResponse:
    """The eval sets that the signed-in person is a member of."""
    return render(request, "evalsets/list.html", {"eval_sets": EvalSet.objects.visible_to(request.user)})


@for_members(Action.VIEW)
def view_eval_set(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """The eval set as stations in order, each with its one number and the next thing to do."""
    return render(request, "evalsets/eval_set.html", {"eval_set": eval_set})
