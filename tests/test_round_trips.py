"""Labels in, gold set out, and back: nothing is lost, joined or changed on the way."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from evalsets.models import EvalSet, GoldLabel, Query, Role
from labelling.models import Judgment
from tests.factories import make_member
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db

FILES = {
    "23-leading-zero-ids.qrels": 3,
    "38-ratings-odd-docids.csv": 8,
    "41-notes-formula.csv": 6,
    "51-ratings-fourteen-for-one-query.csv": 14,
}


def import_and_publish(name: str, slug: str = "first") -> EvalSet:
    call_command("create_eval_set", slug, "--unit", "document")
    import_labels(slug, shared_data("messy", name))
    call_command("publish_gold", slug, "--accept-unresolved")
    return EvalSet.objects.get(slug=slug)


def import_labels(slug: str, path: Path) -> None:
    """Import labels, with their queries where the file has the texts; a qrels file names queries that have to be there."""
    if path.suffix == ".qrels":
        for query_id in ("007", "7"):
            Query.objects.create(eval_set=EvalSet.objects.get(slug=slug), query_id=query_id, text=f"text of {query_id}")
    call_command("import_labels", slug, str(path), "--unknown-queries", "create")


def export(eval_set: EvalSet, folder: Path) -> dict[str, bytes]:
    path = folder / f"{eval_set.slug}.zip"
    call_command("export_gold", eval_set.slug, "1", str(path))
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def judged(eval_set: EvalSet) -> set[tuple[str, str, int | None, str]]:
    rows = Judgment.objects.live().of(eval_set)
    return set(rows.values_list("candidate__query__text", "candidate__doc_id", "grade", "note"))


@pytest.mark.parametrize(("name", "count"), FILES.items())
def test_every_label_is_in_every_export_and_comes_back_from_the_spreadsheet(
    name: str, count: int, tmp_path: Path
) -> None:
    eval_set = import_and_publish(name)

    files = export(eval_set, tmp_path)

    lines = {
        "qrels.txt": len(files["qrels.txt"].splitlines()),
        "gold.jsonl": files["gold.jsonl"].count(b'\n{"label":'),
        "beir": sum(len(data.splitlines()) - 1 for entry, data in files.items() if entry.startswith("beir/qrels/")),
    }
    assert set(lines.values()) == {count}

    (tmp_path / "labels.csv").write_bytes(files["labels.csv"])
    call_command("create_eval_set", "back", "--unit", "document")
    import_labels("back", tmp_path / "labels.csv")
    assert judged(EvalSet.objects.get(slug="back")) == judged(eval_set)
    queries = set(eval_set.queries.values_list("query_id", "text"))
    assert set(EvalSet.objects.get(slug="back").queries.values_list("query_id", "text")) == queries


def test_spreadsheet_runs_nothing_that_was_written_in_a_note(tmp_path: Path) -> None:
    files = export(import_and_publish("41-notes-formula.csv"), tmp_path)

    cells = [cell for line in files["labels.csv"].decode().splitlines() for cell in line.split(",")]
    assert not [cell for cell in cells if cell.strip('"')[:1] in {"=", "+", "-", "@", "\t"}]


def test_odd_ids_work_in_every_page_and_link(client: Client) -> None:
    eval_set = import_and_publish("38-ratings-odd-docids.csv")
    client.force_login(make_member(eval_set, Role.ADMINISTRATOR))

    pages = [
        reverse("evalsets:view_gold_set", args=[eval_set.slug, 1]),
        reverse("evalsets:view_candidates", args=[eval_set.slug]),
        reverse("evalsets:list_queries", args=[eval_set.slug]),
        reverse("evalsets:view_query", args=[eval_set.slug, eval_set.queries.get().pk]),
        reverse("labelling:view_progress", args=[eval_set.slug]),
    ]

    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200
        assert "<b>d7</b>" not in answer.content.decode()
    assert {label.doc_id for label in GoldLabel.objects.all()} >= {"<b>d7</b>", "../../etc/notes", "a b c", "100%"}
