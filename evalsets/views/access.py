"""The decorator that every view of an eval set stands behind: it says who may enter."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseBase

from evalsets.models import EvalSet, Role
from evalsets.permissions import Action, check_can, get_eval_set_or_404, get_role


class MemberRequest(HttpRequest):
    """A request of a signed-in member, with the role that was looked up once."""

    user: User
    role: Role


MemberView = Callable[Concatenate[MemberRequest, EvalSet, ...], HttpResponseBase]


def for_members(action: Action) -> Callable[[MemberView], Callable[..., HttpResponseBase]]:
    """Turn `view(request, eval_set, ...)` into a view of `<slug>`: 404 for outsiders, 403 without the right to `action`.

    Templates find the eval set and the role as `request.eval_set` and `request.role`.
    """

    def decorate(view: MemberView) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: Any, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            eval_set = get_eval_set_or_404(request.user, slug)
            role = get_role(request.user, eval_set)
            check_can(role, action)
            request.eval_set, request.role = eval_set, role
            return view(request, eval_set, *args, **kwargs)

        guarded.action = action  # type: ignore[attr-defined]  # the table test of urls and roles reads it
        return guarded

    return decorate
