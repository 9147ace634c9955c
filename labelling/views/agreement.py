"""Agreement: its page, the candidates behind a figure, and its export."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evalsets.formats.delimited import write_csv
from evalsets.models import EvalSet
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members
from labelling.agreement import list_compared_labels, measure_agreement, read_query_texts
from labelling.agreement_page import show_agreement, show_queries
from labelling.comparisons import Choice
from labelling.decision_lists import describe_choice, show_comparisons
from labelling.disagreements import count_open, list_decisions

ROWS_ON_A_PAGE = 50
COLUMNS = ("query_id", "doc_id", "section_id", "annotator", "grade")


@require_safe
@for_members(Action.READ_AGREEMENT)
def view_agreement(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """How far the annotators agree, overall and apart."""
    agreement = measure_agreement(eval_set)
    sort = request.GET.get("sort", "")
    queries = show_queries(eval_set, agreement, read_query_texts(eval_set), sort)
    context = {
        "agreement": show_agreement(eval_set, agreement),
        "queries": Paginator(queries, ROWS_ON_A_PAGE).get_page(request.GET.get("page")),
        "sort": sort,
        "done": agreement.double_set.complete,
        "declared": agreement.double_set.declared,
        "to_settle": count_open(list_decisions(eval_set)),
        "adjudicate_url": reverse("labelling:list_disagreements", args=[eval_set.slug]),
        "export_urls": [
            {"label": label, "url": reverse("labelling:export_agreement", args=[eval_set.slug, kind])}
            for label, kind in (("Report as JSON", "json"), ("Labels as CSV", "csv"))
        ],
    }
    return render(request, "labelling/agreement.html", context)


@require_safe
@for_members(Action.READ_AGREEMENT)
def list_compared(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """The candidates behind a figure, with their grades."""
    agreement, choice = measure_agreement(eval_set, by_tag=False), Choice.read(request.GET.dict())
    chosen = [
        one for one in agreement.comparisons if choice.takes(one, threshold=eval_set.threshold, tags=agreement.tags)
    ]
    chosen.sort(key=lambda one: one.weight(eval_set.threshold))
    page = Paginator(chosen, ROWS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "texts": show_comparisons(eval_set, page.object_list, Choice()),
        "chosen": describe_choice(eval_set, choice),
        "agreement_url": reverse("labelling:view_agreement", args=[eval_set.slug]),
    }
    return render(request, "labelling/list_compared.html", context)


@require_safe
@for_members(Action.READ_AGREEMENT)
def export_agreement(request: MemberRequest, eval_set: EvalSet, kind: str) -> HttpResponse:
    """The report as JSON, or the compared labels as CSV."""
    agreement = measure_agreement(eval_set, by_tag=kind == "json")
    if kind == "json":
        response: HttpResponse = JsonResponse(agreement.report.as_dict(), json_dumps_params={"indent": 2})
    elif kind == "csv":
        response = HttpResponse(write_csv(list_compared_labels(agreement), columns=COLUMNS), content_type="text/csv")
    else:
        raise Http404("Agreement is exported as json or csv.")
    response["Content-Disposition"] = f'attachment; filename="{eval_set.slug}-agreement.{kind}"'
    return response
