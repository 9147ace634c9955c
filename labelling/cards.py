"""What a grading page shows: one candidate, blind, with the rubric, the progress and the ways back."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.safestring import mark_safe

from evalsets.models import Candidate, EvalSet
from labelling.handles import make_handle
from labelling.judging import Verdict
from labelling.models import Annotator, CannotJudge, Judgment, Rubric
from labelling.passages import blind, show
from labelling.queue import get_progress, waits_elsewhere
from labelling.rendering import render_guidance
from labelling.rubrics import get_current_rubric


@dataclass(frozen=True)
class Page:
    """What the person asked for apart from the candidate: `trouble` is a sentence to say, `wide` opens the neighbouring text."""

    trouble: str = ""
    wide: bool = False


def describe_next(
    annotator: Annotator, candidate: Candidate | None, page: Page, draft: Verdict | None = None
) -> dict[str, Any]:
    """Return the context of the grading page for the candidate that the queue gave, or for its end where there is none.

    `draft` is what was typed already and could not be kept.
    """
    eval_set = annotator.eval_set
    latest = Judgment.objects.given_here_by(annotator).first()
    context = _describe_frame(annotator, candidate, page) | {
        "grade_url": reverse("labelling:judge_candidate", args=[eval_set.slug]),
        "undo_url": reverse("labelling:undo_judgment", args=[eval_set.slug, latest.request_id]) if latest else "",
        "back_url": _review_url(eval_set, latest),
    }
    if candidate is None:
        return context | {"finished": True, "elsewhere": waits_elsewhere(annotator=annotator)}
    taken_back = Judgment.objects.filter(annotator=annotator, candidate=candidate).order_by("-pk").first()
    return context | _describe_candidate(annotator, candidate) | {"judgment": draft or taken_back}


def describe_given(
    annotator: Annotator, judgment: Judgment, page: Page, draft: Verdict | None = None
) -> dict[str, Any]:
    """Return the context of the grading page for changing what the annotator has judged; load the judgment `with_passage` first."""
    eval_set = annotator.eval_set
    earlier = Judgment.objects.given_here_by(annotator).filter(pk__lt=judgment.pk).first()
    candidate = judgment.candidate
    return (
        _describe_frame(annotator, candidate, page)
        | _describe_candidate(annotator, candidate)
        | {
            "judgment": draft or judgment,
            "changing": judgment,
            "grade_url": _review_url(eval_set, judgment),
            "undo_url": "",
            "back_url": _review_url(eval_set, earlier),
        }
    )


def show_rubric(rubric: Rubric) -> dict[str, Any]:
    """Return a rubric as the templates show it: .number .grades .notes_html"""
    grades = [
        {
            "value": definition["grade"],
            "label": definition["label"],
            "definition": definition["definition"],
            "examples": [definition["example"]] if definition.get("example") else [],
        }
        for definition in rubric.definitions
    ]
    notes_html = mark_safe(render_guidance(rubric.guidance))  # noqa: S308  # nh3 has cleaned it
    return {"number": rubric.number, "grades": grades, "notes_html": notes_html}


def _describe_frame(annotator: Annotator, candidate: Candidate | None, page: Page) -> dict[str, Any]:
    return {
        "progress": get_progress(annotator=annotator, query=candidate.query if candidate else None),
        "trouble": page.trouble,
        "context_wide": page.wide,
        "queue_url": reverse("labelling:view_queue", args=[annotator.eval_set.slug]),
        "judged_url": reverse("labelling:list_judged", args=[annotator.eval_set.slug]),
    }


def _describe_candidate(annotator: Annotator, candidate: Candidate) -> dict[str, Any]:
    query, passage = show(blind(candidate))
    return {
        "query": query,
        "passage": passage,
        "unit": annotator.eval_set.get_unit_display(),
        "handle": make_handle(annotator, candidate),
        "request_id": uuid.uuid4(),
        "rubric": show_rubric(get_current_rubric(annotator.eval_set)),
        "reasons": [{"code": code, "label": label} for code, label in CannotJudge.choices],
    }


def _review_url(eval_set: EvalSet, judgment: Judgment | None) -> str:
    return reverse("labelling:review_judgment", args=[eval_set.slug, judgment.request_id]) if judgment else ""
