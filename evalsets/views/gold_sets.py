"""Published gold sets: the list of versions, the card of one, export and import."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from evalsets.gold_card import describe_card, describe_changes, describe_queries, describe_row
from evalsets.gold_forms import GoldImportForm
from evalsets.gold_sets import GoldSetChangedError, GoldSetError
from evalsets.gold_sets import export_gold_set as pack
from evalsets.gold_sets import import_gold_set as bring
from evalsets.models import EvalSet
from evalsets.permissions import Action, can
from evalsets.views.access import MemberRequest, for_members

QUERIES_ON_A_PAGE = 25
VERSIONS_ON_A_PAGE = 50
CONFLICT, UNPROCESSABLE = 409, 422


@require_safe
@for_members(Action.READ_GOLD)
def list_gold_sets(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """All versions, latest first."""
    versions = eval_set.gold_sets.select_related("published_by").order_by("-number")
    page = Paginator(versions, VERSIONS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [describe_row(gold_set) for gold_set in page],
        "may_publish": can(request.role, Action.PUBLISH),
    }
    return render(request, "evalsets/list_gold_sets.html", context)


@require_safe
@for_members(Action.READ_GOLD)
def view_gold_set(request: MemberRequest, eval_set: EvalSet, number: int) -> HttpResponse:
    """The card of one version, with its queries and their labels."""
    gold_set = get_object_or_404(eval_set.gold_sets.select_related("published_by", "eval_set"), number=number)
    page = Paginator(gold_set.queries.order_by("query_id"), QUERIES_ON_A_PAGE).get_page(request.GET.get("page"))
    context = describe_card(gold_set) | describe_changes(gold_set)
    context |= {"gold": gold_set, "page": page, "queries": describe_queries(gold_set, list(page))}
    return render(request, "evalsets/gold_set.html", context)


@require_safe
@for_members(Action.READ_GOLD)
def export_gold_set(request: MemberRequest, eval_set: EvalSet, number: int) -> HttpResponse:
    """One version as a zip, the same bytes every time."""
    gold_set = get_object_or_404(eval_set.gold_sets.select_related("eval_set"), number=number)
    try:
        response = HttpResponse(pack(gold_set), content_type="application/zip")
    except GoldSetChangedError as error:
        return HttpResponse(str(error), status=CONFLICT, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{eval_set.slug}-gold-{gold_set.number}.zip"'
    return response


@for_members(Action.PUBLISH)
def import_gold_set(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Bring a gold set that was exported elsewhere."""
    form = GoldImportForm(request.POST or None, request.FILES or None)
    if request.method != "POST":
        return render(request, "evalsets/import_gold_set.html", {"form": form})
    status = UNPROCESSABLE
    if form.is_valid():
        try:
            gold_set = bring(eval_set=eval_set, data=form.read(), by=request.user, at=timezone.now())
        except GoldSetError as error:
            form.add_error("file", str(error))
            status = CONFLICT if isinstance(error, GoldSetChangedError) else UNPROCESSABLE
        else:
            messages.success(
                request, f"It is version {gold_set.number} here, with the checksum that it was published under."
            )
            return redirect("evalsets:view_gold_set", eval_set.slug, gold_set.number)
    return render(request, "evalsets/import_gold_set.html", {"form": form}, status=status)
