"""The demo: a fictional handbook, real retrieval over it, and half of the pool judged by three scripted annotators.

Everything goes through the functions that the pages call. Each step looks first whether it was done, so loading can be
interrupted anywhere and repeated, and a second load changes nothing.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from evalsets.building import build_pool
from evalsets.creating import Design, create_eval_set
from evalsets.demo_people import SignIn, make_people
from evalsets.formats.documents import read_documents
from evalsets.formats.queries import read_queries
from evalsets.models import Candidate, EvalSet, GoldSet, Pool, Query, Run, Snapshot
from evalsets.queries import store_queries
from evalsets.retrievers import create_retriever
from evalsets.retrieving import run_retrievers
from evalsets.snapshots import choose_snapshot, store_snapshot
from labelling.adjudication import adjudicate, can_adjudicate, flag_query
from labelling.annotators import get_annotator
from labelling.demo_script import FOLDER, Script, Unit, read_script, rubric_definitions
from labelling.disagreements import list_decisions, read_candidates
from labelling.judging import judge
from labelling.models import Annotator, DoubleLabelPlan, Rubric, Seat
from labelling.plans import declare_plan
from labelling.publishing import publish_gold_set
from labelling.rubrics import get_current_rubric, write_rubric
from labelling.seating import open_missing_seats

SLUG = "handbook"
SEED = "handbook-demo"
POOL_DEPTH = 20
ANNOTATORS = ["maren", "tomas", "ines"]
RETRIEVERS: list[tuple[str, str, dict[str, Any]]] = [
    ("BM25", "bm25", {"size": 120, "overlap": 20}),
    ("LSA", "lsa", {"size": 120, "overlap": 20, "dimensions": 150}),
    ("Fusion", "rrf", {"members": ["bm25", "lsa"]}),
]

Say = Callable[[str], object]


def load_demo(*, say: Say = print) -> tuple[EvalSet, list[SignIn]]:
    """Load what of the demo is not there yet. Returns its eval set and how its people sign in."""
    eval_set = find_demo() or _create()
    users, sign_ins = make_people(eval_set)
    if not GoldSet.objects.filter(eval_set=eval_set).exists():
        script = read_script()
        _bring_data(eval_set, users["emil"], say)
        _retrieve_and_pool(eval_set, users["emil"], say)
        _label(eval_set, users, script, say)
        say("Publishing the first gold set.")
        notes = "First half of the queries. Open disagreements are left out."
        publish_gold_set(
            eval_set=eval_set, by=users["lena"], at=timezone.now(), notes=notes, take_lower=True, accept_unresolved=True
        )
    return eval_set, sign_ins


def find_demo() -> EvalSet | None:
    """The demo's eval set, where it was loaded."""
    return EvalSet.objects.filter(slug=SLUG, is_demo=True).first()


def _create() -> EvalSet:
    eval_set = create_eval_set(
        name="Vaultkeel handbook",
        slug=SLUG,
        description="The handbook of a fictional backup service, and what its people ask of it.",
        by=None,
        design=Design(unit="section", threshold=2, gain="exp", depth_n=50, depth_k=5),
    )
    EvalSet.objects.filter(pk=eval_set.pk).update(is_demo=True)
    eval_set.refresh_from_db()
    return eval_set


def _bring_data(eval_set: EvalSet, by: User, say: Say) -> None:
    if eval_set.snapshot is None:
        found = read_documents(FOLDER / "handbook", name="handbook")
        complete = Snapshot.objects.complete().filter(corpus=eval_set.corpus).first()
        snapshot = complete or store_snapshot(
            corpus=eval_set.corpus, documents=found.documents, source="handbook", by=by
        )
        choose_snapshot(eval_set=eval_set, snapshot=snapshot)
        say(f"Imported {snapshot.document_count} documents.")
    queries = read_queries((FOLDER / "queries.yaml").read_bytes(), name="queries.yaml").queries
    stored = store_queries(eval_set=eval_set, rows=queries, by=by)
    say(f"Imported {stored.added} queries.")


def _retrieve_and_pool(eval_set: EvalSet, by: User, say: Say) -> None:
    if not Run.objects.complete().filter(eval_set=eval_set).exists():
        for name, kind, config in RETRIEVERS:
            if not eval_set.retrievers.filter(name=name).exists():
                create_retriever(eval_set=eval_set, name=name, kind=kind, config=config, by=by)
        runs = run_retrievers(eval_set=eval_set, retrievers=list(eval_set.retrievers.all()), by=by)
        say(f"Ran {len(runs)} retrievers over the queries.")
    if not DoubleLabelPlan.objects.filter(eval_set=eval_set).exists():
        declare_plan(eval_set=eval_set, rate=0.2, seed=SEED, by=by)
    if not Pool.objects.filter(eval_set=eval_set).exists():
        runs = list(Run.objects.complete().filter(eval_set=eval_set))
        build_pool(eval_set=eval_set, runs=runs, depth=POOL_DEPTH, by=by)
    open_missing_seats(eval_set=eval_set)
    say(f"Pooled {Candidate.objects.filter(query__eval_set=eval_set).count()} candidates.")


