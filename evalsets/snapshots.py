"""Loading documents into a snapshot: invisible until it is complete, frozen with a checksum when it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from evalsets.batches import batched
from evalsets.formats.document_rows import DocumentRow
from evalsets.gold.canonical import to_canonical_json
from evalsets.jobs import Progress, SilentProgress
from evalsets.models import Corpus, Document, EvalSet, Job, Section, Snapshot, sha256_of
from evalsets.numbering import create_numbered

# Small enough that somebody who grades at the same time on SQLite waits for no longer than one batch.
BATCH = 200
ABANDONED_AFTER = timedelta(hours=1)


def store_snapshot(
    *,
    corpus: Corpus,
    documents: Sequence[DocumentRow],
    source: str,
    by: Any,
    job: Job | None = None,
    progress: Progress | None = None,
) -> Snapshot:
    """Load `documents` as the corpus's next snapshot, freeze it and return it. Eval sets that have none yet use it.

    Whatever stops it (an error, cancelling) leaves no snapshot. What a killed worker left is thrown away by the next try.
    """
    discard_unfinished_snapshots(corpus=corpus, job=job)
    snapshot = create_numbered(
        corpus.snapshots.all(),
        lambda number: Snapshot.objects.create(corpus=corpus, number=number, source=source, created_by=by, job=job),
    )
    try:
        lines = _load_documents(snapshot, documents, progress or SilentProgress())
        _freeze(snapshot, lines)
    except BaseException:
        snapshot.delete()
        raise
    EvalSet.objects.filter(corpus=corpus, snapshot__isnull=True).update(snapshot=snapshot)
    return snapshot


def discard_unfinished_snapshots(*, corpus: Corpus, job: Job | None) -> None:
    """Delete what an earlier attempt of the same job, or a process that died, left half loaded."""
    unfinished = Snapshot.objects.filter(corpus=corpus, frozen_at__isnull=True)
    if job is not None:
        for snapshot in unfinished.filter(job=job):
            snapshot.delete()
    for snapshot in unfinished.filter(created_at__lt=timezone.now() - ABANDONED_AFTER):
        if snapshot.job is None or snapshot.job.is_finished:
            snapshot.delete()


def choose_snapshot(*, eval_set: EvalSet, snapshot: Snapshot) -> None:
    """Make a complete snapshot of the eval set's corpus its current one. ValueError for any other."""
    if snapshot.corpus_id != eval_set.corpus_id or snapshot.frozen_at is None:
        raise ValueError(f"{snapshot} is not a complete snapshot of {eval_set.corpus}")
    eval_set.snapshot = snapshot
    eval_set.save(update_fields=["snapshot"])


def describe_document(row: DocumentRow) -> str:
    """The canonical line of one document, which the snapshot's checksum is made of."""
    return to_canonical_json(
        {
            "doc_id": row.doc_id,
            "title": row.title,
            "text_sha256": sha256_of(row.text),
            "sections": [[part.section_id, part.heading, part.start, part.end] for part in row.sections],
            "doc_type": row.doc_type,
            "language": row.language,
            "lifecycle": row.lifecycle,
            "effective": [str(row.effective_from or ""), str(row.effective_to or "")],
            "superseded_by": row.superseded_by,
            "access": list(row.access),
            "source": row.source,
            "metadata": row.metadata,
        }
    )


def _load_documents(snapshot: Snapshot, documents: Sequence[DocumentRow], progress: Progress) -> dict[str, str]:
    lines: dict[str, str] = {}
    progress.report(0, len(documents), "Loading documents")
    for rows in batched(documents, BATCH):
        with transaction.atomic():
            _insert(snapshot, rows)
        lines.update((row.doc_id, hashlib.sha256(describe_document(row).encode()).hexdigest()) for row in rows)
        progress.report(len(lines), len(documents), "Loading documents")
    return lines


def _insert(snapshot: Snapshot, rows: Sequence[DocumentRow]) -> None:
    documents = Document.objects.bulk_create(_to_document(snapshot, row) for row in rows)
    sections: Iterable[Section] = (
        Section(
            document=document,
            section_id=part.section_id,
            heading=part.heading[:500],
            level=part.level,
            position=position,
            start=part.start,
            end=part.end,
        )
        for document, row in zip(documents, rows, strict=True)
        for position, part in enumerate(row.sections)
    )
    Section.objects.bulk_create(sections, batch_size=1000)


def _to_document(snapshot: Snapshot, row: DocumentRow) -> Document:
    return Document(
        snapshot=snapshot,
        doc_id=row.doc_id,
        title=row.title[:500],
        text=row.text,
        text_sha256=sha256_of(row.text),
        doc_type=row.doc_type,
        language=row.language,
        lifecycle=row.lifecycle,
        effective_from=row.effective_from,
        effective_to=row.effective_to,
        superseded_by=row.superseded_by,
        access=list(row.access),
        source=row.source,
        metadata=row.metadata,
    )


def _freeze(snapshot: Snapshot, lines: dict[str, str]) -> None:
    digest = hashlib.sha256()
    for doc_id in sorted(lines):
        digest.update(f"{lines[doc_id]}\n".encode())
    snapshot.sha256 = digest.hexdigest()
    snapshot.document_count = len(lines)
    snapshot.frozen_at = timezone.now()
    snapshot.save()
