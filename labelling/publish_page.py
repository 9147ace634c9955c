"""A proposed gold set in the words of the publishing page."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from evalsets.gold_card import describe_header
from evalsets.models import EvalSet, Provenance
from labelling.checklist import Check
from labelling.gold_content import count_provenances, list_without_relevant
from labelling.publishing import Proposal

PAGES = {
    "queue": ("labelling:view_queue", "", "Grade"),
    "crossing": ("labelling:list_disagreements", "?spread=crossing", "Settle"),
    "far": ("labelling:list_disagreements", "?spread=far", "Settle"),
    "near": ("labelling:list_disagreements", "?spread=near", "Settle"),
    "cannot_judge": ("labelling:list_disagreements", "?spread=cannot_judge", "Settle"),
    "settled": ("labelling:list_disagreements", "?state=settled", "Look"),
    "flags": ("labelling:list_disagreements", "#flags", "Look"),
    "progress": ("labelling:view_progress", "", "Progress"),
    "agreement": ("labelling:view_agreement", "", "Agreement"),
}


def show_proposal(eval_set: EvalSet, proposal: Proposal) -> dict[str, Any]:
    """Return what the page shows of what would be published."""
    content = proposal.draft.content
    counts = count_provenances(content)
    texts = {query["query_id"]: query["text"] for query in content.queries}
    holdout = sum(query["split"] == "holdout" for query in content.queries)
    contents = [
        {"name": "Queries", "value": len(content.queries), "n": f"{holdout} of them holdout"},
        {"name": "Labels", "value": len(content.labels), "n": "candidates with a gold grade"},
    ]
    contents += [
        {"name": provenance.label.capitalize(), "value": counts[provenance.value], "n": "labels"}
        for provenance in Provenance
        if counts[provenance.value]
    ]
    return {
        "number": content.header["version"],
        "contents": contents,
        "checks": [_show_check(eval_set, check) for check in proposal.checks],
        "warnings": len(proposal.warnings),
        "can_publish": not proposal.blocking and not proposal.same_as,
        "same_as": proposal.same_as,
        "facts": describe_header(content.header),
        "without_relevant": [
            {"text": texts[query_id], "note": query_id} for query_id in list_without_relevant(content)
        ],
    }


def _show_check(eval_set: EvalSet, check: Check) -> dict[str, Any]:
    shown = {"label": check.label, "count": check.count, "state": check.state.value, "sentence": check.sentence}
    if check.page == "without_relevant":
        return shown | {"url": "#without-relevant", "action_label": "Read them"}
    if check.page in PAGES:
        name, rest, action = PAGES[check.page]
        return shown | {"url": reverse(name, args=[eval_set.slug]) + rest, "action_label": action}
    return shown
