"""Numbers that count up inside their parent: snapshots, runs, pools, gold sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import IntegrityError, models, transaction
from django.db.models import Max

ModelT = TypeVar("ModelT", bound=models.Model)

TRIES = 5


def create_numbered(siblings: models.QuerySet[ModelT], create: Callable[[int], ModelT]) -> ModelT:
    """Call `create(number)` with the next number among `siblings`.

    Two at once ask for the same number; the unique constraint refuses the second, which then takes the next.
    """
    for attempt in range(1, TRIES + 1):
        number = (siblings.aggregate(last=Max("number"))["last"] or 0) + 1
        try:
            with transaction.atomic():
                return create(number)
        except IntegrityError:
            if attempt == TRIES:
                raise
    raise AssertionError("unreachable")
