"""Build the pool of an eval set, or show what it would hold."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalsets.building import DEFAULT_DEPTH, PoolError, PoolPlan, build_pool, describe_plan, plan_pool
from evalsets.management.eval_set_command import EvalSetCommand, refuse
from evalsets.models import EvalSet, Run


class Command(EvalSetCommand):
    help = "Merge what runs retrieved into candidates for labelling. Adds only what the pool does not have yet."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--depth", type=int, default=DEFAULT_DEPTH, help="Units taken from each list (default 20).")
        parser.add_argument(
            "--runs", type=int, nargs="+", help="Numbers of runs (default: the latest of each retriever)."
        )
        parser.add_argument("--dry-run", action="store_true", help="Only say what it would hold.")

    def run(self, eval_set: EvalSet, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
        runs = self.choose_runs(eval_set, options["runs"])
        try:
            plan = plan_pool(eval_set=eval_set, runs=runs, depth=options["depth"])
            figures = to_figures(plan)
            if not options["dry_run"]:
                built = build_pool(eval_set=eval_set, runs=runs, depth=options["depth"], by=None)
                figures |= {"added": built.added, "contributions_added": built.contributions}
        except PoolError as error:
            raise refuse(error) from error
        lines = [
            f"{name.replace('_', ' ')}: {line}"
            for name, value in figures.items()
            for line in (value if isinstance(value, list) else [value])
        ]
        return figures, "\n".join(lines)

    def choose_runs(self, eval_set: EvalSet, numbers: list[int] | None) -> list[Run]:
        """The runs of those numbers, or the latest of each retriever; CommandError names what there is not."""
        complete = eval_set.runs.complete().select_related("retriever")
        if numbers is None:
            return list(complete.latest_of_each_retriever())
        runs = list(complete.filter(number__in=numbers).order_by("number"))
        missing = sorted(set(numbers) - {run.number for run in runs})
        if missing:
            raise refuse(f"{eval_set} has no complete run {', '.join(map(str, missing))}.")
        return runs


def to_figures(plan: PoolPlan) -> dict[str, Any]:
    """What the pool would be, as plain values."""
    seen = describe_plan(plan)
    return {
        "runs": [f"{run.number} {run.retriever}" for run in plan.runs],
        "depth": plan.depth,
        "candidates": seen.size,
        "new": len(plan.new),
        "queries": len(seen.sizes),
        "queries_without_candidates": seen.empty_queries,
        "median_a_query": seen.median_size,
        "judgments": seen.cost.judgments,
        "hours_of_judging": round(seen.cost.judging_hours, 1),
        "warnings": [warning.message for warning in seen.warnings],
        "problems": [str(problem) for problem in plan.problems],
    }
