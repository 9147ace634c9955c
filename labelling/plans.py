"""Declaring which share of the candidates is labelled twice, before the first of them is judged."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction

from evalsets.models import EvalSet
from labelling.models import DoubleLabelPlan, Judgment, Seat
from labelling.sampling import commitment

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DEFAULT_RATE = 0.2
SEED_BYTES = 16


class PlanError(Exception):
    """A plan that cannot be declared. Its text is shown to the person who tried."""


class PlanLockedError(PlanError):
    """The plan cannot change any more: something was judged under it."""


def get_plan(eval_set: EvalSet) -> DoubleLabelPlan:
    """Return the eval set's plan. Where none was declared, a fifth of the candidates, chosen by a random seed, is declared now."""
    plan = DoubleLabelPlan.objects.filter(eval_set=eval_set).first()
    if plan is None:
        seed = secrets.token_hex(SEED_BYTES)
        plan, _created = DoubleLabelPlan.objects.get_or_create(
            eval_set=eval_set, defaults={"rate": DEFAULT_RATE, "seed": seed, "seed_sha256": commitment(seed)}
        )
    return plan


def lock_row(plan: DoubleLabelPlan) -> DoubleLabelPlan:
    """Read the plan's row again and hold it until the transaction ends."""
    return DoubleLabelPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)


def declare_plan(*, eval_set: EvalSet, rate: float, seed: str | None = None, by: User | None) -> DoubleLabelPlan:
    """Declare the share `rate` (0-1) of candidates that two people grade, chosen by `seed` (random where none is given).

    Seats that are there already are taken away; they are laid anew when the queue is next entered. Raises PlanLockedError
    once something was judged under an earlier plan, unless the same is declared again; PlanError for a rate that is no share.
    """
    if not 0 <= rate <= 1:
        raise PlanError(f"The rate is {rate:g}; it is a share between 0 (nothing twice) and 1 (everything twice).")
    with transaction.atomic():
        plan = lock_row(get_plan(eval_set))
        if plan.rate == rate and seed in (None, plan.seed):
            return plan
        if plan.locked_at:
            raise PlanLockedError(
                f"The plan was locked by the first judgment on {plan.locked_at:%d %B %Y}: {plan.rate:.0%} are labelled twice. "
                f"A rate of {rate:.0%} cannot be declared any more, because the choice would then depend on what was judged."
            )
        plan.rate = rate
        plan.seed = seed or secrets.token_hex(SEED_BYTES)
        plan.seed_sha256 = commitment(plan.seed)
        plan.declared_by = by
        plan.seated_count = 0
        plan.save()
        _take_seats_away(eval_set)
    return plan


def lock_plan(eval_set: EvalSet, at: datetime) -> None:
    """Lock the plan at the first judgment; later calls change nothing."""
    DoubleLabelPlan.objects.filter(eval_set=eval_set, locked_at__isnull=True).update(locked_at=at)


def _take_seats_away(eval_set: EvalSet) -> None:
    seats = Seat.objects.filter(query__eval_set=eval_set)
    # Imported labels may have filled some. They keep their candidate, and take a seat again when seats are laid.
    Judgment.objects.filter(seat__in=seats).update(seat=None)
    seats.delete()