def _label(eval_set: EvalSet, users: dict[str, User], script: Script, say: Say) -> None:
    if Rubric.objects.filter(eval_set=eval_set).count() < 2:
        definitions, guidance = rubric_definitions(script.rubric), " ".join(script.rubric["question"].split())
        after = get_current_rubric(eval_set).number
        write_rubric(eval_set=eval_set, definitions=definitions, guidance=guidance, after=after, by=users["lena"])
    annotators = {name: get_annotator(eval_set, users[name]) for name in ANNOTATORS}
    judged = _judge_half(eval_set, annotators, script)
    say(f"Took {judged} judgments of {len(annotators)} annotators.")
    say(f"Decided {_decide(eval_set, users['lena'], script)} disagreements.")


def _judge_half(eval_set: EvalSet, annotators: dict[str, Annotator], script: Script) -> int:
    """Let the annotators judge every seat of half of the queries, over the working days of the past fortnight."""
    rubric = get_current_rubric(eval_set)
    clock = Clock(timezone.now() - timedelta(days=14))
    judged = 0
    for query in chosen_half(eval_set):
        seats = Seat.objects.filter(query=query).select_related("candidate").order_by("candidate__pk", "number")
        for place, seat in enumerate(sorted(seats, key=lambda seat: _key("order", _unit(query, seat.candidate)))):
            unit = _unit(query, seat.candidate)
            name = ANNOTATORS[(int(_key("who", unit), 16) + seat.number) % len(ANNOTATORS)]
            at, seconds = clock.tick(name, words=len(script.verdict_of(name, unit).note.split()))
            judge(
                candidate=seat.candidate,
                annotator=annotators[name],
                verdict=script.verdict_of(name, unit),
                request_id=uuid.uuid5(uuid.NAMESPACE_OID, f"{SEED}|{place}|{seat.number}|{unit}"),
                at=at,
                seconds=seconds,
                rubric=rubric,
            )
            judged += 1
    return judged


def _decide(eval_set: EvalSet, lead: User, script: Script) -> int:
    """Decide the disagreements that the script speaks of; the others wait for whoever tries the demo."""
    decided = 0
    waiting = read_candidates(one.pk for one in list_decisions(eval_set)).values()
    for candidate in waiting:
        unit = _unit(candidate.query, candidate)
        decision = script.decisions.get(unit)
        if decision is None or not can_adjudicate(candidate, lead):
            continue
        at = timezone.now() - timedelta(hours=3) + timedelta(seconds=40 * decided)
        adjudicate(
            candidate=candidate,
            grade=decision.grade,
            reason_code=decision.reason_code,
            reason=decision.reason,
            by=lead,
            at=at,
            request_id=uuid.uuid5(uuid.NAMESPACE_OID, f"{SEED}|decision|{unit}"),
        )
        if decision.rewrite:
            flag_query(query=candidate.query, reason=decision.reason, by=lead, at=at)
        decided += 1
    return decided


def chosen_half(eval_set: EvalSet) -> list[Query]:
    """Every other query, so that each kind is among those that are judged."""
    return list(eval_set.queries.in_order())[::2]


def _unit(query: Query, candidate: Candidate) -> Unit:
    return (query.query_id, candidate.doc_id, candidate.section_id)


def _key(purpose: str, unit: Unit) -> str:
    """A fixed arbitrary place for a unit, the same at every load."""
    return uuid.uuid5(uuid.NAMESPACE_OID, "|".join([SEED, purpose, *unit])).hex


class Clock:
    """Says when each annotator judged: one judgment after the other, in sittings of two hours a day."""

    SITTING = timedelta(hours=2)

    def __init__(self, begin: datetime) -> None:
        self._begin = begin.replace(hour=9, minute=0, second=0, microsecond=0)
        self._now: dict[str, datetime] = {}
        self._random = random.Random(SEED)  # noqa: S311  # it only spreads the demo's times

    def tick(self, name: str, *, words: int) -> tuple[datetime, float]:
        """The next time at which this annotator judged, and the seconds that it took; writing a note takes longer."""
        seconds = round(self._random.lognormvariate(2.3, 0.5) + 1.5 * words, 1)
        now = self._now.get(name, self._begin) + timedelta(seconds=seconds + 2)
        if now - now.replace(hour=9, minute=0, second=0) > self.SITTING:
            now = (now + timedelta(days=1)).replace(hour=9, minute=0, second=0)
        self._now[name] = now
        return min(now, timezone.now()), seconds
