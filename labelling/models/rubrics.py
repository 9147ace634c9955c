"""What the grades mean."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from evalsets.frozen import Frozen
from evalsets.models import EvalSet


class Rubric(Frozen):
    """One version of an eval set's rubric. A change is a new version; each judgment names the one it was given under.

    `definitions`: [{grade, label, definition, example}] for each grade of the scale; `guidance`: Markdown above them.
    """

    eval_set = models.ForeignKey(EvalSet, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    definitions = models.JSONField()
    guidance = models.TextField(blank=True)
    written_at = models.DateTimeField(auto_now_add=True)
    written_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )

    class Meta:
        ordering = ["eval_set_id", "-number"]
        constraints = [models.UniqueConstraint(fields=["eval_set", "number"], name="rubric_number_unique_in_eval_set")]

    def __str__(self) -> str:
        return f"rubric {self.number} of {self.eval_set}"
