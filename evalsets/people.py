"""Who belongs to an eval set: invitations by link, roles, and the rule that one administrator always remains."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from evalsets.models import EvalSet, Invitation, Membership, Role, sha256_of

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKEN_BYTES = 24
EXPIRY_DAYS = (1, 7, 30)


class PeopleError(Exception):
    """What was asked for cannot be done. Its text is shown to the person who asked."""


def invite(
    *, eval_set: EvalSet, role: Role, by: User, at: datetime, note: str = "", days: int = 7
) -> tuple[Invitation, str]:
    """Make an invitation. Returns it with its token, which is known to nobody afterwards: only its hash is kept."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation.objects.create(
        eval_set=eval_set,
        role=role,
        note=note,
        token_sha256=sha256_of(token),
        invited_by=by,
        expires_at=at + timedelta(days=days),
    )
    return invitation, token


def find_invitation(token: str) -> Invitation | None:
    """Return the invitation of a token, whatever has become of it."""
    return Invitation.objects.filter(token_sha256=sha256_of(token)).select_related("eval_set").first()


def check_invitation(invitation: Invitation | None, at: datetime) -> Invitation:
    """Return the invitation if it can be accepted. Raises PeopleError that says why it cannot."""
    if invitation is None:
        raise PeopleError("This invitation does not exist. Check that the whole link was copied.")
    if invitation.revoked_at:
        raise PeopleError("This invitation was withdrawn. Ask for a new one.")
    if invitation.accepted_at:
        raise PeopleError("This invitation was used already. Each link is good for one person; ask for another.")
    if invitation.expires_at <= at:
        raise PeopleError(f"This invitation ran out on {invitation.expires_at:%d %B %Y}. Ask for a new one.")
    return invitation


@transaction.atomic
def accept_invitation(*, token: str, user: User, at: datetime) -> Membership:
    """Make the user a member. Of two people with one link the first wins; PeopleError for the second."""
    invitation = check_invitation(find_invitation(token), at)
    try:
        with transaction.atomic():
            membership = Membership.objects.create(
                eval_set=invitation.eval_set, user=user, role=invitation.role, added_by=invitation.invited_by
            )
    except IntegrityError as error:
        raise PeopleError(
            f"You are a member of {invitation.eval_set} already. The link is still good for somebody else."
        ) from error
    won = Invitation.objects.open(at).filter(pk=invitation.pk).update(accepted_at=at, accepted_by=user)
    if not won:
        raise PeopleError("This invitation was used a moment ago. Each link is good for one person; ask for another.")
    return membership


@transaction.atomic
def join_as_new_person(*, token: str, username: str, password: str, at: datetime) -> User:
    """Make an account and let it accept the invitation. PeopleError when either cannot be; neither is then kept."""
    check_invitation(find_invitation(token), at)
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, password=password)
    except IntegrityError as error:
        raise PeopleError(
            f"There is an account {username} already. Sign in with it, or choose another name."
        ) from error
    accept_invitation(token=token, user=user, at=at)
    return user


def revoke_invitation(*, invitation: Invitation, at: datetime) -> None:
    """Withdraw an invitation that nobody has used."""
    if not Invitation.objects.open(at).filter(pk=invitation.pk).update(revoked_at=at):
        raise PeopleError("This invitation was used or has run out; there is nothing to withdraw.")


@transaction.atomic
def change_role(*, membership: Membership, role: Role) -> None:
    """Give a member another role. PeopleError for the last administrator."""
    administrators = _lock_administrators(membership.eval_set)
    if role != Role.ADMINISTRATOR:
        _check_another_remains(administrators, membership)
    Membership.objects.filter(pk=membership.pk).update(role=role)


@transaction.atomic
def remove_member(*, membership: Membership) -> None:
    """Take somebody out of the eval set. Their judgments stay. PeopleError for the last administrator."""
    _check_another_remains(_lock_administrators(membership.eval_set), membership)
    Membership.objects.filter(pk=membership.pk).delete()


def add_member(*, eval_set: EvalSet, user: User, role: Role, by: User | None) -> Membership:
    """Make the user a member with this role, or give a member this role."""
    membership, _made = Membership.objects.get_or_create(
        eval_set=eval_set, user=user, defaults={"role": role, "added_by": by}
    )
    if membership.role != role:
        change_role(membership=membership, role=role)
        membership.refresh_from_db()
    return membership


def _lock_administrators(eval_set: EvalSet) -> Sequence[int]:
    # The rows stay locked until the transaction ends, so that two administrators cannot remove each other at once.
    rows = Membership.objects.select_for_update().filter(eval_set=eval_set, role=Role.ADMINISTRATOR)
    return [membership.pk for membership in rows.order_by("pk")]


def _check_another_remains(administrators: Sequence[int], membership: Membership) -> None:
    if list(administrators) == [membership.pk]:
        raise PeopleError(
            f"{membership.user} is the last administrator of {membership.eval_set}; make somebody else one first."
        )
