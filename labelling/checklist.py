"""What is unresolved before a gold set is published. Nothing of it is hidden: what is published all the same stands on the gold set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from django.db.models import Q

from evalsets.models import Candidate, EvalSet
from labelling.comparisons import Spread
from labelling.disagreements import list_flags
from labelling.gold_content import GoldDraft, list_without_relevant
from labelling.models import Seat

NAMED = 5


class State(Enum):
    """Whether a check is passed, has to be accepted by the lead, or forbids publishing."""

    PASSED = "passed"
    WARNING = "warning"
    BLOCKING = "blocking"


@dataclass(frozen=True)
class Check:
    """One question to the draft with its answer in words. `page` is where it can be looked into: a key of the caller's links."""

    key: str
    label: str
    sentence: str
    count: int = 0
    state: State = State.PASSED
    page: str = ""


def check_draft(eval_set: EvalSet, draft: GoldDraft) -> list[Check]:
    """Return all checks of a draft, in the order in which one would see to them."""
    return [
        _check_labels(draft),
        *_check_decisions(draft),
        *_check_work(eval_set, draft),
        *_check_queries(eval_set, draft),
        *_check_texts(eval_set, draft),
        _check_agreement(draft),
    ]


def _check(key: str, label: str, count: int, fine: str, otherwise: str, page: str = "") -> Check:
    """A check on a number that should be 0."""
    state = State.WARNING if count else State.PASSED
    return Check(key, label, otherwise if count else fine, count, state, page if count else "")


def _check_labels(draft: GoldDraft) -> Check:
    count = len(draft.content.labels)
    if count:
        return Check("labels", "Labels", f"{count} candidates have a gold grade.", count)
    sentence = "No candidate has a grade yet: there is nothing to publish."
    return Check("labels", "Labels", sentence, state=State.BLOCKING, page="queue")


def _check_decisions(draft: GoldDraft) -> Iterator[Check]:
    found = {spread: len(draft.open.get(spread, ())) for spread in Spread}
    yield _check(
        "crossing",
        "Disagreements across the threshold",
        found[Spread.CROSSING],
        "None: where labels lay on both sides of the threshold, a lead has decided.",
        f"{_candidates(found[Spread.CROSSING])} relevant for one annotator and not for another. Without a decision: no label.",
        "crossing",
    )
    yield _check(
        "far",
        "Disagreements of two grades or more",
        found[Spread.FAR],
        "None is undecided.",
        f"{_candidates(found[Spread.FAR])} two grades or more apart. Without a decision: no label.",
        "far",
    )
    yield _check(
        "near",
        "Disagreements of one grade",
        found[Spread.NEAR],
        "None is left open.",
        f"{_candidates(found[Spread.NEAR])} one grade apart on the same side of the threshold. Decide, or take the lower grade below.",
        "near",
    )
    yield _check(
        "cannot_judge",
        "Could not be judged",
        found[Spread.CANNOT_JUDGE],
        "No candidate was left without a grade by an annotator who could not judge it.",
        f"{_candidates(found[Spread.CANNOT_JUDGE])} that an annotator could not judge. A grade of another annotator counts alone.",
        "cannot_judge",
    )
    unsettled = len(draft.not_settled)
    yield _check(
        "not_settled",
        "Not settled by a lead",
        unsettled,
        "No decision says that a candidate cannot be settled.",
        f"{_candidates(unsettled)} that a lead could not settle: no label. Their queries may need rewriting.",
        "settled",
    )


def _check_work(eval_set: EvalSet, draft: GoldDraft) -> Iterator[Check]:
    seats = Seat.objects.open().filter(query__eval_set=eval_set, query__retired_at__isnull=True)
    waiting = seats.count()
    yield _check(
        "open_seats",
        "Labels still to be given",
        waiting,
        "Every place in the queue is filled.",
        f"{waiting} place{'' if waiting == 1 else 's'} in the queue still wait for a label. Candidates without one are unjudged, not irrelevant.",
        "progress",
    )
    double_set = draft.agreement.double_set
    missing = double_set.declared - double_set.complete
    yield _check(
        "double_set",
        "Double labels",
        missing,
        f"All {double_set.declared} declared double labels are complete."
        if double_set.declared
        else "None was declared.",
        f"{missing} of {double_set.declared} declared double labels are not complete, so agreement is interim.",
        "agreement",
    )


def _check_queries(eval_set: EvalSet, draft: GoldDraft) -> Iterator[Check]:
    without = list_without_relevant(draft.content)
    yield _check(
        "without_relevant",
        "Queries without a relevant label",
        len(without),
        "Every answerable query has a label at or above the threshold.",
        f"{_some(without)}: answerable, but nothing is labelled relevant. That is a defect of the data set; they are not scored.",
        "queries",
    )
    flagged = list(list_flags(eval_set).values_list("query__query_id", flat=True))
    yield _check(
        "flagged",
        "Queries to be rewritten",
        len(flagged),
        "No query is flagged.",
        f"{_some(flagged)}: flagged for rewriting. They would be published as they are.",
        "flags",
    )


def _check_texts(eval_set: EvalSet, draft: GoldDraft) -> Iterator[Check]:
    candidates = Candidate.objects.filter(query__eval_set=eval_set, query__retired_at__isnull=True)
    textless = candidates.filter(Q(source_document__isnull=True, own_text="")).count()
    yield _check(
        "without_text",
        "Candidates without text",
        textless,
        "The text of every candidate is known.",
        f"{_candidates(textless)} whose text is not known here: their documents are not in the snapshot.",
    )
    stale = len(draft.stale)
    yield _check(
        "stale",
        "Labels on another text",
        stale,
        "Every label was given on the text that the snapshot holds.",
        f"{_candidates(stale)} labelled on another text than the snapshot's. They should be judged again.",
    )
    if eval_set.snapshot is None:
        yield Check(
            "snapshot",
            "Snapshot",
            "No snapshot is chosen, so the labels stand on no frozen documents.",
            1,
            State.WARNING,
        )


def _check_agreement(draft: GoldDraft) -> Check:
    brief = draft.content.header["agreement"]
    value, low, high = brief["alpha_ordinal"], brief["low"], brief["high"]
    if value is None:
        return Check("agreement", "Agreement", brief["words"], 1, State.WARNING, "agreement")
    interval = f" (95 % interval {low:.3f} to {high:.3f})" if low is not None and high is not None else ""
    sentence = f"Ordinal alpha {value:.3f}{interval} over {brief['candidates']} candidates. {brief['words']}"
    low_band = draft.agreement.report.alpha.band == "low"
    weak = low_band or brief["interim"] or brief["preliminary"]
    return Check("agreement", "Agreement", sentence, int(weak), State.WARNING if weak else State.PASSED, "agreement")


def _candidates(count: int) -> str:
    return f"{count} candidate{'' if count == 1 else 's'}"


def _some(ids: list[str]) -> str:
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return ", ".join(ids[:NAMED]) + more
