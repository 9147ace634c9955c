"""The demo's people, who exist only where the demo is loaded."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User

from evalsets.models import EvalSet, Role
from evalsets.people import add_member

# Known to everybody who reads this, so it is given only to a server that nobody else can reach (PLUMBLINE_LOCAL).
LOCAL_PASSWORD = "plumbline-demo"  # noqa: S105

ROLES = {
    "maren": Role.ANNOTATOR,
    "tomas": Role.ANNOTATOR,
    "ines": Role.ANNOTATOR,
    "emil": Role.ENGINEER,
    "lena": Role.LEAD,
    "ada": Role.ADMINISTRATOR,
}


@dataclass(frozen=True)
class SignIn:
    """How one of the demo's people signs in. `password` is None for an account that was there before and kept its own."""

    username: str
    role: Role
    password: str | None


def make_people(eval_set: EvalSet) -> tuple[dict[str, User], list[SignIn]]:
    """Make the demo's people members of the demo. On a server that others reach each gets a random password."""
    users, sign_ins = {}, []
    for username, role in ROLES.items():
        user, made = User.objects.get_or_create(username=username)
        password = None
        if made:
            password = LOCAL_PASSWORD if settings.LOCAL else secrets.token_urlsafe(12)
            user.set_password(password)
            user.save()
        elif settings.LOCAL and user.check_password(LOCAL_PASSWORD):
            password = LOCAL_PASSWORD
        add_member(eval_set=eval_set, user=user, role=role, by=None)
        users[username] = user
        sign_ins.append(SignIn(username, role, password))
    return users, sign_ins


def one_for_each_role(sign_ins: list[SignIn]) -> list[SignIn]:
    """The first of each role, in the order of the roles."""
    return [next(one for one in sign_ins if one.role == role) for role in Role]


def sign_ins_to_show() -> list[SignIn]:
    """The demo's sign-ins for the sign-in page: one for each role, and none on a server that others reach."""
    if not settings.LOCAL or not EvalSet.objects.filter(is_demo=True).exists():
        return []
    return one_for_each_role([SignIn(username, role, LOCAL_PASSWORD) for username, role in ROLES.items()])
