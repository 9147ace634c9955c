"""Queries: the list, and one with everything that is known about it (but its judgments, which stay with those who adjudicate)."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evalsets import query_page
from evalsets.hooks import list_query_remarks
from evalsets.models import EvalSet
from evalsets.permissions import Action, can
from evalsets.views.access import MemberRequest, for_members

QUERIES_ON_A_PAGE = 50


@require_safe
@for_members(Action.READ_DATA)
def list_queries(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """The queries, narrowed by text, tag, split, source and whether they can be answered."""
    chosen = {name: request.GET.get(name, "").strip() for name in query_page.CHOICES}
    queries = query_page.list_queries(eval_set, chosen)
    context = {
        "chosen": chosen,
        "page": Paginator(queries, QUERIES_ON_A_PAGE).get_page(request.GET.get("page")),
        "can_import": can(request.role, Action.IMPORT),
        "total": eval_set.queries.count(),
        **query_page.list_choices(eval_set),
    }
    return render(request, "evalsets/list_queries.html", context)


@require_safe
@for_members(Action.READ_DATA)
def view_query(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """One query, what it states as evidence, and what the latest run of each retriever answered, side by side."""
    query = get_object_or_404(eval_set.queries.select_related("supersedes", "eval_set"), pk=pk)
    runs = list(eval_set.runs.complete().latest_of_each_retriever().select_related("retriever"))
    context = {
        "query": query,
        "facts": query_page.describe_facts(query),
        "evidence": query_page.list_evidence(eval_set, query),
        "lists": query_page.compare_lists(eval_set, query, runs),
        "candidate_count": query.candidates.count(),
        "successors": query.superseded_by.all(),
        "remarks": list_query_remarks(query),
    }
    return render(request, "evalsets/query.html", context)
