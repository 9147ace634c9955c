"""What a query consists of once it is read, and which queries only look alike."""

import hashlib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from evalsets.formats.problems import Found

SPLITS = ("dev", "holdout")
EXPECTED_BEHAVIOURS = ("", "empty", "below_threshold", "insufficient_evidence")


@dataclass(frozen=True, slots=True)
class EvidenceRef:
    """A document, or a section of it, that is known to answer a query."""

    document_id: str
    section_id: str = ""


@dataclass(frozen=True, slots=True)
class QueryRow:
    """One query with everything that an eval set keeps about it; the text is exactly as written."""

    query_id: str
    text: str
    information_need: str = ""
    expected_scope: str = ""
    answerable: bool = True
    expected_behaviour: str = ""
    source: str = ""
    source_family: str = ""
    split: str = "dev"
    tags: tuple[str, ...] = ()
    synthetic: bool = False
    permitted: tuple[str, ...] = ()
    forbidden_documents: tuple[str, ...] = ()
    relevant_evidence: tuple[EvidenceRef, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    line: int | None = None


@dataclass
class QueriesFound(Found):
    """Queries as read."""

    queries: list[QueryRow] = field(default_factory=list)


def id_from_text(text: str, *, prefix: str) -> str:
    """Return an id that depends on nothing but the text: the prefix and 16 hexadecimal digits of its SHA-256."""
    return f"{prefix}-{hashlib.sha256(text.encode('utf-8')).hexdigest()[:16]}"


def folded(text: str) -> str:
    """Return a text without what the eye does not see: case, outer and repeated blanks, invisible characters, Unicode form."""
    visible = "".join(
        character for character in unicodedata.normalize("NFKC", text) if unicodedata.category(character) != "Cf"
    )
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def lookalikes(texts: Iterable[str]) -> list[list[str]]:
    """Return the groups of different texts that `folded` makes equal, in order of first appearance."""
    groups: dict[str, dict[str, None]] = {}
    for text in texts:
        groups.setdefault(folded(text), {})[text] = None
    return [list(group) for group in groups.values() if len(group) > 1]


def lookalike_warning(texts: Iterable[str]) -> list[str]:
    """Return one warning that lists the groups of texts that look alike, or none."""
    groups = lookalikes(texts)
    if not groups:
        return []
    shown = "; ".join(", ".join(ascii_visible(text) for text in group[:10]) for group in groups[:20])
    more = f"; and {len(groups) - 20} groups more" if len(groups) > 20 else ""
    count = "1 group" if len(groups) == 1 else f"{len(groups)} groups"
    return [
        f"{count} of query texts differ only in case, blanks, invisible characters or Unicode form, and stay apart: {shown}{more}"
    ]


def ascii_visible(text: str) -> str:
    """Return a text in quotes with escapes for what cannot be seen or told apart (combining marks, zero-width characters)."""
    shown = "".join(
        character if character.isprintable() and not unicodedata.combining(character) else f"\\u{ord(character):04x}"
        for character in text
    )
    return f"'{shown}'"
