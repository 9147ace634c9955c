"""Labels, Quepid books and Label Studio exports as kinds of import: each label becomes a judgment of its own annotator."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from django.utils import timezone

from evalsets.formats.catalogue import FORMATS, Option
from evalsets.formats.label_rows import LabelsFound
from evalsets.importing.query_matching import unknown_queries_option
from evalsets.importing.registry import Applied, ImportKind, Shown, Target, no_guess, register_import
from evalsets.importing.wording import counted
from evalsets.jobs import Progress
from evalsets.models import Candidate, EvalSet, sha256_of
from evalsets.queries import store_queries
from labelling.importing.planning import LabelPlan, PlannedLabel, Rater, note_of, plan_labels
from labelling.importing.units import LabelledUnits, UnitKey, own_texts
from labelling.models import Annotator, Judgment, Origin
from labelling.seating import fill_seats

BATCH = 1000
CandidateKey = tuple[str, UnitKey]


def _settings(target: Target) -> list[Option]:
    return [unknown_queries_option()]


def _check(found: LabelsFound, target: Target) -> None:
    said = plan_labels(found, target).said
    found.problems += said.problems
    found.warnings += said.warnings
    for reason, count in said.skipped.items():
        found.skipped[reason] = found.skipped.get(reason, 0) + count


def _apply(found: LabelsFound, target: Target, progress: Progress) -> Applied:
    """Write all labels; called inside the transaction that holds the eval set."""
    plan = plan_labels(found, target)
    if plan.matched.new:
        store_queries(eval_set=target.set, rows=plan.matched.new, by=target.by)
    documents = {row.doc_id: row.text or row.title for row in found.documents}
    texts = own_texts(documents, ((label.unit, label.row) for label in plan.labels))
    candidates, made = _find_or_make_candidates(target.set, plan, texts)
    annotators = _find_or_make_annotators(target.set, (label.rater for label in plan.labels))
    _add_judgments(plan.labels, candidates, annotators)
    filled = fill_seats(eval_set=target.set)
    counts = {
        "labels": len(plan.labels),
        "annotators": len(annotators),
        "candidates_made": made,
        "queries_made": len(plan.matched.new),
        "seats_filled": filled,
    }
    said = (
        f"{counted(len(plan.labels), 'label')} of {counted(len(annotators), 'annotator')} on "
        f"{counted(len({label.query_id for label in plan.labels}), 'query', 'queries')} added."
    )
    return Applied(said, counts, ("evalsets:view_candidates", []))


def _find_or_make_candidates(
    eval_set: EvalSet, plan: LabelPlan, texts: dict[UnitKey, str]
) -> tuple[dict[CandidateKey, tuple[int, str]], int]:
    """Return (row number, text checksum) of each candidate that the file names, and how many of them were made."""
    query_pks = dict(eval_set.queries.values_list("query_id", "pk"))
    here = _candidates_here(eval_set)
    missing = [key for key in plan.pairs if key not in here]
    rows = [_new_candidate(query_pks[query_id], unit, plan.units, texts.get(unit, "")) for query_id, unit in missing]
    Candidate.objects.bulk_create(rows, batch_size=BATCH)
    made = {key: (row.pk, row.text_sha256) for key, row in zip(missing, rows, strict=True)}
    return {**here, **made}, len(made)


def _candidates_here(eval_set: EvalSet) -> dict[CandidateKey, tuple[int, str]]:
    fields = ("query__query_id", "doc_id", "section_id", "pk", "text_sha256")
    rows = Candidate.objects.filter(query__eval_set=eval_set).values_list(*fields)
    return {(query_id, (doc_id, section_id)): (pk, sha256) for query_id, doc_id, section_id, pk, sha256 in rows}


def _new_candidate(query_pk: int, unit: UnitKey, units: LabelledUnits | None, own_text: str) -> Candidate:
    source = units.source(unit) if units else None
    return Candidate(
        query_id=query_pk,
        doc_id=unit[0],
        section_id=unit[1],
        source_document_id=source.document_pk if source else None,
        source_section_id=source.section_pk if source else None,
        own_text="" if source else own_text,
        text_sha256=source.text_sha256 if source else sha256_of(own_text),
    )


def _find_or_make_annotators(eval_set: EvalSet, raters: Iterable[Rater]) -> dict[Rater, int]:
    wanted = dict.fromkeys(raters)
    known = dict(Annotator.objects.filter(eval_set=eval_set, user=None).values_list("name", "pk"))
    missing = [rater for rater in wanted if rater.name not in known]
    made = Annotator.objects.bulk_create(
        Annotator(eval_set=eval_set, name=rater.name, kind=rater.kind) for rater in missing
    )
    known |= {annotator.name: annotator.pk for annotator in made}
    return {rater: known[rater.name] for rater in wanted}


def _add_judgments(
    labels: list[PlannedLabel], candidates: dict[CandidateKey, tuple[int, str]], annotators: dict[Rater, int]
) -> None:
    now = timezone.now()
    rows = []
    for label in labels:
        candidate_pk, sha256 = candidates[label.query_id, label.unit]
        grade, reason = label.graded
        rows.append(
            Judgment(
                candidate_id=candidate_pk,
                annotator_id=annotators[label.rater],
                grade=grade,
                cannot_judge=reason,
                note=note_of(label.row),
                text_sha256=label.text_sha256 or sha256,
                origin=Origin.IMPORT,
                request_id=uuid.uuid4(),
                judged_at=now,
            )
        )
    Judgment.objects.bulk_create(rows, batch_size=BATCH)


def _show(found: LabelsFound, target: Target) -> Shown:
    rows = found.labels
    grades = Counter(row.grade for row in rows)
    counts = [
        ("labels", len(rows)),
        ("queries", len({row.query for row in rows})),
        ("documents", len({row.doc_id for row in rows})),
        ("annotators", len({row.annotator for row in rows})),
        *((f"grade {grade}", grades[grade]) for grade in range(3, -1, -1)),
        ("cannot judge", grades[None]),
    ]
    columns = ("query", "document", "section", "grade", "annotator", "note")
    shown = [
        (row.query, row.doc_id, row.section_id, "" if row.grade is None else row.grade, row.annotator, note_of(row))
        for row in rows[:10]
    ]
    return Shown(counts, columns, shown, len(rows))


def _guess_book(data: bytes | Path, name: str) -> str:
    return "quepid_csv" if name.lower().endswith(".csv") else "quepid_json"


def _register(kind: str, label: str, formats: tuple[str, ...], help_text: str) -> ImportKind:
    return register_import(
        ImportKind(
            kind=kind,
            label=label,
            noun="labels",
            catalogue="labels",
            formats=formats,
            check=_check,
            apply=_apply,
            show=_show,
            settings=_settings,
            at_once=True,
            help=help_text,
            guess=_guess_book if kind == "quepid" else no_guess,
        )
    )


LABELS = _register(
    "labels",
    "Labels",
    tuple(item.id for item in FORMATS["labels"]),
    "Grades that exist already: TREC or BEIR qrels, CSV or JSON. With an annotator column each annotator stays apart.",
)
QUEPID = _register(
    "quepid", "Quepid book", ("quepid_json", "quepid_csv"), "A book exported from Quepid, as JSON or CSV."
)
LABEL_STUDIO = _register(
    "label_studio",
    "Label Studio export",
    ("label_studio",),
    "Tasks with annotations, exported from Label Studio as JSON.",
)
