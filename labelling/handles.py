"""What a grading page calls a candidate: a keyed hash, because a row number would tell.

Candidates are stored in the order in which they were pooled, so their numbers tell the rank; two seats with neighbouring numbers would
tell a double label. A handle holds the query's number, which tells nothing, and a hash over the person and the candidate that only this
server can make: one person's handle is no use to another.
"""

from __future__ import annotations

from django.utils.crypto import constant_time_compare, salted_hmac

from evalsets.models import Candidate, EvalSet
from labelling.models import Annotator

_SALT = "labelling.handles"
_LENGTH = 32


class HandleError(LookupError):
    """A handle that this server did not make for this annotator."""


def make_handle(annotator: Annotator, candidate: Candidate) -> str:
    """Return the annotator's handle of the candidate; always the same one."""
    return f"{candidate.query_id}-{_digest(annotator, candidate.pk)}"


def read_handle(annotator: Annotator, eval_set: EvalSet, handle: str) -> Candidate:
    """Return the candidate of an annotator's handle, found among those of its query; HandleError where it is none."""
    query_pk, _dash, digest = handle.partition("-")
    if query_pk.isascii() and query_pk.isdigit() and len(query_pk) < len(str(2**63)):
        candidates = Candidate.objects.filter(query_id=int(query_pk), query__eval_set=eval_set)
        for pk in candidates.order_by("pk").values_list("pk", flat=True):
            if constant_time_compare(_digest(annotator, pk), digest):
                return Candidate.objects.with_text().get(pk=pk)
    raise HandleError("This page was not made for you, or not by this server. Load the queue again.")


def _digest(annotator: Annotator, candidate_pk: int) -> str:
    return salted_hmac(_SALT, f"{annotator.pk}|{candidate_pk}", algorithm="sha256").hexdigest()[:_LENGTH]
