"""Finding again what an annotator has judged."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet

from labelling.models import Annotator, Judgment, Origin


def list_given(annotator: Annotator) -> QuerySet[Judgment]:
    """Return the annotator's judgments that stand, latest first, with their passages."""
    return Judgment.objects.with_passage().given_here_by(annotator)


def find_judgment(annotator: Annotator, request_id: uuid.UUID) -> Judgment | None:
    """Return the annotator's judgment of that request, or the one that stands in its place after corrections.

    A judgment that was taken back is returned itself, and is then not live. None where the annotator gave none such.
    """
    own = Judgment.objects.with_passage().filter(annotator=annotator, origin=Origin.QUEUE)
    asked = own.filter(request_id=request_id).first()
    if asked is None or asked.live:
        return asked
    return own.live().filter(candidate_id=asked.candidate_id).first() or asked
