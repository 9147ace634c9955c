"""Agreement between the annotators of an eval set: which labels are compared, and what comes of it.

Compared are first, blind submissions of two or more persons on one candidate, given on the same text under the same version of the
rubric. A correction counts for the gold set but not here: what is measured is how two people judge on their own. A label that was
undone at once was never submitted. Adjudications, labels from a file whose judges nobody knows, and "cannot judge" are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from evalsets.models import Candidate, EvalSet
from labelling.comparisons import Comparison
from labelling.models import Annotator, AnnotatorKind, Judgment, Seat
from labelling.statistics.alpha import krippendorff_alpha
from labelling.statistics.coefficient import Coefficient
from labelling.statistics.report import AgreementReport, describe_agreement

# Any number does; a fixed one gives the same interval at every look and on every machine.
SEED = 20_071


@dataclass(frozen=True)
class Submission:
    """A first submission: who gave which grade to which candidate, on which text and under which rubric."""

    pk: int
    candidate_pk: int
    query_pk: int
    query_id: str
    tags: tuple[str, ...]
    annotator_pk: int
    annotator: str
    grade: int | None
    text_sha256: str
    rubric_pk: int | None


@dataclass(frozen=True)
class DoubleSet:
    """The candidates that were declared to be labelled twice, and how many have both labels."""

    declared: int
    complete: int

    @property
    def share(self) -> float | None:
        """The completed share; None where nothing was declared."""
        return self.complete / self.declared if self.declared else None

    @property
    def is_interim(self) -> bool:
        return self.complete < self.declared


@dataclass(frozen=True)
class Agreement:
    """The report, and what stands behind its figures: the compared labels and candidates, the tags of queries, and who is who."""

    report: AgreementReport
    labels: tuple[Submission, ...]
    comparisons: tuple[Comparison, ...]
    tags: dict[int, tuple[str, ...]]
    query_pks: dict[str, int]
    annotator_pks: dict[str, int]
    double_set: DoubleSet
    set_aside: int


def measure_agreement(eval_set: EvalSet, *, by_tag: bool = True) -> Agreement:
    """Return the agreement of an eval set's annotators, with the candidates behind each figure.

    `set_aside` counts graded labels that cannot be compared, because those beside them were given on another text or rubric. Without
    `by_tag` the tags are left out, each of which has an interval that takes its time.
    """
    graded = [submission for submission in read_submissions(eval_set) if submission.grade is not None]
    comparable = list(keep_comparable(graded))
    query_tags = {submission.query_id: submission.tags for submission in comparable if by_tag}
    report = describe_agreement(
        _as_frame(comparable), scale=tuple(eval_set.grades), threshold=eval_set.threshold, seed=SEED, tags=query_tags
    )
    return Agreement(
        report=report,
        labels=tuple(comparable),
        comparisons=tuple(_compare(comparable)),
        tags={submission.query_pk: submission.tags for submission in comparable},
        query_pks={submission.query_id: submission.query_pk for submission in comparable},
        annotator_pks={submission.annotator: submission.annotator_pk for submission in comparable},
        double_set=count_double_set(eval_set),
        set_aside=len(graded) - len(comparable),
    )


def measure_alpha(eval_set: EvalSet) -> tuple[Coefficient, int]:
    """Return ordinal alpha alone, without its interval, which takes the time; and over how many candidates with two labels it is."""
    comparable = list(keep_comparable(one for one in read_submissions(eval_set) if one.grade is not None))
    compared = sum(1 for _one in _compare(comparable))
    return krippendorff_alpha(_as_frame(comparable), scale=tuple(eval_set.grades)), compared


def read_submissions(eval_set: EvalSet) -> list[Submission]:
    """Return the first submission of each person at each candidate of a query that was not retired, oldest first."""
    judgments = Judgment.objects.of(eval_set).filter(
        annotator__kind=AnnotatorKind.PERSON, candidate__query__retired_at__isnull=True
    )
    rows = judgments.order_by("pk").values_list(
        "pk",
        "candidate_id",
        "candidate__query_id",
        "candidate__query__query_id",
        "candidate__query__tags",
        "annotator_id",
        "annotator__name",
        "grade",
        "text_sha256",
        "rubric_id",
        "live",
        "replaces_id",
    )
    first: dict[int, Submission] = {}
    found = []
    for pk, candidate, query, query_id, tags, annotator, name, grade, text, rubric, live, replaces in rows:
        submission = first.get(replaces or 0) or Submission(
            pk, candidate, query, query_id, tuple(tags), annotator, name, grade, text, rubric
        )
        first[pk] = submission
        if live:
            found.append(submission)
    return found


def keep_comparable(submissions: Iterable[Submission]) -> Iterator[Submission]:
    """Yield, of each candidate's submissions, the largest group that saw one text under one rubric (the latest of equally large ones)."""
    by_candidate: dict[int, dict[tuple[str, int | None], list[Submission]]] = defaultdict(lambda: defaultdict(list))
    for submission in submissions:
        by_candidate[submission.candidate_pk][submission.text_sha256, submission.rubric_pk].append(submission)
    for groups in by_candidate.values():
        yield from max(groups.values(), key=lambda group: (len(group), group[-1].pk))


