"""Add a built-in retriever to an eval set."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandParser

from evalsets.management.eval_set_command import EvalSetCommand, refuse
from evalsets.models import EvalSet
from evalsets.retrieval import KINDS, ConfigError
from evalsets.retrievers import create_retriever


class Command(EvalSetCommand):
    help = "Add a named configuration of a built-in retriever. It never changes afterwards."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("kind", metavar="KIND", choices=sorted(KINDS), help="One of %(choices)s.")
        parser.add_argument(
            "--config", default="{}", help="""JSON; what it leaves out takes its default: '{"size": 120}'."""
        )

    def run(self, eval_set: EvalSet, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
        try:
            config = json.loads(options["config"])
        except ValueError as error:
            raise refuse(f"--config is no JSON: {error}") from error
        if not isinstance(config, dict):
            raise refuse(f"--config is {options['config']}; a JSON object was expected.")
        try:
            made = create_retriever(
                eval_set=eval_set, name=options["name"], kind=options["kind"], config=config, by=None
            )
        except ConfigError as error:
            raise refuse(error) from error
        return (
            {"retriever": made.slug, "kind": made.kind, "config": made.config, "config_sha256": made.config_sha256},
            f"{made.slug}: {made.kind} with {json.dumps(made.config, ensure_ascii=False)}",
        )
