"""Work that takes longer than a request: progress, cancelling, and what became of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from evalsets.models.eval_sets import EvalSet

HEARTBEAT_LIMIT = timedelta(seconds=45)


class JobState(models.TextChoices):
    QUEUED = "queued", "waiting"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


class JobQuerySet(models.QuerySet["Job"]):
    def unfinished(self) -> JobQuerySet:
        return self.filter(state__in=[JobState.QUEUED, JobState.RUNNING])

    def dead(self, at: datetime) -> JobQuerySet:
        """Jobs that say they run but whose worker has not been heard of for a while."""
        return self.filter(state=JobState.RUNNING, heartbeat_at__lt=at - HEARTBEAT_LIMIT)


class Job(models.Model):
    """One piece of background work. `kind` names the function in the registry (`evalsets.jobs`), `params` its arguments.

    Every such function can be run again from the start: a worker that dies leaves the job to the next one.
    """

    frozen: ClassVar[bool] = False

    eval_set = models.ForeignKey(EvalSet, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=300)
    params = models.JSONField(default=dict)
    state = models.CharField(max_length=20, choices=JobState.choices, default=JobState.QUEUED)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    message = models.TextField(blank=True)
    result = models.JSONField(default=dict)
    attempts = models.PositiveSmallIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)
    next_url = models.CharField(max_length=500, blank=True, help_text="The page that shows the outcome.")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[models.Manager[Job]] = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.CheckConstraint(condition=Q(state__in=JobState.values), name="job_state_known")]

    def __str__(self) -> str:
        return self.title

    @property
    def is_finished(self) -> bool:
        return self.state not in (JobState.QUEUED, JobState.RUNNING)

    @property
    def percent(self) -> int:
        return round(100 * self.done / self.total) if self.total else 0
