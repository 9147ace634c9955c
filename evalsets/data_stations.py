"""The stations from documents to pool, and the gold sets."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q

from evalsets.models import Candidate, EvalSet, Family, Pool
from evalsets.permissions import Action
from evalsets.pooling.overlap import FEWEST_FAMILIES, FEWEST_RUNS
from evalsets.retrievers import built_in
from evalsets.stations import Station, count, register_station


def register() -> None:
    """Add them to the page of the eval set."""
    register_station("documents", place=10, needs=Action.READ_DATA, make=make_documents)
    register_station("queries", place=20, needs=Action.READ_DATA, make=make_queries)
    register_station("retrievers", place=30, needs=Action.READ_DATA, make=make_retrievers)
    register_station("runs", place=40, needs=Action.READ_DATA, make=make_runs)
    register_station("pool", place=50, needs=Action.READ_DATA, make=make_pool)
    register_station("gold", place=90, needs=Action.READ_GOLD, make=make_gold)


def make_documents(eval_set: EvalSet, user: User) -> Station:
    snapshot = eval_set.snapshot
    return Station(
        key="documents",
        label="Documents",
        needs=Action.READ_DATA,
        number=count(snapshot.document_count) if snapshot else "0",
        unit="documents",
        sentence=f"Snapshot {snapshot.number} of {eval_set.corpus}." if snapshot else "Nothing to search yet.",
        page="evalsets:list_documents",
        possible=True,
        finished=snapshot is not None,
        action=("evalsets:start_import", "documents"),
        action_label="Import another snapshot" if snapshot else "Import documents",
        action_needs=Action.IMPORT,
    )


def make_queries(eval_set: EvalSet, user: User) -> Station:
    counts = eval_set.queries.active().aggregate(
        all=Count("pk"),
        unanswerable=Count("pk", filter=Q(answerable=False)),
        synthetic=Count("pk", filter=Q(synthetic=True)),
    )
    said = [
        f"{counts[name]} {label}"
        for name, label in (("unanswerable", "that nothing answers"), ("synthetic", "synthetic"))
        if counts[name]
    ]
    return Station(
        key="queries",
        label="Queries",
        needs=Action.READ_DATA,
        number=count(counts["all"]),
        unit="queries",
        sentence=f"{', '.join(said)}.".capitalize()
        if said
        else "All can be answered."
        if counts["all"]
        else "Nothing to ask yet.",
        page="evalsets:list_queries",
        possible=True,
        finished=counts["all"] > 0,
        action=("evalsets:start_import", "queries"),
        action_label="Import more" if counts["all"] else "Import queries",
        action_needs=Action.IMPORT,
    )


def make_retrievers(eval_set: EvalSet, user: User) -> Station:
    families = list(eval_set.retrievers.exclude(family=Family.UNKNOWN).values_list("family", flat=True))
    total = eval_set.retrievers.count()
    enough = total >= FEWEST_RUNS and len(set(families)) >= FEWEST_FAMILIES
    sentence = (
        f"Families: {', '.join(sorted(set(families)))}."
        if enough
        else f"A fair pool takes {FEWEST_RUNS} configurations of {FEWEST_FAMILIES} families."
    )
    return Station(
        key="retrievers",
        label="Retrievers",
        needs=Action.READ_DATA,
        number=count(total),
        unit="configurations",
        sentence=sentence,
        page="evalsets:list_retrievers",
        possible=True,
        # Once there is a pool, somebody has decided that these will do.
        finished=enough or (total > 0 and Pool.objects.filter(eval_set=eval_set).exists()),
        action=("evalsets:create_retriever",),
        action_label="Add a retriever",
        action_needs=Action.RETRIEVE,
    )


def make_runs(eval_set: EvalSet, user: User) -> Station:
    runs = eval_set.runs.complete()
    number, run_of = runs.count(), runs.values("retriever").distinct().count()
    waiting = eval_set.retrievers.count() - run_of
    ready = bool(eval_set.snapshot) and eval_set.queries.active().exists() and bool(built_in(eval_set))
    sentence = (
        f"{waiting} of the retrievers {'has' if waiting == 1 else 'have'} no run yet."
        if waiting
        else "Every retriever has a run."
    )
    return Station(
        key="runs",
        label="Runs",
        needs=Action.READ_DATA,
        number=count(number),
        unit="runs",
        sentence=sentence if number or waiting else "No retriever has answered the queries yet.",
        page="evalsets:list_runs",
        possible=ready or number > 0,
        finished=number > 0 and waiting == 0,
        action=("evalsets:list_retrievers",),
        action_label="Run the retrievers",
        action_needs=Action.RETRIEVE,
    )


def make_pool(eval_set: EvalSet, user: User) -> Station:
    number = Candidate.objects.filter(query__eval_set=eval_set, pool__isnull=False).count()
    pooled = {
        run for runs in Pool.objects.filter(eval_set=eval_set).values_list("run_numbers", flat=True) for run in runs
    }
    waiting = eval_set.runs.complete().exclude(number__in=pooled).count()
    if number and waiting:
        sentence = f"{waiting} run{'' if waiting == 1 else 's'} did not contribute yet."
    else:
        sentence = "Every run contributed." if number else "What the runs found is not merged yet."
    return Station(
        key="pool",
        label="Pool",
        needs=Action.READ_DATA,
        number=count(number),
        unit="candidates",
        sentence=sentence,
        page="evalsets:view_pool",
        possible=bool(number or waiting),
        finished=bool(number) and not waiting,
        action=("evalsets:view_pool",),
        action_label="See what it would hold" if waiting or not number else "Look at it",
        action_needs=Action.RETRIEVE,
    )


def make_gold(eval_set: EvalSet, user: User) -> Station:
    latest = eval_set.gold_sets.order_by("-number").first()
    if latest:
        sentence = f"Version {latest.number}: {latest.label_count:,} labels of {latest.query_count:,} queries, {latest.published_at.day} {latest.published_at:%B %Y}."
    else:
        sentence = "No version is published yet."
    return Station(
        key="gold",
        label="Gold sets",
        needs=Action.READ_GOLD,
        number=count(eval_set.gold_sets.count()),
        unit="versions",
        sentence=sentence,
        page="evalsets:list_gold_sets",
        possible=bool(latest) or Candidate.objects.filter(query__eval_set=eval_set).exists(),
        finished=latest is not None,
        action=("labelling:publish_gold_set",),
        action_label="See the checklist",
        action_needs=Action.PUBLISH,
    )


def describe_design(eval_set: EvalSet) -> list[dict[str, Any]]:
    """What the eval set is by design: the facts above its stations."""
    snapshot = eval_set.snapshot
    return [
        {
            "name": "corpus",
            "value": f"{eval_set.corpus}, snapshot {snapshot.number}" if snapshot else str(eval_set.corpus),
        },
        {"name": "unit", "value": eval_set.get_unit_display()},
        {"name": "grades", "value": eval_set.get_scale_display()},
        {"name": "relevant from", "value": eval_set.threshold},
        {"name": "gain", "value": eval_set.get_gain_display()},
        {"name": "candidate depth N", "value": eval_set.depth_n},
        {"name": "context depth k", "value": eval_set.depth_k},
    ]
