"""Import existing labels as judgments."""

from __future__ import annotations

import argparse
from typing import Any

from evalsets.importing.terminal import ImportCommand


class Command(ImportCommand):
    help = (
        "Import existing labels (TREC or BEIR qrels, CSV, JSON, Quepid, Label Studio). With an annotator column each annotator's "
        "judgments stay apart and count for agreement."
    )
    kind = "labels"
    catalogue = "labels"
    choices = {"unknown_queries": (("create", "skip"), "What to do with queries that the eval set does not have.")}

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("eval_set", metavar="EVAL_SET", help="The eval set's slug.")
        super().add_arguments(parser)
        parser.add_argument(
            "--create-queries",
            action="store_const",
            const="create",
            dest="unknown_queries",
            help="The same as --unknown-queries create.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        eval_set = self.find_eval_set(options["eval_set"])
        self.perform(corpus=eval_set.corpus, eval_set=eval_set, options=options)
