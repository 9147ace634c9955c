"""Starting an eval set."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from evalsets.models import Corpus, EvalSet, Gain, Membership, Role, Scale, Unit


@dataclass(frozen=True)
class Design:
    """What an eval set is by design: what is labelled, on which scale, and the two depths that are read."""

    unit: str = Unit.SECTION
    scale: str = Scale.GRADED
    threshold: int = 2
    gain: str = Gain.EXP
    depth_n: int = 50
    depth_k: int = 5


@transaction.atomic
def create_eval_set(
    *,
    name: str,
    slug: str,
    by: User | None,
    corpus: Corpus | None = None,
    description: str = "",
    design: Design | None = None,
) -> EvalSet:
    """Start an eval set over a corpus, or over a new one of the same name; whoever starts it administers it."""
    choices = design or Design()
    over = corpus or Corpus.objects.create(slug=slug, name=name, created_by=by)
    eval_set = EvalSet.objects.create(
        name=name,
        slug=slug,
        description=description,
        corpus=over,
        snapshot=over.snapshots.filter(frozen_at__isnull=False).order_by("-number").first(),
        unit=choices.unit,
        scale=choices.scale,
        threshold=choices.threshold,
        gain=choices.gain,
        depth_n=choices.depth_n,
        depth_k=choices.depth_k,
        created_by=by,
    )
    if by is not None:
        Membership.objects.create(eval_set=eval_set, user=by, role=Role.ADMINISTRATOR, added_by=by)
    return eval_set


def lock_design(eval_set: EvalSet) -> bool:
    """Whether the unit and the scale can no longer change, because candidates stand on them."""
    return eval_set.queries.filter(candidates__isnull=False).exists()
