"""Publishing a gold set: what would be published, what is unresolved, and freezing it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from evalsets.gold.checking import GoldContentError
from evalsets.gold_sets import (
    GoldSetConflictError,
    GoldSetExistsError,
    describe_substance,
    read_gold_set,
    store_gold_set,
)
from evalsets.models import EvalSet, GoldSet
from labelling.checklist import Check, State, check_draft
from labelling.gold_content import GoldDraft, build_gold_content

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class PublishingError(Exception):
    """Why nothing was published. Its text is shown to the person who tried."""


class UnresolvedError(PublishingError):
    """Something is unresolved, and nobody has said that it may be published all the same."""


class PublishingConflictError(PublishingError):
    """Somebody else published at the same moment."""


@dataclass(frozen=True)
class Proposal:
    """What would be published now, and the checks on it. `same_as` is the last version where nothing has changed since."""

    draft: GoldDraft
    checks: list[Check]
    same_as: GoldSet | None

    @property
    def blocking(self) -> list[Check]:
        return [check for check in self.checks if check.state is State.BLOCKING]

    @property
    def warnings(self) -> list[Check]:
        return [check for check in self.checks if check.state is State.WARNING]


def propose_gold_set(*, eval_set: EvalSet, at: datetime, notes: str = "", take_lower: bool = False) -> Proposal:
    """Return what would be published, with its checks; nothing is kept. `take_lower`: see `build_gold_content`."""
    draft = build_gold_content(eval_set, at, notes=notes, take_lower=take_lower)
    return Proposal(draft=draft, checks=check_draft(eval_set, draft), same_as=_find_same(eval_set, draft))


def publish_gold_set(
    *,
    eval_set: EvalSet,
    by: User | None,
    at: datetime,
    notes: str = "",
    take_lower: bool = False,
    accept_unresolved: bool = False,
) -> GoldSet:
    """Freeze what the eval set holds now as its next gold set version and return it.

    Raises UnresolvedError while something is unresolved and `accept_unresolved` is False, PublishingConflictError where somebody else
    published at the same moment, PublishingError where there are no labels, nothing has changed since the last version, or a
    text cannot be kept.
    """
    proposal = propose_gold_set(eval_set=eval_set, at=at, notes=notes, take_lower=take_lower)
    if proposal.blocking:
        raise PublishingError(" ".join(check.sentence for check in proposal.blocking))
    if proposal.same_as:
        raise PublishingError(_say_unchanged(proposal.same_as))
    if proposal.warnings and not accept_unresolved:
        raise UnresolvedError(" ".join(f"{check.label}: {check.sentence}" for check in proposal.warnings))
    try:
        return store_gold_set(eval_set=eval_set, content=proposal.draft.content, by=by, at=at)
    except GoldSetConflictError as error:
        raise PublishingConflictError(str(error)) from error
    except GoldSetExistsError as error:
        raise PublishingError(_say_unchanged(error.gold_set)) from error
    except GoldContentError as error:
        raise PublishingError(f"This cannot be published: {error}.") from error


def _find_same(eval_set: EvalSet, draft: GoldDraft) -> GoldSet | None:
    last = eval_set.gold_sets.order_by("-number").first()
    if last is None or last.label_count != len(draft.content.labels):
        return None
    return last if describe_substance(read_gold_set(last)) == describe_substance(draft.content) else None


def _say_unchanged(gold_set: GoldSet) -> str:
    return f"Nothing has changed since version {gold_set.number} was published, so there is no new one."
