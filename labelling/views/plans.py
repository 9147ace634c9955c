"""The plan of double labels: declared before the first label, locked by it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from evalsets.models import EvalSet
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members
from labelling.agreement import count_double_set
from labelling.forms import PlanForm
from labelling.models import DoubleLabelPlan
from labelling.plan_costs import list_costs
from labelling.plans import PlanError, PlanLockedError, declare_plan, get_plan
from labelling.seating import count_pooled

CONFLICT, UNPROCESSABLE = 409, 422


@for_members(Action.PLAN)
def edit_plan(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """See what a share of double labels costs and buys, and declare one."""
    plan = get_plan(eval_set)
    form = PlanForm(request.POST or None, initial={"rate": f"{plan.rate * 100:.4g}"})
    if request.method != "POST":
        return _show(request, eval_set, plan, form)
    if not form.is_valid():
        return _show(request, eval_set, plan, form, UNPROCESSABLE)
    rate, seed = form.cleaned_data["rate"] / 100, form.cleaned_data["seed"] or None
    try:
        declared = declare_plan(eval_set=eval_set, rate=rate, seed=seed, by=request.user)
    except PlanError as error:
        form.add_error(None, str(error))
        return _show(request, eval_set, plan, form, CONFLICT if isinstance(error, PlanLockedError) else UNPROCESSABLE)
    messages.success(request, f"Declared: {declared.rate:.4g} of the candidates are labelled twice.")
    return redirect("labelling:edit_plan", eval_set.slug)


def _show(
    request: MemberRequest, eval_set: EvalSet, plan: DoubleLabelPlan, form: PlanForm, status: int = 200
) -> HttpResponse:
    pool_size = count_pooled(eval_set)
    context: dict[str, Any] = {
        "plan": plan,
        "percent": f"{plan.rate * 100:.4g} %",
        "form": form,
        "pool_size": pool_size,
        "double_set": count_double_set(eval_set),
        "costs": list_costs(pool_size, plan.rate),
    }
    return render(request, "labelling/edit_plan.html", context, status=status)
