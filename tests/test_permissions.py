"""The table of roles and rights, written out once more by hand."""

from __future__ import annotations

from evalsets.models import Role
from evalsets.permissions import ALLOWED, Action

# Columns: annotator, engineer, lead, administrator.
TABLE = {
    Action.VIEW: "yyyy",
    Action.GRADE: "y-yy",
    Action.READ_DATA: "-yyy",
    Action.IMPORT: "-yyy",
    Action.RETRIEVE: "-yyy",
    Action.READ_AGREEMENT: "--yy",
    Action.ADJUDICATE: "--yy",
    Action.PLAN: "--yy",
    Action.PUBLISH: "--yy",
    Action.READ_GOLD: "-yyy",
    Action.SCORE: "-yyy",
    Action.MANAGE: "---y",
}


def test_each_role_may_do_what_the_table_says() -> None:
    found = {
        action: "".join(
            "y" if role in ALLOWED[action] else "-"
            for role in (Role.ANNOTATOR, Role.ENGINEER, Role.LEAD, Role.ADMINISTRATOR)
        )
        for action in Action
    }

    assert found == TABLE
