"""`manage.py export_gold EVAL_SET VERSION FILE [--json]`: write a gold set version as one zip file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evalsets.gold_sets import GoldSetChangedError, export_gold_set
from evalsets.management.eval_set_command import DOES_NOT_MATCH, EvalSetCommand, refuse
from evalsets.models import EvalSet


class Command(EvalSetCommand):
    """Writes the same bytes every time; exit code 4 where the database does not hold what was published."""

    help = "Export a gold set version as a zip file."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("version", metavar="VERSION", type=int, help="The number of the gold set version.")
        parser.add_argument(
            "file", metavar="FILE", type=Path, help="The zip file to write; one that is there is replaced."
        )

    def run(self, eval_set: EvalSet, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
        path: Path = options["file"]
        gold_set = eval_set.gold_sets.filter(number=options["version"]).first()
        if gold_set is None:
            numbers = ", ".join(map(str, eval_set.gold_sets.order_by("number").values_list("number", flat=True)))
            raise refuse(f"{eval_set} has no gold set version {options['version']}. It has: {numbers or 'none'}.")
        try:
            data = export_gold_set(gold_set)
            replace_file(path, data)
        except GoldSetChangedError as error:
            raise refuse(error, DOES_NOT_MATCH) from error
        except OSError as error:
            raise refuse(f"{path} cannot be written: {error.strerror or error}.") from error
        result = {"eval_set": eval_set.slug, "number": gold_set.number, "sha256": gold_set.sha256, "bytes": len(data)}
        return result, f"Version {gold_set.number} of {eval_set} is in {path}.\nSHA-256 {gold_set.sha256}"


def replace_file(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all: beside its place first, then moved there."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        beside = Path(file.name)
        try:
            file.write(data)
            file.close()
            beside.chmod(0o644)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
