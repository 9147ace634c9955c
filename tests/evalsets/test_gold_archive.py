"""A gold set as a zip: the same bytes every time, the same content back, and nothing changed gets through."""

import contextlib
import csv
import hashlib
import io
import json
import random
import zipfile
from dataclasses import replace

import pytest
from hypothesis import example, given, settings

from evalsets.formats.delimited import read_table
from evalsets.formats.labels import read_labels
from evalsets.formats.problems import Found
from evalsets.gold.archive import GoldArchiveError, read_archive, write_archive
from evalsets.gold.canonical import GoldContent, canonical_lines, checksum
from evalsets.gold.checking import GoldContentError, check_content
from tests.evalsets.gold_contents import HEADER, contents, label, query, small_content

ODD = GoldContent(
    header=HEADER,
    queries=[query("007"), query("a b"), query("a%20b"), query('"quoted"'), query("tab\tin it"), query("=1+1")],
    labels=[
        label("007", "1e5"),
        label("007", "01"),
        label("007", "a#b", "", 1),
        label("007", "a", "b", 2),
        label("a b", "Straße, 2. Stock", "", 3),
        label("a%20b", "line\nend", "漢\u2028字", 1),
        label("=1+1", "@SUM(A1)", "-2", 2),
        label('"quoted"', "'", "'", 0),
    ],
)


def files_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def in_order(content):
    """The canonical lines: equal for equal content in whatever order its lists stand."""
    return list(canonical_lines(content))


@given(contents())
@example(ODD)
@settings(max_examples=150, deadline=None)
def test_what_is_written_is_read_back_to_the_character(content):
    data = write_archive(content)

    found = read_archive(data)

    assert in_order(found) == in_order(content)
    assert checksum(found) == checksum(content)
    assert write_archive(found) == data


@given(contents())
@settings(max_examples=30, deadline=None)
def test_the_order_of_queries_and_labels_changes_no_byte(content):
    other = replace(content, queries=content.queries[::-1], labels=content.labels[::-1])

    assert write_archive(other) == write_archive(content)


@given(contents())
@example(ODD)
@settings(max_examples=60, deadline=None)
def test_the_table_for_spreadsheets_reads_back_exactly_and_holds_no_formula(content):
    text = files_of(write_archive(content))["labels.csv"].decode()

    table = read_table(text, found := Found(), name="labels.csv")
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]

    assert not found.problems
    read = sorted((row["query_id"], row["doc_id"], row["section_id"], row["grade"]) for _line, row in table.rows)
    labels = [(one["query_id"], one["doc_id"], one["section_id"], str(one["grade"])) for one in content.labels]
    assert read == sorted(labels)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))]


@given(contents())
@example(ODD)
@settings(max_examples=60, deadline=None)
def test_no_two_labels_become_one_line_of_the_qrels(content):
    lines = files_of(write_archive(content))["qrels.txt"].decode().removesuffix("\n").split("\n")
    rows = [line.split() for line in lines if line]

    assert len(rows) == len(content.labels)
    assert all(len(row) == 4 for row in rows)
    assert len({(row[0], row[2]) for row in rows}) == len(rows)


@given(contents())
@example(ODD)
@settings(max_examples=60, deadline=None)
def test_beir_files_name_queries_alike(content):
    files = files_of(write_archive(content))
    ids = {json.loads(line)["_id"] for line in files["beir/queries.jsonl"].decode().split("\n") if line}
    rows = []
    for name, data in files.items():
        if name.startswith("beir/qrels/"):
            rows += list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter="\t"))[1:]

    assert len(ids) == len(content.queries)
    assert len(rows) == len(content.labels)
    assert {row[0] for row in rows} <= ids


def test_plain_ids_stand_in_the_qrels_as_they_are():
    files = files_of(write_archive(small_content()))

    assert files["qrels.txt"].decode().splitlines() == [
        "q1 0 retention#how-long 3",
        "q1 0 retention#where 1",
        "q2 0 prices 2",
    ]
    assert files["beir/qrels/holdout.tsv"].decode().splitlines() == ["query-id\tcorpus-id\tscore", "q2\tprices\t2"]


def test_the_qrels_are_read_by_our_own_importer():
    found = read_labels(files_of(write_archive(small_content()))["qrels.txt"], name="qrels.txt")

    assert found.ok
    assert [(row.query_id, row.doc_id, row.grade) for row in found.labels] == [
        ("q1", "retention#how-long", 3),
        ("q1", "retention#where", 1),
        ("q2", "prices", 2),
    ]


def test_a_changed_bit_anywhere_is_refused():
    data = write_archive(small_content())
    passed = []

    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 1 << (position % 8)
        with contextlib.suppress(GoldArchiveError):
            read_archive(bytes(changed))
            passed.append(position)

    assert not passed


def test_a_removed_byte_or_tail_is_refused():
    data = write_archive(small_content())

    for position in range(len(data)):
        for shorter in (
            data[:position] + data[position + 1 :],
            data[:position],
            data[:position] + b"\0" + data[position:],
        ):
            with pytest.raises(GoldArchiveError):
                read_archive(shorter)


def test_bytes_before_or_behind_an_archive_are_refused():
    data = write_archive(small_content())

    for longer in (b"x" + data, data + b"x", data + data):
        with pytest.raises(GoldArchiveError):
            read_archive(longer)


