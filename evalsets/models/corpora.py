"""A body of documents, and its frozen imports."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from evalsets.frozen import Frozen, FrozenOnceComplete

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


def sha256_of(text: str) -> str:
    """The hexadecimal SHA-256 of a text's UTF-8 bytes: how a label knows the text that it was given on."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Lifecycle(models.TextChoices):
    CURRENT = "current", "current"
    DRAFT = "draft", "draft"
    ARCHIVED = "archived", "archived"


class CorpusQuerySet(models.QuerySet["Corpus"]):
    def visible_to(self, user: User | AnonymousUser) -> CorpusQuerySet:
        """Corpora of eval sets that the user is a member of (a superuser sees all)."""
        if user.is_superuser:
            return self
        return self.filter(eval_sets__memberships__user=user.pk).distinct() if user.pk else self.none()


class Corpus(models.Model):
    """A named body of documents, imported as numbered snapshots."""

    frozen: ClassVar[bool] = False

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    objects: ClassVar[models.Manager[Corpus]] = CorpusQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "corpora"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def documents(self) -> models.QuerySet[Document]:
        """The documents of all complete snapshots."""
        return Document.objects.filter(snapshot__corpus=self, snapshot__frozen_at__isnull=False)


class SnapshotQuerySet(models.QuerySet["Snapshot"]):
    def complete(self) -> SnapshotQuerySet:
        """Snapshots whose import has finished: the only ones that anything may stand on."""
        return self.filter(frozen_at__isnull=False)


class Snapshot(FrozenOnceComplete):
    """One import of a corpus. Invisible while it is loaded, frozen with a checksum when it is complete."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="snapshots")
    number = models.PositiveIntegerField()
    source = models.CharField(max_length=300, blank=True, help_text="The name of the file or folder that was imported.")
    sha256 = models.CharField(max_length=64, blank=True)
    document_count = models.PositiveIntegerField(default=0)
    job = models.ForeignKey(
        "evalsets.Job", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", help_text="What fills it."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    objects: ClassVar[models.Manager[Snapshot]] = SnapshotQuerySet.as_manager()

    class Meta:
        ordering = ["corpus_id", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "number"], name="snapshot_number_unique_in_corpus"),
            models.CheckConstraint(
                condition=Q(frozen_at__isnull=True, sha256="") | (Q(frozen_at__isnull=False) & ~Q(sha256="")),
                name="snapshot_frozen_with_checksum",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.corpus} snapshot {self.number}"


class DocumentQuerySet(models.QuerySet["Document"]):
    def in_order(self) -> DocumentQuerySet:
        return self.order_by("doc_id")

    def matching(self, words: str) -> DocumentQuerySet:
        """Documents whose id or title contains the words."""
        return self.filter(Q(doc_id__icontains=words) | Q(title__icontains=words)) if words else self

    def readable_by(self, group: str) -> DocumentQuerySet:
        """Documents that name this group among those that may read them."""
        return self.filter(access__holds=group)

    def readable_by_everybody(self) -> DocumentQuerySet:
        return self.filter(access__is_empty_list=True)


class Document(models.Model):
    """One document of one snapshot. Written once with it and never changed; it goes only with an unfinished snapshot."""

    frozen: ClassVar[bool] = True

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="documents")
    doc_id = models.CharField(max_length=500)
    title = models.CharField(max_length=500, blank=True)
    text = models.TextField(blank=True)
    text_sha256 = models.CharField(max_length=64)
    doc_type = models.CharField(max_length=80, blank=True)
    language = models.CharField(max_length=20, blank=True)
    lifecycle = models.CharField(max_length=20, choices=Lifecycle.choices, default=Lifecycle.CURRENT)
    effective_from = models.DateField(null=True, blank=True)
    effective_to = models.DateField(null=True, blank=True)
    superseded_by = models.CharField(max_length=500, blank=True)
    access = models.JSONField(default=list, help_text="Groups that may read it; empty means everybody.")
    source = models.CharField(max_length=300, blank=True)
    metadata = models.JSONField(default=dict)

    objects: ClassVar[models.Manager[Document]] = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ["snapshot_id", "doc_id"]
        constraints = [
            models.UniqueConstraint(fields=["snapshot", "doc_id"], name="document_id_unique_in_snapshot"),
            models.CheckConstraint(condition=Q(lifecycle__in=Lifecycle.values), name="document_lifecycle_known"),
            models.CheckConstraint(condition=~Q(doc_id=""), name="document_id_not_empty"),
        ]

    def __str__(self) -> str:
        return self.title or self.doc_id


class Section(Frozen):
    """A part of a document under a stable id: characters `start` to `end` of the document's text."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="sections")
    section_id = models.CharField(max_length=300)
    heading = models.CharField(max_length=500, blank=True)
    level = models.PositiveSmallIntegerField(default=0)
    position = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    class Meta:
        ordering = ["document_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["document", "section_id"], name="section_id_unique_in_document"),
            models.CheckConstraint(condition=Q(end__gte=F("start")), name="section_ends_after_start"),
            models.CheckConstraint(condition=~Q(section_id=""), name="section_id_not_empty"),
        ]

    def __str__(self) -> str:
        return self.heading or self.section_id

    @property
    def text(self) -> str:
        return self.document.text[self.start : self.end]
