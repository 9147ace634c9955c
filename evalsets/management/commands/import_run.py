"""Import a run that was recorded elsewhere."""

from __future__ import annotations

import argparse
from typing import Any

from evalsets.importing.terminal import ImportCommand
from evalsets.models import Family


class Command(ImportCommand):
    help = "Import a run (TREC, JSON Lines, or the log of a RAG framework) of a retriever that works elsewhere."
    kind = "run"
    catalogue = "runs"
    choices = {
        "family": (tuple(Family.values), "How the retriever works, where it is new."),
        "snapshot": (None, "The number of the snapshot it was made over, or 'elsewhere'; by default the current one."),
        "unknown_queries": (("create", "skip"), "What to do with queries that the eval set does not have."),
    }

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("eval_set", metavar="EVAL_SET", help="The eval set's slug.")
        parser.add_argument(
            "retriever", metavar="RETRIEVER", help="Its slug or name; a new name makes a new retriever."
        )
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        eval_set = self.find_eval_set(options["eval_set"])
        self.perform(corpus=eval_set.corpus, eval_set=eval_set, options=options, retriever=options["retriever"])
