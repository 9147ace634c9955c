"""The stations of the data: documents, queries, runs, the pool and gold sets. An annotator sees none of them."""

from __future__ import annotations

from collections import Counter

from evalsets.models import Candidate, EvalSet, Pool
from evalsets.permissions import Action
from evalsets.pooling.overlap import FEWEST_FAMILIES, FEWEST_RUNS
from evalsets.stations import NOTHING, Station, Visit, name_count, register_station, show_count

FRESH_SHOWN = 5


def register() -> None:
    """Register them, in the order in which data flows."""
    for order, function in (
        (10, see_documents),
        (20, see_queries),
        (30, see_runs),
        (40, see_pool),
        (80, see_gold_sets),
    ):
        register_station(order, function)


def see_documents(visit: Visit) -> Station | None:
    if not visit.may(Action.READ_DATA):
        return None
    snapshot = visit.eval_set.snapshot
    import_url = import_link(visit, "documents")
    sentence = f"Snapshot {snapshot.number} of {visit.eval_set.corpus}, frozen." if snapshot else ""
    return Station(
        key="documents",
        label="Documents",
        url=visit.link("evalsets:list_documents"),
        number=show_count(snapshot.document_count) if snapshot else NOTHING,
        unit="document" if snapshot and snapshot.document_count == 1 else "documents",
        state="done" if snapshot else "open",
        sentence=sentence
        or "Import the documents that answers are to be found in. Nothing can be retrieved without them.",
        action_url="" if snapshot else import_url,
        action_label="Import documents",
    )


def see_queries(visit: Visit) -> Station | None:
    if not visit.may(Action.READ_DATA):
        return None
    counts = count_queries(visit.eval_set)
    total = counts["queries"]
    return Station(
        key="queries",
        label="Queries",
        url=visit.link("evalsets:list_queries"),
        number=show_count(total) if total else NOTHING,
        unit="query" if total == 1 else "queries",
        state="done" if total else "open",
        sentence=say_queries(counts)
        if total
        else "Import what people really ask. 50 to 200 queries make a useful set.",
        action_url="" if total else import_link(visit, "queries"),
        action_label="Import queries",
    )


def see_runs(visit: Visit) -> Station | None:
    if not visit.may(Action.READ_DATA):
        return None
    eval_set = visit.eval_set
    runs = list(eval_set.runs.complete().order_by().values_list("retriever", "retriever__family"))
    configurations, families = len({retriever for retriever, _family in runs}), len({family for _, family in runs})
    asked = eval_set.queries.active().exists()
    if not asked:
        sentence = "Retrievers have nothing to answer before there are queries."
    elif not runs:
        sentence = "Run the retrievers that are to be compared, or import what they answered elsewhere."
    else:
        sentence = f"Of {name_count(configurations, 'configuration')} in {name_count(families, 'family', 'families')}."
        if configurations < FEWEST_RUNS or families < FEWEST_FAMILIES:
            sentence += f" A pool takes at least {FEWEST_RUNS} of {FEWEST_FAMILIES} families to be fair to all."
    return Station(
        key="runs",
        label="Runs",
        url=visit.link("evalsets:list_runs"),
        number=show_count(len(runs)) if runs else NOTHING,
        unit="run" if len(runs) == 1 else "runs",
        state="done" if runs else "open" if asked else "waiting",
        sentence=sentence,
        action_url=visit.link("evalsets:list_retrievers") if asked and not runs and visit.may(Action.RETRIEVE) else "",
        action_label="Run retrievers",
    )


def see_pool(visit: Visit) -> Station | None:
    if not visit.may(Action.READ_DATA):
        return None
    candidates = Candidate.objects.filter(query__eval_set=visit.eval_set, query__retired_at__isnull=True).count()
    fresh = list_fresh_runs(visit.eval_set)
    if fresh:
        named = ", ".join(str(number) for number in fresh[:FRESH_SHOWN]) + (" …" if len(fresh) > FRESH_SHOWN else "")
        sentence = f"Run {named} is not in it." if len(fresh) == 1 else f"Runs {named} are not in it."
        sentence = sentence if candidates else "Merge what the runs found into candidates for grading."
    else:
        sentence = "All complete runs are in it." if candidates else "It is merged from runs, and there is none yet."
    url = visit.link("evalsets:view_pool")
    return Station(
        key="pool",
        label="Pool",
        url=url,
        number=show_count(candidates) if candidates else NOTHING,
        unit="candidate" if candidates == 1 else "candidates",
        state="open" if fresh else "done" if candidates else "waiting",
        sentence=sentence,
        action_url=url if fresh and visit.may(Action.RETRIEVE) else "",
        action_label="Add them" if candidates else "Build the pool",
    )


def see_gold_sets(visit: Visit) -> Station | None:
    if not visit.may(Action.READ_GOLD):
        return None
    versions = list(visit.eval_set.gold_sets.order_by("-number").only("number", "published_at", "label_count"))
    labelled = Candidate.objects.filter(query__eval_set=visit.eval_set).exists()
    may_publish = labelled and visit.may(Action.PUBLISH)
    if versions:
        last = versions[0]
        day = f"{last.published_at.day} {last.published_at:%B %Y}"
        sentence = f"Version {last.number} of {day} has {name_count(last.label_count, 'label')}."
    else:
        sentence = "Publishing freezes the labels as a version that scores are measured against."
    return Station(
        key="gold-sets",
        label="Gold sets",
        url=visit.link("evalsets:list_gold_sets"),
        number=show_count(len(versions)) if versions else NOTHING,
        unit="version" if len(versions) == 1 else "versions",
        state="done" if versions else "open" if labelled else "waiting",
        sentence=sentence,
        action_url=visit.link("labelling:publish_gold_set") if may_publish else "",
        action_label="Publish the next" if versions else "Publish",
    )


def count_queries(eval_set: EvalSet) -> Counter[str]:
    """Count the active queries of an eval set: in all as "queries", and by what a mean over them depends on."""
    counts: Counter[str] = Counter()
    for split, answerable, synthetic in eval_set.queries.active().values_list("split", "answerable", "synthetic"):
        counts.update({"queries": 1, split: 1, "unanswerable": not answerable, "synthetic": synthetic})
    return counts


def say_queries(counts: Counter[str]) -> str:
    """The counts as a sentence; what there is none of is left out."""
    parts = [f"{counts[name]:,} {name}" for name in ("dev", "holdout", "unanswerable", "synthetic") if counts[name]]
    return ", ".join(parts) + "."


def list_fresh_runs(eval_set: EvalSet) -> list[int]:
    """Return the numbers of the latest complete run of each retriever that no building of the pool has read."""
    latest = eval_set.runs.complete().latest_of_each_retriever().values_list("number", flat=True)
    read = {
        number
        for numbers in Pool.objects.filter(eval_set=eval_set).values_list("run_numbers", flat=True)
        for number in numbers
    }
    return [number for number in latest if number not in read]


def import_link(visit: Visit, kind: str) -> str:
    """Where a file of this kind is imported; "" for those who may not."""
    return visit.link("evalsets:start_import", kind) if visit.may(Action.IMPORT) else ""
