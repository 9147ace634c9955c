"""Run the built-in retrievers of an eval set over its snapshot, at once."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evalsets.models import EvalSet
from evalsets.retrieval import ConfigError
from evalsets.retrievers import built_in
from evalsets.retrieving import RetrievingError, run_retrievers


class Command(BaseCommand):
    help = "Answer all queries of an eval set by its built-in retrievers, and record the runs."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("eval_set", help="The eval set's slug.")
        parser.add_argument("--retrievers", nargs="+", metavar="SLUG", help="Which ones (default: all).")
        parser.add_argument("--depth", type=int, help="Results kept for each query (default: the eval set's N).")

    def handle(self, *args: Any, **options: Any) -> None:
        eval_set = EvalSet.objects.select_related("snapshot__corpus").filter(slug=options["eval_set"]).first()
        if eval_set is None:
            raise CommandError(f"There is no eval set {options['eval_set']!r}.")
        if options["depth"] is not None and options["depth"] < eval_set.depth_k:
            raise CommandError(f"The depth is {options['depth']}; it is at least k, which is {eval_set.depth_k}.")
        known = {retriever.slug: retriever for retriever in built_in(eval_set)}
        slugs = options["retrievers"] or list(known)
        missing = [slug for slug in slugs if slug not in known]
        if missing:
            raise CommandError(
                f"{eval_set} has no built-in retriever {', '.join(missing)}; it has {', '.join(known) or 'none'}."
            )
        chosen = [known[slug] for slug in slugs]
        try:
            runs = run_retrievers(eval_set=eval_set, retrievers=chosen, by=None, depth=options["depth"])
        except (RetrievingError, ConfigError) as error:
            raise CommandError(str(error)) from error
        for run in runs:
            self.stdout.write(
                f"run {run.number}: {run.retriever}, {run.result_count} results, sha256 {run.sha256[:12]}"
            )