def count_double_set(eval_set: EvalSet) -> DoubleSet:
    """Count the candidates with a second seat, and those of them whose seats are all taken."""
    seats = Seat.objects.filter(query__eval_set=eval_set, query__retired_at__isnull=True)
    second = seats.filter(number__gte=2)
    declared = second.values("candidate").distinct().count()
    waiting = seats.open().filter(candidate__in=second.values("candidate")).values("candidate").distinct().count()
    return DoubleSet(declared=declared, complete=declared - waiting)


def read_query_texts(eval_set: EvalSet) -> dict[int, str]:
    """Return the text of each query, by its number."""
    return dict(eval_set.queries.values_list("pk", "text"))


def list_compared_labels(agreement: Agreement) -> list[dict[str, Any]]:
    """Return {query_id, doc_id, section_id, annotator, grade} of each label on a candidate that has two or more."""
    units = Candidate.objects.only("doc_id", "section_id").in_bulk([one.candidate_pk for one in agreement.comparisons])
    return [
        {
            "query_id": label.query_id,
            "doc_id": units[label.candidate_pk].doc_id,
            "section_id": units[label.candidate_pk].section_id,
            "annotator": label.annotator,
            "grade": label.grade,
        }
        for label in agreement.labels
        if label.candidate_pk in units
    ]


def name_annotators(eval_set: EvalSet) -> dict[int, str]:
    """Return a name without a person for each annotator, by number: "annotator 1", or "file 1" for labels whose judges are unknown."""
    names: dict[int, str] = {}
    counted = {AnnotatorKind.PERSON: 0, AnnotatorKind.FILE: 0}
    words = {AnnotatorKind.PERSON: "annotator", AnnotatorKind.FILE: "file"}
    for pk, kind in Annotator.objects.filter(eval_set=eval_set).order_by("pk").values_list("pk", "kind"):
        counted[AnnotatorKind(kind)] += 1
        names[pk] = f"{words[AnnotatorKind(kind)]} {counted[AnnotatorKind(kind)]}"
    return names


def _as_frame(submissions: list[Submission]) -> pd.DataFrame:
    rows = [(one.query_id, str(one.candidate_pk), one.annotator, one.grade) for one in submissions]
    return pd.DataFrame(rows, columns=["query_id", "unit_id", "annotator", "grade"])


def _compare(submissions: list[Submission]) -> Iterator[Comparison]:
    grades: dict[int, dict[int, int]] = defaultdict(dict)
    queries = {}
    for submission in submissions:
        if submission.grade is not None:
            grades[submission.candidate_pk][submission.annotator_pk] = submission.grade
            queries[submission.candidate_pk] = submission.query_pk
    for candidate_pk, given in grades.items():
        if len(given) >= 2:
            yield Comparison(candidate_pk=candidate_pk, query_pk=queries[candidate_pk], grades=given)
