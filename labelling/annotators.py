"""Whose judgments: the annotator that a signed-in person is in an eval set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from evalsets.models import EvalSet
from labelling.models import Annotator, AnnotatorKind

if TYPE_CHECKING:
    from django.contrib.auth.models import User

MAX_NAMES_TRIED = 100


def get_annotator(eval_set: EvalSet, user: User) -> Annotator:
    """Return the user's annotator in the eval set, made at the first call.

    A name that an import has brought already stays with the import: whether it is the same person, nobody here can know.
    """
    annotator = Annotator.objects.filter(eval_set=eval_set, user=user).first()
    return annotator or _add_annotator(eval_set, user)


def _add_annotator(eval_set: EvalSet, user: User) -> Annotator:
    wanted = (user.get_full_name() or user.get_username())[:180]
    for number in range(1, MAX_NAMES_TRIED):
        name = wanted if number == 1 else f"{wanted} ({number})"
        try:
            with transaction.atomic():
                return Annotator.objects.create(eval_set=eval_set, user=user, name=name, kind=AnnotatorKind.PERSON)
        except IntegrityError:
            # Either the name is taken, or another request of the same person was first.
            annotator = Annotator.objects.filter(eval_set=eval_set, user=user).first()
            if annotator:
                return annotator
    raise LookupError(f"no free name for {wanted!r} among {MAX_NAMES_TRIED}")


def lock_annotator(annotator: Annotator) -> Annotator:
    """Read the annotator's row again and hold it until the transaction ends.

    Everything that one annotator does goes through this lock, so two tabs or a double click come one after the other. (SQLite lets
    only one writer in at a time anyway.)
    """
    rows = Annotator.objects.select_related("eval_set", "query_in_hand")
    return rows.select_for_update(no_key=True, of=("self",)).get(pk=annotator.pk)
