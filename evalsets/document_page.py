"""What the pages of documents show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import linebreaks
from django.utils.safestring import SafeString, mark_safe

from evalsets.models import Document, EvalSet, Lifecycle, Query, Snapshot
from evalsets.models.corpora import DocumentQuerySet
from evalsets.rendering import looks_like_markdown, render_markdown

CHOICES = ("words", "doc_type", "lifecycle", "language", "access", "sort")
# What ?sort= may say; a minus before it turns the order round.
ORDERS = {"id": "doc_id", "title": "title", "type": "doc_type", "from": "effective_from"}
# What ?access= may say: everybody, or a group behind its mark.
EVERYBODY, GROUP = "everybody", "group:"


@dataclass(frozen=True)
class ShownSection:
    """A section ready to show: its anchor ("" for what lies between sections), its heading, and the rest of its text as safe HTML."""

    anchor: str
    section_id: str
    heading: str
    html: SafeString


def list_documents(snapshot: Snapshot, chosen: Mapping[str, str]) -> DocumentQuerySet:
    """The documents that match what is typed and chosen (`CHOICES`), without their texts, in the order that `sort` asks for."""
    documents = DocumentQuerySet(Document).filter(snapshot=snapshot).matching(chosen["words"]).defer("text")
    for name in ("doc_type", "lifecycle", "language"):
        if chosen[name]:
            documents = documents.filter(**{name: chosen[name]})
    if chosen["access"] == EVERYBODY:
        documents = documents.readable_by_everybody()
    elif chosen["access"]:
        documents = documents.readable_by(chosen["access"].removeprefix(GROUP))
    order = ORDERS.get(chosen["sort"].removeprefix("-"), "doc_id")
    sign = "-" if chosen["sort"].startswith("-") else ""
    # Ids break ties, so that pages never overlap.
    return documents.order_by(*dict.fromkeys([sign + order, "doc_id"] if order != "doc_id" else [sign + order]))


def list_choices(snapshot: Snapshot) -> dict[str, Any]:
    """The types, languages, lifecycles and groups that the documents of a snapshot can be narrowed to."""
    restricted = snapshot.documents.exclude(access__is_empty_list=True).order_by().values_list("access", flat=True)
    groups = sorted({group for access in restricted.iterator() for group in access})
    return {
        "types": _list_values(snapshot, "doc_type"),
        "languages": _list_values(snapshot, "language"),
        "lifecycles": Lifecycle.choices,
        "groups": [(GROUP + group, group) for group in groups],
    }


def describe_contents(sections: Sequence[ShownSection]) -> list[ShownSection]:
    """The sections that can be led to, as a list of contents; none where there is only one."""
    named = [section for section in sections if section.anchor]
    return named if len(named) > 1 else []


def show_sections(document: Document) -> list[ShownSection]:
    """The document's text in order, cut at its sections; what lies between them has no anchor."""
    render = render_markdown if looks_like_markdown(document.text) else _render_plain
    shown: list[ShownSection] = []
    reached = 0
    for section in document.sections.order_by("start", "position"):
        shown += _show_rest(document.text[reached : section.start], render)
        text = document.text[section.start : section.end]
        body = _without_heading(text) if section.heading else text
        shown.append(ShownSection(anchor_of(section.section_id), section.section_id, section.heading, render(body)))
        reached = section.end
    return shown + _show_rest(document.text[reached:], render)


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


def anchor_of(section_id: str) -> str:
    """The id of a section's element. The mark keeps a section called "main" apart from the page's own parts."""
    return f"section-{section_id}"


def list_predecessors(document: Document) -> DocumentQuerySet:
    """The documents of the same snapshot that this one supersedes."""
    siblings = DocumentQuerySet(Document).filter(snapshot=document.snapshot_id, superseded_by=document.doc_id)
    return siblings.in_order().defer("text")


def find_current(eval_set: EvalSet, document: Document) -> Document | None:
    """The document of the same id in the current snapshot, where this one is of another."""
    if document.snapshot_id == eval_set.snapshot_id:
        return None
    return Document.objects.filter(snapshot=eval_set.snapshot_id, doc_id=document.doc_id).defer("text").first()


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
    first, _newline, rest = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n").partition("\n")
    second = rest.lstrip(" ")
    if second.startswith(("===", "---")):
        return rest.partition("\n")[2]
    return rest if first.lstrip().startswith("#") else text


def _show_rest(text: str, render: Callable[[str], SafeString]) -> list[ShownSection]:
    return [ShownSection("", "", "", render(text))] if text.strip() else []


def _render_plain(text: str) -> SafeString:
    """Paragraphs and lines as they were written: a text without signs of Markdown means its line ends."""
    return mark_safe(linebreaks(text.strip(), autoescape=True))  # noqa: S308  # escaped on this line


def _list_values(snapshot: Snapshot, field: str) -> list[str]:
    found = snapshot.documents.exclude(**{field: ""}).order_by(field).values_list(field, flat=True)
    return list(found.distinct())
