"""What the commands about one eval set have in common: its name as the first argument, output for people or machines, exit codes."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evalsets.models import EvalSet

BAD_INPUT = 2
DOES_NOT_MATCH = 4


def refuse(message: object, code: int = BAD_INPUT) -> CommandError:
    """Return the error that ends a command with this exit code: 2 for bad input, 4 where a checksum does not match."""
    return CommandError(str(message), returncode=code)


class EvalSetCommand(BaseCommand):
    """A command over one eval set. Subclasses add arguments and answer `run` with a result: plain values, and words for people."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("eval_set", metavar="EVAL_SET", help="The eval set's short name, as in its address.")
        parser.add_argument("--json", action="store_true", dest="as_json", help="Print JSON for machines.")

    def handle(self, *args: Any, **options: Any) -> None:
        eval_set = EvalSet.objects.select_related("corpus", "snapshot").filter(slug=options["eval_set"]).first()
        if eval_set is None:
            known = ", ".join(EvalSet.objects.order_by("slug").values_list("slug", flat=True)[:20]) or "none"
            raise refuse(f"There is no eval set {options['eval_set']!r}. There are: {known}.")
        result, words = self.run(eval_set, options)
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2) if options["as_json"] else words)

    def run(self, eval_set: EvalSet, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Do the work; return the result as plain values and as words."""
        raise TypeError(f"{type(self).__module__} does not say what it does")
