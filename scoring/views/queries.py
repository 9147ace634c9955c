"""One query in one run: its ranked list beside the gold units."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render

from evalsets.models import EvalSet
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members
from scoring.addresses import query_url, report_url
from scoring.engine.lists import ListError
from scoring.forms import ReportForm
from scoring.ranked_lists import read_query_lists


@for_members(Action.SCORE)
def view_query_scores(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """What the run returned for the query, unit by unit with grades, and where each gold unit stands."""
    form = ReportForm(request.GET, eval_set=eval_set)
    query_id = request.GET.get("query", "")
    if not form.is_valid():
        raise Http404("There is no such report.")
    choice = form.choose(form.runs[form.cleaned_data["run"]])
    query = choice.gold_set.queries.filter(query_id=query_id).first()
    if query is None:
        raise Http404(f"There is no query {query_id} in this gold set.")
    try:
        found = read_query_lists(choice.gold_set, choice.run, query_id)
    except ListError as error:
        context = {"query": query.content, "problem": str(error), "report_url": report_url(choice)}
        return render(request, "scoring/query_scores.html", context, status=422)
    others = [
        {"label": str(run), "url": query_url(form.choose(run), query_id), "current": run == choice.run}
        for run in form.runs.values()
    ]
    context = {"query": query.content, "found": found, "choice": choice, "report_url": report_url(choice)}
    return render(request, "scoring/query_scores.html", context | {"others": others})
