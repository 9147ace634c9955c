"""What holds for any input: ids come back as written, garbage becomes problems, line numbers are right."""

import json
import zipfile
from io import BytesIO

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evalsets.formats.catalogue import FORMATS, read
from evalsets.formats.delimited import read_table, write_csv
from evalsets.formats.documents import read_documents
from evalsets.formats.labels import read_labels
from evalsets.formats.problems import Found
from evalsets.formats.queries import read_queries
from evalsets.formats.runs import read_run

# Any text that a database can hold: no NUL, no lone surrogate.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
ids = texts.filter(str.strip)
# What can stand between blanks in a TREC file.
words = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0 \t\r\n"), min_size=1)
    .filter(str.strip)
    .filter(lambda word: "\ufeff" not in word)
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
JSON_FORMATS = ("jsonl", "yaml", "retrieval_log", "quepid_json", "label_studio")
EVERY_FORMAT = [(kind, item.id) for kind, items in FORMATS.items() for item in items]


@quick
@given(st.lists(st.fixed_dictionaries({"a": texts, "b": texts}), min_size=1))
@example([{"a": "'", "b": "\r"}])
def test_export_comes_back_to_the_character(rows):
    found = Found()
    table = read_table(write_csv(rows, columns=["a", "b"]), found)
    assert found.ok
    assert [row for _, row in table.rows] == rows


@quick
@given(st.lists(st.tuples(ids, ids, texts), min_size=1, unique_by=lambda row: row[:2]))
def test_ids_in_csv_labels_survive(rows):
    text = write_csv([{"query_id": query, "doc_id": doc, "grade": 2, "note": note} for query, doc, note in rows])
    found = read_labels(text.encode(), name="labels.csv")
    assert found.problems == []
    assert [(row.query_id, row.doc_id, row.note) for row in found.labels] == rows


@quick
@given(st.lists(st.tuples(ids, texts), min_size=1, unique_by=lambda row: row[0]))
def test_ids_and_texts_in_json_documents_survive(rows):
    text = "".join(
        json.dumps({"_id": doc_id, "text": text}, ensure_ascii=len(doc_id) % 2 == 0) + "\n" for doc_id, text in rows
    )
    found = read_documents(text.encode(), name="corpus.jsonl")
    assert found.problems == []
    assert [(row.doc_id, row.text, row.line) for row in found.documents] == [
        (*row, number) for number, row in enumerate(rows, start=1)
    ]


@quick
@given(st.lists(st.tuples(ids, ids), min_size=1, unique_by=lambda row: row[0]))
def test_ids_in_yaml_queries_survive(rows):
    text = yaml.safe_dump([{"id": query_id, "query": text} for query_id, text in rows])
    found = read_queries(text.encode(), name="queries.yaml")
    assert found.problems == []
    assert [(row.query_id, row.text) for row in found.queries] == rows


@quick
@given(st.lists(st.tuples(words, words), min_size=1, unique=True), st.booleans())
def test_ids_in_trec_runs_survive_the_fast_and_the_slow_way(rows, blank_line):
    ranks: dict[str, int] = {}
    lines = []
    for query, doc in rows:
        ranks[query] = ranks.get(query, 0) + 1
        lines.append(f"{query} Q0 {doc} {ranks[query]} {100 - ranks[query]} t\n")
    found = read_run(("".join(lines) + "\n" * blank_line).encode(), name="run", format="trec")
    assert found.problems == []
    assert sorted((row.line, row.query_id, row.doc_id) for row in found.results) == [
        (number, *row) for number, row in enumerate(rows, start=1)
    ]


@quick
@given(st.lists(st.sampled_from(["good", "bad", "blank"]), max_size=30))
def test_problems_of_every_format_stand_at_their_physical_lines(kinds):
    expected = [number for number, kind in enumerate(kinds, start=1) if kind == "bad"]
    good = {
        "qrels": [f"q 0 d{number} 1" for number in range(len(kinds))],
        "jsonl": [json.dumps({"_id": f"d{number}", "text": "x"}) for number in range(len(kinds))],
    }
    bad = {"qrels": "q 0 d", "jsonl": '{"_id": }'}
    for style, rows in good.items():
        lines = [
            row if kind == "good" else bad[style] if kind == "bad" else ""
            for row, kind in zip(rows, kinds, strict=True)
        ]
        data = "\r\n".join(lines).encode()
        kind, format_id = ("labels", "trec_qrels") if style == "qrels" else ("documents", "jsonl")
        found = read(kind, data, name="x", format=format_id)
        assert [problem.line for problem in found.problems] == expected


@pytest.mark.parametrize(("kind", "format_id"), [*EVERY_FORMAT, *((kind, None) for kind in FORMATS)])
@settings(max_examples=40, deadline=None)
@given(
    data=st.one_of(
        st.binary(),
        texts.map(str.encode),
        texts.map(lambda text: b"PK\x03\x04" + text.encode()),
        texts.map(lambda text: b"\x1f\x8b" + text.encode()),
    )
)
def test_garbage_never_raises(kind, format_id, data):
    found = read(kind, data, name="garbage", format=format_id)
    assert isinstance(found.problems, list)


FIELDS = [
    "_id", "doc_id", "text", "title", "sections", "metadata", "section_id", "start", "end", "query", "id", "query_id", "results", "run",
    "k", "rank", "score", "stage", "event", "filters", "latency_ms", "tags", "relevant_evidence", "answerable", "grade", "annotator",
    "judgements", "rating", "document_fields", "data", "annotations", "result", "value", "choices", "completed_by",
    "retrieved_contexts", "source_nodes", "node", "documents", "page_content", "candidates", "access",
]  # fmt: skip
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(FIELDS), inner, max_size=8)),
    max_leaves=25,
)


@pytest.mark.parametrize(
    ("kind", "format_id"),
    [pair for pair in EVERY_FORMAT if pair[1] in JSON_FORMATS],
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    values=st.lists(st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=8), max_size=4), wrap=st.booleans()
)
def test_any_json_shape_never_raises(kind, format_id, values, wrap):
    text = (
        json.dumps({"query_doc_pairs": values} if format_id == "quepid_json" else values)
        if wrap
        else "\n".join(map(json.dumps, values))
    )
    found = read(kind, text.encode(), name="shapes", format=format_id)
    if found.problems:
        assert not any(getattr(found, name, None) for name in ("documents", "queries", "labels", "results", "answers"))


@quick
@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20), texts, max_size=4
    )
)
def test_any_zip_of_any_texts_never_raises_and_sections_cover_the_text(files):
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, (name, text) in enumerate(files.items()):
            archive.writestr(f"{number}{name}.md", text)
    for row in read_documents(out.getvalue(), name="x.zip").documents:
        assert "".join(row.text[item.start : item.end] for item in row.sections) in (row.text, "")
        assert len({item.section_id for item in row.sections}) == len(row.sections)
