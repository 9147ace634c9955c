"""A row of every frozen model, made by the real work: the whole path from documents to a report."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.utils import timezone

from evalsets import models as data
from evalsets.building import build_pool
from evalsets.models import Candidate, EvalSet, Role
from evalsets.retrieving import run_retrievers
from labelling import models as human
from labelling.adjudication import adjudicate
from labelling.plans import declare_plan
from labelling.publishing import publish_gold_set
from scoring.models import Report
from scoring.reports import Choice, get_report
from tests.evalsets.retrieval_steps import add_retriever, make_searchable
from tests.factories import make_member
from tests.labelling.queue_steps import grade_all, make_annotator

# For each frozen model a change of one column that its content stands in.
CHANGES: dict[type[models.Model], dict[str, Any]] = {
    data.Snapshot: {"source": "elsewhere"},
    data.Document: {"text": "Another text."},
    data.Section: {"heading": "Another"},
    data.Run: {"depth": 999},
    data.Answer: {"latency_ms": 0.0},
    data.Result: {"rank": 999},
    data.Pool: {"depth": 999},
    data.GoldSet: {"sha256": "0" * 64},
    data.GoldQuery: {"content": {}},
    data.GoldLabel: {"grade": 0},
    human.Rubric: {"guidance": "Another"},
    human.Judgment: {"note": "Another"},
    human.Adjudication: {"reason": "Another"},
    Report: {"document": "{}"},
}


def make_frozen_rows() -> EvalSet:
    """An eval set whose documents were retrieved, pooled, graded, adjudicated, published and scored."""
    eval_set = make_searchable()
    lead = make_member(eval_set, Role.LEAD)
    runs = run_retrievers(eval_set=eval_set, retrievers=[add_retriever(eval_set)], by=lead)
    declare_plan(eval_set=eval_set, rate=1.0, seed="a seed", by=lead)
    build_pool(eval_set=eval_set, runs=runs, depth=5, by=lead)
    for grade in (3, 0):
        grade_all(make_annotator(eval_set), grade)
    adjudicate(
        candidate=Candidate.objects.with_text().filter(query__eval_set=eval_set).earliest("pk"),
        grade=2,
        reason_code="misread",
        by=lead,
        at=timezone.now(),
        request_id=uuid.uuid4(),
    )
    gold_set = publish_gold_set(eval_set=eval_set, by=lead, at=timezone.now(), accept_unresolved=True)
    get_report(Choice.of(gold_set, runs[0]), by=lead)
    return eval_set
