"""What the page of one decision shows: the candidate, its labels side by side without names, the rubric, and where to go next."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse

from evalsets.models import Candidate, EvalSet
from labelling.adjudication import can_adjudicate, get_decision, is_labelled_out, list_labels
from labelling.cards import show_rubric
from labelling.comparisons import Choice, Comparison, Spread
from labelling.disagreements import Waiting, count_open, find_next, list_flags
from labelling.models import AnnotatorKind, Judgment, ReasonCode
from labelling.passages import blind, show
from labelling.rubrics import get_current_rubric

ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth")
SHORT_REASONS = {
    ReasonCode.MISREAD: "misread",
    ReasonCode.RUBRIC_GAP: "rubric gap",
    ReasonCode.AMBIGUOUS_QUERY: "ambiguous query",
    ReasonCode.MISSING_CONTEXT: "missing context",
    ReasonCode.DOMAIN_FACT: "knowledge of the field",
    ReasonCode.OTHER: "other",
}


@dataclass(frozen=True)
class Desk:
    """Where a lead sits: the eval set, who it is, what the list is narrowed to, and the list itself."""

    eval_set: EvalSet
    lead: User
    choice: Choice
    decisions: Sequence[Waiting]

    @property
    def list_url(self) -> str:
        return reverse("labelling:list_disagreements", args=[self.eval_set.slug]) + self.choice.as_url()

    def url_of(self, candidate_pk: int | None) -> str:
        """The page of a candidate, keeping what the list is narrowed to; that of the list where there is none."""
        if candidate_pk is None:
            return self.list_url
        return reverse("labelling:adjudicate", args=[self.eval_set.slug, candidate_pk]) + self.choice.as_url()

    def next_after(self, candidate_pk: int | None) -> int | None:
        """The next open candidate behind this one, going round; the one itself is last."""
        return find_next(self.decisions, after=candidate_pk)


@dataclass(frozen=True)
class Typed:
    """What a lead had typed when it could not be kept."""

    remark: str = ""
    reason: str = ""


def describe_desk(desk: Desk) -> dict[str, Any]:
    """Return what stands on the page whatever candidate it shows, also when none is left."""
    left, settled = count_open(desk.decisions), sum(one.settled for one in desk.decisions)
    return {
        "finished": left == 0,
        "remaining": left,
        "settled": settled,
        "list_url": desk.list_url,
        "agreement_url": reverse("labelling:view_agreement", args=[desk.eval_set.slug]),
        "publish_url": reverse("labelling:publish_gold_set", args=[desk.eval_set.slug]),
    }


def describe_decision(
    desk: Desk, candidate: Candidate, typed: Typed | None = None, *, wide: bool = False
) -> dict[str, Any]:
    """Return the context of the page for one candidate; load it `with_text` first."""
    eval_set, labels = desk.eval_set, list_labels(candidate)
    query, passage = show(blind(candidate))
    decision = get_decision(candidate)
    return describe_desk(desk) | {
        "finished": False,
        "step": "decide",
        "query": query,
        "passage": passage,
        "unit": eval_set.get_unit_display(),
        "rubric": show_rubric(get_current_rubric(eval_set)),
        "judgments": [_show_label(label, place) for place, label in enumerate(labels)],
        "effect": _say_effect(eval_set, labels),
        "reasons": [{"code": code.value, "label": words} for code, words in SHORT_REASONS.items()],
        "decision": decision,
        "flagged": list_flags(eval_set).filter(query=candidate.query_id).exists(),
        "may_decide": can_adjudicate(candidate, desk.lead),
        "is_complete": is_labelled_out(candidate),
        "request_id": uuid.uuid4(),
        "typed": typed or Typed(reason=decision.reason_code if decision else ""),
        "context_wide": wide,
        "decide_url": desk.url_of(candidate.pk),
        "flag_url": reverse("labelling:flag_query", args=[eval_set.slug, candidate.pk]) + desk.choice.as_url(),
        "skip_url": desk.url_of(desk.next_after(candidate.pk)),
    }


def _show_label(label: Judgment, place: int) -> dict[str, Any]:
    name = ORDINALS[place] if place < len(ORDINALS) else f"{place + 1}th"
    return {
        "label": f"{name} label" if label.annotator.kind == AnnotatorKind.PERSON else "Imported label",
        "grade": label.grade,
        "cannot_judge": label.get_cannot_judge_display() if label.cannot_judge else "",
        "note": label.note,
    }


def _say_effect(eval_set: EvalSet, labels: Sequence[Judgment]) -> str:
    persons = [label for label in labels if label.annotator.kind == AnnotatorKind.PERSON] or labels
    grades = {label.annotator_id: label.grade for label in persons if label.grade is not None}
    unjudged = sum(label.grade is None for label in persons)
    spread = Comparison(0, 0, grades, cannot_judge=unjudged).spread(eval_set.threshold)
    if spread is Spread.CROSSING:
        return f"It crosses the threshold: relevant from grade {eval_set.threshold} on, so one label makes it relevant and another does not."
    if spread is Spread.SAME:
        return "The labels agree. A decision is only needed if both are wrong."
    return f"{spread.words[0].upper()}{spread.words[1:]}."
