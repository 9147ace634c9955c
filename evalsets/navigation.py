"""What the frame of every page shows: the eval set, the pages that the role may open, and the other eval sets."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from evalsets.models import EvalSet, Role
from evalsets.permissions import Action, can

# Label, url name, what it takes: in the order in which data flows.
STATIONS: list[tuple[str, str, Action]] = [
    ("Overview", "evalsets:view_eval_set", Action.VIEW),
    ("Imports", "evalsets:list_imports", Action.READ_DATA),
    ("Documents", "evalsets:list_documents", Action.READ_DATA),
    ("Queries", "evalsets:list_queries", Action.READ_DATA),
    ("Retrievers", "evalsets:list_retrievers", Action.READ_DATA),
    ("Runs", "evalsets:list_runs", Action.READ_DATA),
    ("Pool", "evalsets:view_pool", Action.READ_DATA),
    ("Grade", "labelling:view_queue", Action.GRADE),
    ("Progress", "labelling:view_progress", Action.READ_AGREEMENT),
    ("Agreement", "labelling:view_agreement", Action.READ_AGREEMENT),
    ("Adjudication", "labelling:list_disagreements", Action.ADJUDICATE),
    ("Gold sets", "evalsets:list_gold_sets", Action.READ_GOLD),
    ("Scores", "scoring:list_scores", Action.SCORE),
    ("Members", "evalsets:list_members", Action.MANAGE),
]


def list_stations(eval_set: EvalSet, role: Role, path: str) -> list[dict[str, Any]]:
    """Return {label, url, current} of each page that the role may open; the longest url that `path` begins with is current."""
    stations: list[dict[str, Any]] = [
        {"label": label, "url": reverse(name, args=[eval_set.slug]), "current": False}
        for label, name, action in STATIONS
        if can(role, action)
    ]
    here = [station for station in stations if path.startswith(str(station["url"]))]
    if here:
        max(here, key=lambda station: len(str(station["url"])))["current"] = True
    return stations


def describe_place(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `eval_set`, `role`, `nav_stations`, `eval_sets` for pages inside an eval set."""
    eval_set = getattr(request, "eval_set", None)
    role = getattr(request, "role", None)
    if eval_set is None or role is None:
        return {}
    return {
        "eval_set": eval_set,
        "role": role,
        "nav_stations": list_stations(eval_set, role, request.path),
        "eval_sets": EvalSet.objects.visible_to(request.user).exclude(pk=eval_set.pk).only("name", "slug"),
    }
