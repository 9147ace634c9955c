"""Which candidates are labelled twice: declared before the first label."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from evalsets.models import EvalSet


class DoubleLabelPlan(models.Model):
    """The rate and the seed that choose the double-labelled candidates (`labelling.sampling`).

    The SHA-256 of the seed is shown from the start, the seed itself to nobody who labels: with it one could tell which
    candidates are chosen. Locked by the first judgment.
    """

    frozen: ClassVar[bool] = False

    eval_set = models.OneToOneField(EvalSet, on_delete=models.CASCADE, related_name="+")
    rate = models.FloatField(default=0.2)
    seed = models.CharField(max_length=100)
    seed_sha256 = models.CharField(max_length=64)
    declared_at = models.DateTimeField(auto_now_add=True)
    declared_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    locked_at = models.DateTimeField(null=True, blank=True)
    seated_count = models.PositiveIntegerField(default=0, help_text="How many candidates have seats.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(rate__gte=0, rate__lte=1),
                name="double_label_rate_is_a_share",
                violation_error_message="The rate is a share between 0 and 1.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.rate:.0%} of {self.eval_set} labelled twice"
