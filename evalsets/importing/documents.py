"""Documents: they become a new snapshot of the corpus."""

from __future__ import annotations

from collections import Counter

from django.db.models import Max

from evalsets.formats.catalogue import Option
from evalsets.formats.document_rows import DocumentRow, DocumentsFound
from evalsets.formats.problems import Problem
from evalsets.importing.lengths import check_lengths
from evalsets.importing.registry import Applied, ImportKind, Shown, Target, register_import
from evalsets.importing.wording import counted, named
from evalsets.jobs import Progress
from evalsets.models import Candidate, Document, Lifecycle, Section, Snapshot, sha256_of
from evalsets.snapshots import choose_snapshot, store_snapshot

_COLUMNS = ("doc_id", "title", "language", "doc_type", "source", "superseded_by")


def _settings(target: Target) -> list[Option]:
    # A first snapshot is used in any case.
    if target.eval_set is None or target.eval_set.snapshot is None:
        return []
    use = Option(
        "use",
        "Use it from now on",
        "Make the new snapshot the one that this eval set retrieves from and shows to annotators.",
        (("yes", "yes"), ("no", "no, only keep it")),
    )
    return [use]


def _check(found: DocumentsFound, target: Target) -> None:
    check_lengths(found, found.documents, {name: (Document, name) for name in _COLUMNS})
    sections = (section for row in found.documents for section in row.sections)
    check_lengths(found, sections, {name: (Section, name) for name in ("section_id", "heading")})
    for row in found.documents:
        if row.lifecycle not in Lifecycle.values:
            expected = f"one of {', '.join(Lifecycle.values)}"
            found.problems.append(Problem(row.line, "lifecycle", row.lifecycle, expected))
    ids = {row.doc_id for row in found.documents}
    lost = [row.doc_id for row in found.documents if row.superseded_by and row.superseded_by not in ids]
    if lost:
        found.warnings.append(f"superseded by a document that is not in the file: {named(lost)}")
    latest = _latest(target)
    if latest is not None and found.documents:
        _compare(found, target, latest)


def _latest(target: Target) -> Snapshot | None:
    """Return the snapshot that the eval set uses, else the newest of the corpus."""
    if target.eval_set and target.eval_set.snapshot:
        return target.eval_set.snapshot
    if target.corpus.pk is None:
        return None
    return target.corpus.snapshots.filter(frozen_at__isnull=False).order_by("-number").first()


def _compare(found: DocumentsFound, target: Target, latest: Snapshot) -> None:
    """Say what the new snapshot changes, and which labels it touches."""
    old = dict(latest.documents.values_list("doc_id", "text_sha256"))
    changes = Counter(_change(row, old) for row in found.documents)
    here = {row.doc_id for row in found.documents}
    gone = [doc_id for doc_id in old if doc_id not in here]
    if not gone and changes == {"the same": len(old)}:
        found.warnings.append(f"every text is the same as in {latest}")
        return
    said = ", ".join(f"{changes[word]} {word}" for word in ("new", "changed", "the same") if changes[word])
    found.warnings.append(f"compared with {latest}: {said}, {len(gone)} not there any more")
    if gone and target.eval_set is not None:
        labelled = Candidate.objects.filter(query__eval_set=target.eval_set, source_document__snapshot=latest)
        lost = sorted(set(gone) & set(labelled.values_list("doc_id", flat=True).distinct()))
        if lost:
            found.warnings.append(
                f"{counted(len(lost), 'document')} of the pool or with labels would be gone: {named(lost)}"
            )


def _change(row: DocumentRow, old: dict[str, str]) -> str:
    if row.doc_id not in old:
        return "new"
    return "the same" if old[row.doc_id] == sha256_of(row.text) else "changed"


def _apply(found: DocumentsFound, target: Target, progress: Progress) -> Applied:
    snapshot = _stored_before(target) or store_snapshot(
        corpus=target.corpus,
        documents=found.documents,
        source=target.source,
        by=target.by,
        job=target.job,
        progress=progress,
    )
    used = ""
    if target.eval_set is not None and target.option("use") != "no":
        choose_snapshot(eval_set=target.eval_set, snapshot=snapshot)
        used = ", used from now on"
    counts = {"documents": len(found.documents), "sections": sum(len(row.sections) for row in found.documents)}
    said = f"{counted(counts['documents'], 'document')} with {counted(counts['sections'], 'section')} became {snapshot}{used}."
    return Applied(said, counts | {"snapshot": snapshot.number}, ("evalsets:list_documents", []))


def _stored_before(target: Target) -> Snapshot | None:
    """Return the snapshot that an earlier attempt of the same job completed before its worker died."""
    return Snapshot.objects.complete().filter(job=target.job).first() if target.job else None


def _show(found: DocumentsFound, target: Target) -> Shown:
    rows = found.documents
    newest = target.corpus.snapshots.aggregate(newest=Max("number"))["newest"] if target.corpus.pk else None
    counts = [
        ("documents", len(rows)),
        ("sections", sum(len(row.sections) for row in rows)),
        ("words", sum(len(row.text.split()) for row in rows)),
        ("snapshot number", (newest or 0) + 1),
    ]
    shown = [(row.doc_id, row.title, len(row.sections), row.text) for row in rows[:10]]
    return Shown(counts, ("document id", "title", "sections", "text"), shown, len(rows))


DOCUMENTS = register_import(
    ImportKind(
        kind="documents",
        label="Documents",
        noun="documents",
        catalogue="documents",
        formats=("jsonl", "csv", "markdown"),
        check=_check,
        apply=_apply,
        show=_show,
        settings=_settings,
        help="A corpus as JSON Lines, CSV, or a zip or choice of Markdown and text files. It becomes a new snapshot.",
    )
)
