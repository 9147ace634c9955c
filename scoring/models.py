"""What was computed: the report of one run on one gold set version, kept so that it opens at once and never changes."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from evalsets.frozen import Frozen
from evalsets.models import Gain, GoldSet, Run


class Report(Frozen):
    """One run scored on one gold set version under one choice of depths, threshold, gain, split and engine.

    `document` is the JSON text that the offline command writes for the same input; `page` holds what a page shows
    beside it, and `rows` the values of every query, column by column.
    """

    gold_set = models.ForeignKey(GoldSet, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    depth_n = models.PositiveIntegerField()
    depth_k = models.PositiveIntegerField()
    threshold = models.PositiveSmallIntegerField()
    gain = models.CharField(max_length=10, choices=Gain.choices)
    split = models.CharField(max_length=20, blank=True, help_text="Empty for all queries.")
    engine_version = models.CharField(max_length=20)
    document = models.TextField()
    page = models.JSONField()
    rows = models.JSONField()
    computed_at = models.DateTimeField(auto_now_add=True)
    computed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )

    class Meta:
        ordering = ["gold_set_id", "run_id", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["gold_set", "run", "depth_n", "depth_k", "threshold", "gain", "split", "engine_version"],
                name="report_once_for_a_choice",
            ),
            models.CheckConstraint(
                condition=Q(depth_k__gte=1, depth_n__gte=F("depth_k")), name="report_depths_in_order"
            ),
            models.CheckConstraint(condition=Q(gain__in=Gain.values), name="report_gain_known"),
            models.CheckConstraint(condition=Q(threshold__range=(1, 3)), name="report_threshold_on_scale"),
        ]

    def __str__(self) -> str:
        return f"{self.run} on {self.gold_set} at {self.depth_n} and {self.depth_k}"
