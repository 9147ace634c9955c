"""A file with one bad line changes no row count anywhere; the same file without it is imported whole."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from evalsets.models import Corpus
from tests.evalsets.import_steps import count_rows, make_set, run_import, write_file
from tests.evalsets.retrieval_steps import add_retriever

pytestmark = pytest.mark.django_db

FEW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
QUERIES = {"q1": "one", "q2": "two"}
places = st.integers(min_value=0, max_value=12)
GOOD = {
    "import_labels": ("l.qrels", [f"q{n % 2 + 1} 0 d{n} {n % 4}" for n in range(12)]),
    "import_run": ("r.trec", [f"q1 Q0 d{n} {n + 1} {20 - n} tag" for n in range(12)]),
    "import_queries": ("q.tsv", [f"new{n}\ttext {n}" for n in range(12)]),
    "import_documents": ("d.jsonl", [f'{{"_id": "d{n}", "text": "text {n}"}}' for n in range(12)]),
}
BAD = {
    "import_labels": ["q1 0 d99 7", "q1 0", "q9 0 d1 1", "q1 0 d0 3 more words", "q1 0 d99 NaN"],
    "import_run": ["q1 Q0 d99", "q1 Q0 d99 x 1.0 tag", "q9 Q0 d1 1 1.0 tag", "q1 Q0 d0 1 0.5 tag"],
    "import_queries": ["one field", "a\tb\tc", "new0\tanother text"],
    "import_documents": [
        '{"_id": "d0", "text": "other"}',
        "{",
        '{"text": "no id"}',
        "[1]",
        '{"_id": 1.5, "text": "x"}',
    ],
}


class AllOrNothing(TestCase):
    """Run with a database that is put back after each example."""

    @FEW
    @given(command=st.sampled_from(sorted(GOOD)), place=places, data=st.data())
    def test_one_bad_line_anywhere_changes_nothing(self, command: str, place: int, data: st.DataObject) -> None:
        eval_set = make_set(QUERIES, ("d1", "d2"))
        name, lines = GOOD[command]
        bad = data.draw(st.sampled_from(BAD[command]))
        where = {"import_documents": [eval_set.corpus.slug], "import_run": [eval_set.slug, "recorded"]}
        arguments = where.get(command, [eval_set.slug])
        with tempfile.TemporaryDirectory() as folder:
            broken = write_file(Path(folder), name, "\n".join([*lines[:place], bad, *lines[place:]]))
            before = count_rows()

            refused = run_import(command, *arguments, broken)

            assert refused.code == 2
            assert count_rows() == before
            whole = write_file(Path(folder), name, "\n".join(lines))
            assert run_import(command, *arguments, whole).code == 0
            assert count_rows() != before


def test_run_of_a_retriever_that_works_here_is_refused(tmp_path: Path) -> None:
    eval_set = make_set(QUERIES, ("d1",))
    add_retriever(eval_set, "words")
    before = count_rows()

    said = run_import("import_run", "set", "words", write_file(tmp_path, "r.trec", "q1 Q0 d1 1 1.0 tag\n"))

    assert said.code == 2
    assert said.problems == [(None, "retriever", "words")]
    assert count_rows() == before


def test_refused_documents_leave_no_corpus_that_was_to_be_made(tmp_path: Path) -> None:
    said = run_import("import_documents", "new", write_file(tmp_path, "d.jsonl", "{"), create=True)

    assert said.code == 2
    assert not Corpus.objects.exists()


def test_usage_errors_name_what_there_is(tmp_path: Path) -> None:
    make_set(QUERIES)
    file = write_file(tmp_path, "q.tsv", "a\tb\n")

    assert "there are: set" in run_import("import_queries", "away", file).errors
    assert "there are: set-corpus" in run_import("import_documents", "away", file).errors
    assert "cannot be read" in run_import("import_queries", "set", tmp_path / "away").errors
    assert run_import("import_queries", "set", tmp_path).code == 2


def test_folder_of_markdown_is_imported_and_used(tmp_path: Path) -> None:
    eval_set = make_set(QUERIES)
    (tmp_path / "guides").mkdir()
    write_file(tmp_path / "guides", "backup.md", "# Backup\nEvery night.\n")

    said = run_import("import_documents", eval_set.corpus.slug, tmp_path, use_in=["set"])

    assert said.counts == {"documents": 1, "sections": 1, "snapshot": 1}
    eval_set.refresh_from_db()
    assert eval_set.snapshot is not None


def test_documents_that_results_name_and_nobody_has_are_said_with_near_ids(tmp_path: Path) -> None:
    make_set(QUERIES, ("doc1.md", "doc2.md"))

    said = run_import("import_run", "set", "r", write_file(tmp_path, "r.trec", "q1 Q0 doc1 1 1.0 tag\n"))

    assert said.code == 0
    assert "'doc1' beside 'doc1.md'" in said.warnings
    assert "carry no text" in said.warnings


def test_run_over_more_queries_than_the_set_has_is_cut_to_them_by_choice(tmp_path: Path) -> None:
    make_set(QUERIES, ("d1",))
    file = write_file(tmp_path, "r.trec", "q1 Q0 d1 1 1.0 tag\nq7 Q0 d1 1 1.0 tag\n")

    assert run_import("import_run", "set", "r", file).code == 2
    said = run_import("import_run", "set", "r", file, unknown_queries="skip")

    assert (said.counts["results"], said.counts["queries"]) == (1, 1)
    assert said.document["skipped"] == {"query not in the eval set": 1}


def test_query_whose_text_is_in_use_keeps_it(tmp_path: Path) -> None:
    make_set(QUERIES, ("d1",))
    run_import("import_run", "set", "r", write_file(tmp_path, "r.trec", "q1 Q0 d1 1 1.0 tag\n"))

    refused = run_import("import_queries", "set", write_file(tmp_path, "q.tsv", "q1\tother\n"))
    corrected = run_import("import_queries", "set", write_file(tmp_path, "q.tsv", "q2\tbetter\n"))

    assert refused.problems == [(1, "query", "other")]
    assert corrected.counts == {"added": 0, "changed": 1, "unchanged": 0}
    assert "'q2': text" in corrected.warnings
