"""Import queries into an eval set."""

from __future__ import annotations

import argparse
from typing import Any

from evalsets.importing.terminal import ImportCommand


class Command(ImportCommand):
    help = "Import queries (JSON Lines, CSV, YAML, or lines of id, tab, text) into an eval set."
    kind = "queries"
    catalogue = "queries"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("eval_set", metavar="EVAL_SET", help="The eval set's slug.")
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        eval_set = self.find_eval_set(options["eval_set"])
        self.perform(corpus=eval_set.corpus, eval_set=eval_set, options=options)
