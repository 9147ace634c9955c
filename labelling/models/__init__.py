"""The tables of the human work."""

from labelling.models.adjudications import Adjudication, Outcome, QueryFlag, ReasonCode
from labelling.models.judgments import Annotator, AnnotatorKind, CannotJudge, Judgment, Origin, Seat
from labelling.models.plans import DoubleLabelPlan
from labelling.models.queued_queries import QueuedQuery
from labelling.models.rubrics import Rubric

__all__ = [
    "Adjudication",
    "Annotator",
    "AnnotatorKind",
    "CannotJudge",
    "DoubleLabelPlan",
    "Judgment",
    "Origin",
    "Outcome",
    "QueryFlag",
    "QueuedQuery",
    "ReasonCode",
    "Rubric",
    "Seat",
]
