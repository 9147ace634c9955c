"""Grading: the queue's page, giving a judgment, taking it back, looking at earlier ones and changing them.

Each answers htmx with the card alone and everybody else with a page or a redirect.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from evalsets.models import EvalSet
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members
from labelling.annotators import get_annotator
from labelling.cards import Page, describe_given, describe_next
from labelling.forms import JudgmentForm
from labelling.handles import HandleError, read_handle
from labelling.judging import Judged, JudgingConflictError, JudgingError, Outcome, change_judgment, judge, undo
from labelling.judgments_given import find_judgment, list_given
from labelling.models import Annotator, Judgment
from labelling.passages import blind
from labelling.queue import take_next
from labelling.rubrics import get_rubric
from labelling.seating import open_missing_seats

PAGE = "labelling/grade.html"
UNPROCESSABLE, CONFLICT = 422, 409
JUDGED_ON_A_PAGE = 50


@require_safe
@never_cache
@for_members(Action.GRADE)
def view_queue(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """The next candidate of the person who asks."""
    open_missing_seats(eval_set=eval_set)
    return _show_next(request, get_annotator(eval_set, request.user))


@require_POST
@for_members(Action.GRADE)
def judge_candidate(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Keep a judgment; the answer is the next candidate."""
    annotator = get_annotator(eval_set, request.user)
    form = JudgmentForm(request.POST)
    if not form.is_valid():
        return _show_next(request, annotator, trouble=_tell_errors(form), status=UNPROCESSABLE)
    cleaned = form.cleaned_data
    try:
        judged = judge(
            candidate=read_handle(annotator, eval_set, cleaned["candidate"]),
            annotator=annotator,
            verdict=form.get_verdict(),
            **_circumstances(annotator, form),
        )
    except HandleError as error:
        raise Http404(str(error)) from error
    except JudgingError as error:
        return _show_next(request, annotator, trouble=str(error), status=_status(error), form=form)
    return _go_on(request, annotator, tell(judged))


@require_POST
@for_members(Action.GRADE)
def undo_judgment(request: MemberRequest, eval_set: EvalSet, request_id: uuid.UUID) -> HttpResponse:
    """Take a judgment back; the answer is its candidate, with what was said of it."""
    annotator = get_annotator(eval_set, request.user)
    judgment = _get_judgment(annotator, request_id)
    undone = undo(judgment=judgment, annotator=annotator, at=timezone.now())
    trouble = ""
    if undone is not None and undone.seat_id is None:
        trouble = "Your extra label was taken back. Its candidate does not come again: somebody else has judged it."
    return _go_on(request, annotator, trouble)


@never_cache
@for_members(Action.GRADE)
def review_judgment(request: MemberRequest, eval_set: EvalSet, request_id: uuid.UUID) -> HttpResponse:
    """Show one of one's own judgments, and on POST change it; the answer is then the next candidate of the queue."""
    annotator = get_annotator(eval_set, request.user)
    judgment = _get_judgment(annotator, request_id)
    if request.method != "POST":
        return _show_given(request, annotator, judgment)
    form = JudgmentForm(request.POST)
    if not form.is_valid():
        return _show_given(request, annotator, judgment, trouble=_tell_errors(form), status=UNPROCESSABLE)
    try:
        judged = change_judgment(
            judgment=judgment, annotator=annotator, verdict=form.get_verdict(), **_circumstances(annotator, form)
        )
    except JudgingError as error:
        return _show_given(request, annotator, judgment, trouble=str(error), status=_status(error), form=form)
    return _go_on(request, annotator, tell(judged))


@require_safe
@never_cache
@for_members(Action.GRADE)
def list_judged(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """One's own judgments, latest first."""
    annotator = get_annotator(eval_set, request.user)
    page = Paginator(list_given(annotator), JUDGED_ON_A_PAGE).get_page(request.GET.get("page"))
    given = [(judgment, blind(judgment.candidate)) for judgment in page]
    return render(request, "labelling/judged.html", {"page": page, "given": given})


def tell(judged: Judged) -> str:
    """Say what became of a judgment, where that is not simply what was asked for."""
    if judged.outcome is Outcome.EXTRA:
        return (
            "Your lease of that candidate had run out and somebody else has its place. "
            "Your judgment is kept as an extra label beside theirs."
        )
    if judged.outcome is Outcome.CORRECTED and judged.replaced:
        return (
            f"You had judged that candidate before. It was {_say(judged.replaced)}, now it is {_say(judged.judgment)}."
        )
    return ""


def _say(judgment: Judgment) -> str:
    return f"“cannot judge: {judgment.get_cannot_judge_display()}”" if judgment.cannot_judge else str(judgment.grade)


def _circumstances(annotator: Annotator, form: JudgmentForm) -> dict[str, Any]:
    cleaned = form.cleaned_data
    return {
        "request_id": cleaned["request_id"],
        "seconds": cleaned["seconds"],
        "rubric": get_rubric(annotator.eval_set, cleaned["rubric"]),
        "at": timezone.now(),
    }


def _get_judgment(annotator: Annotator, request_id: uuid.UUID) -> Judgment:
    judgment = find_judgment(annotator, request_id)
    if judgment is None:
        raise Http404("There is no such judgment among yours.")
    return judgment


def _go_on(request: MemberRequest, annotator: Annotator, trouble: str) -> HttpResponse:
    if request.htmx:  # type: ignore[attr-defined]  # django-htmx's middleware
        return _show_next(request, annotator, trouble=trouble)
    if trouble:
        messages.warning(request, trouble)
    return redirect("labelling:view_queue", annotator.eval_set.slug)


def _show_next(
    request: MemberRequest,
    annotator: Annotator,
    *,
    trouble: str = "",
    status: int = 200,
    form: JudgmentForm | None = None,
) -> HttpResponse:
    seat = take_next(annotator=annotator, at=timezone.now())
    draft = form.get_verdict() if form else None
    page = Page(trouble=trouble, wide="wide" in request.GET)
    return _render(request, describe_next(annotator, seat.candidate if seat else None, page, draft), status)


def _show_given(
    request: MemberRequest,
    annotator: Annotator,
    judgment: Judgment,
    *,
    trouble: str = "",
    status: int = 200,
    form: JudgmentForm | None = None,
) -> HttpResponse:
    draft = form.get_verdict() if form else None
    page = Page(trouble=trouble, wide="wide" in request.GET)
    return _render(request, describe_given(annotator, judgment, page, draft), status)


def _render(request: MemberRequest, context: dict[str, Any], status: int) -> HttpResponse:
    fragment = "#card" if request.htmx else ""  # type: ignore[attr-defined]  # django-htmx's middleware
    return render(request, f"{PAGE}{fragment}", context, status=status)


def _tell_errors(form: JudgmentForm) -> str:
    problems = "; ".join(f"{name}: {error}" for name, errors in form.errors.items() for error in errors)
    return f"Nothing was kept, because the page sent something that is no judgment ({problems}). Load it again."


def _status(error: JudgingError) -> int:
    return CONFLICT if isinstance(error, JudgingConflictError) else UNPROCESSABLE
