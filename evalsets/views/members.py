"""The members of an eval set and its invitations, for administrators."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from evalsets import people
from evalsets.forms import InviteForm, RoleForm
from evalsets.models import EvalSet, Role
from evalsets.permissions import Action
from evalsets.views.access import MemberRequest, for_members


@for_members(Action.MANAGE)
def list_members(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Who belongs to the eval set, which invitations are open, and a form for another."""
    return _show_members(request, eval_set, InviteForm())


def _show_members(request: MemberRequest, eval_set: EvalSet, form: InviteForm, link: str = "") -> HttpResponse:
    context = {
        "memberships": eval_set.memberships.select_related("user"),
        "invitations": eval_set.invitations.open(timezone.now()).select_related("invited_by"),
        "form": form,
        "roles": Role.choices,
        "link": link,
    }
    return render(request, "evalsets/members.html", context)


@require_POST
@for_members(Action.MANAGE)
@never_cache
def invite_member(request: MemberRequest, eval_set: EvalSet) -> HttpResponse:
    """Make an invitation and show its link, this once."""
    form = InviteForm(request.POST)
    link = ""
    if form.is_valid():
        choice = form.cleaned_data
        _invitation, token = people.invite(
            eval_set=eval_set,
            role=Role(choice["role"]),
            note=choice["note"],
            days=choice["days"],
            by=request.user,
            at=timezone.now(),
        )
        link = request.build_absolute_uri(reverse("people:accept_invitation", args=[token]))
        form = InviteForm()
    return _show_members(request, eval_set, form, link)


@require_POST
@for_members(Action.MANAGE)
def change_role(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """Give a member another role."""
    membership = get_object_or_404(eval_set.memberships.select_related("user"), pk=pk)
    form = RoleForm(request.POST)
    try:
        if form.is_valid():
            people.change_role(membership=membership, role=Role(form.cleaned_data["role"]))
            messages.success(request, f"{membership.user} is {form.cleaned_data['role']} now.")
    except people.PeopleError as error:
        messages.error(request, str(error))
    return redirect("evalsets:list_members", eval_set.slug)


@require_POST
@for_members(Action.MANAGE)
def remove_member(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """Take a member out; what they judged stays."""
    membership = get_object_or_404(eval_set.memberships.select_related("user"), pk=pk)
    try:
        people.remove_member(membership=membership)
        messages.success(request, f"{membership.user} is no longer a member. What they judged stays.")
    except people.PeopleError as error:
        messages.error(request, str(error))
    return redirect("evalsets:list_members", eval_set.slug)


@require_POST
@for_members(Action.MANAGE)
def revoke_invitation(request: MemberRequest, eval_set: EvalSet, pk: int) -> HttpResponse:
    """Withdraw an invitation that nobody has used."""
    invitation = get_object_or_404(eval_set.invitations, pk=pk)
    try:
        people.revoke_invitation(invitation=invitation, at=timezone.now())
        messages.success(request, "The invitation was withdrawn.")
    except people.PeopleError as error:
        messages.error(request, str(error))
    return redirect("evalsets:list_members", eval_set.slug)
