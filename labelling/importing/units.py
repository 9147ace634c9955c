"""Where the labelled units of a file stand in the eval set's snapshot, and with which text they were judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evalsets.batches import batched
from evalsets.formats.label_rows import LabelRow
from evalsets.formats.problems import Problem
from evalsets.importing.nearness import Nearness
from evalsets.models import Document, EvalSet, Section, Unit, sha256_of
from evalsets.pool_units import NO_SECTION, Source, UnitTexts

UnitKey = tuple[str, str]
DOCUMENTS_AT_ONCE = 300
NAMED = 8


class LabelledUnits:
    """Finds the evidence unit of each label; what cannot be one is a problem in words."""

    def __init__(self, eval_set: EvalSet, units: Iterable[UnitKey]) -> None:
        self.eval_set = eval_set
        self.by_section = eval_set.unit == Unit.SECTION
        self.found: dict[UnitKey, UnitKey | str] = {}
        wanted = {unit for key in units for unit in self._possible(*key)}
        self.texts = UnitTexts(eval_set, [], wanted)
        self._sections: dict[str, list[str]] = {}

    def find(self, doc_id: str, section_id: str, line: int | None) -> UnitKey | Problem:
        """Return the unit (document id, section id or "") of a label, or the problem that it has none."""
        key = (doc_id, section_id)
        if key not in self.found:
            self.found[key] = self._find(doc_id, section_id)
        unit = self.found[key]
        if isinstance(unit, str):
            field = "section_id" if section_id or not self.by_section else "doc_id"
            return Problem(line, field, section_id if field == "section_id" else doc_id, unit)
        return unit

    def source(self, unit: UnitKey) -> Source | None:
        """Return where the snapshot holds the unit, or None where it does not."""
        return self.texts.sources.get(unit)

    def is_in_snapshot(self, doc_id: str) -> bool:
        return doc_id in self.texts.document_sha256

    def _possible(self, doc_id: str, section_id: str) -> list[UnitKey]:
        possible = [(doc_id, section_id)]
        if self.by_section and not section_id and "#" in doc_id:
            document, _, section = doc_id.rpartition("#")
            possible.append((document, section))
        return possible

    def _find(self, doc_id: str, section_id: str) -> UnitKey | str:
        """Return the unit, or what was expected instead."""
        if not self.by_section:
            if section_id:
                return "no section: the labels of this eval set are on whole documents"
            return doc_id, ""
        for unit in self._possible(doc_id, section_id):
            if unit in self.texts.sources:
                return unit
        if section_id and not self.is_in_snapshot(doc_id):
            return doc_id, section_id
        if self.texts.doubts.get((doc_id, section_id)) not in (None, NO_SECTION) and not section_id:
            return doc_id, ""
        return self._explain(doc_id, section_id)

    def _explain(self, doc_id: str, section_id: str) -> str:
        document, _, after = doc_id.rpartition("#")
        if not section_id and document and self.is_in_snapshot(document):
            doc_id, section_id = document, after
        if section_id:
            sections = self._sections_of(doc_id)
            return f"a section of document {doc_id!r}{Nearness(sections).advice(section_id)}; it has {_named(sections)}"
        if self.is_in_snapshot(doc_id):
            names = _named(self._sections_of(doc_id))
            return (
                "a section of the document, because the labels of this eval set are on sections: in a column section_id, or as "
                f"{doc_id}#SECTION; it has {names}"
            )
        return (
            "a section, because the labels of this eval set are on sections, and this document is not in its snapshot: name it in a "
            "column section_id, or import the document first"
        )

    def _sections_of(self, doc_id: str) -> list[str]:
        if doc_id not in self._sections:
            sections = Section.objects.filter(document__snapshot=self.eval_set.snapshot, document__doc_id=doc_id)
            self._sections[doc_id] = list(sections.order_by("position").values_list("section_id", flat=True))
        return self._sections[doc_id]


def find_foreign_passages(
    labels: Iterable[tuple[UnitKey, LabelRow]], units: LabelledUnits
) -> dict[tuple[UnitKey, str], str]:
    """Return the SHA-256 of each passage that a file gives and that is no part of the unit's text here, by unit and passage.

    Such a label was given on another text; with the text's own checksum it counts as stale until somebody looks again.
    """
    wanted: dict[int, set[tuple[UnitKey, str]]] = {}
    for unit, row in labels:
        source = units.source(unit)
        if row.passage_text and source:
            wanted.setdefault(source.document_pk, set()).add((unit, row.passage_text))
    foreign = {}
    for pks in batched(wanted, DOCUMENTS_AT_ONCE):
        for pk, text in Document.objects.filter(pk__in=pks).values_list("pk", "text"):
            for unit, passage in wanted[pk]:
                source = units.source(unit)
                if source and _plain(passage) not in _plain(text[source.start : source.end]):
                    foreign[unit, passage] = sha256_of(passage)
    return foreign


def own_texts(documents: Mapping[str, str], labels: Iterable[tuple[UnitKey, LabelRow]]) -> dict[UnitKey, str]:
    """Return the text that a file brings for each unit: its first passage, else its document's text."""
    texts: dict[UnitKey, str] = {}
    for unit, row in labels:
        if row.passage_text:
            texts.setdefault(unit, row.passage_text)
    return texts | {(doc_id, ""): text for doc_id, text in documents.items() if (doc_id, "") not in texts}


def _plain(text: str) -> str:
    return " ".join(text.split())


def _named(sections: list[str]) -> str:
    if not sections:
        return "no sections"
    more = f" and {len(sections) - NAMED} more" if len(sections) > NAMED else ""
    return f"{', '.join(map(repr, sections[:NAMED]))}{more}"
