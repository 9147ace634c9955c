"""The import commands: one form, the same code as the page.

Exit code 0: imported (or, with --dry-run, could be). 2: bad input or usage; the problems stand on standard error and nothing was written.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evalsets.formats.catalogue import FORMATS
from evalsets.formats.problems import Found
from evalsets.importing.applying import ImportRefusedError, import_file, outcome, record_import
from evalsets.importing.previewing import Reading, as_json, read_and_check
from evalsets.importing.registry import Applied, ImportKind, Target, get_kind
from evalsets.jobs import JobError, SilentProgress
from evalsets.models import Corpus, EvalSet

BAD_INPUT = 2
SHOWN_PROBLEMS = 100


class ImportCommand(BaseCommand):
    """What the import commands share: flags for the options of all formats, reading the file, and saying what came of it."""

    kind = ""
    catalogue = ""
    # Flags for the choices of a kind itself: name -> (values, help).
    choices: dict[str, tuple[tuple[str, ...] | None, str]] = {}

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The flags that all import commands have; a command adds its own places before them."""
        parser.add_argument("file", metavar="FILE", help="The file; .gz is read too.")
        parser.add_argument("--dry-run", action="store_true", help="Only say what it would bring.")
        parser.add_argument("--json", action="store_true", help="Write the outcome as one JSON object.")
        formats = [item.id for item in FORMATS[self.catalogue]]
        parser.add_argument("--format", choices=formats, help="By default the content tells.")
        for name, (values, words) in self.choices.items():
            parser.add_argument(f"--{name.replace('_', '-')}", choices=values, help=words)
        options = {option.name: option for item in FORMATS[self.catalogue] for option in item.options}
        for option in options.values():
            values = tuple(value for value, _ in option.choices if value) or None
            words = option.help.replace("%", "%%")
            parser.add_argument(f"--{option.name.replace('_', '-')}", choices=values, help=words)

    def find_eval_set(self, slug: str) -> EvalSet:
        """Return the eval set of that slug, or end with the ones that there are."""
        eval_set = EvalSet.objects.select_related("corpus", "snapshot").filter(slug=slug).first()
        if eval_set is None:
            known = ", ".join(EvalSet.objects.order_by("slug").values_list("slug", flat=True)[:20])
            raise CommandError(f"There is no eval set {slug!r}; there are: {known or 'none'}.", returncode=BAD_INPUT)
        return eval_set

    def perform(self, *, corpus: Corpus, eval_set: EvalSet | None, options: dict[str, Any], **fixed: str) -> None:
        """Import the file that the options name, or say what it would bring; raises CommandError with exit code 2 for problems."""
        kind = get_kind(self.kind)
        if kind is None:
            raise LookupError(f"no import is registered for {self.kind!r}")
        path = Path(options["file"])
        data = self._read(path, kind)
        target = Target(corpus=corpus, eval_set=eval_set, source=path.name, options=self._chosen(options) | fixed)
        if options["dry_run"]:
            reading = read_and_check(kind, data, target)
            self._say_reading(reading, options["json"], kind)
            return
        try:
            applied, found = import_file(kind, data, target, SilentProgress(), self._recorder(kind, target))
        except ImportRefusedError as error:
            self._say_reading(error.reading, options["json"], kind)
            return
        except JobError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
        self._say_outcome(applied, found, target, options["json"])

    def _read(self, path: Path, kind: ImportKind) -> bytes | Path:
        if path.is_dir():
            if kind.kind != "documents":
                raise CommandError(f"{path} is a folder; only documents come in folders.", returncode=BAD_INPUT)
            return path
        try:
            return path.read_bytes()
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=BAD_INPUT) from error

    def _chosen(self, options: dict[str, Any]) -> dict[str, str]:
        names = {option.name for item in FORMATS[self.catalogue] for option in item.options}
        names |= {"format", *self.choices}
        return {name: str(options[name]) for name in names if options.get(name) not in (None, "")}

    def _recorder(self, kind: ImportKind, target: Target) -> Any:
        def record(applied: Applied, found: Found) -> None:
            if target.eval_set is not None:
                record_import(kind=kind, target=target, result=outcome(applied, found, target.eval_set))

        return record

    def _say_reading(self, reading: Reading, as_document: bool, kind: ImportKind) -> None:
        if as_document:
            self.stdout.write(json.dumps({"imported": False, **as_json(reading)}, ensure_ascii=False))
        self._say_notes(reading.found)
        if not reading.ok:
            raise CommandError(self._list_problems(reading), returncode=BAD_INPUT)
        if not as_document:
            for name, value in reading.shown.counts:
                self.stdout.write(f"{name}: {value}")
            self.stdout.write("Nothing was written (--dry-run).")

    def _say_outcome(self, applied: Applied, found: Found, target: Target, as_document: bool) -> None:
        self._say_notes(found)
        if as_document:
            result = outcome(applied, found, target.eval_set)
            self.stdout.write(json.dumps({"imported": True, **result}, ensure_ascii=False))
        else:
            self.stdout.write(applied.said)

    def _say_notes(self, found: Found) -> None:
        for warning in found.warnings:
            self.stderr.write(f"warning: {warning}", self.style.WARNING)
        for reason, count in found.skipped.items():
            self.stderr.write(f"left out: {count} x {reason}", self.style.WARNING)

    def _list_problems(self, reading: Reading) -> str:
        problems = reading.problems
        lines = [str(problem) for problem in problems[:SHOWN_PROBLEMS]]
        if len(problems) > SHOWN_PROBLEMS:
            lines.append(f"... and {len(problems) - SHOWN_PROBLEMS} more")
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        return "\n".join([*lines, f"{count}; nothing was imported."])
