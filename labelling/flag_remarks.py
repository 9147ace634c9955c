"""What the page of a query is told: that somebody wants it rewritten."""

from __future__ import annotations

from django.urls import reverse

from evalsets.hooks import Remark
from evalsets.models import Query
from labelling.models import QueryFlag


def list_flag_remarks(query: Query) -> list[Remark]:
    """The open flag of a query, if there is one."""
    flag = QueryFlag.objects.filter(query=query, resolved_at__isnull=True).first()
    if flag is None:
        return []
    since = f"Flagged on {flag.flagged_at.day} {flag.flagged_at:%B %Y}, because people cannot agree on what it asks"
    url = reverse("labelling:list_disagreements", args=[query.eval_set.slug]) + "#flags"
    return [Remark("To be rewritten", f"{since}: {flag.reason}" if flag.reason else f"{since}.", url)]
