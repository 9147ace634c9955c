"""What the pages of queries show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet

from evalsets.models import Answer, EvalSet, Query, Result, Run, Split, Stage
from evalsets.run_lists import ListedResult, list_results

RESULTS_SHOWN = 10
CHOICES = ("words", "tag", "split", "source", "answerable", "synthetic", "permission", "sort")
# What ?permission= may say: any query that depends on who asks, or a group behind its mark.
SENSITIVE, GROUP = "sensitive", "group:"
# What ?sort= may say, with the words for it; retired queries come last in every order.
ORDERS = {
    "": ("as imported", "position"),
    "text": ("by text", "text"),
    "id": ("by id", "query_id"),
    "source": ("by source", "source"),
    "split": ("by split", "split"),
    "most": ("most candidates first", "-candidate_count"),
    "fewest": ("fewest candidates first", "candidate_count"),
}


@dataclass(frozen=True)
class RankedList:
    """What one run answered to a query: its first results of one stage. No answer: the run was not asked."""

    run: Run
    answer: Answer | None
    stage: str
    results: list[ListedResult]
    more: int


def list_queries(eval_set: EvalSet, chosen: dict[str, str]) -> QuerySet[Query]:
    """The queries that match what is typed and chosen (`CHOICES`), retired ones last."""
    queries = eval_set.queries.matching(chosen["words"])
    for name in ("split", "source"):
        if chosen[name]:
            queries = queries.filter(**{name: chosen[name]})
    for name in ("answerable", "synthetic"):
        if chosen[name] in ("yes", "no"):
            queries = queries.filter(**{name: chosen[name] == "yes"})
    if chosen["tag"]:
        queries = queries.tagged(chosen["tag"])
    if chosen["permission"] == SENSITIVE:
        queries = queries.permission_sensitive()
    elif chosen["permission"]:
        queries = queries.asked_by(chosen["permission"].removeprefix(GROUP))
    _words, order = ORDERS.get(chosen["sort"], ORDERS[""])
    return queries.with_counts().order_by(F("retired_at").asc(nulls_first=True), order, "position", "pk")


def list_choices(eval_set: EvalSet) -> dict[str, Any]:
    """The tags with their counts, and the sources, splits and groups, that the eval set's queries have."""
    rows = list(eval_set.queries.values_list("tags", "source", "permitted"))
    tags = Counter(tag for found, _source, _permitted in rows for tag in found)
    groups = sorted({group for _tags, _source, permitted in rows for group in permitted})
    return {
        "tags": sorted(tags.items()),
        "sources": sorted({source for _tags, source, _permitted in rows if source}),
        "splits": Split.choices,
        "groups": [(GROUP + group, group) for group in groups],
        "orders": [(value, words) for value, (words, _order) in ORDERS.items()],
    }


def describe_facts(query: Query) -> list[dict[str, Any]]:
    """What is known of the query, without what is empty."""
    facts: list[dict[str, Any]] = [
        {"name": "query id", "value": query.query_id, "mono": True},
        {"name": "split", "value": query.get_split_display()},
        {"name": "source", "value": query.source},
        {"name": "source family", "value": query.source_family},
        {"name": "scope", "value": query.expected_scope},
        {"name": "answerable", "value": "yes" if query.answerable else "no"},
        {"name": "expected", "value": query.get_expected_behaviour_display() if query.expected_behaviour else ""},
        {"name": "the asker is in", "value": ", ".join(query.permitted)},
        {"name": "must never be returned", "value": ", ".join(query.forbidden_documents)},
        *({"name": name, "value": value} for name, value in query.metadata.items()),
    ]
    return [fact for fact in facts if fact["value"] not in ("", None)]


def list_evidence(eval_set: EvalSet, query: Query) -> list[dict[str, Any]]:
    """What the query's author states as evidence, with the document where the current snapshot holds it."""
    wanted = {one["document_id"] for one in query.stated_evidence}
    documents = {}
    if eval_set.snapshot and wanted:
        documents = {one.doc_id: one for one in eval_set.snapshot.documents.filter(doc_id__in=wanted).defer("text")}
    return [
        {
            "doc_id": one["document_id"],
            "section_id": one.get("section_id", ""),
            "document": documents.get(one["document_id"]),
        }
        for one in query.stated_evidence
    ]


def compare_lists(eval_set: EvalSet, query: Query, runs: Sequence[Run]) -> list[RankedList]:
    """What each run answered to the query: the first results of the final stage, or of the candidates where that is shorter."""
    answers = {one.run_id: one for one in Answer.objects.filter(run__in=runs, query=query)}
    rows = list(Result.objects.filter(answer__in=answers.values(), rank__lte=RESULTS_SHOWN).order_by("stage", "rank"))
    listed: dict[int, list[ListedResult]] = {}
    for one in list_results(rows, eval_set.snapshot):
        listed.setdefault(one.result.answer_id, []).append(one)
    return [_describe_list(run, answers.get(run.pk), listed) for run in runs]


def _describe_list(run: Run, answer: Answer | None, listed: dict[int, list[ListedResult]]) -> RankedList:
    by_stage: dict[str, list[ListedResult]] = {}
    for one in listed.get(answer.pk, []) if answer else []:
        by_stage.setdefault(one.result.stage, []).append(one)
    stage = max(by_stage, key=lambda name: (len(by_stage[name]), name == Stage.FINAL), default="")
    total = answer.results.filter(stage=stage).count() if answer and stage else 0
    shown = by_stage.get(stage, [])
    return RankedList(run, answer, Stage(stage).label if stage else "", shown, total - len(shown))
