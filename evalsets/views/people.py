"""Joining by an invitation, and one's own account."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from evalsets.demo_people import sign_ins_to_show
from evalsets.forms import NewPersonForm
from evalsets.models import EvalSet, Invitation
from evalsets.people import PeopleError, accept_invitation, check_invitation, find_invitation, join_as_new_person


class SignInView(LoginView):
    """Django's own sign-in, on our page."""

    template_name = "people/sign_in.html"
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"demo_people": sign_ins_to_show()}


@method_decorator(never_cache, name="dispatch")
class ChangePasswordView(PasswordChangeView):
    """Django's own change of password; other sessions of the account end with it."""

    template_name = "people/change_password.html"
    success_url = reverse_lazy("people:view_account")

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, "Your password was changed. Other devices have to sign in again.")
        return super().form_valid(form)


def view_account(request: HttpRequest) -> HttpResponse:
    """Who one is here, and in which eval sets."""
    rows = EvalSet.objects.visible_to(request.user).with_role_of(request.user)
    return render(request, "people/account.html", {"rows": rows})


@login_not_required
@never_cache
def accept(request: HttpRequest, token: str) -> HttpResponse:
    """An invitation link: with an account one joins, without one makes it. GET changes nothing."""
    try:
        invitation = check_invitation(find_invitation(token), timezone.now())
    except PeopleError as error:
        return render(request, "people/invitation.html", {"problem": str(error)}, status=410)
    form = NewPersonForm(request.POST or None)
    if request.method == "POST" and not request.user.is_authenticated and form.is_valid():
        return _join(request, token, invitation, form)
    return render(request, "people/invitation.html", {"invitation": invitation, "form": form, "token": token})


def _join(request: HttpRequest, token: str, invitation: Invitation, form: NewPersonForm) -> HttpResponse:
    name, password = form.cleaned_data["username"], form.cleaned_data["password"]
    try:
        user = join_as_new_person(token=token, username=name, password=password, at=timezone.now())
    except PeopleError as error:
        form.add_error(None, str(error))
        return render(
            request, "people/invitation.html", {"invitation": invitation, "form": form, "token": token}, status=409
        )
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return _welcome(request, invitation.eval_set)


@require_POST
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The signed-in person accepts an invitation."""
    try:
        membership = accept_invitation(token=token, user=request.user, at=timezone.now())  # type: ignore[arg-type]  # signed in
    except PeopleError as error:
        return render(request, "people/invitation.html", {"problem": str(error)}, status=409)
    return _welcome(request, membership.eval_set)


def _welcome(request: HttpRequest, eval_set: EvalSet) -> HttpResponse:
    messages.success(request, f"You are a member of {eval_set} now.")
    return redirect(eval_set)
