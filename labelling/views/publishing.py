"""Publishing a gold set: the checklist first, then freezing."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from evalsets.models import EvalSet
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members
from labelling.forms import NEAR_RULES, PublishForm
from labelling.publish_page import show_proposal
from labelling.publishing import PublishingConflictError, PublishingError, propose_gold_set
from labelling.publishing import publish_gold_set as freeze

CONFLICT, UNPROCESSABLE = 409, 422


@for_members(Action.PUBLISH)
def publish_gold_set(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """What would be published and what is unresolved; on POST, publish it."""
    if request.method != "POST":
        near = request.GET.get("near", "")
        near = near if near in NEAR_RULES else NEAR_RULES[0]
        return _show(request, eval_set, PublishForm(initial={"near": near}), near)
    form = PublishForm(request.POST)
    if not form.is_valid():
        return _show(request, eval_set, form, NEAR_RULES[0], UNPROCESSABLE)
    chosen: dict[str, Any] = form.cleaned_data
    try:
        gold_set = freeze(
            eval_set=eval_set,
            by=request.user,
            at=timezone.now(),
            notes=chosen["notes"],
            take_lower=chosen["near"] == "lower",
            accept_unresolved=chosen["accept"],
        )
    except PublishingError as error:
        form.add_error(None, str(error))
        return _show(request, eval_set, form, chosen["near"], _status(error))
    messages.success(request, f"Version {gold_set.number} is published and frozen.")
    return redirect("evalsets:view_gold_set", eval_set.slug, gold_set.number)


def _status(error: PublishingError) -> int:
    return CONFLICT if isinstance(error, PublishingConflictError) else UNPROCESSABLE


def _show(request: MemberRequest, eval_set: EvalSet, form: PublishForm, near: str, status: int = 200) -> HttpResponse:
    proposal = propose_gold_set(eval_set=eval_set, at=timezone.now(), take_lower=near == "lower")
    url = reverse("labelling:publish_gold_set", args=[eval_set.slug])
    rules = [
        {"label": "Take the lower grade", "url": f"{url}?near=lower", "current": near == "lower"},
        {"label": "Leave them unjudged", "url": f"{url}?near=leave_out", "current": near == "leave_out"},
    ]
    if not proposal.warnings:
        form.fields["accept"].widget = form.fields["accept"].hidden_widget()
    context = show_proposal(eval_set, proposal) | {"form": form, "publish_url": url, "rules": rules}
    return render(request, "labelling/publish.html", context, status=status)
