"""What labelling costs here, for the page of the pool: the declared share of double labels, and our own median time."""

from __future__ import annotations

from statistics import median

from evalsets.hooks import LabellingTerms
from evalsets.models import EvalSet
from labelling.models import DoubleLabelPlan, Judgment, Origin
from labelling.plans import DEFAULT_RATE

# Enough for a median that holds, and no more than what shows the present pace.
FEWEST_TIMED = 30
LATEST_TIMED = 500


def get_terms(eval_set: EvalSet) -> LabellingTerms:
    """The declared share of double labels, and the median time of the latest judgments where there are enough."""
    rate = DoubleLabelPlan.objects.filter(eval_set=eval_set).values_list("rate", flat=True).first()
    timed = Judgment.objects.of(eval_set).filter(origin=Origin.QUEUE, seconds__isnull=False).order_by("-pk")
    seconds = [one for one in timed.values_list("seconds", flat=True)[:LATEST_TIMED] if one is not None]
    share = DEFAULT_RATE if rate is None else rate
    if len(seconds) < FEWEST_TIMED:
        return LabellingTerms(double_rate=share)
    return LabellingTerms(double_rate=share, seconds_a_judgment=median(seconds), measured=True)
