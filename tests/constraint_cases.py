"""A valid row of each table, and for each named constraint what makes the database refuse one.

`CASES` maps a constraint's name to (model, changes, first); a second way to break the same one stands behind a "/" in the name.
A check is broken by the changes on a valid row. A unique constraint is broken by a second row that differs from the first in
`changes` only, which leaves all other constraints of the table whole; `first` are the changes on the first row.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.utils import timezone

from evalsets import models as data
from evalsets.models import EvalSet, Role
from labelling import models as human
from scoring.models import Report
from tests.factories import make_document, make_eval_set, make_pool, make_query, make_user

SHA = "0" * 64


@dataclass
class World:
    """What rows hang on."""

    eval_set: EvalSet = field(default_factory=make_eval_set)

    def __post_init__(self) -> None:
        self.user, self.other = make_user(), make_user()
        self.query, self.second = make_query(self.eval_set), make_query(self.eval_set)
        self.document = make_document(self.eval_set)
        self.pool = make_pool(self.eval_set, [self.query], per_query=1)
        self.candidate = self.query.candidates.get()
        self.annotator, self.colleague = (
            human.Annotator.objects.create(eval_set=self.eval_set, name=name) for name in ("one", "two")
        )
        self.seat = human.Seat.objects.create(candidate=self.candidate, query=self.query, number=1)
        self.gold_set = data.GoldSet.objects.create(**VALID[data.GoldSet](self) | {"number": 90, "sha256": "f" * 64})
        self.retriever = data.Retriever.objects.create(**VALID[data.Retriever](self) | {"slug": "other"})
        self.run = data.Run.objects.create(**VALID[data.Run](self) | {"number": 90})
        self.answer = data.Answer.objects.create(run=self.run, query=self.second)
        self.upload = data.Upload.objects.create(name="file", size=1, sha256=SHA)


VALID: dict[type[models.Model], Callable[[World], dict[str, Any]]] = {
    data.Snapshot: lambda w: {"corpus": w.eval_set.corpus, "number": 2},
    data.Document: lambda w: {"snapshot": w.eval_set.snapshot, "doc_id": "new", "text_sha256": SHA},
    data.Section: lambda w: {"document": w.document, "section_id": "s", "position": 0, "start": 0, "end": 3},
    data.EvalSet: lambda w: {"slug": "new", "name": "New", "corpus": w.eval_set.corpus},
    data.Membership: lambda w: {"eval_set": w.eval_set, "user": w.user, "role": Role.LEAD},
    data.Invitation: lambda w: {
        "eval_set": w.eval_set,
        "role": Role.LEAD,
        "token_sha256": SHA,
        "expires_at": timezone.now(),
    },
    data.GoldSet: lambda w: {
        "eval_set": w.eval_set,
        "number": 1,
        "sha256": SHA,
        "header": {},
        "query_count": 0,
        "label_count": 0,
        "published_at": timezone.now(),
    },
    data.GoldQuery: lambda w: {"gold_set": w.gold_set, "query_id": "q", "content": {}},
    data.GoldLabel: lambda w: {
        "gold_set": w.gold_set,
        "query_id": "q",
        "doc_id": "d",
        "grade": 3,
        "provenance": "single",
        "content": {},
    },
    data.Job: lambda w: {"kind": "work", "title": "Some work"},
    data.Query: lambda w: {"eval_set": w.eval_set, "query_id": "new", "text": "What?"},
    data.Retriever: lambda w: {
        "eval_set": w.eval_set,
        "slug": "words",
        "name": "Words",
        "kind": "bm25",
        "config_sha256": SHA,
    },
    data.Run: lambda w: {"eval_set": w.eval_set, "retriever": w.retriever, "number": 1, "config_sha256": SHA},
    data.Answer: lambda w: {"run": w.run, "query": w.query},
    data.Result: lambda w: {"answer": w.answer, "stage": "final", "rank": 1, "doc_id": "d"},
    data.Pool: lambda w: {
        "eval_set": w.eval_set,
        "number": 2,
        "strategy": "depth_k",
        "depth": 20,
        "candidate_count": 0,
    },
    data.Candidate: lambda w: {"query": w.query, "doc_id": "new", "text_sha256": SHA},
    data.Contribution: lambda w: {"candidate": w.candidate, "run": w.run, "stage": "final", "rank": 1},
    data.UploadPart: lambda w: {"upload": w.upload, "number": 1, "data": b"x"},
    data.Import: lambda w: {"eval_set": w.eval_set, "kind": "queries", "file_name": "q.csv"},
    human.Rubric: lambda w: {"eval_set": w.eval_set, "number": 1, "definitions": []},
    human.Adjudication: lambda w: {
        "candidate": w.candidate,
        "outcome": "grade",
        "grade": 2,
        "reason_code": "misread",
        "request_id": uuid.uuid4(),
        "adjudicated_at": timezone.now(),
        "adjudicated_by": w.user,
    },
    human.QueryFlag: lambda w: {"query": w.query, "flagged_at": timezone.now()},
    human.Annotator: lambda w: {"eval_set": w.eval_set, "name": "new", "user": w.user},
    human.Seat: lambda w: {"candidate": w.candidate, "query": w.query, "number": 2},
    human.Judgment: lambda w: {
        "candidate": w.candidate,
        "seat": w.seat,
        "annotator": w.annotator,
        "grade": 3,
        "text_sha256": SHA,
        "request_id": uuid.uuid4(),
        "judged_at": timezone.now(),
    },
    human.DoubleLabelPlan: lambda w: {"eval_set": w.eval_set, "rate": 0.2, "seed": "s", "seed_sha256": SHA},
    Report: lambda w: {
        "gold_set": w.gold_set,
        "run": w.run,
        "depth_n": 10,
        "depth_k": 5,
        "threshold": 2,
        "gain": "exp",
        "engine_version": "1",
        "document": "{}",
        "page": {},
        "rows": {},
    },
}

Changes = Callable[[World], dict[str, Any]]


def given(**changes: Any) -> Changes:
    """Changes that depend on nothing."""
    return lambda world: changes


SAME = given()


def lease(world: World) -> dict[str, Any]:
    return {"leased_by": world.annotator, "leased_until": timezone.now()}


CASES: dict[str, tuple[Any, ...]] = {
    "snapshot_number_unique_in_corpus": (data.Snapshot, SAME),
    "snapshot_frozen_with_checksum": (data.Snapshot, lambda w: {"frozen_at": timezone.now()}),
    "snapshot_frozen_with_checksum/unfrozen": (data.Snapshot, given(sha256=SHA)),
    "document_id_unique_in_snapshot": (data.Document, SAME),
    "document_lifecycle_known": (data.Document, given(lifecycle="lost")),
    "document_id_not_empty": (data.Document, given(doc_id="")),
    "section_id_unique_in_document": (data.Section, given(position=1)),
    "section_ends_after_start": (data.Section, given(start=3, end=2)),
    "section_id_not_empty": (data.Section, given(section_id="")),
    "eval_set_unit_known": (data.EvalSet, given(unit="chunk")),
    "eval_set_threshold_on_scale": (data.EvalSet, given(scale="binary", threshold=2)),
    "eval_set_gain_known": (data.EvalSet, given(gain="square")),
    "eval_set_depths_in_order": (data.EvalSet, given(depth_n=5, depth_k=6)),
    "membership_one_role_a_person": (data.Membership, given(role="engineer")),
    "membership_role_known": (data.Membership, given(role="king")),
    "invitation_role_known": (data.Invitation, given(role="king")),
    "gold_set_number_unique_in_eval_set": (data.GoldSet, given(sha256="1" * 64)),
    "gold_set_content_once_in_eval_set": (data.GoldSet, given(number=2)),
    "gold_query_unique_in_gold_set": (data.GoldQuery, SAME),
    "gold_label_unique_in_gold_set": (data.GoldLabel, given(grade=0)),
    "gold_label_grade_on_scale": (data.GoldLabel, given(grade=4)),
    "gold_label_provenance_known": (data.GoldLabel, given(provenance="rumour")),
    "job_state_known": (data.Job, given(state="lazy")),
    "query_unanswerable_says_what_is_expected/answerable": (data.Query, given(expected_behaviour="empty")),
    "query_id_unique_in_eval_set": (data.Query, given(text="Another?")),
    "query_id_not_empty": (data.Query, given(query_id="")),
    "query_split_known": (data.Query, given(split="train")),
    "query_unanswerable_says_what_is_expected": (data.Query, given(answerable=False)),
    "retriever_slug_unique_in_eval_set": (data.Retriever, given(name="Others")),
    "retriever_family_known": (data.Retriever, given(family="royal")),
    "run_number_unique_in_eval_set": (data.Run, SAME),
    "run_state_known": (data.Run, given(state="walking")),
    "run_frozen_with_checksum_when_complete": (data.Run, given(state="complete")),
    "run_frozen_with_checksum_when_complete/running": (data.Run, given(sha256=SHA)),
    "answer_unique_in_run": (data.Answer, given(latency_ms=1.0)),
    "answer_event_known": (data.Answer, given(event="rain")),
    "result_rank_unique_in_answer": (data.Result, given(doc_id="other")),
    "result_stage_known": (data.Result, given(stage="attic")),
    "result_rank_from_one": (data.Result, given(rank=0)),
    "result_offsets_both_or_neither": (data.Result, given(start=1)),
    "result_offsets_both_or_neither/order": (data.Result, given(start=2, end=1)),
    "pool_number_unique_in_eval_set": (data.Pool, SAME),
    "candidate_unique_in_query": (data.Candidate, SAME),
    "candidate_mark_both_or_neither": (data.Candidate, given(mark_end=3)),
    "candidate_mark_both_or_neither/end": (data.Candidate, given(mark_start=3)),
    "contribution_once_a_run": (data.Contribution, given(rank=2)),
    "contribution_stated_once": (
        data.Contribution,
        given(run=None, rank=None, stage="candidates"),
        given(run=None, rank=None),
    ),
    "contribution_of_a_run_has_a_rank": (data.Contribution, given(rank=None)),
    "contribution_of_a_run_has_a_rank/run": (data.Contribution, given(run=None)),
    "upload_part_unique_in_upload": (data.UploadPart, SAME),
    "import_state_known": (data.Import, given(state="lazy")),
    "rubric_number_unique_in_eval_set": (human.Rubric, SAME),
    "adjudication_grade_or_cannot_settle": (human.Adjudication, given(outcome="cannot_settle")),
    "adjudication_grade_or_cannot_settle/neither": (human.Adjudication, given(grade=None)),
    "adjudication_grade_or_cannot_settle/scale": (human.Adjudication, given(grade=4)),
    "adjudication_reason_known": (human.Adjudication, given(reason_code="mood")),
    "adjudication_one_live_a_candidate": (human.Adjudication, lambda w: {"request_id": uuid.uuid4()}),
    "query_flag_one_open_a_query": (human.QueryFlag, SAME),
    "annotator_once_a_user": (human.Annotator, given(name="another name")),
    "annotator_name_unique_in_eval_set": (human.Annotator, lambda w: {"user": w.other}),
    "annotator_kind_known": (human.Annotator, given(kind="robot")),
    "seat_number_unique_at_candidate": (human.Seat, SAME),
    "seat_one_lease_an_annotator_and_candidate": (human.Seat, lambda w: lease(w) | {"number": 3}, lease),
    "seat_number_one_to_five": (human.Seat, given(number=6)),
    "seat_lease_both_or_neither": (human.Seat, lambda w: {"leased_by": w.annotator}),
    "seat_lease_both_or_neither/until": (human.Seat, lambda w: {"leased_until": timezone.now()}),
    "seat_closed_without_lease": (human.Seat, lambda w: lease(w) | {"is_open": False}),
    "judgment_grade_or_reason": (human.Judgment, given(cannot_judge="other")),
    "judgment_grade_or_reason/neither": (human.Judgment, given(grade=None)),
    "judgment_grade_or_reason/scale": (human.Judgment, given(grade=4)),
    "judgment_one_live_a_seat": (
        human.Judgment,
        lambda w: {"annotator": w.colleague, "request_id": uuid.uuid4()},
    ),
    "judgment_one_live_an_annotator_and_candidate": (
        human.Judgment,
        lambda w: {"seat": None, "request_id": uuid.uuid4()},
    ),
    "judgment_origin_known": (human.Judgment, given(origin="dream")),
    "double_label_rate_is_a_share": (human.DoubleLabelPlan, given(rate=1.5)),
    "report_once_for_a_choice": (Report, given(document="[]")),
    "report_depths_in_order": (Report, given(depth_k=11)),
    "report_gain_known": (Report, given(gain="square")),
    "report_threshold_on_scale": (Report, given(threshold=0)),
}
