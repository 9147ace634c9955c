"""Who may do what in an eval set: one table, asked by every view.

An outsider gets 404 (the eval set is not there for them), a member without the right gets 403.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.http import Http404

from evalsets.models import EvalSet, Membership, Role

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

    Person = User | AnonymousUser


class Action(enum.Enum):
    """What a member may want to do."""

    VIEW = "see that the eval set is there, its name and its rubric"
    GRADE = "take candidates from the queue and judge them"
    READ_DATA = "read documents, queries, retrievers, runs and the pool"
    IMPORT = "import documents, queries, runs and labels"
    RETRIEVE = "add retrievers, run them, build the pool"
    READ_AGREEMENT = "read agreement and progress"
    ADJUDICATE = "decide where annotators disagree"
    PLAN = "write the rubric and plan the double labels"
    PUBLISH = "publish gold sets"
    READ_GOLD = "read and export gold sets"
    SCORE = "read scores"
    MANAGE = "change the eval set, invite and remove people"


_EVERYBODY = frozenset(Role)
_MAKERS = frozenset({Role.ENGINEER, Role.LEAD, Role.ADMINISTRATOR})
_LEADS = frozenset({Role.LEAD, Role.ADMINISTRATOR})

# Engineers see which retriever found what, so they do not grade; annotators do not, so they see none of it.
ALLOWED: dict[Action, frozenset[Role]] = {
    Action.VIEW: _EVERYBODY,
    Action.GRADE: frozenset({Role.ANNOTATOR, Role.LEAD, Role.ADMINISTRATOR}),
    Action.READ_DATA: _MAKERS,
    Action.IMPORT: _MAKERS,
    Action.RETRIEVE: _MAKERS,
    Action.READ_AGREEMENT: _LEADS,
    Action.ADJUDICATE: _LEADS,
    Action.PLAN: _LEADS,
    Action.PUBLISH: _LEADS,
    Action.READ_GOLD: _MAKERS,
    Action.SCORE: _MAKERS,
    Action.MANAGE: frozenset({Role.ADMINISTRATOR}),
}


def get_role(user: Person, eval_set: EvalSet) -> Role | None:
    """Return the user's role in the eval set; a superuser is an administrator everywhere, an outsider has none."""
    if user.is_superuser:
        return Role.ADMINISTRATOR
    if user.pk is None:
        return None
    role = Membership.objects.filter(user_id=user.pk, eval_set=eval_set).values_list("role", flat=True).first()
    return Role(role) if role else None


def can(role: Role | None, action: Action) -> bool:
    """May somebody with this role do this?"""
    return role is not None and role in ALLOWED[action]


def check_can(role: Role | None, action: Action) -> None:
    """Raise PermissionDenied, with words, unless the role may do this."""
    if not can(role, action):
        names = ", ".join(sorted(allowed.label for allowed in ALLOWED[action]))
        raise PermissionDenied(f"To {action.value} takes one of these roles here: {names}.")


def get_eval_set_or_404(user: Person, slug: str) -> EvalSet:
    """Return the eval set of that slug among those that the user may see; Http404 otherwise."""
    eval_set = EvalSet.objects.visible_to(user).select_related("corpus", "snapshot").filter(slug=slug).first()
    if eval_set is None:
        raise Http404("There is no such eval set among yours.")
    return eval_set


def can_create_eval_set(user: Person) -> bool:
    """Staff and people who administer an eval set already may start another one."""
    if user.is_staff:
        return True
    return user.pk is not None and Membership.objects.filter(user_id=user.pk, role=Role.ADMINISTRATOR).exists()
