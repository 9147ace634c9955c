"""Published gold sets: plain frozen content, with no foreign key into the labelling that made it."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from evalsets.frozen import Frozen
from evalsets.models.eval_sets import EvalSet


class Provenance(models.TextChoices):
    """How the grade of a gold label came about."""

    SINGLE = "single", "one annotator"
    AGREED = "agreed", "annotators agreed"
    LOWER = "lower", "lower of two on the same side of the threshold"
    ADJUDICATED = "adjudicated", "adjudicated"
    IMPORTED = "imported", "imported"


class GoldSet(Frozen):
    """One immutable version. `header` holds everything but queries and labels; `sha256` is over the canonical content."""

    eval_set = models.ForeignKey(EvalSet, on_delete=models.PROTECT, related_name="gold_sets")
    number = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    header = models.JSONField()
    query_count = models.PositiveIntegerField()
    label_count = models.PositiveIntegerField()
    imported = models.BooleanField(
        default=False, help_text="It was published elsewhere and brought here as an archive."
    )
    published_at = models.DateTimeField()
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )

    class Meta:
        ordering = ["eval_set_id", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["eval_set", "number"], name="gold_set_number_unique_in_eval_set"),
            models.UniqueConstraint(fields=["eval_set", "sha256"], name="gold_set_content_once_in_eval_set"),
        ]

    def __str__(self) -> str:
        return f"gold set {self.number} of {self.eval_set}"


class GoldQuery(Frozen):
    """One query as it was when the version was published (`content`: the canonical record)."""

    gold_set = models.ForeignKey(GoldSet, on_delete=models.CASCADE, related_name="queries")
    query_id = models.CharField(max_length=300)
    content = models.JSONField()

    class Meta:
        verbose_name_plural = "gold queries"
        ordering = ["gold_set_id", "query_id"]
        constraints = [models.UniqueConstraint(fields=["gold_set", "query_id"], name="gold_query_unique_in_gold_set")]

    def __str__(self) -> str:
        return self.query_id


class GoldLabel(Frozen):
    """One label: the grade of one evidence unit for one query, and how it came about (`content`: the canonical record)."""

    gold_set = models.ForeignKey(GoldSet, on_delete=models.CASCADE, related_name="labels")
    query_id = models.CharField(max_length=300)
    doc_id = models.CharField(max_length=500)
    section_id = models.CharField(max_length=300, blank=True)
    grade = models.PositiveSmallIntegerField()
    provenance = models.CharField(max_length=20, choices=Provenance.choices)
    content = models.JSONField()

    class Meta:
        ordering = ["gold_set_id", "query_id", "doc_id", "section_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["gold_set", "query_id", "doc_id", "section_id"], name="gold_label_unique_in_gold_set"
            ),
            models.CheckConstraint(condition=Q(grade__range=(0, 3)), name="gold_label_grade_on_scale"),
            models.CheckConstraint(condition=Q(provenance__in=Provenance.values), name="gold_label_provenance_known"),
        ]

    def __str__(self) -> str:
        return f"{self.query_id} {self.doc_id} {self.section_id}: {self.grade}"

    unit_fields: ClassVar[tuple[str, str]] = ("doc_id", "section_id")
