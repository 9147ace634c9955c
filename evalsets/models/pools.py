"""The pool: what was retrieved by anybody and waits for labels."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from evalsets.frozen import Frozen
from evalsets.models.corpora import Document, Section
from evalsets.models.eval_sets import EvalSet
from evalsets.models.queries import Query
from evalsets.models.runs import Run, Stage


class Pool(Frozen):
    """One building of the pool: which runs, how deep, by which strategy, and how many candidates it added."""

    eval_set = models.ForeignKey(EvalSet, on_delete=models.PROTECT, related_name="pools")
    number = models.PositiveIntegerField()
    strategy = models.CharField(max_length=40)
    depth = models.PositiveIntegerField()
    run_numbers = models.JSONField(default=list)
    candidate_count = models.PositiveIntegerField(help_text="Candidates that this building added.")
    built_at = models.DateTimeField(auto_now_add=True)
    built_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )

    class Meta:
        ordering = ["eval_set_id", "number"]
        constraints = [models.UniqueConstraint(fields=["eval_set", "number"], name="pool_number_unique_in_eval_set")]

    def __str__(self) -> str:
        return f"pool {self.number} of {self.eval_set}"


class CandidateQuerySet(models.QuerySet["Candidate"]):
    def with_text(self) -> CandidateQuerySet:
        """Load what a passage is read from, in one query."""
        return self.select_related("query", "source_document", "source_section")

    def with_provenance(self) -> CandidateQuerySet:
        """Load titles, headings and which runs brought each candidate; the texts of documents are left where they are."""
        contributions = Contribution.objects.select_related("run__retriever").order_by("run__number", "stage")
        titles = self.select_related("query", "source_document", "source_section").defer(
            "own_text", "source_document__text"
        )
        return titles.prefetch_related(models.Prefetch("contributions", queryset=contributions))


class Candidate(models.Model):
    """One (query, evidence unit) that is or was to be judged, with the checksum of the text that is shown.

    The text comes from the snapshot's section or document; only a unit that the snapshot does not hold carries its own.
    `mark_start` and `mark_end` say, inside that text, which part was retrieved.
    """

    frozen: ClassVar[bool] = False

    query = models.ForeignKey(Query, on_delete=models.PROTECT, related_name="candidates")
    doc_id = models.CharField(max_length=500)
    section_id = models.CharField(max_length=300, blank=True)
    source_document = models.ForeignKey(Document, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    source_section = models.ForeignKey(Section, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    own_text = models.TextField(blank=True)
    text_sha256 = models.CharField(max_length=64)
    mark_start = models.PositiveIntegerField(null=True, blank=True)
    mark_end = models.PositiveIntegerField(null=True, blank=True)
    pool = models.ForeignKey(
        Pool,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="candidates",
        help_text="Empty for one that came with an imported label.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager[Candidate]] = CandidateQuerySet.as_manager()

    class Meta:
        ordering = ["query_id", "doc_id", "section_id"]
        constraints = [
            models.UniqueConstraint(fields=["query", "doc_id", "section_id"], name="candidate_unique_in_query"),
            models.CheckConstraint(
                condition=Q(mark_start__isnull=True, mark_end__isnull=True)
                | Q(mark_start__isnull=False, mark_end__isnull=False),
                name="candidate_mark_both_or_neither",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.doc_id} {self.section_id}".strip()

    @property
    def text(self) -> str:
        """The passage that is judged."""
        if self.source_document is None:
            return self.own_text
        text = self.source_document.text
        return text if self.source_section is None else text[self.source_section.start : self.source_section.end]


class Contribution(models.Model):
    """One run that brought a candidate, with its best rank there. No run: the query's author stated it as evidence."""

    frozen: ClassVar[bool] = False

    candidate = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="contributions")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    stage = models.CharField(max_length=20, choices=Stage.choices, blank=True)
    rank = models.PositiveIntegerField(null=True, blank=True)
    score = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["candidate_id", "run_id", "stage"]
        constraints = [
            models.UniqueConstraint(fields=["candidate", "run", "stage"], name="contribution_once_a_run"),
            models.UniqueConstraint(
                fields=["candidate"], condition=Q(run__isnull=True), name="contribution_stated_once"
            ),
            models.CheckConstraint(
                condition=Q(run__isnull=True, rank__isnull=True)
                | Q(run__isnull=False, rank__isnull=False, rank__gte=1),
                name="contribution_of_a_run_has_a_rank",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run or 'stated evidence'} at {self.rank}"
