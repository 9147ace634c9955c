"""`manage.py import_gold EVAL_SET FILE [--json]`: bring a gold set that was exported elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from evalsets.gold_sets import GoldSetChangedError, GoldSetError, import_gold_set
from evalsets.management.eval_set_command import DOES_NOT_MATCH, EvalSetCommand, refuse
from evalsets.models import EvalSet


class Command(EvalSetCommand):
    """Exit code 4 where something in the file was changed after it was exported, 2 for a file that is no gold set."""

    help = "Import an exported gold set as the next version of an eval set."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", type=Path, help="The exported zip file.")

    def run(self, eval_set: EvalSet, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
        path: Path = options["file"]
        try:
            gold_set = import_gold_set(eval_set=eval_set, data=path.read_bytes(), by=None, at=timezone.now())
        except OSError as error:
            raise refuse(f"{path} cannot be read: {error.strerror or error}.") from error
        except GoldSetChangedError as error:
            raise refuse(error, DOES_NOT_MATCH) from error
        except GoldSetError as error:
            raise refuse(error) from error
        result = {
            "eval_set": eval_set.slug,
            "number": gold_set.number,
            "sha256": gold_set.sha256,
            "queries": gold_set.query_count,
            "labels": gold_set.label_count,
        }
        words = f"{path} is version {gold_set.number} of {eval_set}: {gold_set.query_count} queries, {gold_set.label_count} labels."
        return result, f"{words}\nSHA-256 {gold_set.sha256}"
