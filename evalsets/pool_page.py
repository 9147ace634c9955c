"""What the page of the pool shows: the plan in figures, before anything is created, and what the pool holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import Count, Q

from evalsets.building import DEFAULT_DEPTH, MOST_DEPTH, PoolPlan, describe_plan
from evalsets.hooks import get_labelling_terms
from evalsets.models import Candidate, Contribution, EvalSet, Pool, Run, Stage
from evalsets.models.pools import CandidateQuerySet
from evalsets.pooling.overlap import PoolOverview

HEAT_LEVELS = 5
PROBLEMS_SHOWN = 50


class PoolForm(forms.Form):
    """Which runs are pooled, and how deep."""

    runs = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, error_messages={"required": "Choose at least one run."}
    )
    depth = forms.IntegerField(
        min_value=1,
        max_value=MOST_DEPTH,
        help_text="So many units of each list; 20 is customary where k is at most 10.",
    )

    def __init__(self, data: Any = None, *, runs: Sequence[Run], latest: Sequence[Run]) -> None:
        initial = {"runs": [str(run.number) for run in latest], "depth": DEFAULT_DEPTH}
        super().__init__(data, initial=initial)
        self.by_number = {str(run.number): run for run in runs}
        self.fields["runs"].choices = [  # type: ignore[attr-defined]  # a MultipleChoiceField
            (number, f"Run {number}, {run.retriever} ({run.retriever.get_family_display()})")
            for number, run in self.by_number.items()
        ]

    def chosen(self) -> list[Run]:
        """The runs that were chosen, in the order of their numbers."""
        return [self.by_number[number] for number in sorted(self.cleaned_data["runs"], key=int)]


def describe_preview(plan: PoolPlan) -> dict[str, Any]:
    """The variable `preview` of the page."""
    seen, terms = describe_plan(plan), get_labelling_terms(plan.eval_set)
    names = {str(run.number): f"Run {run.number}, {run.retriever}" for run in plan.runs}
    timed = "the median here" if terms.measured else "customary"
    low, high = seen.cost.adjudicating_hours
    return {
        "warnings": [warning.message for warning in seen.warnings],
        "candidates": seen.size,
        "new": len(plan.new),
        "stated": plan.stated_only,
        "size_words": f"over {len(seen.sizes)} queries, median {seen.median_size or 0:g}, "
        f"{min(seen.sizes.values(), default=0)} to {max(seen.sizes.values(), default=0)} each",
        "double": seen.cost.double_labelled,
        "double_rate": f"{terms.double_rate * 100:.4g} %",
        "hours": f"{seen.cost.judging_hours:.1f}",
        "cost_words": f"{seen.cost.judgments} gradings of {seen.cost.seconds_a_judgment:.0f} s ({timed}); "
        f"then {low:.1f} to {high:.1f} hours of decisions",
        "contributions": _list_contributions(seen, plan, names),
        "overlap": _list_overlap(seen, names),
        "sizes": _list_sizes(plan.eval_set, seen),
        "problems": plan.problems[:PROBLEMS_SHOWN],
        "problem_count": len(plan.problems),
        "choices": [*(("runs", run.number) for run in plan.runs), ("depth", plan.depth)],
        "adds_nothing": not plan.new and _is_known(plan),
    }


def describe_pool(eval_set: EvalSet) -> dict[str, Any] | None:
    """What the present pool holds; None before the first building."""
    last = Pool.objects.filter(eval_set=eval_set).order_by("-number").first()
    if last is None:
        return None
    count = Candidate.objects.filter(query__eval_set=eval_set, pool__isnull=False).count()
    return {
        "number_of_candidates": count,
        "created_at": last.built_at,
        "depth": last.depth,
        "buildings": last.number,
    }


def list_candidates(
    eval_set: EvalSet, *, words: str = "", run: int | None = None, alone: bool = False
) -> CandidateQuerySet:
    """The eval set's candidates with where they came from; only those of one run, only those that one run alone brought."""
    candidates = CandidateQuerySet(Candidate).filter(query__eval_set=eval_set)
    if words:
        matching = Q(query__text__icontains=words) | Q(query__query_id__icontains=words) | Q(doc_id__icontains=words)
        candidates = candidates.filter(matching)
    if run is not None:
        candidates = candidates.filter(contributions__run__number=run).distinct()
    if alone:
        runs = Count("contributions__run", distinct=True)
        alone_keys = Candidate.objects.filter(query__eval_set=eval_set).annotate(runs=runs).filter(runs=1)
        candidates = candidates.filter(pk__in=alone_keys.values("pk"))
    return candidates.order_by("query__position", "query_id", "doc_id", "section_id")


def describe_candidates(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Each candidate with the runs that brought it, and their ranks in words: "3", or "7, final 2" where a stage ranks otherwise."""
    return [
        {
            "candidate": candidate,
            "title": candidate.source_document.title if candidate.source_document else "",
            "heading": candidate.source_section.heading if candidate.source_section else "",
            "stated": any(one.run_id is None for one in candidate.contributions.all()),
            "brought": _list_runs(candidate),
        }
        for candidate in candidates
    ]


def _list_runs(candidate: Candidate) -> list[dict[str, Any]]:
    by_run: dict[Run, list[Contribution]] = {}
    for one in candidate.contributions.all():
        if one.run:
            by_run.setdefault(one.run, []).append(one)
    rows = []
    for run, found in by_run.items():
        alike = len({one.rank for one in found}) == 1
        ranks = [
            f"{one.rank}" if alike or one.stage == Stage.CANDIDATES else f"{one.get_stage_display()} {one.rank}"
            for one in found
        ]
        rows.append({"run": run, "ranks": ", ".join(dict.fromkeys(ranks))})
    return rows


def _is_known(plan: PoolPlan) -> bool:
    """Whether the latest buildings read these runs to this depth already."""
    built = Pool.objects.filter(eval_set=plan.eval_set, depth__gte=plan.depth).values_list("run_numbers", flat=True)
    read = {number for numbers in built for number in numbers}
    return {run.number for run in plan.runs} <= read


def _list_contributions(seen: PoolOverview, plan: PoolPlan, names: dict[str, str]) -> list[dict[str, Any]]:
    families = {str(run.number): run.retriever.get_family_display() for run in plan.runs}
    return [
        {
            "run": names[share.run],
            "family": families[share.run],
            "returned": share.contributed,
            "unique": share.unique,
            "share": 100 * share.unique / seen.size if seen.size else 0.0,
        }
        for share in seen.shares
    ]


def _list_overlap(seen: PoolOverview, names: dict[str, str]) -> list[dict[str, Any]]:
    contributed = {share.run: share.contributed for share in seen.shares}
    shared = {frozenset((pair.first, pair.second)): pair.shared for pair in seen.overlaps}
    rows = []
    for run in contributed:
        cells = []
        for other in contributed:
            both = contributed[run] if run == other else shared[frozenset((run, other))]
            share = both / contributed[run] if contributed[run] else 0.0
            cells.append({"value": both, "label": f"{100 * share:.0f} %", "level": round(HEAT_LEVELS * share)})
        rows.append({"run": names[run], "cells": cells})
    return rows


def _list_sizes(eval_set: EvalSet, seen: PoolOverview) -> list[dict[str, Any]]:
    """The queries with their number of candidates, the fewest first."""
    texts = {query_id: (pk, text) for pk, query_id, text in eval_set.queries.values_list("pk", "query_id", "text")}
    ordered = sorted(seen.sizes.items(), key=lambda pair: pair[1])
    return [{"pk": texts[key][0], "text": texts[key][1], "size": size} for key, size in ordered if key in texts]
