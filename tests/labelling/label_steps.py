"""Labels for tests of agreement, decisions and gold sets: given through the queue where they are few, written in bulk where they are many."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import pandas as pd
from django.db.models import QuerySet

from evalsets.models import Candidate, EvalSet, Role
from evalsets.models.corpora import sha256_of
from labelling.adjudication import adjudicate
from labelling.judging import Verdict, judge
from labelling.models import Adjudication, Annotator, AnnotatorKind, Judgment, Origin
from labelling.plans import declare_plan
from labelling.seating import open_missing_seats
from tests.factories import make_eval_set, make_member, make_pool, make_query
from tests.labelling.queue_steps import NOON, make_annotator


def make_labelled_set(
    *pairs: Sequence[int | str | None], queries: int = 1, rate: float = 1.0, **fields: Any
) -> tuple[EvalSet, list[Candidate]]:
    """An eval set in which each candidate has the labels of one row: grades, or a reason why it cannot be judged; None waits.

    Labels at the same place of the rows are of one annotator. Candidates are spread over the queries in order.
    """
    eval_set = make_eval_set(**fields)
    per_query = -(-len(pairs) // queries)
    make_pool(eval_set, [make_query(eval_set) for _ in range(queries)], per_query)
    declare_plan(eval_set=eval_set, rate=rate, seed="a seed", by=None)
    open_missing_seats(eval_set=eval_set)
    candidates = list(Candidate.objects.with_text().filter(query__eval_set=eval_set).order_by("pk"))
    annotators: list[Annotator] = []
    for candidate, labels in zip(candidates, pairs, strict=False):
        for place, label in enumerate(labels):
            while len(annotators) <= place:
                annotators.append(make_annotator(eval_set))
            if label is not None:
                label_candidate(candidate, annotators[place], label)
    return eval_set, candidates[: len(pairs)]


def label_candidate(
    candidate: Candidate, annotator: Annotator, label: int | str, note: str = "", request_id: uuid.UUID | None = None
) -> Judgment:
    """One label, as the grading page would send it; again on the same candidate is a correction."""
    given = {"grade": label} if isinstance(label, int) else {"cannot_judge": label}
    verdict = Verdict(**given, note=note)
    request_id = request_id or uuid.uuid4()
    return judge(candidate=candidate, annotator=annotator, verdict=verdict, request_id=request_id, at=NOON).judgment


def labels_of(candidate: Candidate) -> QuerySet[Judgment]:
    """Every judgment of a candidate, oldest first."""
    return Judgment.objects.filter(candidate=candidate).order_by("pk")


def decide(candidate: Candidate, grade: int | None, by: Any = None, **fields: Any) -> Adjudication:
    """A lead's decision."""
    by = by or make_member(candidate.query.eval_set, Role.LEAD)
    given = {"reason_code": "misread", "at": NOON, "request_id": uuid.uuid4()} | fields
    return adjudicate(candidate=candidate, grade=grade, by=by, **given)


def import_frame(eval_set: EvalSet, frame: pd.DataFrame, kind: AnnotatorKind = AnnotatorKind.PERSON) -> None:
    """Write a frame [query_id, unit_id, annotator, grade] as imported labels, each annotator's apart."""
    queries = {name: make_query(eval_set, query_id=str(name)) for name in frame["query_id"].unique()}
    people = {
        name: Annotator.objects.create(eval_set=eval_set, name=str(name), kind=kind)
        for name in frame["annotator"].unique()
    }
    pairs = frame.loc[:, ["query_id", "unit_id"]].drop_duplicates().itertuples(index=False)
    made = Candidate.objects.bulk_create(
        [
            Candidate(query=queries[q], doc_id=str(unit), own_text="text", text_sha256=sha256_of("text"))
            for q, unit in pairs
        ],
        batch_size=500,
    )
    by_key = {(one.query.query_id, one.doc_id): one for one in made}
    Judgment.objects.bulk_create(
        [
            Judgment(
                candidate=by_key[str(query_id), str(unit)],
                annotator=people[name],
                grade=grade,
                text_sha256=sha256_of("text"),
                origin=Origin.IMPORT,
                request_id=uuid.uuid4(),
                judged_at=NOON,
            )
            for query_id, unit, name, grade in frame.itertuples(index=False)
        ],
        batch_size=500,
    )
