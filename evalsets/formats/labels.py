"""Existing labels: TREC qrels, BEIR qrels, two or three bare columns, and CSV, TSV or JSON with named columns.

A value of the grade column is a grade 0 to 3 or needs a stated mapping (see `grades`). The columns of a table are found by
their usual names or by the option `columns`, which names for each field of a label the column that holds it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from evalsets.formats.decoding import decoded
from evalsets.formats.delimited import DELIMITERS, QUOTES, read_table
from evalsets.formats.grades import CANNOT_JUDGE, Graded, pairs_option
from evalsets.formats.json_text import json_items
from evalsets.formats.label_rows import REPEATS, LabelCollector, LabelRow, LabelsFound
from evalsets.formats.problems import Problem, check_choices
from evalsets.formats.records import Record

__all__ = ["LabelRow", "LabelsFound", "read_labels"]

LABEL_FORMATS = ("trec_qrels", "beir_qrels", "three_columns", "two_columns", "csv", "jsonl")
# The usual names of each field's column, compared without case, blanks, "-" and "_".
COLUMN_NAMES = {
    "query_id": ("queryid", "qid", "topic", "topicid"),
    "query": ("query", "querytext", "question"),
    "doc_id": ("docid", "documentid", "corpusid", "docno", "pid"),
    "section_id": ("sectionid", "section"),
    "grade": ("grade", "rating", "relevance", "score", "label", "judgment", "judgement"),
    "annotator": ("annotator", "rater", "judge", "assessor", "annotatorid", "raterid"),
    "note": ("note", "notes", "comment", "comments", "explanation"),
    "passage": ("passage", "passagetext"),
    "cannot_judge": ("cannotjudge",),
}
_PLAIN_COLUMNS = {
    "trec_qrels": (4, "4 fields: query, 0, document, grade"),
    "three_columns": (3, "3 fields: query, document, grade"),
    "two_columns": (2, "2 fields: query, document"),
}


def read_labels(
    data: bytes | str,
    *,
    name: str,
    format: str | None = None,
    mapping: Mapping[str, object] | str | None = None,
    columns: Mapping[str, object] | str | None = None,
    constant_grade: str | int | None = None,
    delimiter: str | None = None,
    quotes: str | None = None,
    repeats: str | None = None,
    encoding: str | None = None,
) -> LabelsFound:
    """Read existing labels; nothing raises, all problems are in the result.

    `format` is one of LABEL_FORMATS (by default found from the content). `mapping` says what values mean ("negative=0,
    unrateable=cannot_judge"), `columns` which column holds what ("doc_id=DocUrl, grade=Relevance"), `constant_grade` the grade
    of every pair in a file of two columns. repeats="anonymous" takes rows without an annotator that grade one pair again as
    the work of further anonymous annotators. `delimiter` and `quotes` are those of `delimited.read_table`.
    """
    found = LabelsFound()
    text = decoded(data, encoding, found.problems)
    check_choices(found, format=(format, LABEL_FORMATS), repeats=(repeats, REPEATS), delimiter=(delimiter, DELIMITERS))
    check_choices(found, quotes=(quotes, QUOTES))
    found.mapping = pairs_option(mapping, "mapping", found)
    wanted = {key: str(value) for key, value in pairs_option(columns, "columns", found).items()}
    check_choices(found, **{f"columns ({key})": (key, COLUMN_NAMES) for key in wanted})
    collector = LabelCollector(found, repeats=repeats or None)
    if text is None or found.problems:
        return collector.finish()
    found.format = format or _detect(text, name, found, constant_grade)
    if found.format in _PLAIN_COLUMNS:
        _read_plain(text, collector, _constant(constant_grade, found))
    elif found.format == "jsonl":
        _read_records(_json_rows(text, found), wanted, collector)
    elif found.format:
        _read_table(text, name, wanted, collector, delimiter, quotes)
    return collector.finish()


def _read_table(
    text: str, name: str, wanted: dict[str, str], collector: LabelCollector, delimiter: str | None, quotes: str | None
) -> None:
    if collector.found.format == "beir_qrels":
        delimiter = delimiter or "tab"
    table = read_table(text, collector.found, name=name, delimiter=delimiter, quotes=quotes)
    if table.columns and (chosen := _chosen_columns(table.columns, wanted, collector.found)):
        _read_records(table.rows, chosen, collector)


def simplified(name: str) -> str:
    """Return a column name without case, blanks, "-" and "_", for comparing."""
    return name.casefold().replace(" ", "").replace("-", "").replace("_", "")


def _detect(text: str, name: str, found: LabelsFound, constant_grade: str | int | None) -> str:
    """Return the format of the first lines, or "" after adding the problem that proposes formats."""
    first = next((line for line in text.split("\n", 1000) if line.strip()), "").strip("\r")
    if first.lstrip().startswith(("{", "[")):
        return "jsonl"
    names = {simplified(cell.strip(' "\r')) for cell in first.replace(";", ",").replace("\t", ",").split(",")}
    known = {item for items in COLUMN_NAMES.values() for item in items}
    if names & known:
        return "beir_qrels" if names == {"queryid", "corpusid", "score"} and "\t" in first else "csv"
    fields = len(first.split())
    if not first or (fields == 4 and "," not in first):
        return "trec_qrels"
    if name.lower().removesuffix(".gz").endswith(".csv") or ("," in first and fields not in (2, 3)):
        return "csv"
    if fields == 3:
        expected = "4 fields as in TREC qrels; for lines of query, document and grade choose format=three_columns"
    elif fields == 2 and constant_grade not in (None, ""):
        return "two_columns"
    elif fields == 2:
        expected = (
            "a grade; where every listed pair has the same grade choose format=two_columns with constant_grade=GRADE"
        )
    else:
        expected = f"labels; choose format={' or format='.join(LABEL_FORMATS)}"
    found.problems.append(Problem(None, "format", first, expected))
    return ""


def _constant(value: str | int | None, found: LabelsFound) -> str | None:
    """Return the constant grade as text; a file of two columns needs one, other files refuse it."""
    given = None if value in (None, "") else str(value)
    if found.format == "two_columns" and given is None:
        found.problems.append(Problem(None, "constant_grade", "", "the grade of every listed pair, from 0 to 3"))
    if found.format != "two_columns" and given is not None:
        found.problems.append(Problem(None, "constant_grade", given, "no constant grade, because this file has grades"))
    return given


def _read_plain(text: str, collector: LabelCollector, constant: str | None) -> None:
    """Read lines of two, three or four fields between blanks, or between tabs where ids with blanks need that."""
    found = collector.found
    if not found.ok:
        return
    size, expected = _PLAIN_COLUMNS[found.format]
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.removesuffix("\r").strip(" \t")
        if not line:
            continue
        found.rows_read += 1
        fields = line.replace("\t", " ").split(" ")
        if len(fields) != size:
            fields = [part for part in fields if part]
        if len(fields) != size and line.count("\t") == size - 1:
            fields = line.split("\t")
        if len(fields) != size or "\r" in line:
            found.problems.append(Problem(number, "fields", line, f"{expected}; found {len(fields)}"))
            continue
        doc_id = fields[2 if size == 4 else 1]
        collector.add(constant if size == 2 else fields[-1], query_id=fields[0], doc_id=doc_id, line=number)


def _json_rows(text: str, found: LabelsFound) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, item in json_items(text, found.problems):
        found.rows_read += 1
        if isinstance(item, dict):
            yield line, {"query_id": item.get("_id"), **item} if "_id" in item else item
        else:
            found.problems.append(Problem(line, "line", str(item), "a JSON object"))


def _chosen_columns(present: list[str], wanted: dict[str, str], found: LabelsFound) -> dict[str, str]:
    """Return the column of each field of a label; {} after complaining about what is missing."""
    by_name = {simplified(column): column for column in reversed(present)}
    chosen = {
        field: next((by_name[item] for item in names if item in by_name), "") for field, names in COLUMN_NAMES.items()
    }
    chosen |= wanted
    listed = ", ".join(repr(column) for column in present)
    for field, column in wanted.items():
        if column not in present:
            found.problems.append(Problem(1, f"columns ({field})", column, f"a column of this file: {listed}"))
    for field, option in (("doc_id", "doc_id=COLUMN"), ("grade", "grade=COLUMN")):
        if not chosen[field]:
            expected = f"a column for the {field}, found {listed}; choose columns={option}"
            if field == "grade":
                expected += ", or format=quepid_csv where each further column is a rater"
            found.problems.append(Problem(1, "header", "", expected))
    if not chosen["query_id"] and not chosen["query"]:
        expected = f"a column for the query's id or text, found {listed}; choose columns=query_id=COLUMN or columns=query=COLUMN"
        found.problems.append(Problem(1, "header", "", expected))
    return {field: column for field, column in chosen.items() if column} if found.ok else {}


def _read_records(
    rows: Iterator[tuple[int, dict[str, Any]]] | list[tuple[int, dict[str, str]]],
    columns: dict[str, str],
    collector: LabelCollector,
) -> None:
    """Read rows with named values; for JSON, fields stand under their own names unless `columns` says otherwise."""
    for line, values in rows:
        record = Record(values, line=line, problems=collector.found.problems)
        named = {field: columns.get(field, field) for field in COLUMN_NAMES}
        has_id = named["query_id"] in values
        reason = record.text(named["cannot_judge"])
        value = values.get(named["grade"])
        if reason and value not in (None, ""):
            record.complain(CANNOT_JUDGE, reason, "a grade or a reason why it cannot be judged, not both")
        collector.add(
            value,
            query_id=record.identifier(named["query_id"]) if has_id else "",
            query_text=record.text(named["query"], required=not has_id),
            doc_id=record.identifier(named["doc_id"]),
            section_id=record.identifier(named["section_id"], required=False),
            annotator=record.identifier(named["annotator"], required=False),
            note=record.text(named["note"]),
            passage_text=record.text(named["passage"]),
            line=line,
            said=Graded(cannot_judge=reason) if reason else None,
        )
