"""From the labels of one candidate to its one gold grade, or to why there is none.

A lead's decision comes first, then what all persons agree on, then (where the lead chose so) the lower of grades that lie one apart on
the same side of the threshold, then a single person's grade, then the grade of a file. Grades are never averaged: that would make
one that nobody gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalsets.models import Provenance
from labelling.comparisons import Comparison, Spread


@dataclass(frozen=True)
class Label:
    """One label that stands: whose (a number), whether of a person and whether imported, and the grade or None."""

    annotator: int
    grade: int | None
    of_person: bool = True
    imported: bool = False


@dataclass(frozen=True)
class Decision:
    """A lead's decision: a grade, or None where the candidate cannot be settled."""

    grade: int | None


@dataclass(frozen=True)
class Resolution:
    """A gold grade with where it comes from, or None; `open` says what a lead has still to decide, None for nothing."""

    grade: int | None = None
    provenance: Provenance | None = None
    open: Spread | None = None


def resolve(
    labels: Sequence[Label], *, threshold: int, decision: Decision | None = None, take_lower: bool = False
) -> Resolution:
    """Return the gold grade of a candidate with these labels, all of one candidate, at most one of each annotator."""
    if decision:
        return Resolution(decision.grade, None if decision.grade is None else Provenance.ADJUDICATED)
    graded = [label for label in labels if label.grade is not None]
    deciding = [label for label in graded if label.of_person] or graded
    grades = {label.annotator: label.grade for label in deciding if label.grade is not None}
    unjudged = sum(label.grade is None and label.of_person for label in labels)
    spread = Comparison(0, 0, grades, cannot_judge=unjudged).spread(threshold)
    if not grades:
        return Resolution(open=spread if unjudged else None)
    if spread in (Spread.CROSSING, Spread.FAR):
        return Resolution(open=spread)
    differ = len(set(grades.values())) > 1
    if differ and not take_lower:
        return Resolution(open=spread)
    left = Spread.CANNOT_JUDGE if unjudged else None
    if differ:
        return Resolution(min(grades.values()), Provenance.LOWER, left)
    return Resolution(min(grades.values()), _provenance(deciding), left)


def _provenance(deciding: Sequence[Label]) -> Provenance:
    """Where a grade comes from that nobody contradicts."""
    if not deciding[0].of_person:
        return Provenance.IMPORTED
    if len(deciding) > 1:
        return Provenance.AGREED
    return Provenance.IMPORTED if deciding[0].imported else Provenance.SINGLE
