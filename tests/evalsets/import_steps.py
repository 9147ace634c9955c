"""Importing as people do it: by the commands and by the page."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import CommandError, call_command
from django.utils.text import slugify

from evalsets.formats.document_rows import DocumentRow
from evalsets.formats.query_rows import QueryRow
from evalsets.models import Corpus, EvalSet
from evalsets.queries import store_queries
from evalsets.snapshots import choose_snapshot, store_snapshot


@dataclass
class Said:
    """What a command said: its exit code, its JSON document, and what stood on standard error."""

    code: int
    document: dict[str, Any] = field(default_factory=dict)
    errors: str = ""

    @property
    def problems(self) -> list[tuple[int | None, str, str]]:
        """(line, field, value) of the problems shown."""
        return [(item["line"], item["field"], item["value"]) for item in self.document["problems"]]

    @property
    def counts(self) -> dict[str, int]:
        return self.document["counts"]

    @property
    def warnings(self) -> str:
        return "\n".join(self.document["warnings"])


def run_import(command: str, *arguments: Any, **options: Any) -> Said:
    """Call an import command with --json and return all that it said."""
    out, errors = StringIO(), StringIO()
    try:
        call_command(command, *map(str, arguments), json=True, stdout=out, stderr=errors, **options)
    except CommandError as error:
        code = error.returncode
        document = json.loads(out.getvalue()) if out.getvalue() else {}
        return Said(code, document, errors.getvalue() + str(error))
    return Said(0, json.loads(out.getvalue()), errors.getvalue())


def make_empty_set(slug: str = "set", unit: str = "document", **fields: Any) -> EvalSet:
    corpus = Corpus.objects.create(slug=f"{slug}-corpus", name=slug)
    return EvalSet.objects.create(slug=slug, name=slug, corpus=corpus, unit=unit, **fields)


def make_set(
    queries: dict[str, str], doc_ids: tuple[str, ...] = (), slug: str = "set", unit: str = "document", **fields: Any
) -> EvalSet:
    """An eval set with these queries, and one plain document for each id."""
    eval_set = make_empty_set(slug, unit, **fields)
    if doc_ids:
        rows = [DocumentRow(doc_id, "", f"Text of {doc_id}.") for doc_id in doc_ids]
        snapshot = store_snapshot(corpus=eval_set.corpus, documents=rows, source="made", by=None)
        choose_snapshot(eval_set=eval_set, snapshot=snapshot)
    store_queries(eval_set=eval_set, rows=[QueryRow(query_id, text) for query_id, text in queries.items()])
    return eval_set


def count_rows() -> dict[str, int]:
    """How many rows each table of ours has: what a refused import must not change."""
    models = [model for app in ("evalsets", "labelling") for model in apps.get_app_config(app).get_models()]
    return {model.__name__: model.objects.count() for model in models}


def write_file(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def slug_of(name: str) -> str:
    return slugify(name)
