"""Queries: JSON Lines, a JSON array, CSV, TSV, YAML, BEIR's `queries.jsonl`, and bare lines of id, tab, text.

Fields: `id` (or `_id`, `query_id`), `query` (or `text`), `information_need`, `expected_scope`, `answerable`, `expected_behaviour`
(empty, below_threshold or insufficient_evidence; required when answerable is false), `source`, `source_family`, `split` (dev or
holdout), `tags`, `synthetic`, `permitted`, `forbidden_documents`, `relevant_evidence` (`[{document_id, section_id}]`). Other
fields go into `metadata`. In a CSV cell a list is a JSON array or its parts with ";" between. A table or list without any id
gets ids made from the texts, with a warning.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from evalsets.formats.decoding import decoded
from evalsets.formats.delimited import DELIMITERS, QUOTES, read_table, split_plain
from evalsets.formats.json_text import json_items
from evalsets.formats.labels import COLUMN_NAMES, simplified
from evalsets.formats.problems import Problem, Repeats, by_line, check_choices
from evalsets.formats.query_rows import (
    EXPECTED_BEHAVIOURS,
    SPLITS,
    EvidenceRef,
    QueriesFound,
    QueryRow,
    id_from_text,
    lookalike_warning,
)
from evalsets.formats.records import Record
from evalsets.formats.yaml_text import yaml_items

__all__ = ["EvidenceRef", "QueriesFound", "QueryRow", "read_queries"]

QUERY_FORMATS = ("jsonl", "csv", "id_tab_text", "yaml")
ID_NAMES = ("id", "_id", "query_id", "qid")
TEXT_NAMES = ("query", "text", "query_text")
# Column names that other tools write, as the fields that they are.
_COLUMN_ALIASES = {"query-id": "id", "queryid": "id", "topic": "id", "querytext": "query", "question": "query"}
_LABEL_COLUMNS = {name for field in ("doc_id", "grade", "annotator", "passage") for name in COLUMN_NAMES[field]}


def read_queries(
    data: bytes | str,
    *,
    name: str,
    format: str | None = None,
    delimiter: str | None = None,
    quotes: str | None = None,
    encoding: str | None = None,
) -> QueriesFound:
    """Read queries; nothing raises, all problems are in the result.

    `format` is one of QUERY_FORMATS (by default found from content and name). An id that comes again with other content is a
    problem naming both lines; texts that only look alike are a warning.
    """
    found = QueriesFound()
    text = decoded(data, encoding, found.problems)
    check_choices(found, format=(format, QUERY_FORMATS), delimiter=(delimiter, DELIMITERS), quotes=(quotes, QUOTES))
    if text is None or not found.ok:
        return found
    found.format = format or _detect(text, name, found)
    made: list[int] = []
    unique = Repeats(found, field="id", said_once="one content for query")
    for line, values in _records(text, name, found, delimiter, quotes):
        row = _query(Record(values, line=line, problems=found.problems), made)
        if row.query_id and unique.is_new(row.query_id, replace(row, line=None), line=line):
            found.queries.append(row)
    unique.warn()
    return _finished(found, made)


def _finished(found: QueriesFound, made: list[int]) -> QueriesFound:
    found.warnings += lookalike_warning(dict.fromkeys(row.text for row in found.queries))
    found.warnings += _same_text_warning(found.queries)
    found.problems = by_line(found.problems)
    if found.problems:
        found.queries = []
    elif made and len(made) < len(found.queries):
        expected = "an id, as the other rows have; only a file without any gets ids made from the texts"
        found.problems.extend(Problem(line, "id", "", expected) for line in made)
        found.queries.clear()
    elif made:
        found.warnings.append(f"{len(made)} queries have no id; their ids were made from their texts")
    elif not found.rows_read:
        found.warnings.append("the file holds no queries")
    return found


def _same_text_warning(queries: Iterable[QueryRow]) -> list[str]:
    ids: dict[str, list[str]] = {}
    for row in queries:
        ids.setdefault(row.text, []).append(row.query_id)
    groups = [f"{', '.join(group[:10])} ({text[:60]!r})" for text, group in ids.items() if len(group) > 1]
    return [f"the same text under several ids, which stay apart: {'; '.join(groups[:20])}"] if groups else []


def _detect(text: str, name: str, found: QueriesFound) -> str:
    ending = name.lower().removesuffix(".gz").rpartition(".")[2]
    first = next((line for line in text.split("\n", 1000) if line.strip()), "").strip("\r")
    if ending in ("yaml", "yml"):
        return "yaml"
    if first.lstrip().startswith(("{", "[")):
        return "jsonl"
    if first.startswith("- ") or first.rstrip() in ("---", "queries:"):
        return "yaml"
    names = {cell.strip(' "\r').lower() for cell in first.replace(";", ",").replace("\t", ",").split(",")}
    if names & {*ID_NAMES, *TEXT_NAMES, *_COLUMN_ALIASES}:
        return "csv"
    if "\t" in first:
        return "id_tab_text"
    if not first:
        return "csv" if ending in ("csv", "tsv") else "jsonl"
    expected = f"a header with a column 'query' or 'text', or lines of id, tab, text; choose format={' or format='.join(QUERY_FORMATS)}"
    found.problems.append(Problem(None, "format", first, expected))
    return ""


def _records(
    text: str, name: str, found: QueriesFound, delimiter: str | None, quotes: str | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    if found.format in ("jsonl", "yaml"):
        items = (
            json_items(text, found.problems)
            if found.format == "jsonl"
            else yaml_items(text, found.problems, key="queries")
        )
        for line, item in items:
            found.rows_read += 1
            if isinstance(item, dict):
                yield line, item
            elif found.format != "yaml" or found.ok:
                found.problems.append(Problem(line, "line", str(item), "an object with named values"))
    elif found.format == "id_tab_text":
        for line, fields in split_plain(text):
            found.rows_read += 1
            if len(fields) == 2:
                yield line, {"id": fields[0], "query": fields[1]}
            else:
                found.problems.append(
                    Problem(line, "fields", "\t".join(fields), f"2 fields: id, tab, text; found {len(fields)}")
                )
    elif found.format == "csv":
        table = read_table(text, found, name=name, delimiter=delimiter, quotes=quotes)
        shown = {column: _column(column) for column in table.columns}
        of_labels = [column for column in table.columns if simplified(column) in _LABEL_COLUMNS]
        if of_labels:
            found.warnings.append(
                f"columns of labels are no part of a query and were ignored: {', '.join(map(repr, of_labels))}"
            )
        for line, row in table.rows:
            yield line, {shown[column]: cell for column, cell in row.items() if column not in of_labels}


def _column(name: str) -> str:
    lowered = name.lower()
    known = {*ID_NAMES, *TEXT_NAMES, *QueryRow.__dataclass_fields__}
    return lowered if lowered in known else _COLUMN_ALIASES.get(lowered, name)


def _query(record: Record, made: list[int]) -> QueryRow:
    """Return one record as a query; a record without an id gets one from its text, noted in `made`."""
    text = record.text(*TEXT_NAMES, required=True)
    query_id = record.identifier(*ID_NAMES, required=False)
    if not query_id and text and not any(record.values.get(name) for name in ID_NAMES):
        query_id = id_from_text(text, prefix="q")
        made.append(record.line or 0)
    answerable = record.flag("answerable", default=True)
    behaviour = record.word("expected_behaviour", choices=EXPECTED_BEHAVIOURS)
    if not answerable and record.values.get("expected_behaviour") in (None, ""):
        expected = f"one of {', '.join(EXPECTED_BEHAVIOURS[1:])}, because the query is not answerable"
        record.complain("expected_behaviour", "", expected)
    row = QueryRow(
        query_id=query_id,
        text=text,
        information_need=record.text("information_need"),
        expected_scope=record.text("expected_scope"),
        answerable=answerable,
        expected_behaviour=behaviour,
        source=record.text("source"),
        source_family=record.text("source_family"),
        split=record.word("split", choices=SPLITS, default="dev"),
        tags=record.names("tags"),
        synthetic=record.flag("synthetic", default=False),
        permitted=record.names("permitted"),
        forbidden_documents=record.names("forbidden_documents"),
        relevant_evidence=tuple(_evidence(record)),
        metadata=record.mapping("metadata"),
        line=record.line,
    )
    return replace(row, metadata={**row.metadata, **record.unused()})


def _evidence(record: Record) -> Iterator[EvidenceRef]:
    """Yield the evidence: objects with document_id and section_id, or bare document ids."""
    name, value = record.take("relevant_evidence")
    for item in record.items(name, value):
        if isinstance(item, dict):
            part = Record(item, line=record.line, problems=record.problems)
            yield EvidenceRef(part.identifier("document_id", "doc_id"), part.identifier("section_id", required=False))
        else:
            yield EvidenceRef(record.as_identifier(name, item))
