"""The ranked lists of a run as pages show them: with titles, headings and the passages themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from evalsets.models import Answer, Document, Query, Result, Run, Section, Snapshot, Stage

SHOWN_OF_PASSAGE = 600


@dataclass(frozen=True)
class ListedResult:
    """One result, with what the snapshot knows of it; `document_pk` is None where it does not hold the document."""

    result: Result
    title: str
    heading: str
    document_pk: int | None
    passage: str

    @property
    def rank(self) -> int:
        return self.result.rank


def list_answers(run: Run, *, empty_only: bool = False) -> QuerySet[Answer]:
    """The run's answers, those without a result first, then in the order of the queries; `has_results` says which."""
    answers = run.answers.select_related("query").annotate(
        has_results=Exists(Result.objects.filter(answer=OuterRef("pk")))
    )
    if empty_only:
        answers = answers.filter(has_results=False)
    return answers.order_by("has_results", "query__position", "query_id")


def list_unanswered(run: Run) -> QuerySet[Query]:
    """Active queries that the run has no answer to."""
    return run.eval_set.queries.active().exclude(pk__in=run.answers.values("query")).in_order()


def list_first_documents(answers: Sequence[Answer], depth: int = 3) -> dict[int, list[str]]:
    """The documents of the first results of each answer, by the answer's pk: a glance at what came back."""
    found: dict[int, dict[str, list[str]]] = {}
    rows = Result.objects.filter(answer__in=answers, rank__lte=depth).order_by("answer_id", "stage", "rank")
    for answer_pk, stage, doc_id in rows.values_list("answer_id", "stage", "doc_id"):
        found.setdefault(answer_pk, {}).setdefault(stage, []).append(doc_id)
    return {pk: stages.get(Stage.FINAL) or next(iter(stages.values())) for pk, stages in found.items()}


def list_results(results: Iterable[Result], snapshot: Snapshot | None) -> list[ListedResult]:
    """Give results of one list or several with their titles, headings and passages, in the order given."""
    rows = list(results)
    doc_ids = {row.doc_id for row in rows}
    documents = {one.doc_id: one for one in Document.objects.filter(snapshot=snapshot, doc_id__in=doc_ids)}
    sections = Section.objects.filter(document__in=documents.values())
    headings = {
        (doc, section): heading
        for doc, section, heading in sections.values_list("document_id", "section_id", "heading")
    }
    return [_describe(row, documents.get(row.doc_id), headings) for row in rows]


def _describe(row: Result, document: Document | None, headings: dict[tuple[int, str], str]) -> ListedResult:
    passage = row.text
    if not passage and document and row.start is not None:
        passage = document.text[row.start : row.end]
    return ListedResult(
        result=row,
        title=(document.title if document else "") or row.doc_id,
        heading=headings.get((document.pk, row.section_id), row.section_id) if document else row.section_id,
        document_pk=document.pk if document else None,
        passage=passage if len(passage) <= SHOWN_OF_PASSAGE else passage[:SHOWN_OF_PASSAGE] + " …",
    )
