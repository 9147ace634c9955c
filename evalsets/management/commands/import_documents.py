"""Import documents as a new snapshot of a corpus."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import CommandError
from django.utils.text import slugify

from evalsets.importing.terminal import BAD_INPUT, ImportCommand
from evalsets.models import Corpus, Snapshot
from evalsets.snapshots import choose_snapshot


class Command(ImportCommand):
    help = "Import documents (JSON Lines, CSV, a folder or zip of Markdown and text) as a new snapshot of a corpus."
    kind = "documents"
    catalogue = "documents"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS", help="The corpus's slug.")
        super().add_arguments(parser)
        parser.add_argument("--create", action="store_true", help="Make the corpus where there is none of that slug.")
        parser.add_argument("--name", default="", help="With --create: its name, by default the slug.")
        parser.add_argument(
            "--use-in",
            action="append",
            default=[],
            metavar="EVAL_SET",
            help="Make it the snapshot that this eval set uses.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        users = [self.find_eval_set(slug) for slug in options["use_in"]]
        corpus = self.find_corpus(options)
        for eval_set in users:
            if eval_set.corpus_id != corpus.pk:
                raise CommandError(f"{eval_set} stands on {eval_set.corpus}, not on {corpus}.", returncode=BAD_INPUT)
        made = corpus.pk is None
        if made and not options["dry_run"]:
            corpus.save()
        try:
            self.perform(corpus=corpus, eval_set=None, options=options)
        except CommandError:
            if made and corpus.pk:
                corpus.delete()
            raise
        if users and not options["dry_run"]:
            newest = Snapshot.objects.complete().filter(corpus=corpus).order_by("-number")[0]
            for eval_set in users:
                choose_snapshot(eval_set=eval_set, snapshot=newest)

    def find_corpus(self, options: dict[str, Any]) -> Corpus:
        """Return the corpus, or with --create a new one that is not saved yet."""
        slug = options["corpus"]
        corpus = Corpus.objects.filter(slug=slug).first()
        if corpus is not None:
            return corpus
        if options["create"] and slug == slugify(slug):
            return Corpus(slug=slug, name=options["name"] or slug)
        if options["create"]:
            raise CommandError(
                f"{slug!r} is no slug; {slugify(slug) or 'letters'!r} would be one.", returncode=BAD_INPUT
            )
        known = ", ".join(Corpus.objects.order_by("slug").values_list("slug", flat=True)[:20])
        raise CommandError(
            f"There is no corpus {slug!r}; there are: {known or 'none'}. Use --create to make it.", returncode=BAD_INPUT
        )
