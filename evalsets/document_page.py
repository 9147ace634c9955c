"""What the pages of documents show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from evalsets.models import Document, EvalSet, Query, Snapshot
from evalsets.rendering import render_markdown


@dataclass(frozen=True)
class ShownSection:
    """A section ready to show: its anchor, its heading, and the rest of its text as safe HTML."""

    section_id: str
    heading: str
    html: SafeString


def list_documents(snapshot: Snapshot, *, words: str, doc_type: str, lifecycle: str) -> QuerySet[Document]:
    """The documents that match what is typed and chosen, without their texts."""
    documents = snapshot.documents.in_order().matching(words).defer("text")
    if doc_type:
        documents = documents.filter(doc_type=doc_type)
    return documents.filter(lifecycle=lifecycle) if lifecycle else documents


def list_types(snapshot: Snapshot) -> list[str]:
    """The document types that occur."""
    found = snapshot.documents.exclude(doc_type="").order_by("doc_type").values_list("doc_type", flat=True)
    return list(found.distinct())


def show_sections(document: Document) -> list[ShownSection]:
    """The document's text in order, cut at its sections; what lies between them has no anchor."""
    shown: list[ShownSection] = []
    reached = 0
    for section in document.sections.order_by("start", "position"):
        shown += _show_rest(document.text[reached : section.start])
        text = document.text[section.start : section.end]
        body = _without_heading(text) if section.heading else text
        shown.append(ShownSection(section.section_id, section.heading, render_markdown(body)))
        reached = section.end
    return shown + _show_rest(document.text[reached:])


def describe_facts(document: Document) -> list[dict[str, Any]]:
    """What is known of the document, without what is empty."""
    facts: list[dict[str, Any]] = [
        {"name": "document id", "value": document.doc_id, "mono": True},
        {"name": "type", "value": document.doc_type},
        {"name": "language", "value": document.language},
        {"name": "lifecycle", "value": document.get_lifecycle_display()},
        {"name": "in force from", "value": _day(document.effective_from)},
        {"name": "in force until", "value": _day(document.effective_to)},
        {"name": "readable by", "value": ", ".join(document.access) or "everybody"},
        {"name": "source", "value": document.source},
        {"name": "SHA-256 of the text", "value": document.text_sha256, "mono": True},
        *({"name": name, "value": value} for name, value in document.metadata.items()),
    ]
    return [fact for fact in facts if fact["value"] not in ("", None)]


def find_successor(document: Document) -> Document | None:
    """The document that supersedes it, where the same snapshot holds it."""
    if not document.superseded_by:
        return None
    return document.snapshot.documents.filter(doc_id=document.superseded_by).defer("text").first()


def list_queries_about(eval_set: EvalSet, document: Document) -> list[Query]:
    """The active queries whose author states the document as evidence."""
    return [
        query
        for query in eval_set.queries.active().in_order().only("pk", "text", "stated_evidence")
        if any(one.get("document_id") == document.doc_id for one in query.stated_evidence)
    ]


def _day(day: Any) -> str:
    return f"{day:%d %B %Y}".lstrip("0") if day else ""


def _without_heading(text: str) -> str:
    """Leave out a section's first line, which is its heading: the page shows it by itself."""
    first, _newline, rest = text.lstrip("\r\n").partition("\n")
    second = rest.lstrip(" ")
    if second.startswith(("===", "---")):
        return rest.partition("\n")[2]
    return rest if first.lstrip().startswith("#") else text


def _show_rest(text: str) -> list[ShownSection]:
    return [ShownSection("", "", render_markdown(text))] if text.strip() else []
