"""What the grades mean, in numbered versions: the current one, the one that stands when nobody wrote any, and writing the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction

from evalsets.models import EvalSet, Scale
from labelling.models import Rubric

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class RubricConflictError(Exception):
    """Somebody else wrote a version in between. Its text is shown to the person who came second."""


GRADED: list[dict[str, Any]] = [
    {
        "grade": 0,
        "label": "irrelevant",
        "definition": "It has nothing to do with the need, or only shares words with it.",
        "example": "",
    },
    {
        "grade": 1,
        "label": "related",
        "definition": "It is on the topic, but no part of an answer could be taken from it.",
        "example": "",
    },
    {
        "grade": 2,
        "label": "useful",
        "definition": "A part of the answer stands in it, but more is needed: another passage, or a conclusion of one's own.",
        "example": "",
    },
    {
        "grade": 3,
        "label": "sufficient",
        "definition": "It answers the need by itself, with nothing to be guessed.",
        "example": "",
    },
]
BINARY: list[dict[str, Any]] = [
    {"grade": 0, "label": "not relevant", "definition": "No part of an answer could be taken from it.", "example": ""},
    {"grade": 1, "label": "relevant", "definition": "The answer, or a part of it, stands in it.", "example": ""},
]
GUIDANCE = """\
Judge what the passage says for the need that is written under the query, not the words that they have in common.

Ask in this order, and stop at the first no:

1. Is it on the topic? No: the lowest grade.
2. Does it say at least a part of what is needed? No: at most the next one.
3. Is what it says enough alone, without guessing? Then the highest grade.

What no longer holds does not answer a question about today: look at the dates above the passage. When the passage cannot be judged
(unreadable, the query unclear, knowledge that you lack), say so with *cannot judge* instead of guessing.
"""
GUIDANCE_BINARY = """\
Judge what the passage says for the need that is written under the query, not the words that they have in common.

What no longer holds does not answer a question about today: look at the dates above the passage. When the passage cannot be judged
(unreadable, the query unclear, knowledge that you lack), say so with *cannot judge* instead of guessing.
"""


def get_current_rubric(eval_set: EvalSet) -> Rubric:
    """Return the latest version. Where nobody has written one, our own is kept as version 1, so that each judgment can name it."""
    rubric = Rubric.objects.filter(eval_set=eval_set).order_by("-number").first()
    return rubric or _keep_default(eval_set)


def get_rubric(eval_set: EvalSet, number: int | None) -> Rubric:
    """Return the version of that number, or the current one where there is none such."""
    current = get_current_rubric(eval_set)
    if number is None or number == current.number:
        return current
    return Rubric.objects.filter(eval_set=eval_set, number=number).first() or current


def list_versions(eval_set: EvalSet) -> list[Rubric]:
    """Return all versions, latest first."""
    return list(Rubric.objects.filter(eval_set=eval_set).select_related("written_by").order_by("-number"))


def write_rubric(
    *, eval_set: EvalSet, definitions: list[dict[str, Any]], guidance: str, after: int, by: User | None
) -> Rubric:
    """Add the version that follows number `after`; raises RubricConflictError where somebody has added one already.

    `definitions` has one {grade, label, definition, example} for each grade of the eval set's scale, lowest first.
    """
    grades = [definition["grade"] for definition in definitions]
    if grades != list(eval_set.grades):
        raise ValueError(f"the rubric defines {grades}; the scale has {list(eval_set.grades)}")
    current = get_current_rubric(eval_set)
    if current.number == after:
        try:
            with transaction.atomic():
                return Rubric.objects.create(
                    eval_set=eval_set, number=after + 1, definitions=definitions, guidance=guidance, written_by=by
                )
        except IntegrityError:
            current = get_current_rubric(eval_set)
    raise RubricConflictError(
        f"Version {current.number} was written while you edited version {after}. Your text is still in the form: "
        "compare it with the new version, then save again."
    )


def _keep_default(eval_set: EvalSet) -> Rubric:
    graded = eval_set.scale == Scale.GRADED
    rubric, _created = Rubric.objects.get_or_create(
        eval_set=eval_set,
        number=1,
        defaults={"definitions": GRADED if graded else BINARY, "guidance": GUIDANCE if graded else GUIDANCE_BINARY},
    )
    return rubric
