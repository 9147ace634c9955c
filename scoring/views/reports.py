"""Scores: all runs on one gold set version, the report of one run, and what is downloaded of it."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from evalsets.formats.delimited import write_csv
from evalsets.models import EvalSet
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members
from scoring.addresses import address, report_query, report_url
from scoring.forms import DepthForm, QueryFilterForm, ReportForm
from scoring.jobs import start_scoring
from scoring.models import Report
from scoring.presenting.checks import Lists
from scoring.presenting.overview import describe_runs
from scoring.presenting.report import describe_definition, describe_report, describe_versions
from scoring.presenting.rows import (
    filter_rows,
    known_sort,
    rows_of,
    scored_rows,
    sort_rows,
    to_export,
    to_table,
    values_of,
)
from scoring.reports import Choice, ReportError, can_compute_at_once, find_report, get_report

PAGE_SIZE = 100


@for_members(Action.SCORE)
def list_scores(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Every run on one gold set version: the two depths side by side, each with its report."""
    form = DepthForm(request.GET, eval_set=eval_set)
    context: dict[str, Any] = {"form": form, "has_gold": bool(form.gold_sets)}
    if form.gold_sets and form.is_valid():
        runs = eval_set.runs.complete().select_related("retriever", "snapshot")
        context |= describe_runs([form.choose(run) for run in runs], by=request.user)
    return render(request, "scoring/list_scores.html", context)


@for_members(Action.SCORE)
def view_report(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """One run on one gold set version: lists before distributions, distributions before means."""
    form = ReportForm(request.GET, eval_set=eval_set)
    asked = "run" in request.GET
    if not (asked and form.gold_sets and form.is_valid()):
        return render(request, "scoring/report.html", {"form": form if asked else form.unasked()})
    choice = form.choose(form.runs[form.cleaned_data["run"]])
    if not can_compute_at_once(choice.run) and find_report(choice) is None:
        return wait_for(request, eval_set, [choice], next_url=request.get_full_path())
    try:
        report = get_report(choice, by=request.user)
    except ReportError as error:
        return render(request, "scoring/report.html", {"form": form, "problem": str(error)}, status=422)
    return render(request, "scoring/report.html", {"form": form} | describe(request, report, choice, form))


def wait_for(request: MemberRequest, eval_set: EvalSet, choices: list[Choice], *, next_url: str) -> HttpResponse:
    """Hand large runs to a worker and show its progress; the job's page leads back here."""
    job = start_scoring(eval_set=eval_set, choices=choices, by=request.user, next_url=next_url)
    return redirect("evalsets:view_job", eval_set.slug, job.pk)


def describe(request: MemberRequest, report: Report, choice: Choice, form: ReportForm) -> dict[str, Any]:
    """All that the report page shows."""
    below = form.cleaned_data["below"]
    tags, sources = values_of(report)
    filters = QueryFilterForm(request.GET, tags=tags, sources=sources)
    sort = known_sort(request.GET.get("sort"))
    rows = sort_rows(filter_rows(rows_of(report), filters.chosen(), below=below), sort)
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    page.object_list = to_table(list(page.object_list), choice)
    exports = [
        {"label": label, "url": address("export_report", report.gold_set.eval_set, form_, **report_query(choice))}
        for label, form_ in (("CSV", "csv"), ("JSON", "json"))
    ]
    return {
        "report": describe_report(report, choice, scored_rows(report), below=below),
        "lists": Lists(report, choice).every(),
        "definition": describe_definition(report, choice),
        "versions": describe_versions(report),
        "filters": filters,
        "carried": report_query(choice) | {"below": below},
        "sort": sort,
        "page": page,
        "export_urls": exports,
        "compare_url": address("compare_runs", report.gold_set.eval_set, **compare_query(choice)),
    }


def compare_query(choice: Choice) -> dict[str, str | int]:
    """The parameters of a comparison with this run as the baseline."""
    query = report_query(choice)
    query["first"] = query.pop("run")
    return query


@for_members(Action.SCORE)
def export_report(request: MemberRequest, eval_set: EvalSet, kind: str) -> HttpResponse:
    """The report as the offline command's JSON, or its queries as CSV."""
    form = ReportForm(request.GET, eval_set=eval_set)
    if kind not in {"csv", "json"} or not form.is_valid():
        raise Http404("There is no such report.")
    choice = form.choose(form.runs[form.cleaned_data["run"]])
    report = find_report(choice)
    if report is None:
        return redirect(report_url(choice))
    name = f"{eval_set.slug}-gold{choice.gold_set.number}-run{choice.run.number}.{kind}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if kind == "json":
        return HttpResponse(report.document, content_type="application/json", headers=headers)
    return HttpResponse(write_csv(to_export(report)), content_type="text/csv; charset=utf-8", headers=headers)
