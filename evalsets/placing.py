"""Finding the sections that a recorded run does not name: by the offsets or the texts of its passages, in the snapshot's documents.

It is done once, when the run is stored, so that pools and scores see the same evidence units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from evalsets.batches import batched
from evalsets.formats.run_rows import ResultRow
from evalsets.models import Document, Section, Snapshot, Unit
from evalsets.pooling.locating import SectionSpan, find_passage, section_at

ResultKey = tuple[str, str, int]

DOCUMENTS_AT_ONCE = 500
NAMED = 10


@dataclass
class _Placed:
    """The rows that were found, by their identity in the run, and what was not."""

    rows: dict[ResultKey, ResultRow] = field(default_factory=dict)
    sections_found: int = 0
    lost: list[ResultRow] = field(default_factory=list)


def place_results(
    results: Iterable[ResultRow], *, snapshot: Snapshot, unit: str
) -> tuple[dict[ResultKey, ResultRow], list[str]]:
    """Give the results that could be placed better, with section and offsets, and sentences for the run's warnings.

    Results whose document the snapshot does not hold, or that say everything already, are not among them.
    """
    waiting: dict[str, list[ResultRow]] = {}
    for row in results:
        if (row.text and row.start is None) or (row.start is not None and not row.section_id):
            waiting.setdefault(row.doc_id, []).append(row)
    placed = _Placed()
    for doc_id, text, sections in _read_documents(snapshot, list(waiting)):
        for row in waiting[doc_id]:
            _place(row, text, sections, placed, by_section=unit == Unit.SECTION)
    return placed.rows, _describe(placed)


def result_key(row: ResultRow) -> ResultKey:
    """What tells a result from the others of its run."""
    return row.query_id, row.stage, row.rank


def _place(row: ResultRow, text: str, sections: list[SectionSpan], placed: _Placed, *, by_section: bool) -> None:
    span = (row.start, row.end) if row.start is not None and row.end is not None else find_passage(text, row.text)
    section_id = row.section_id
    if by_section and sections and not section_id:
        section_id = section_at(sections, *span) if span else ""
        if section_id:
            placed.sections_found += 1
        else:
            placed.lost.append(row)
    if span:
        placed.rows[result_key(row)] = replace(row, section_id=section_id, start=span[0], end=span[1])


def _read_documents(snapshot: Snapshot, doc_ids: Sequence[str]) -> Iterator[tuple[str, str, list[SectionSpan]]]:
    for ids in batched(doc_ids, DOCUMENTS_AT_ONCE):
        sections: dict[int, list[SectionSpan]] = {}
        documents = Document.objects.filter(snapshot=snapshot, doc_id__in=ids)
        spans = Section.objects.filter(document__in=documents.values("pk")).order_by("position")
        for document_pk, section_id, start, end in spans.values_list("document_id", "section_id", "start", "end"):
            sections.setdefault(document_pk, []).append((section_id, start, end))
        for pk, doc_id, text in documents.values_list("pk", "doc_id", "text"):
            yield doc_id, text, sections.get(pk, [])


def _describe(placed: _Placed) -> list[str]:
    said = []
    if placed.sections_found:
        said.append(
            f"Results that named a document and no section: {placed.sections_found} got the section in which their passage was found."
        )
    if placed.lost:
        named = ", ".join(f"{row.query_id}: {row.doc_id}" for row in placed.lost[:NAMED])
        said.append(
            f"Results that name a document and no section, and whose passage is not in its text: {len(placed.lost)}. They belong to no "
            f"section, so they cannot be judged ({named}{', ...' if len(placed.lost) > NAMED else ''})."
        )
    return said
