"""The queries of an eval set."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from evalsets.models.eval_sets import EvalSet


class Split(models.TextChoices):
    DEV = "dev", "dev"
    HOLDOUT = "holdout", "holdout"


class ExpectedBehaviour(models.TextChoices):
    """What a retriever should do with a query that nothing can answer."""

    EMPTY = "empty", "no results"
    BELOW_THRESHOLD = "below_threshold", "only results below a calibrated score"
    INSUFFICIENT_EVIDENCE = "insufficient_evidence", "says that the evidence is insufficient"


class QueryQuerySet(models.QuerySet["Query"]):
    def active(self) -> QueryQuerySet:
        """Queries that were not retired by a rewrite."""
        return self.filter(retired_at__isnull=True)

    def in_order(self) -> QueryQuerySet:
        return self.order_by("position", "pk")

    def matching(self, words: str) -> QueryQuerySet:
        """Queries whose id or text contains the words."""
        return self.filter(Q(query_id__icontains=words) | Q(text__icontains=words)) if words else self

    def with_counts(self) -> QueryQuerySet:
        """Add `candidate_count`: how many candidates each has."""
        return self.annotate(candidate_count=models.Count("candidates"))

    def tagged(self, tag: str) -> QueryQuerySet:
        return self.filter(tags__holds=tag)

    def asked_by(self, group: str) -> QueryQuerySet:
        """Queries whose asker is in this group."""
        return self.filter(permitted__holds=group)

    def permission_sensitive(self) -> QueryQuerySet:
        """Queries that say who asks, or name documents that must never be returned."""
        return self.exclude(permitted__is_empty_list=True, forbidden_documents__is_empty_list=True)


class Query(models.Model):
    """One query with everything that is known about it. Its text is never edited once it has been judged; it is superseded."""

    frozen: ClassVar[bool] = False

    eval_set = models.ForeignKey(EvalSet, on_delete=models.CASCADE, related_name="queries")
    query_id = models.CharField(max_length=300)
    position = models.PositiveIntegerField(default=0)
    text = models.TextField()
    information_need = models.TextField(blank=True)
    expected_scope = models.CharField(max_length=300, blank=True)
    answerable = models.BooleanField(default=True)
    expected_behaviour = models.CharField(max_length=30, choices=ExpectedBehaviour.choices, blank=True)
    source = models.CharField(max_length=200, blank=True)
    source_family = models.CharField(max_length=200, blank=True)
    split = models.CharField(max_length=20, choices=Split.choices, default=Split.DEV)
    tags = models.JSONField(default=list)
    synthetic = models.BooleanField(default=False)
    permitted = models.JSONField(default=list, help_text="Groups that the person who asks is in.")
    forbidden_documents = models.JSONField(default=list, help_text="Document ids that must never be returned.")
    stated_evidence = models.JSONField(
        default=list,
        help_text="Where the query's author says the answer is: [{document_id, section_id}]. Pooled, never a label.",
    )
    metadata = models.JSONField(default=dict)
    supersedes = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="superseded_by"
    )
    retired_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager[Query]] = QueryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "queries"
        ordering = ["eval_set_id", "position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["eval_set", "query_id"], name="query_id_unique_in_eval_set"),
            models.CheckConstraint(condition=~Q(query_id=""), name="query_id_not_empty"),
            models.CheckConstraint(condition=Q(split__in=Split.values), name="query_split_known"),
            models.CheckConstraint(
                condition=Q(answerable=True, expected_behaviour="")
                | Q(answerable=False, expected_behaviour__in=ExpectedBehaviour.values),
                name="query_unanswerable_says_what_is_expected",
            ),
        ]

    def __str__(self) -> str:
        return self.text
