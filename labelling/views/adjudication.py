"""Deciding where annotators disagree: the list, one candidate at a time, and queries to be rewritten.

A decision is answered to htmx with the next candidate's card and to everybody else with a redirect to its page.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from evalsets.models import Candidate, EvalSet
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members
from labelling import adjudication as work
from labelling.adjudication import AdjudicationConflictError, AdjudicationError, OwnLabelError
from labelling.comparisons import Choice
from labelling.decision_cards import Desk, Typed, describe_decision, describe_desk
from labelling.decision_lists import describe_choice, list_kinds, show_decisions, show_flags
from labelling.disagreements import list_decisions, list_flags
from labelling.forms import DecisionForm

PAGE = "labelling/adjudicate.html"
ROWS_ON_A_PAGE = 50
FORBIDDEN, CONFLICT, UNPROCESSABLE = 403, 409, 422


@require_safe
@never_cache
@for_members(Action.ADJUDICATE)
def list_disagreements(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """What needs a decision, the most consequential first; settled ones under their own tab."""
    desk = _sit_down(request, eval_set)
    settled = request.GET.get("state") == "settled"
    shown = [one for one in desk.decisions if one.settled is settled]
    page = Paginator(shown, ROWS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = describe_desk(desk) | {
        "page": page,
        "texts": show_decisions(eval_set, list(page), desk.choice),
        "state": "settled" if settled else "open",
        "chosen": describe_choice(eval_set, desk.choice),
        "kinds": list_kinds(desk.decisions, desk.choice),
        "flags": show_flags(eval_set),
        "first_url": desk.url_of(desk.next_after(None)),
    }
    return render(request, "labelling/list_disagreements.html", context)


@never_cache
@for_members(Action.ADJUDICATE)
def adjudicate(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """One candidate with its labels side by side; on POST, the decision."""
    candidate, desk = _get_candidate(eval_set, pk), _sit_down(request, eval_set)
    if request.method != "POST":
        return _show(request, desk, candidate)
    form = DecisionForm(request.POST)
    typed = Typed(remark=request.POST.get("remark", ""), reason=request.POST.get("reason", ""))
    if not form.is_valid():
        return _show(request, desk, candidate, typed, trouble=form.tell_errors(), status=UNPROCESSABLE)
    try:
        work.adjudicate(candidate=candidate, by=request.user, at=timezone.now(), **form.get_decision())
    except AdjudicationError as error:
        return _show(request, desk, candidate, typed, trouble=str(error), status=_status(error))
    return _go_on(request, eval_set, desk, candidate)


@require_POST
@for_members(Action.ADJUDICATE)
def flag_query(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """Flag the query of a candidate for rewriting, with the remark as the reason; the answer is the next candidate."""
    candidate, desk = _get_candidate(eval_set, pk), _sit_down(request, eval_set)
    work.flag_query(query=candidate.query, reason=request.POST.get("remark", ""), by=request.user, at=timezone.now())
    return _go_on(request, eval_set, desk, candidate)


@require_POST
@for_members(Action.ADJUDICATE)
def resolve_flag(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """Take the flag of a query away."""
    flag = get_object_or_404(list_flags(eval_set), pk=pk)
    work.resolve_flag(flag=flag, by=request.user, at=timezone.now())
    messages.success(request, f"“{flag.query}” is no longer flagged for rewriting.")
    return redirect("labelling:list_disagreements", eval_set.slug)


def _sit_down(request: MemberRequest, eval_set: EvalSet) -> Desk:
    choice = Choice.read(request.GET.dict())
    return Desk(eval_set, request.user, choice, list_decisions(eval_set, choice))


def _get_candidate(eval_set: EvalSet, pk: int) -> Candidate:
    candidate = work.get_candidate(eval_set, pk)
    if candidate is None:
        raise Http404("There is no such candidate in this eval set.")
    return candidate


def _go_on(request: MemberRequest, eval_set: EvalSet, desk: Desk, candidate: Candidate) -> HttpResponse:
    """Go to what comes behind this candidate in the list as it is now, which may have lost it."""
    order = [one.pk for one in desk.decisions]
    desk = _sit_down(request, eval_set)
    left = {one.pk for one in desk.decisions if not one.settled}
    place = order.index(candidate.pk) + 1 if candidate.pk in order else 0
    following = next((pk for pk in [*order[place:], *order[:place]] if pk in left), None)
    url = desk.url_of(following)
    if not request.htmx:  # type: ignore[attr-defined]  # django-htmx's middleware
        return redirect(url)
    if following is None:
        response = render(request, f"{PAGE}#card", describe_desk(desk))
    else:
        response = _show(request, desk, _get_candidate(eval_set, following))
    response["HX-Push-Url"] = url
    return response


def _show(
    request: MemberRequest,
    desk: Desk,
    candidate: Candidate,
    typed: Typed | None = None,
    *,
    trouble: str = "",
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = describe_decision(desk, candidate, typed, wide="wide" in request.GET)
    fragment = "#card" if request.htmx else ""  # type: ignore[attr-defined]  # django-htmx's middleware
    return render(request, f"{PAGE}{fragment}", context | {"trouble": trouble}, status=status)


def _status(error: AdjudicationError) -> int:
    if isinstance(error, AdjudicationConflictError):
        return CONFLICT
    return FORBIDDEN if isinstance(error, OwnLabelError) else UNPROCESSABLE
