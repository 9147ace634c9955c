"""A candidate as a page shows it: the passage with its document, section and neighbouring text. The only way in is blindness."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.safestring import mark_safe

from evalsets.models import Candidate, Lifecycle
from labelling.blindness import BlindCandidate, shown_to_annotator
from labelling.rendering import ShownText, show_passage

# Enough to see where the passage stands; the whole document could be a book.
NEIGHBOUR_CHARACTERS = 1500


@dataclass(frozen=True)
class ShownQuery:
    """The query as the templates show it."""

    text: str
    information_need: str
    expected_scope: str


@dataclass(frozen=True)
class ShownPassage:
    """The passage as the templates show it.

    The retrieved part stands in `html` or, where there is none, in `text`; `lead` and `rest` are the parts of the judged unit before and
    after it, in the same form; `before` and `after` are the neighbouring text, always plain.
    """

    title: str
    section_heading: str
    language: str
    archived: bool
    effective_from: str
    effective_to: str
    html: str
    text: str
    lead: str
    rest: str
    before: str
    after: str


def blind(candidate: Candidate) -> BlindCandidate:
    """Return what an annotator may see of a candidate; load it `with_text` first."""
    return shown_to_annotator(_describe(candidate))


def show(seen: BlindCandidate) -> tuple[ShownQuery, ShownPassage]:
    """Make what may be seen ready for the templates: cut at the mark, rendered and cleaned."""
    text = show_passage(seen.passage, seen.mark)
    query = ShownQuery(text=seen.query, information_need=seen.information_need, expected_scope=seen.scope)
    passage = ShownPassage(
        title=seen.title,
        section_heading=seen.section,
        language=seen.language,
        archived=seen.lifecycle == Lifecycle.ARCHIVED,
        effective_from=seen.effective_from,
        effective_to=seen.effective_to,
        before=seen.before,
        after=seen.after,
        html=_safe(text, text.marked) if text.is_html else "",
        text="" if text.is_html else text.marked,
        lead=_safe(text, text.lead),
        rest=_safe(text, text.rest),
    )
    return query, passage


def _safe(text: ShownText, part: str) -> str:
    return mark_safe(part) if text.is_html else part  # noqa: S308  # nh3 has cleaned it


def _describe(candidate: Candidate) -> dict[str, Any]:
    document, section, query = candidate.source_document, candidate.source_section, candidate.query
    passage = candidate.text
    described = {
        "query": query.text,
        "information_need": query.information_need,
        "scope": query.expected_scope,
        "passage": passage,
        "mark": _mark(candidate, len(passage)),
    }
    if document is not None:
        described |= {
            "title": document.title,
            "language": document.language,
            "lifecycle": document.lifecycle,
            "effective_from": _in_words(document.effective_from),
            "effective_to": _in_words(document.effective_to),
        }
        if section is not None:
            described |= {
                "section": section.heading,
                "before": _last_part(document.text[max(0, section.start - NEIGHBOUR_CHARACTERS) : section.start]),
                "after": _first_part(document.text[section.end : section.end + NEIGHBOUR_CHARACTERS]),
            }
    return described


def _mark(candidate: Candidate, length: int) -> tuple[int, int] | None:
    if candidate.mark_start is None or candidate.mark_end is None:
        return None
    start, end = min(candidate.mark_start, length), min(candidate.mark_end, length)
    # A mark over everything, or over nothing, tells nothing.
    return (start, end) if start < end and (start, end) != (0, length) else None


def _last_part(text: str) -> str:
    """Drop the broken word at the cut."""
    return text.split(maxsplit=1)[-1].rstrip() if len(text) == NEIGHBOUR_CHARACTERS and text.strip() else text.strip()


def _first_part(text: str) -> str:
    return text.rsplit(maxsplit=1)[0].lstrip() if len(text) == NEIGHBOUR_CHARACTERS and text.strip() else text.strip()


def _in_words(day: date | None) -> str:
    return f"{day.day} {day:%B %Y}" if day else ""
