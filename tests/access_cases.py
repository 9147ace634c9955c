"""The table of who may open which url. A new url takes a line here.

`Case(name, action, method, args, data, ok)`: `action` decides by role (`evalsets.permissions.ALLOWED`, itself written out
in full in `test_permissions`), `args` are read off the world, `ok` are the statuses of somebody who may.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse

from evalsets.models import EvalSet, Role
from evalsets.permissions import ALLOWED, Action
from tests.factories import make_eval_set, make_member, make_user


@dataclass
class World:
    """One eval set with one person of each role, and somebody from outside."""

    eval_set: EvalSet
    people: dict[str, User]
    made: dict[str, Any] = field(default_factory=dict)


def make_world() -> World:
    eval_set = make_eval_set()
    people = {role.value: make_member(eval_set, role) for role in Role}
    return World(eval_set, people | {"outsider": make_user()})


@dataclass(frozen=True)
class Case:
    """One url and who may."""

    name: str
    action: Action | None
    method: str = "get"
    args: Callable[[World], list[Any]] = lambda world: []
    data: dict[str, Any] = field(default_factory=dict)
    ok: frozenset[int] = frozenset({200})
    # Where the url belongs to no eval set: the statuses of each seat that is not `ok`.
    others: dict[str, int] = field(default_factory=dict)

    def url(self, world: World) -> str:
        slug = [world.eval_set.slug] if self.action else []
        return reverse(self.name, args=[*slug, *self.args(world)])

    def expected(self, seat: str) -> frozenset[int]:
        if seat in self.others:
            return frozenset({self.others[seat]})
        if seat == "anonymous":
            return frozenset({302})
        if self.action is None:
            return self.ok
        if seat == "outsider":
            return frozenset({404})
        return self.ok if Role(seat) in ALLOWED[self.action] else frozenset({403})


def member(world: World) -> list[Any]:
    return [world.eval_set.memberships.get(user=world.people["annotator"]).pk]


REDIRECT = frozenset({302})
# Reached without signing in, or by Django's own views; their behaviour is tested in test_people.
PUBLIC = ["people:sign_in", "people:accept_invitation", "people:join", "check_health"]

CASES = [
    Case("evalsets:list_eval_sets", None),
    Case(
        "evalsets:create_eval_set",
        None,
        others={"anonymous": 302, "outsider": 403, "annotator": 403, "engineer": 403, "lead": 403},
    ),
    Case("people:view_account", None),
    Case("people:change_password", None),
    Case("people:sign_out", None, "post", ok=REDIRECT),
    Case("evalsets:view_eval_set", Action.VIEW),
    Case("labelling:view_queue", Action.GRADE),
    Case("labelling:judge_candidate", Action.GRADE, "post", ok=frozenset({422})),
    Case("labelling:list_judged", Action.GRADE),
    Case("labelling:review_judgment", Action.GRADE, args=lambda world: [uuid.uuid4()], ok=frozenset({404})),
    Case("labelling:undo_judgment", Action.GRADE, "post", lambda world: [uuid.uuid4()], ok=frozenset({404})),
    Case("labelling:view_rubric", Action.VIEW),
    Case("labelling:edit_rubric", Action.PLAN),
    Case("labelling:view_progress", Action.READ_AGREEMENT),
    Case("evalsets:edit_eval_set", Action.MANAGE),
    Case("evalsets:list_members", Action.MANAGE),
    Case("evalsets:invite_member", Action.MANAGE, "post", data={"role": "lead", "days": 7}),
    Case("evalsets:change_role", Action.MANAGE, "post", member, {"role": "annotator"}, ok=REDIRECT),
    Case("evalsets:remove_member", Action.MANAGE, "post", lambda world: [0], ok=frozenset({404})),
    Case("evalsets:revoke_invitation", Action.MANAGE, "post", lambda world: [0], ok=frozenset({404})),
    Case("labelling:edit_plan", Action.PLAN),
    Case("labelling:view_agreement", Action.READ_AGREEMENT),
    Case("labelling:list_compared", Action.READ_AGREEMENT),
    Case("labelling:export_agreement", Action.READ_AGREEMENT, args=lambda world: ["json"]),
    Case("labelling:list_disagreements", Action.ADJUDICATE),
    Case("labelling:adjudicate", Action.ADJUDICATE, args=lambda world: [0], ok=frozenset({404})),
    Case("labelling:flag_query", Action.ADJUDICATE, "post", lambda world: [0], ok=frozenset({404})),
    Case("labelling:resolve_flag", Action.ADJUDICATE, "post", lambda world: [0], ok=frozenset({404})),
    Case("labelling:publish_gold_set", Action.PUBLISH),
    Case("evalsets:list_documents", Action.READ_DATA),
    Case("evalsets:view_document", Action.READ_DATA, args=lambda world: [0], ok=frozenset({404})),
    Case("evalsets:list_snapshots", Action.READ_DATA),
    Case("evalsets:choose_snapshot", Action.RETRIEVE, "post", lambda world: [9], ok=frozenset({404})),
    Case("evalsets:list_queries", Action.READ_DATA),
    Case("evalsets:view_query", Action.READ_DATA, args=lambda world: [0], ok=frozenset({404})),
    Case("evalsets:list_retrievers", Action.READ_DATA),
    Case("evalsets:create_retriever", Action.RETRIEVE),
    Case("evalsets:run_retrievers", Action.RETRIEVE, "post", ok=frozenset({422})),
    Case("evalsets:list_runs", Action.READ_DATA),
    Case("evalsets:view_run", Action.READ_DATA, args=lambda world: [9], ok=frozenset({404})),
    Case("evalsets:view_answer", Action.READ_DATA, args=lambda world: [9, 9], ok=frozenset({404})),
    Case("evalsets:view_pool", Action.READ_DATA),
    Case("evalsets:build_pool", Action.RETRIEVE, "post", ok=frozenset({422})),
    Case("evalsets:view_candidates", Action.READ_DATA),
    Case("evalsets:list_imports", Action.READ_DATA),
    Case("evalsets:start_import", Action.IMPORT, args=lambda world: ["documents"]),
    Case("evalsets:view_import", Action.IMPORT, args=lambda world: [0], ok=frozenset({404})),
    Case("evalsets:export_problems", Action.IMPORT, args=lambda world: [0], ok=frozenset({404})),
    Case("evalsets:confirm_import", Action.IMPORT, "post", lambda world: [0], ok=frozenset({404})),
    Case("evalsets:cancel_import", Action.IMPORT, "post", lambda world: [0], ok=frozenset({404})),
    Case("evalsets:view_job", Action.READ_DATA, args=lambda world: [0], ok=frozenset({404})),
    Case("evalsets:cancel_job", Action.IMPORT, "post", lambda world: [0], ok=frozenset({404})),
    Case("evalsets:list_gold_sets", Action.READ_GOLD),
    Case("evalsets:view_gold_set", Action.READ_GOLD, args=lambda world: [9], ok=frozenset({404})),
    Case("evalsets:export_gold_set", Action.READ_GOLD, args=lambda world: [9], ok=frozenset({404})),
    Case("evalsets:import_gold_set", Action.PUBLISH),
    Case("scoring:list_scores", Action.SCORE),
    Case("scoring:view_report", Action.SCORE),
    Case("scoring:export_report", Action.SCORE, args=lambda world: ["csv"], ok=frozenset({404})),
    Case("scoring:view_query_scores", Action.SCORE, ok=frozenset({404})),
    Case("scoring:compare_runs", Action.SCORE),
]
