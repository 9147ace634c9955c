"""What a document consists of once it is read."""

import datetime
from dataclasses import dataclass, field
from typing import Any

from evalsets.formats.problems import Found

LIFECYCLES = ("current", "draft", "archived")


@dataclass(frozen=True, slots=True)
class SectionRow:
    """One section: the characters `start` to `end` (exclusive) of its document's text. Sections never overlap.

    `level` is that of the heading (1 to 6), 0 where there is no heading.
    """

    section_id: str
    heading: str
    level: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document: its text exactly as written, its sections in order, and what is known about its life and its readers."""

    doc_id: str
    title: str
    text: str
    sections: tuple[SectionRow, ...] = ()
    language: str = ""
    doc_type: str = ""
    lifecycle: str = "current"
    effective_from: datetime.date | None = None
    effective_to: datetime.date | None = None
    superseded_by: str = ""
    access: tuple[str, ...] = ()
    source: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    line: int | None = None


@dataclass
class DocumentsFound(Found):
    """Documents as read."""

    documents: list[DocumentRow] = field(default_factory=list)
