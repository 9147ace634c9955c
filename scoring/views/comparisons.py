"""Two runs on one gold set version, query by query."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from evalsets.models import EvalSet
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members
from scoring.comparisons import compare_reports
from scoring.forms import CompareForm
from scoring.presenting.comparison import Pair
from scoring.presenting.report import describe_definition
from scoring.reports import ReportError, can_compute_at_once, find_report, get_report
from scoring.views.reports import wait_for


@for_members(Action.SCORE)
def compare_runs(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Flips first, then differences with their intervals and what they can mean."""
    form = CompareForm(request.GET, eval_set=eval_set)
    asked = "second" in request.GET
    if not (asked and form.gold_sets and form.is_valid()):
        return render(request, "scoring/compare.html", {"form": form if asked else form.unasked()})
    first, second = (form.choose(form.runs[form.cleaned_data[name]]) for name in ("first", "second"))
    large = [choice for choice in (first, second) if not can_compute_at_once(choice.run) and not find_report(choice)]
    if large:
        return wait_for(request, eval_set, large, next_url=request.get_full_path())
    try:
        before, after = get_report(first, by=request.user), get_report(second, by=request.user)
    except ReportError as error:
        return render(request, "scoring/compare.html", {"form": form, "problem": str(error)}, status=422)
    pair = Pair(before, after, of=(first, second))
    context = {
        "form": form,
        "comparison": pair.describe(compare_reports(before, after)),
        "definition": describe_definition(after, second),
    }
    return render(request, "scoring/compare.html", context)
