"""Annotators, their places at candidates, and what they judged."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q

from evalsets.models import Candidate, EvalSet, Query
from labelling.models.rubrics import Rubric


class AnnotatorKind(models.TextChoices):
    PERSON = "person", "person"
    FILE = "file", "labels from a file, judges unknown"


class CannotJudge(models.TextChoices):
    """Why a candidate could not be graded."""

    UNREADABLE = "unreadable", "the passage is unreadable"
    NEEDS_CONTEXT = "needs_context", "more context is needed"
    UNCLEAR_QUERY = "unclear_query", "the query is unclear"
    NOT_EXPERT = "not_expert", "it takes knowledge that I lack"
    OTHER = "other", "another reason"


class Origin(models.TextChoices):
    QUEUE = "queue", "given here"
    IMPORT = "import", "imported"


class Annotator(models.Model):
    """Whose judgments these are: a member of the eval set, or a name or file from an import.

    Labels hang on this and not on the account, so that they outlive it.
    """

    frozen: ClassVar[bool] = False

    eval_set = models.ForeignKey(EvalSet, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, choices=AnnotatorKind.choices, default=AnnotatorKind.PERSON)
    query_in_hand = models.ForeignKey(
        Query,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The query that the queue stays with until it has nothing more for this annotator.",
    )

    class Meta:
        ordering = ["eval_set_id", "name"]
        constraints = [
            models.UniqueConstraint(fields=["eval_set", "user"], name="annotator_once_a_user"),
            models.UniqueConstraint(fields=["eval_set", "name"], name="annotator_name_unique_in_eval_set"),
            models.CheckConstraint(condition=Q(kind__in=AnnotatorKind.values), name="annotator_kind_known"),
        ]

    def __str__(self) -> str:
        return self.name


class SeatQuerySet(models.QuerySet["Seat"]):
    def open(self) -> SeatQuerySet:
        """Seats that wait for a judgment."""
        return self.filter(is_open=True)

    def free(self, at: datetime) -> SeatQuerySet:
        """Open seats that nobody holds at this time."""
        return self.open().filter(Q(leased_until__isnull=True) | Q(leased_until__lte=at))

    def with_passage(self) -> SeatQuerySet:
        """Load what the candidate's passage is read from, in the same query."""
        return self.select_related("candidate__query", "candidate__source_document", "candidate__source_section")

    def unjudged_by(self, annotator: Annotator) -> SeatQuerySet:
        """Seats at candidates that have no live judgment of this annotator."""
        own = Judgment.objects.filter(candidate_id=OuterRef("candidate_id"), annotator=annotator, live=True)
        return self.filter(~Exists(own))


class Seat(models.Model):
    """One place for one annotator at one candidate. A candidate of the double-label sample has two."""

    frozen: ClassVar[bool] = False

    candidate = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="+")
    query = models.ForeignKey(
        Query, on_delete=models.PROTECT, related_name="+", help_text="The candidate's, for the queue's index."
    )
    number = models.PositiveSmallIntegerField()
    is_open = models.BooleanField(default=True)
    leased_by = models.ForeignKey(Annotator, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    leased_until = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[models.Manager[Seat]] = SeatQuerySet.as_manager()

    class Meta:
        ordering = ["candidate_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["candidate", "number"], name="seat_number_unique_at_candidate"),
            models.UniqueConstraint(
                fields=["candidate", "leased_by"],
                condition=Q(leased_by__isnull=False),
                name="seat_one_lease_an_annotator_and_candidate",
            ),
            models.CheckConstraint(condition=Q(number__range=(1, 5)), name="seat_number_one_to_five"),
            models.CheckConstraint(
                condition=Q(leased_by__isnull=True, leased_until__isnull=True)
                | Q(leased_by__isnull=False, leased_until__isnull=False),
                name="seat_lease_both_or_neither",
            ),
            models.CheckConstraint(
                condition=Q(is_open=True) | Q(leased_by__isnull=True), name="seat_closed_without_lease"
            ),
        ]
        indexes = [models.Index(fields=["query", "candidate"], condition=Q(is_open=True), name="seat_open_by_query")]

    def __str__(self) -> str:
        return f"seat {self.number} at {self.candidate}"


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def live(self) -> JudgmentQuerySet:
        """Judgments that no later one of the same annotator replaces."""
        return self.filter(live=True)

    def graded(self) -> JudgmentQuerySet:
        return self.filter(grade__isnull=False)

    def of(self, eval_set: EvalSet) -> JudgmentQuerySet:
        return self.filter(candidate__query__eval_set=eval_set)

    def with_passage(self) -> JudgmentQuerySet:
        """Load what the candidate's passage is read from, in the same query."""
        return self.select_related("candidate__query", "candidate__source_document", "candidate__source_section")

    def given_here_by(self, annotator: Annotator) -> JudgmentQuerySet:
        """What this annotator judged in the queue and still stands by, latest first."""
        return self.live().filter(annotator=annotator, origin=Origin.QUEUE).order_by("-pk")


class Judgment(models.Model):
    """One annotator's grade (or why there is none) of one candidate, under one rubric, on one text.

    Append-only: a correction is a new row that `replaces` the old one; only `live` ever changes on an old row.
    """

    frozen: ClassVar[bool] = True

    candidate = models.ForeignKey(Candidate, on_delete=models.PROTECT, related_name="+")
    seat = models.ForeignKey(
        Seat,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="judgments",
        help_text="Empty for an extra label.",
    )
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="judgments")
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    cannot_judge = models.CharField(max_length=30, blank=True, choices=CannotJudge.choices)
    note = models.TextField(blank=True)
    rubric = models.ForeignKey(Rubric, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    text_sha256 = models.CharField(max_length=64)
    origin = models.CharField(max_length=20, choices=Origin.choices, default=Origin.QUEUE)
    request_id = models.UUIDField(unique=True)
    seconds = models.FloatField(null=True, blank=True, help_text="From being shown to being sent.")
    context_opened = models.BooleanField(default=False, help_text="The neighbouring text was opened before judging.")
    live = models.BooleanField(default=True)
    replaces = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="replaced_by")
    judged_at = models.DateTimeField()

    objects: ClassVar[models.Manager[Judgment]] = JudgmentQuerySet.as_manager()

    class Meta:
        ordering = ["candidate_id", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(grade__isnull=True) & ~Q(cannot_judge="")
                | Q(grade__isnull=False, grade__range=(0, 3), cannot_judge=""),
                name="judgment_grade_or_reason",
                violation_error_message="A judgment is a grade from 0 to 3, or the reason why there is none.",
            ),
            models.UniqueConstraint(fields=["seat"], condition=Q(live=True), name="judgment_one_live_a_seat"),
            models.UniqueConstraint(
                fields=["annotator", "candidate"],
                condition=Q(live=True),
                name="judgment_one_live_an_annotator_and_candidate",
            ),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="judgment_origin_known"),
        ]
        indexes = [
            models.Index(
                fields=["annotator", "-id"],
                condition=Q(live=True, origin=Origin.QUEUE),
                name="judgment_latest_of_annotator",
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.cannot_judge or self.grade} for {self.candidate}"
