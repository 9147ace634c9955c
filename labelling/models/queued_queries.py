"""The queries that wait in the queue, on a ring."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Exists, OuterRef

from evalsets.models import EvalSet, Query


class QueuedQueryQuerySet(models.QuerySet["QueuedQuery"]):
    def with_any(self, seats: models.QuerySet) -> QueuedQueryQuerySet:
        """Queries that have at least one of these seats and were not retired."""
        return self.filter(Exists(seats.filter(query_id=OuterRef("query_id"))), query__retired_at__isnull=True)


class QueuedQuery(models.Model):
    """A query with seats, at its place on a ring.

    An annotator's next query is the first at or after a point of the ring that is hashed for that annotator, so drawing one costs
    one step along an index, however many queries there are.
    """

    frozen: ClassVar[bool] = False

    eval_set = models.ForeignKey(EvalSet, on_delete=models.CASCADE, related_name="+")
    query = models.OneToOneField(Query, on_delete=models.CASCADE, related_name="+")
    place = models.BigIntegerField()

    objects: ClassVar[models.Manager[QueuedQuery]] = QueuedQueryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "queued queries"
        ordering = ["eval_set_id", "place"]
        indexes = [models.Index(fields=["eval_set", "place", "query"], name="queued_query_along_the_ring")]

    def __str__(self) -> str:
        return f"{self.query} in the queue"
