"""The text of an evidence unit that is to be pooled: from the current snapshot, or as a recorded run brought it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from evalsets.batches import batched
from evalsets.models import Document, EvalSet, Result, Run, Section, Unit, sha256_of
from evalsets.pooling.strategies import Contribution, PooledCandidate

DOCUMENTS_AT_ONCE = 300
UnitKey = tuple[str, str]
NO_SECTION = "it names none of the sections of its document"


@dataclass(frozen=True)
class Source:
    """Where the snapshot holds a unit, as offsets into its document, with the SHA-256 of its text."""

    document_pk: int
    section_pk: int | None
    start: int
    end: int
    text_sha256: str


@dataclass(frozen=True)
class Passage:
    """What an annotator is to read: the snapshot's text (`source`) or the run's own, and the part that was retrieved."""

    source: Source | None
    own_text: str = ""
    mark: tuple[int, int] | None = None

    @property
    def text_sha256(self) -> str:
        return self.source.text_sha256 if self.source else sha256_of(self.own_text)


@dataclass(frozen=True)
class PoolProblem:
    """A result that cannot become a candidate, and why."""

    query_id: str
    doc_id: str
    section_id: str
    reason: str

    def __str__(self) -> str:
        unit = f"{self.doc_id}, section {self.section_id}" if self.section_id else self.doc_id
        return f"{self.query_id}: {unit}: {self.reason}"


class UnitTexts:
    """Finds the texts of units in the eval set's snapshot, and in runs what the snapshot does not hold."""

    def __init__(self, eval_set: EvalSet, runs: Sequence[Run], units: Collection[UnitKey]) -> None:
        self.eval_set = eval_set
        self.by_section = eval_set.unit == Unit.SECTION
        self.runs = {str(run.number): run for run in runs}
        self.sources: dict[UnitKey, Source] = {}
        self.doubts: dict[UnitKey, str] = {}
        self.document_sha256: dict[str, str] = {}
        self._read_snapshot(units)
        outside = {unit[0] for unit in units if unit not in self.sources}
        self._own_texts = self._read_own_texts(runs, outside)
        self._other_sha256 = self._read_other_snapshots(runs)

    def find(self, candidate: PooledCandidate) -> Passage | PoolProblem:
        """Give the passage of a pooled candidate, or why it has none. The mark is that of the run that ranked it highest."""
        ordered = sorted(
            candidate.contributions, key=lambda found: (found.unit_rank, found.rank, found.run, found.stage)
        )
        source = self.sources.get(candidate.unit)
        if source:
            marks = (self._mark(contribution, source) for contribution in ordered)
            return Passage(source, mark=next((mark for mark in marks if mark), None))
        for contribution in ordered:
            key = (contribution.run, candidate.query_id, contribution.stage, contribution.rank)
            if text := self._own_texts.get(key):
                return Passage(None, own_text=text)
        return PoolProblem(candidate.query_id, *candidate.unit, reason=self.why_not(candidate.unit))

    def why_not(self, unit: UnitKey) -> str:
        """Say why a unit has no text."""
        return self.doubts.get(unit) or "its document is not in the snapshot, and no run brought its text"

    def _mark(self, contribution: Contribution, source: Source) -> tuple[int, int] | None:
        result = contribution.result
        if result.start is None or result.end is None or not self._offsets_hold(contribution):
            return None
        start, end = max(result.start, source.start), min(result.end, source.end)
        return (start - source.start, end - source.start) if start < end else None

    def _offsets_hold(self, contribution: Contribution) -> bool:
        """Offsets mean something only in the text that the run was made over."""
        run, doc_id = self.runs[contribution.run], contribution.result.doc_id
        if run.snapshot_id == self.eval_set.snapshot_id:
            return True
        other = self._other_sha256.get(run.snapshot_id or 0, {})
        return doc_id in other and other[doc_id] == self.document_sha256.get(doc_id)

    def _read_snapshot(self, units: Collection[UnitKey]) -> None:
        wanted: dict[str, set[str]] = {}
        for doc_id, section_id in units:
            wanted.setdefault(doc_id, set()).add(section_id)
        for doc_ids in batched(wanted, DOCUMENTS_AT_ONCE):
            documents = list(Document.objects.filter(snapshot=self.eval_set.snapshot, doc_id__in=doc_ids))
            sections: dict[int, dict[str, Section]] = {}
            if self.by_section:
                for section in Section.objects.filter(document__in=documents):
                    sections.setdefault(section.document_id, {})[section.section_id] = section
            for document in documents:
                self.document_sha256[document.doc_id] = document.text_sha256
                for section_id in wanted[document.doc_id]:
                    self._add_source(document, section_id, sections.get(document.pk, {}))

    def _add_source(self, document: Document, section_id: str, sections: dict[str, Section]) -> None:
        unit = (document.doc_id, section_id)
        section = sections.get(section_id)
        if section is None and section_id:
            self.doubts[unit] = "its document has no such section in the snapshot, and no run brought its text"
        elif section is None and sections:
            self.doubts[unit] = NO_SECTION
        else:
            start, end = (section.start, section.end) if section else (0, len(document.text))
            text = document.text[start:end]
            if text.strip():
                self.sources[unit] = Source(document.pk, section.pk if section else None, start, end, sha256_of(text))
            else:
                self.doubts[unit] = "it has no text"

    def _read_own_texts(self, runs: Sequence[Run], doc_ids: Iterable[str]) -> dict[tuple[str, str, str, int], str]:
        texts = {}
        for ids in batched(sorted(doc_ids), DOCUMENTS_AT_ONCE):
            rows = Result.objects.filter(answer__run__in=runs, doc_id__in=ids).exclude(text="")
            fields = ("answer__run__number", "answer__query__query_id", "stage", "rank", "text", "doc_id", "section_id")
            for number, query_id, stage, rank, text, doc_id, section_id in rows.values_list(*fields):
                if text.strip() and self.doubts.get((doc_id, section_id)) != NO_SECTION:
                    texts[str(number), query_id, stage, rank] = text
        return texts

    def _read_other_snapshots(self, runs: Sequence[Run]) -> dict[int, dict[str, str]]:
        others = {run.snapshot_id for run in runs if run.snapshot_id not in (None, self.eval_set.snapshot_id)}
        found: dict[int, dict[str, str]] = {}
        for ids in batched(self.document_sha256 if others else (), DOCUMENTS_AT_ONCE):
            rows = Document.objects.filter(snapshot__in=others, doc_id__in=ids)
            for snapshot, doc_id, sha256 in rows.values_list("snapshot_id", "doc_id", "text_sha256"):
                found.setdefault(snapshot, {})[doc_id] = sha256
        return found
