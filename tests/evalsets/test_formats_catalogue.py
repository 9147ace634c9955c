"""The catalogue of formats that the import page is built from."""

import gzip
import inspect
import json

import pytest

from evalsets.formats.catalogue import FORMATS, format_of, read

EVERY_FORMAT = [(kind, item) for kind, items in FORMATS.items() for item in items]


@pytest.mark.parametrize(("kind", "item"), EVERY_FORMAT, ids=lambda value: getattr(value, "id", value))
def test_every_option_is_one_that_the_reader_takes(kind, item):
    taken = inspect.signature(item.reader).parameters
    assert {option.name for option in item.options} <= set(taken)
    assert ("format" in taken) == item.takes_format
    assert len({option.name for option in item.options}) == len(item.options)


@pytest.mark.parametrize(("kind", "item"), EVERY_FORMAT, ids=lambda value: getattr(value, "id", value))
def test_every_choice_of_every_option_is_accepted(kind, item):
    for option in item.options:
        for value, label in option.choices:
            found = read(kind, b"", name="empty", format=item.id, **{option.name: value})
            assert label
            assert [problem for problem in found.problems if problem.field == option.name] == []


@pytest.mark.parametrize(("kind", "item"), EVERY_FORMAT, ids=lambda value: getattr(value, "id", value))
def test_format_ids_are_unique_and_described(kind, item):
    assert format_of(kind, item.id) is item
    assert item.label
    assert item.description.endswith(".")


def test_book_task_export_log_and_run_are_told_apart_by_content():
    book = json.dumps({"query_doc_pairs": []})
    tasks = json.dumps([{"data": {"query": "q", "docid": "d"}, "annotations": []}])
    assert read("labels", book, name="x.json").format == "quepid_json"
    assert read("labels", tasks, name="x.json").format == "label_studio"
    assert read("labels", "query,docid,rating\nq,d,1\n", name="x.csv").format == "csv"
    assert read("runs", '{"query": "q", "contexts": ["a"]}', name="x.jsonl").format == "retrieval_log"
    assert read("runs", '{"query_id": "q", "results": []}', name="x.jsonl").format == "jsonl"
    assert read("runs", "q Q0 d 1 1 t\n", name="x").format == "trec"


def test_unknown_format_and_option_are_problems():
    assert "trec_qrels" in read("labels", b"", name="x", format="xml").problems[0].expected
    assert read("labels", b"", name="x", format="trec_qrels", columns="a=b").problems[0].field == "columns"
    assert read("runs", b"", name="x", colour="red").problems[0].field == "colour"


def test_empty_options_count_as_not_given():
    assert read("labels", b"q 0 d 1\n", name="x", mapping="", columns="", encoding="", format="").ok


def test_files_are_read_by_path_and_packed_files_by_content(tmp_path):
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"query": "q", "contexts": ["a"]}\n'))
    assert read("runs", path, name="").format == "retrieval_log"
    assert read("labels", tmp_path, name="").problems[0].field == "file"
    assert read("documents", tmp_path, name="", format="csv").problems[0].field == "format"


def test_damaged_gzip_is_a_problem_of_every_kind():
    for kind in FORMATS:
        assert [problem.field for problem in read(kind, b"\x1f\x8bjunk", name="x.gz").problems] == ["file"]
