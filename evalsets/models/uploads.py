"""Files that people bring, kept in the database so that web and worker need no shared folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from evalsets.models.eval_sets import EvalSet
from evalsets.models.jobs import Job


class Upload(models.Model):
    """One uploaded file, in parts. Deleted with its import once that is done."""

    frozen: ClassVar[bool] = False

    name = models.CharField(max_length=300)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    uploaded_at = models.DateTimeField(auto_now_add=True)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["-uploaded_at"]

    def __str__(self) -> str:
        return self.name

    def read(self) -> bytes:
        """The whole file."""
        return b"".join(self.read_parts())

    def read_parts(self) -> Iterator[bytes]:
        for data in self.parts.order_by("number").values_list("data", flat=True).iterator(chunk_size=1):
            yield bytes(data)


class UploadPart(models.Model):
    """Up to a mebibyte of an upload."""

    frozen: ClassVar[bool] = False

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["upload_id", "number"]
        constraints = [models.UniqueConstraint(fields=["upload", "number"], name="upload_part_unique_in_upload")]

    def __str__(self) -> str:
        return f"part {self.number} of {self.upload}"


class ImportState(models.TextChoices):
    READING = "reading", "reading"
    REFUSED = "refused", "has problems"
    READY = "ready", "ready to import"
    IMPORTING = "importing", "importing"
    DONE = "done", "imported"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


class Import(models.Model):
    """One file on its way into an eval set: read, shown as a preview, and then imported as a whole or not at all."""

    frozen: ClassVar[bool] = False

    eval_set = models.ForeignKey(EvalSet, on_delete=models.CASCADE, related_name="imports")
    kind = models.CharField(max_length=40)
    upload = models.ForeignKey(Upload, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    file_name = models.CharField(max_length=300)
    options = models.JSONField(default=dict, help_text="What the person chose: format, encoding, order, mapping ...")
    state = models.CharField(max_length=20, choices=ImportState.choices, default=ImportState.READING)
    preview = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.CheckConstraint(condition=Q(state__in=ImportState.values), name="import_state_known")]

    def __str__(self) -> str:
        return f"{self.kind} from {self.file_name}"
