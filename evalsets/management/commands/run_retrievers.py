"""Run the built-in retrievers of an eval set over its snapshot, at once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalsets.management.eval_set_command import EvalSetCommand, refuse
from evalsets.models import EvalSet, Retriever
from evalsets.retrieval import ConfigError
from evalsets.retrievers import built_in
from evalsets.retrieving import RetrievingError, run_retrievers


class Command(EvalSetCommand):
    help = "Answer all queries of an eval set by its built-in retrievers, and record the runs."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--retrievers", nargs="+", metavar="NAME", help="Short names (default: all).")
        parser.add_argument("--depth", type=int, help="Results kept for each query (default: the eval set's N).")

    def run(self, eval_set: EvalSet, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
        depth = options["depth"]
        if depth is not None and depth < eval_set.depth_k:
            raise refuse(f"The depth is {depth}; it is at least k, which is {eval_set.depth_k}.")
        try:
            runs = run_retrievers(
                eval_set=eval_set, retrievers=self.choose(eval_set, options["retrievers"]), by=None, depth=depth
            )
        except (RetrievingError, ConfigError) as error:
            raise refuse(error) from error
        rows = [
            {"run": run.number, "retriever": run.retriever.slug, "results": run.result_count, "sha256": run.sha256}
            for run in runs
        ]
        words = [
            f"run {row['run']}: {row['retriever']}, {row['results']} results, sha256 {row['sha256']}" for row in rows
        ]
        return {"runs": rows}, "\n".join(words)

    def choose(self, eval_set: EvalSet, slugs: list[str] | None) -> list[Retriever]:
        """The retrievers of those short names, or all that are built in; CommandError names what there is not."""
        known = {retriever.slug: retriever for retriever in built_in(eval_set)}
        chosen = slugs or list(known)
        missing = [slug for slug in chosen if slug not in known]
        if missing:
            raise refuse(
                f"{eval_set} has no built-in retriever {', '.join(missing)}; it has {', '.join(known) or 'none'}."
            )
        return [known[slug] for slug in chosen]
