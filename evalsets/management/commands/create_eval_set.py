"""Start an eval set."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser

from evalsets.creating import Design, create_eval_set
from evalsets.forms import CreateEvalSetForm
from evalsets.management.eval_set_command import refuse
from evalsets.models import Corpus, Gain, Scale, Unit


class Command(BaseCommand):
    help = "Start an eval set over a corpus, or over a new one of the same short name."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("eval_set", metavar="EVAL_SET", help="Its short name, for addresses and commands.")
        parser.add_argument("--name", help="Its name (default: the short name).")
        parser.add_argument("--corpus", help="Short name of a corpus that exists (default: a new one).")
        parser.add_argument("--administrator", metavar="NAME", help="The account that administers it.")
        parser.add_argument("--unit", choices=Unit.values, default=Unit.SECTION)
        parser.add_argument("--scale", choices=Scale.values, default=Scale.GRADED)
        parser.add_argument("--threshold", type=int, help="The lowest relevant grade (default: 2, or 1 when binary).")
        parser.add_argument("--gain", choices=Gain.values, default=Gain.EXP)
        parser.add_argument("--depth-n", type=int, default=50)
        parser.add_argument("--depth-k", type=int, default=5)
        parser.add_argument("--json", action="store_true", dest="as_json", help="Print JSON for machines.")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = self.find(Corpus.objects.filter(slug=options["corpus"]), "corpus", options["corpus"])
        by = self.find(User.objects.filter(username=options["administrator"]), "account", options["administrator"])
        threshold = options["threshold"] or (1 if options["scale"] == Scale.BINARY else 2)
        given = {name: options[name] for name in ("unit", "scale", "gain", "depth_n", "depth_k")} | {
            "threshold": threshold
        }
        names = {"name": options["name"] or options["eval_set"], "slug": options["eval_set"]}
        form = CreateEvalSetForm(given | names | {"corpus": corpus and corpus.pk}, corpora=Corpus.objects.all())
        if not form.is_valid():
            raise refuse(" ".join(f"{name}: {' '.join(map(str, problems))}" for name, problems in form.errors.items()))
        made = create_eval_set(name=names["name"], slug=names["slug"], by=by, corpus=corpus, design=Design(**given))
        result = {"eval_set": made.slug, "corpus": made.corpus.slug, **given}
        words = f"Started {made.slug} over the corpus {made.corpus.slug}."
        self.stdout.write(json.dumps(result, ensure_ascii=False) if options["as_json"] else words)

    def find(self, rows: Any, what: str, name: str | None) -> Any:
        """The one row, None where no name was given; CommandError where there is none of that name."""
        found = rows.first() if name else None
        if name and found is None:
            raise refuse(f"There is no {what} {name!r}.")
        return found
