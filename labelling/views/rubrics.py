"""The rubric: to read for everybody in the eval set, to write for leads."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from evalsets.models import EvalSet
from evalsets.permissions import Action, can
from evalsets.views.access import MemberRequest, for_members
from labelling.cards import show_rubric
from labelling.forms import RubricForm
from labelling.rubrics import RubricConflictError, get_current_rubric, get_rubric, list_versions, write_rubric

CONFLICT = 409


@require_safe
@for_members(Action.VIEW)
def view_rubric(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """The current rubric, or the version of `?version=`, with the list of versions."""
    asked = request.GET.get("version", "")
    rubric = get_rubric(eval_set, int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else None)
    context = {
        "rubric": show_rubric(rubric),
        "version": rubric,
        "versions": list_versions(eval_set),
        "may_edit": can(request.role, Action.PLAN),
    }
    return render(request, "labelling/rubric.html", context)


@for_members(Action.PLAN)
def edit_rubric(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Write the next version, starting from the current one."""
    current = get_current_rubric(eval_set)
    form = RubricForm(request.POST or None, eval_set=eval_set, initial=RubricForm.read(current))
    status = 200
    if form.is_valid():
        try:
            written = write_rubric(
                eval_set=eval_set,
                definitions=form.get_definitions(),
                guidance=form.cleaned_data["guidance"],
                after=form.cleaned_data["after"],
                by=request.user,
            )
        except RubricConflictError as error:
            form.add_error(None, str(error))
            # Saved again after reading this, the form replaces the version that was in its way.
            data = request.POST.copy()
            data["after"] = str(get_current_rubric(eval_set).number)
            form.data = data
            status = CONFLICT
        else:
            messages.success(request, f"Version {written.number} of the rubric is in force from now on.")
            return redirect("labelling:view_rubric", eval_set.slug)
    return render(request, "labelling/edit_rubric.html", {"form": form, "current": current}, status=status)
