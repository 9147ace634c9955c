"""Make somebody a member of an eval set."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandParser

from evalsets.management.eval_set_command import EvalSetCommand, refuse
from evalsets.models import EvalSet, Role
from evalsets.people import PeopleError, add_member

PASSWORD_BYTES = 12


class Command(EvalSetCommand):
    help = "Give somebody a role in an eval set, or another role."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", metavar="NAME")
        parser.add_argument("role", metavar="ROLE", choices=Role.values, help="One of %(choices)s.")
        parser.add_argument(
            "--create", action="store_true", help="Make the account, with a random password that is printed once."
        )

    def run(self, eval_set: EvalSet, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
        username, role = options["username"], Role(options["role"])
        user, password = User.objects.filter(username=username).first(), ""
        if user is None:
            if not options["create"]:
                raise refuse(f"There is no account {username}. Pass --create to make one, or send an invitation link.")
            password = secrets.token_urlsafe(PASSWORD_BYTES)
            user = User.objects.create_user(username, password=password)
        try:
            add_member(eval_set=eval_set, user=user, role=role, by=None)
        except PeopleError as error:
            raise refuse(error) from error
        words = f"{username} is {role} in {eval_set}." + (f" Password: {password}" if password else "")
        return {"username": username, "role": str(role), "password": password or None}, words
