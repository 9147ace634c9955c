"""What leads decide where annotators disagree."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from evalsets.models import Candidate, Query
from labelling.models.rubrics import Rubric


class Outcome(models.TextChoices):
    GRADE = "grade", "a grade"
    CANNOT_SETTLE = "cannot_settle", "cannot be settled"


class ReasonCode(models.TextChoices):
    MISREAD = "misread", "one of the two misread"
    RUBRIC_GAP = "rubric_gap", "the rubric does not say"
    AMBIGUOUS_QUERY = "ambiguous_query", "the query can be read in two ways"
    MISSING_CONTEXT = "missing_context", "context was missing"
    DOMAIN_FACT = "domain_fact", "it takes knowledge of the field"
    OTHER = "other", "another reason"


class AdjudicationQuerySet(models.QuerySet["Adjudication"]):
    def live(self) -> AdjudicationQuerySet:
        return self.filter(live=True)


class Adjudication(models.Model):
    """A lead's decision on one candidate. Append-only like judgments: a later decision replaces it."""

    frozen: ClassVar[bool] = True

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="+")
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    reason_code = models.CharField(max_length=30, choices=ReasonCode.choices)
    reason = models.TextField(blank=True)
    rubric = models.ForeignKey(Rubric, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField(unique=True)
    live = models.BooleanField(default=True)
    replaces = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="replaced_by")
    adjudicated_at = models.DateTimeField()
    adjudicated_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    objects: ClassVar[models.Manager[Adjudication]] = AdjudicationQuerySet.as_manager()

    class Meta:
        ordering = ["candidate_id", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome=Outcome.GRADE, grade__isnull=False, grade__range=(0, 3))
                | Q(outcome=Outcome.CANNOT_SETTLE, grade__isnull=True),
                name="adjudication_grade_or_cannot_settle",
            ),
            models.CheckConstraint(condition=Q(reason_code__in=ReasonCode.values), name="adjudication_reason_known"),
            models.UniqueConstraint(
                fields=["candidate"], condition=Q(live=True), name="adjudication_one_live_a_candidate"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()} {self.grade} for {self.candidate}"


class QueryFlag(models.Model):
    """A query that a lead wants rewritten, because its candidates cannot be judged as it stands."""

    frozen: ClassVar[bool] = False

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="+")
    reason = models.TextField(blank=True)
    flagged_at = models.DateTimeField()
    flagged_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["-flagged_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["query"], condition=Q(resolved_at__isnull=True), name="query_flag_one_open_a_query"
            ),
        ]

    def __str__(self) -> str:
        return f"rewrite {self.query}"
