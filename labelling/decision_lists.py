"""Lists of candidates with their labels as pages show them: real texts, with what the list is narrowed to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.urls import reverse

from evalsets.models import Candidate, EvalSet
from labelling.comparisons import Choice, Comparison, Spread
from labelling.disagreements import Waiting, list_flags, read_candidates
from labelling.models import Adjudication, Annotator


def show_comparisons(eval_set: EvalSet, comparisons: Iterable[Comparison], choice: Choice) -> list[dict[str, Any]]:
    """Return one entry for each candidate: the query's text, where the passage stands, and the grades."""
    comparisons = list(comparisons)
    candidates = read_candidates(one.candidate_pk for one in comparisons)
    return [_entry(eval_set, candidates[one.candidate_pk], one, choice) for one in comparisons]


def show_decisions(eval_set: EvalSet, decisions: Sequence[Waiting], choice: Choice) -> list[dict[str, Any]]:
    """Return the entries of candidates that need or needed a decision, with what was decided."""
    made = Adjudication.objects.live().filter(candidate__in=[one.pk for one in decisions])
    decided = {one.candidate_id: one for one in made}
    entries = show_comparisons(eval_set, [one.comparison for one in decisions], choice)
    for entry, one in zip(entries, decisions, strict=True):
        entry["note"] += f" · {one.spread.words}"
        if one.flagged:
            entry["note"] += " · query to be rewritten"
        if one.settled:
            grade = decided[one.pk].grade
            entry["side"] = "not settled" if grade is None else f"decided: {grade}"
    return entries


def describe_choice(eval_set: EvalSet, choice: Choice) -> list[dict[str, str]]:
    """Return {label, url} of each thing that a list is narrowed to; the url takes that one away."""
    found: list[tuple[str, Choice]] = []
    if choice.query is not None:
        query = eval_set.queries.filter(pk=choice.query).first()
        found.append((f"query “{query}”" if query else "no such query", replace(choice, query=None)))
    if choice.tag:
        found.append((f"tag {choice.tag}", replace(choice, tag="")))
    if choice.pair:
        names = Annotator.objects.filter(eval_set=eval_set, pk__in=choice.pair).order_by("name")
        found.append((" and ".join(one.name for one in names) or "nobody", replace(choice, pair=None)))
    if choice.grades:
        found.append(("grades {} and {}".format(*choice.grades), replace(choice, grades=None)))
    if choice.spreads:
        words = " or ".join(sorted(spread.words for spread in choice.spreads))
        found.append((words, replace(choice, spreads=frozenset())))
    return [{"label": label, "url": without.as_url() or "?"} for label, without in found]


def list_kinds(decisions: Sequence[Waiting], choice: Choice) -> list[dict[str, Any]]:
    """Return {label, count, url} of each kind of open disagreement, to narrow the list by."""
    kinds = []
    for spread in Spread:
        count = sum(one.spread is spread and not one.settled for one in decisions)
        if count:
            url = replace(choice, spreads=frozenset({spread})).as_url()
            kinds.append({"label": spread.words, "count": count, "url": url})
    return kinds


def show_flags(eval_set: EvalSet) -> list[dict[str, Any]]:
    """Return {pk, text, reason, side} of each query that waits for rewriting."""
    flags = list_flags(eval_set).select_related("query", "flagged_by")
    return [
        {
            "pk": flag.pk,
            "text": flag.query.text,
            "reason": flag.reason,
            "side": f"{flag.flagged_by or 'somebody'}, {flag.flagged_at:%d %B %Y}",
        }
        for flag in flags
    ]


def _entry(eval_set: EvalSet, candidate: Candidate, comparison: Comparison, choice: Choice) -> dict[str, Any]:
    document, section = candidate.source_document, candidate.source_section
    place = [document.title or document.doc_id if document else candidate.doc_id]
    place += [section.heading or section.section_id if section else candidate.section_id]
    grades: list[int | str] = sorted(comparison.grades.values())
    return {
        "text": candidate.query.text,
        "url": reverse("labelling:adjudicate", args=[eval_set.slug, candidate.pk]) + choice.as_url(),
        "note": " \u203a ".join(part for part in place if part),
        "grades": [*grades, *["cannot_judge"] * comparison.cannot_judge],
    }
