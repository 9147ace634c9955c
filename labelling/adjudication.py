"""Deciding where annotators disagree. The labels themselves stay as they are; a decision stands beside them, and a later one replaces it."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from evalsets.models import Candidate, EvalSet, Query
from labelling.models import Adjudication, AnnotatorKind, Judgment, Outcome, QueryFlag, ReasonCode
from labelling.rubrics import get_current_rubric

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LONGEST_REASON = 2000
# So many decisions of "cannot be settled" say that the query is at fault and not its candidates.
UNSETTLED_FOR_FLAG = 2


class AdjudicationError(Exception):
    """What was sent is no decision. Its text is shown to the person who sent it, and nothing was kept."""


class OwnLabelError(AdjudicationError):
    """Whoever labelled a candidate does not decide on it."""


class AdjudicationConflictError(AdjudicationError):
    """Somebody else decided meanwhile, and nothing was kept: the page has to be loaded again."""


def adjudicate(
    *,
    candidate: Candidate,
    grade: int | None,
    reason_code: str,
    reason: str = "",
    by: User,
    at: datetime,
    request_id: uuid.UUID,
    after: int | None = None,
) -> Adjudication:
    """Keep a lead's decision on a candidate: a grade, or None where it cannot be settled.

    `after` is the number of the decision that the lead saw standing, None for none; where another one stands by now, it is kept and
    this one refused (AdjudicationConflictError). `request_id` counts once: sent again, the answer is the decision that was kept.
    Raises OwnLabelError for somebody who labelled the candidate, AdjudicationError for what is no decision.
    """
    _check(candidate, grade, reason_code, reason, by)
    try:
        with transaction.atomic():
            repeated = Adjudication.objects.filter(
                request_id=request_id, adjudicated_by=by, candidate=candidate
            ).first()
            if repeated:
                return repeated
            _take_over(candidate, after)
            decision = Adjudication.objects.create(
                candidate=candidate,
                outcome=Outcome.CANNOT_SETTLE if grade is None else Outcome.GRADE,
                grade=grade,
                reason_code=reason_code,
                reason=reason,
                rubric=get_current_rubric(candidate.query.eval_set),
                request_id=request_id,
                replaces_id=after,
                adjudicated_at=at,
                adjudicated_by=by,
            )
    except IntegrityError as error:
        raise AdjudicationConflictError(_say_conflict(candidate)) from error
    if grade is None:
        _flag_if_unsettled(candidate.query, by=by, at=at)
    return decision


def can_adjudicate(candidate: Candidate, by: User) -> bool:
    """May this person decide on the candidate? Not who labelled it, also not who took the label back."""
    return not Judgment.objects.filter(candidate=candidate, annotator__user=by).exists()


def get_decision(candidate: Candidate) -> Adjudication | None:
    """Return the decision that stands, if there is one."""
    return Adjudication.objects.live().filter(candidate=candidate).select_related("adjudicated_by").first()


def flag_query(*, query: Query, reason: str, by: User, at: datetime) -> QueryFlag:
    """Ask for a query to be rewritten. A query that is flagged already keeps its first flag."""
    flag, _created = QueryFlag.objects.get_or_create(
        query=query,
        resolved_at__isnull=True,
        defaults={"reason": reason[:LONGEST_REASON], "flagged_by": by, "flagged_at": at},
    )
    return flag


def resolve_flag(*, flag: QueryFlag, by: User, at: datetime) -> bool:
    """Take a query's flag away, because it was rewritten or is good as it is; False where somebody did so already."""
    still_open = QueryFlag.objects.filter(pk=flag.pk, resolved_at__isnull=True)
    return bool(still_open.update(resolved_at=at, resolved_by=by))


def list_labels(candidate: Candidate) -> list[Judgment]:
    """Return the labels that stand at a candidate, those of persons first, in an order that tells neither who nor when."""
    labels = Judgment.objects.live().filter(candidate=candidate).select_related("annotator")
    return sorted(labels, key=lambda one: (one.annotator.kind == AnnotatorKind.FILE, one.request_id.hex))


def _check(candidate: Candidate, grade: int | None, reason_code: str, reason: str, by: User) -> None:
    grades = candidate.query.eval_set.grades
    if grade is not None and grade not in grades:
        raise AdjudicationError(f"The grade {grade} is not on the scale, which goes from {grades[0]} to {grades[-1]}.")
    if reason_code not in ReasonCode.values:
        raise AdjudicationError("Choose why the labels differ: the reason is kept with the decision.")
    if len(reason) > LONGEST_REASON:
        raise AdjudicationError(f"The remark has {len(reason)} characters; there is room for {LONGEST_REASON}.")
    if not can_adjudicate(candidate, by):
        raise OwnLabelError(
            "You labelled this candidate yourself, so somebody else has to decide on it. Your label counts as it is."
        )
    if not _is_labelled_out(candidate):
        raise AdjudicationError("This candidate has no two labels yet, so there is nothing to decide.")


def _is_labelled_out(candidate: Candidate) -> bool:
    """Two labels, or one "cannot judge": a single grade has nobody who disagrees with it."""
    standing = list(Judgment.objects.live().filter(candidate=candidate).values_list("grade", flat=True))
    return len(standing) >= 2 or None in standing


def _take_over(candidate: Candidate, after: int | None) -> None:
    """Take the mark of standing from the decision that is replaced; a conflict where it does not stand any more."""
    if after is None:
        return
    if not Adjudication.objects.live().filter(pk=after, candidate=candidate).update(live=False):
        raise AdjudicationConflictError(_say_conflict(candidate))


def _say_conflict(candidate: Candidate) -> str:
    standing = get_decision(candidate)
    if standing is None:
        return "This was not kept, because the same request had been used already. Load the page again."
    verdict = "that it cannot be settled" if standing.grade is None else f"for grade {standing.grade}"
    return (
        f"{standing.adjudicated_by} has decided {verdict} since you opened this candidate. That decision stands and yours was not "
        "kept. Open the candidate again to see it, and change it if you must."
    )


def _flag_if_unsettled(query: Query, *, by: User, at: datetime) -> None:
    unsettled = Adjudication.objects.live().filter(candidate__query=query, outcome=Outcome.CANNOT_SETTLE).count()
    if unsettled >= UNSETTLED_FOR_FLAG:
        flag_query(query=query, reason=f"{unsettled} of its candidates could not be settled.", by=by, at=at)


def get_candidate(eval_set: EvalSet, pk: int) -> Candidate | None:
    """Return a candidate of this eval set with what its passage is read from; None where there is none of that number."""
    return Candidate.objects.with_text().filter(pk=pk, query__eval_set=eval_set).first()
