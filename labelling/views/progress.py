"""The leads' page of progress."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from evalsets.models import EvalSet
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members
from labelling.progress import (
    count_all_seats,
    count_disagreeing,
    describe_annotators,
    describe_queries,
    list_queued_queries,
)
from labelling.seating import open_missing_seats

QUERIES_ON_A_PAGE = 100


@require_safe
@for_members(Action.READ_AGREEMENT)
def view_progress(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Done, open, leased and disagreeing, by query and by annotator, with each annotator's pace."""
    open_missing_seats(eval_set=eval_set)
    now = timezone.now()
    page = Paginator(list_queued_queries(eval_set), QUERIES_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "seats": count_all_seats(eval_set, now),
        "disagreeing": count_disagreeing(eval_set),
        "annotators": describe_annotators(eval_set),
        "page": page,
        "queries": describe_queries(list(page), now),
    }
    return render(request, "labelling/progress.html", context)
