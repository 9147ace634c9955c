"""Retrievers, and what they answered."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from evalsets.frozen import FrozenOnceComplete
from evalsets.models.corpora import Snapshot
from evalsets.models.eval_sets import EvalSet
from evalsets.models.queries import Query


class Family(models.TextChoices):
    LEXICAL = "lexical", "lexical"
    DENSE = "dense", "dense"
    HYBRID = "hybrid", "hybrid"
    RERANKED = "reranked", "reranked"
    UNKNOWN = "unknown", "unknown"


class Stage(models.TextChoices):
    CANDIDATES = "candidates", "candidates"
    FINAL = "final", "final"
    CONTEXT = "context", "context"


class AnswerEvent(models.TextChoices):
    TIMEOUT = "timeout", "timeout"
    EMPTY = "empty", "empty result"
    FALLBACK = "fallback", "fallback"
    ERROR = "error", "error"
    INSUFFICIENT_EVIDENCE = "insufficient_evidence", "said that the evidence is insufficient"


class RunState(models.TextChoices):
    RUNNING = "running", "running"
    COMPLETE = "complete", "complete"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


class Retriever(models.Model):
    """A named configuration that answers queries: built in (`kind` of the registry) or recorded elsewhere."""

    frozen: ClassVar[bool] = False
    RECORDED: ClassVar[str] = "recorded"

    eval_set = models.ForeignKey(EvalSet, on_delete=models.CASCADE, related_name="retrievers")
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=40)
    family = models.CharField(max_length=20, choices=Family.choices, default=Family.UNKNOWN)
    config = models.JSONField(default=dict)
    config_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["eval_set_id", "name"]
        constraints = [
            models.UniqueConstraint(fields=["eval_set", "slug"], name="retriever_slug_unique_in_eval_set"),
            models.CheckConstraint(condition=Q(family__in=Family.values), name="retriever_family_known"),
        ]

    def __str__(self) -> str:
        return self.name


class RunQuerySet(models.QuerySet["Run"]):
    def complete(self) -> RunQuerySet:
        """Runs that are frozen: the only ones that pools and scores read."""
        return self.filter(state=RunState.COMPLETE)

    def latest_of_each_retriever(self) -> RunQuerySet:
        """The run of each retriever that was begun last, in the order of their numbers."""
        latest = self.order_by().values("retriever").annotate(last=models.Max("pk")).values("last")
        return self.filter(pk__in=latest).order_by("number")


class Run(FrozenOnceComplete):
    """One recorded execution of a retriever over the queries. Frozen once complete."""

    eval_set = models.ForeignKey(EvalSet, on_delete=models.PROTECT, related_name="runs")
    retriever = models.ForeignKey(Retriever, on_delete=models.PROTECT, related_name="runs")
    snapshot = models.ForeignKey(Snapshot, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=20, choices=RunState.choices, default=RunState.RUNNING)
    config = models.JSONField(default=dict)
    config_sha256 = models.CharField(max_length=64)
    versions = models.JSONField(default=dict, help_text="Of corpus, index, embedding, chunking and reranker.")
    depth = models.PositiveIntegerField(default=0, help_text="The most results that the retriever was asked for.")
    source = models.CharField(max_length=300, blank=True, help_text="The name of the file, for a recorded run.")
    warnings = models.JSONField(default=list)
    sha256 = models.CharField(max_length=64, blank=True)
    result_count = models.PositiveIntegerField(default=0)
    job = models.ForeignKey(
        "evalsets.Job", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", help_text="What fills it."
    )
    started_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    objects: ClassVar[models.Manager[Run]] = RunQuerySet.as_manager()

    class Meta:
        ordering = ["eval_set_id", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["eval_set", "number"], name="run_number_unique_in_eval_set"),
            models.CheckConstraint(condition=Q(state__in=RunState.values), name="run_state_known"),
            models.CheckConstraint(
                condition=(Q(state=RunState.COMPLETE, frozen_at__isnull=False) & ~Q(sha256=""))
                | (~Q(state=RunState.COMPLETE) & Q(frozen_at__isnull=True, sha256="")),
                name="run_frozen_with_checksum_when_complete",
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.number}, {self.retriever}"


class Answer(models.Model):
    """What one run answered to one query. Written once; it goes only with an unfinished run."""

    frozen: ClassVar[bool] = True

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="answers")
    query = models.ForeignKey(Query, on_delete=models.PROTECT, related_name="+")
    latency_ms = models.FloatField(null=True, blank=True)
    event = models.CharField(max_length=30, choices=AnswerEvent.choices, blank=True)
    filters = models.JSONField(default=dict)

    class Meta:
        ordering = ["run_id", "query_id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "query"], name="answer_unique_in_run"),
            models.CheckConstraint(condition=Q(event="") | Q(event__in=AnswerEvent.values), name="answer_event_known"),
        ]

    def __str__(self) -> str:
        return f"answer of {self.run} to {self.query}"


class Result(models.Model):
    """One retrieved passage. Built-in retrievers give offsets into the document's text, recorded runs may give the text."""

    frozen: ClassVar[bool] = True

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="results")
    stage = models.CharField(max_length=20, choices=Stage.choices)
    rank = models.PositiveIntegerField()
    score = models.FloatField(null=True, blank=True)
    doc_id = models.CharField(max_length=500)
    section_id = models.CharField(max_length=300, blank=True)
    chunk_id = models.CharField(max_length=500, blank=True)
    text = models.TextField(blank=True)
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["answer_id", "stage", "rank"]
        constraints = [
            models.UniqueConstraint(fields=["answer", "stage", "rank"], name="result_rank_unique_in_answer"),
            models.CheckConstraint(condition=Q(stage__in=Stage.values), name="result_stage_known"),
            models.CheckConstraint(condition=Q(rank__gte=1), name="result_rank_from_one"),
            models.CheckConstraint(
                condition=Q(start__isnull=True, end__isnull=True)
                | Q(start__isnull=False, end__isnull=False, end__gte=F("start")),
                name="result_offsets_both_or_neither",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage} {self.rank}: {self.doc_id} {self.section_id}"