@pytest.mark.parametrize("name", sorted(files_of(write_archive(small_content()))))
def test_a_changed_byte_inside_any_file_is_refused_after_packing_again(name):
    files = files_of(write_archive(small_content()))
    chance = random.Random(7)

    for position in sorted(chance.sample(range(len(files[name])), min(150, len(files[name])))):
        changed = bytearray(files[name])
        changed[position] ^= 1
        with pytest.raises(GoldArchiveError):
            read_archive(packed(files | {name: bytes(changed)}))


@pytest.mark.parametrize("name", sorted(files_of(write_archive(small_content()))))
def test_a_missing_file_is_refused(name):
    files = files_of(write_archive(small_content()))
    del files[name]

    with pytest.raises(GoldArchiveError):
        read_archive(packed(files))


def test_a_file_too_many_is_refused():
    files = files_of(write_archive(small_content()))

    with pytest.raises(GoldArchiveError, match=r"do not name the same files: notes\.txt") as error:
        read_archive(packed(files | {"notes.txt": b""}))
    assert error.value.changed


def test_a_changed_label_is_told_as_changed():
    files = files_of(write_archive(small_content()))
    files["gold.jsonl"] = files["gold.jsonl"].replace(b'"grade":1', b'"grade":2')

    with pytest.raises(GoldArchiveError, match=r"gold\.jsonl was changed: its SHA-256 is") as error:
        read_archive(packed(files))
    assert error.value.changed


@pytest.mark.parametrize("data", [b"", b"query 0 doc 1\n", packed({}), packed({"qrels.txt": b"q 0 d 1\n"})])
def test_another_file_is_told_as_no_gold_set_and_not_as_a_changed_one(data):
    with pytest.raises(GoldArchiveError) as error:
        read_archive(data)
    assert not error.value.changed


def test_a_file_that_would_fill_the_memory_is_refused():
    bomb = packed(files_of(write_archive(small_content())))
    position = bomb.index(b"PK\x01\x02") + 24

    with pytest.raises(GoldArchiveError, match="that is no gold set"):
        read_archive(bomb[:position] + (2**31).to_bytes(4, "little") + bomb[position + 4 :])


def wrong_contents():
    good = small_content()
    q, lab = good.queries, good.labels
    return {
        "stands there twice": [replace(good, labels=[*lab, lab[0]]), replace(good, queries=[*q, q[0]])],
        "belongs to no query": [replace(good, queries=q[1:])],
        "grade is 4": [replace(good, labels=[lab[0] | {"grade": 4}])],
        "grade is True": [replace(good, labels=[lab[0] | {"grade": True}])],
        "provenance is 'guessed'": [replace(good, labels=[lab[0] | {"provenance": "guessed"}])],
        "no query_id, doc_id and section_id": [replace(good, labels=[lab[0] | {"doc_id": ""}])],
        "threshold is 4": [small_content(threshold=4)],
        "gain is None": [small_content(gain=None)],
        "rubric is not in the form": [small_content(rubric={"number": 1}), small_content(rubric="strict")],
        "agreement is not in the form": [small_content(agreement={"alpha_ordinal": "high"})],
        "pool is not in the form": [small_content(pool=["all"])],
        "double_labels is not in the form": [small_content(double_labels={"rate": "0.2"})],
        "its judgments or its adjudication": [
            replace(good, labels=[lab[0] | {"adjudication": "yes"}]),
            replace(good, labels=[lab[0] | {"judgments": [3]}]),
        ],
        "NUL character": [small_content(notes="a\x00b")],
        "no number that every database keeps": [small_content(agreement={"alpha": -0.0}), small_content(x=1e22)],
        "has no id": [replace(good, queries=[*q, {"text": "?"}])],
        "expected a whole number from 1": [small_content(version=0)],
    }


@pytest.mark.parametrize(("words", "content"), [(w, c) for w, many in wrong_contents().items() for c in many])
def test_content_that_is_no_gold_set_is_neither_written_nor_passed(words, content):
    with pytest.raises(GoldContentError, match=words):
        check_content(content)
    with pytest.raises(GoldContentError, match=words):
        write_archive(content)


def test_content_that_is_no_gold_set_is_refused_though_all_checksums_match():
    files = files_of(write_archive(small_content()))
    old = hashlib.sha256(files["gold.jsonl"]).hexdigest()
    files["gold.jsonl"] = files["gold.jsonl"].replace(b'"grade":3,"judgments"', b'"grade":7,"judgments"')
    new = hashlib.sha256(files["gold.jsonl"]).hexdigest()
    files["manifest.json"] = files["manifest.json"].replace(old.encode(), new.encode())

    with pytest.raises(GoldArchiveError, match="grade is 7") as error:
        read_archive(packed(files))
    assert not error.value.changed


def test_a_large_gold_set_is_written_and_read_whole():
    queries = [query(f"q{number:04}") for number in range(1000)]
    labels = [label(one["query_id"], f"d{number}", f"s{number}", number % 4) for one in queries for number in range(50)]
    content = GoldContent(header=HEADER, queries=queries, labels=labels)

    data = write_archive(content)
    found = read_archive(data)

    assert checksum(found) == checksum(content)
