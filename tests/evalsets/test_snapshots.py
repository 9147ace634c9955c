"""A snapshot is there as a whole, with its checksum, or not at all."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from evalsets.formats.document_rows import DocumentRow, SectionRow
from evalsets.frozen import FrozenError
from evalsets.jobs import JobCancelledError, Progress
from evalsets.models import Corpus, Document, Job, JobState, Section, Snapshot
from evalsets.snapshots import choose_snapshot, store_snapshot
from tests.factories import make_eval_set

pytestmark = pytest.mark.django_db


class StopsHalfway(Progress):
    """Progress that is cancelled as soon as anything was loaded."""

    def __init__(self) -> None:
        super().__init__(job_id=0)

    def report(self, done: int, total: int, message: str = "") -> None:
        if done:
            raise JobCancelledError


def rows(*texts: str) -> list[DocumentRow]:
    return [
        DocumentRow(f"d{n}", f"Title {n}", text, sections=(SectionRow("top", "", 0, 0, len(text)),))
        for n, text in enumerate(texts, start=1)
    ]


def make_corpus() -> Corpus:
    return Corpus.objects.create(slug="handbook", name="Handbook")


def store(corpus: Corpus, documents: list[DocumentRow], **options: object) -> Snapshot:
    return store_snapshot(corpus=corpus, documents=documents, source="handbook.jsonl", by=None, **options)


def test_documents_and_sections_are_read_back_as_they_were() -> None:
    snapshot = store(make_corpus(), rows("Backups run at night.", "Schröder restores ∑ \u2019"))

    documents = snapshot.documents.order_by("doc_id")
    assert [document.text for document in documents] == ["Backups run at night.", "Schröder restores ∑ \u2019"]
    assert [section.text for section in Section.objects.filter(document__snapshot=snapshot)] == [
        document.text for document in documents
    ]
    assert snapshot.document_count == 2


def test_checksum_depends_on_content_and_not_on_order() -> None:
    corpus, documents = make_corpus(), rows("one", "two", "three")

    first, again = store(corpus, documents), store(corpus, documents[::-1])
    other = store(corpus, rows("one", "two", "thrée"))

    assert first.sha256 == again.sha256 != other.sha256
    assert [first.number, again.number, other.number] == [1, 2, 3]


def test_cancelled_import_leaves_nothing() -> None:
    with pytest.raises(JobCancelledError):
        store(make_corpus(), rows("one", "two"), progress=StopsHalfway())

    assert not Snapshot.objects.exists()
    assert not Document.objects.exists()


def test_document_that_the_database_refuses_leaves_nothing() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        store(make_corpus(), [*rows("one"), *rows("the same id once more")])

    assert not Snapshot.objects.exists()


def test_repeated_job_throws_away_what_its_killed_attempt_left() -> None:
    corpus = make_corpus()
    job = Job.objects.create(kind="import", title="Import", state=JobState.RUNNING)
    left = Snapshot.objects.create(corpus=corpus, number=1, job=job)
    other_job = Job.objects.create(kind="import", title="Another import", state=JobState.RUNNING)
    of_another = Snapshot.objects.create(corpus=corpus, number=2, job=other_job)

    store(corpus, rows("one"), job=job)

    assert not Snapshot.objects.filter(pk=left.pk).exists()
    assert Snapshot.objects.filter(pk=of_another.pk).exists()


def test_what_a_killed_command_left_goes_after_an_hour() -> None:
    corpus = make_corpus()
    left = Snapshot.objects.create(corpus=corpus, number=1)
    Snapshot.objects.filter(pk=left.pk).update(created_at=timezone.now() - timedelta(hours=2))

    store(corpus, rows("one"))

    assert not Snapshot.objects.filter(pk=left.pk).exists()


def test_frozen_snapshot_takes_no_change_no_deletion_and_no_further_document() -> None:
    snapshot = store(make_corpus(), rows("one"))

    with pytest.raises(FrozenError):
        snapshot.save()
    with pytest.raises(FrozenError):
        snapshot.delete()
    with pytest.raises(IntegrityError), transaction.atomic():
        Document.objects.create(snapshot=snapshot, doc_id="late", text_sha256="")
    with pytest.raises(IntegrityError), transaction.atomic():
        Section.objects.create(document=snapshot.documents.get(), section_id="late", position=9, start=0, end=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        Document.objects.filter(snapshot=snapshot).update(text="changed")


def test_only_a_complete_snapshot_of_the_same_corpus_can_be_chosen() -> None:
    eval_set = make_eval_set()
    elsewhere = store(make_corpus(), rows("one"))
    complete = store(eval_set.corpus, rows("one"))

    with pytest.raises(ValueError, match="not a complete snapshot"):
        choose_snapshot(eval_set=eval_set, snapshot=elsewhere)
    choose_snapshot(eval_set=eval_set, snapshot=complete)

    eval_set.refresh_from_db()
    assert eval_set.snapshot == complete


def test_eval_set_without_a_snapshot_takes_the_first_and_no_later_one() -> None:
    eval_set = make_eval_set(snapshot=None)

    first = store(eval_set.corpus, rows("one"))
    store(eval_set.corpus, rows("two"))

    eval_set.refresh_from_db()
    assert eval_set.snapshot == first
