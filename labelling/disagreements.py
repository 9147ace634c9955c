"""Which candidates wait for a lead's decision, the most consequential first.

A candidate needs one where the labels that stand (corrections included) differ, or where somebody could not judge it and nobody else is
asked any more. Labels of persons count before those of a file; a file's labels are compared only where no person graded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet

from evalsets.models import Candidate, EvalSet
from labelling.comparisons import Choice, Comparison, Spread
from labelling.models import Adjudication, AnnotatorKind, Judgment, QueryFlag, Seat

# What must be decided before it can enter a gold set; what lies one grade apart on one side may also be settled by a rule.
MUST_DECIDE = (Spread.CROSSING, Spread.FAR, Spread.CANNOT_JUDGE)


@dataclass(frozen=True)
class Waiting:
    """A candidate in the list of decisions: its labels, whether it is settled, and whether its query is to be rewritten."""

    comparison: Comparison
    spread: Spread
    settled: bool
    flagged: bool

    @property
    def pk(self) -> int:
        return self.comparison.candidate_pk


def list_decisions(eval_set: EvalSet, choice: Choice | None = None) -> list[Waiting]:
    """Return all candidates that need or needed a decision, settled or not, in the order in which they should be decided.

    Candidates of a query that is flagged for rewriting come last: they may never need one.
    """
    comparisons = compare_disputed(eval_set)
    choice, threshold = choice or Choice(), eval_set.threshold
    tags = read_tags(eval_set) if choice.tag else {}
    settled = set(_decided(eval_set).values_list("candidate_id", flat=True))
    flagged = set(list_flags(eval_set).values_list("query_id", flat=True))
    order = {pk: place for place, pk in enumerate(eval_set.queries.in_order().values_list("pk", flat=True))}
    chosen = [one for one in comparisons if choice.takes(one, threshold=threshold, tags=tags)]
    chosen.sort(
        key=lambda one: (
            one.query_pk in flagged,
            one.weight(threshold),
            order.get(one.query_pk, 0),
            one.candidate_pk,
        )
    )
    return [
        Waiting(one, one.spread(threshold), settled=one.candidate_pk in settled, flagged=one.query_pk in flagged)
        for one in chosen
    ]


def find_next(decisions: Sequence[Waiting], after: int | None = None) -> int | None:
    """Return the number of the next open candidate behind candidate `after`, going round; the first without; None when all are settled."""
    pks = [one.pk for one in decisions]
    start = pks.index(after) + 1 if after in pks else 0
    for one in [*decisions[start:], *decisions[:start]]:
        if not one.settled:
            return one.pk
    return None


def compare_disputed(eval_set: EvalSet) -> list[Comparison]:
    """Return the labels that stand of each candidate where they differ or somebody could not judge."""
    disputed = _disputed(eval_set)
    given: dict[int, dict[int, int]] = defaultdict(dict)
    from_files: dict[int, dict[int, int]] = defaultdict(dict)
    cannot: dict[int, int] = defaultdict(int)
    queries: dict[int, int] = {}
    rows = Judgment.objects.of(eval_set).live().filter(candidate__in=disputed.values("candidate_id"))
    for candidate, query, annotator, kind, grade in rows.values_list(
        "candidate_id", "candidate__query_id", "annotator_id", "annotator__kind", "grade"
    ):
        queries[candidate] = query
        if kind == AnnotatorKind.FILE:
            if grade is not None:
                from_files[candidate][annotator] = grade
        elif grade is None:
            cannot[candidate] += 1
        else:
            given[candidate][annotator] = grade
    return [
        Comparison(pk, query, given.get(pk) or from_files.get(pk, {}), cannot_judge=cannot.get(pk, 0))
        for pk, query in queries.items()
    ]


def read_tags(eval_set: EvalSet) -> dict[int, list[str]]:
    """Return the tags of each query, by its number."""
    return dict(eval_set.queries.values_list("pk", "tags"))


def list_flags(eval_set: EvalSet) -> QuerySet[QueryFlag]:
    """Return the open flags: queries that somebody wants rewritten."""
    return QueryFlag.objects.filter(query__eval_set=eval_set, query__retired_at__isnull=True, resolved_at__isnull=True)


def read_candidates(pks: Iterable[int]) -> dict[int, Candidate]:
    """Return the candidates of these numbers with their texts, by number."""
    return Candidate.objects.with_text().in_bulk(list(pks))


def count_open(decisions: Iterable[Waiting]) -> int:
    """Count what still waits for a decision."""
    return sum(not one.settled for one in decisions)


def _disputed(eval_set: EvalSet) -> QuerySet[Judgment, Any]:
    """Rows {candidate_id, ...} of the candidates whose labels differ or include a cannot-judge that nobody else is asked about."""
    person, graded = ~Q(annotator__kind=AnnotatorKind.FILE), Q(grade__isnull=False)
    rows = Judgment.objects.of(eval_set).live().filter(candidate__query__retired_at__isnull=True).order_by()
    waits = Seat.objects.open().filter(candidate_id=OuterRef("candidate_id"))
    grouped = rows.values("candidate_id").annotate(
        low=Min("grade", filter=person),
        high=Max("grade", filter=person),
        graded=Count("pk", filter=person & graded),
        cannot=Count("pk", filter=person & ~graded),
        file_low=Min("grade", filter=~person),
        file_high=Max("grade", filter=~person),
        waits=Exists(waits),
    )
    differ = Q(graded__gt=0, low__lt=F("high")) | Q(graded=0, file_low__lt=F("file_high"))
    return grouped.filter(differ | Q(cannot__gt=0, waits=False))


def _decided(eval_set: EvalSet) -> QuerySet[Adjudication]:
    return Adjudication.objects.live().filter(candidate__query__eval_set=eval_set)
