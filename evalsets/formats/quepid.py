"""Quepid books, as JSON (`query_doc_pairs` with judgements) and as CSV (query, docid and one column for each rater)."""

from collections.abc import Mapping
from typing import Any

from evalsets.formats.decoding import decoded
from evalsets.formats.delimited import read_table
from evalsets.formats.document_rows import DocumentRow
from evalsets.formats.grades import CANNOT_JUDGE, Graded, pairs_option
from evalsets.formats.json_text import json_items, json_object
from evalsets.formats.label_rows import LabelCollector, LabelsFound
from evalsets.formats.problems import Problem, Repeats, check_choices, name_lines
from evalsets.formats.query_rows import QueryRow, id_from_text
from evalsets.formats.records import Record

BOOK_FORMATS = ("quepid_json", "quepid_csv")
UNRATEABLE = "unrateable"


def read_book(
    data: bytes | str,
    *,
    name: str,
    format: str | None = None,
    mapping: Mapping[str, object] | str | None = None,
    repeats: str | None = None,
    encoding: str | None = None,
) -> LabelsFound:
    """Read a Quepid book as labels, with the queries and documents whose text it carries; nothing raises.

    "Unrateable" is "cannot judge", "judge later" is skipped and counted, and each rater stays apart (a missing address is "").
    Queries have no ids in a book: labels name them by their text, and `queries` gives each an id made from it. Document fields
    that are no JSON are a warning. `mapping` and `repeats` are those of `labels.read_labels`.
    """
    found = LabelsFound()
    text = decoded(data, encoding, found.problems)
    check_choices(found, format=(format, BOOK_FORMATS))
    found.mapping = pairs_option(mapping, "mapping", found)
    collector = LabelCollector(found, repeats=repeats or None)
    if text is None or not found.ok:
        return collector.finish()
    found.format = format or ("quepid_json" if text.lstrip().startswith(("{", "[")) else "quepid_csv")
    book = _Book(collector)
    if found.format == "quepid_json":
        key = None if text.lstrip().startswith("[") else "query_doc_pairs"
        for line, item in json_items(text, found.problems, key=key):
            found.rows_read += 1
            if isinstance(item, dict):
                book.add_pair(item, line)
            else:
                found.problems.append(Problem(line, "query_doc_pairs", str(item), "an object for each pair"))
    else:
        _read_csv(text, name, collector, book)
    book.warn()
    return collector.finish()


def _read_csv(text: str, name: str, collector: LabelCollector, book: "_Book") -> None:
    found = collector.found
    table = read_table(text, found, name=name)
    columns = {column.lower(): column for column in table.columns}
    if table.columns and not {"query", "docid"} <= set(columns):
        found.problems.append(
            Problem(1, "header", ", ".join(table.columns), "columns query and docid, then one for each rater")
        )
    if not found.ok:
        return
    raters = [column for column in table.columns if column.lower() not in ("query", "docid")]
    for line, row in table.rows:
        record = Record(row, line=line, problems=found.problems)
        query, doc_id = record.text(columns["query"], required=True), record.identifier(columns["docid"])
        book.add_query(query, line)
        collector.add_pair(query, doc_id)
        for rater in raters:
            collector.add(row[rater], query_id="", query_text=query, doc_id=doc_id, annotator=rater, line=line)


class _Book:
    """Takes the pairs of a book apart: labels to the collector, texts to queries and documents."""

    def __init__(self, collector: LabelCollector) -> None:
        self.collector, self.found = collector, collector.found
        self.needs: dict[str, str] = {}
        self.not_json: list[int] = []
        self.documents = Repeats(
            collector.found, field="document_fields", said_once="the same fields wherever a book has document"
        )

    def add_pair(self, pair: dict[str, Any], line: int) -> None:
        record = Record(pair, line=line, problems=self.found.problems)
        query = record.text("query_text", "query", required=True)
        doc_id = record.identifier("doc_id")
        self.add_query(query, line, record.text("information_need"))
        self.collector.add_pair(query, doc_id)
        self._add_document(record, doc_id, line)
        judgements = record.take("judgements")[1]
        for item in record.items("judgements", judgements):
            if isinstance(item, dict):
                self._add_judgement(Record(item, line=line, problems=self.found.problems), query, doc_id)
            else:
                record.complain("judgements", item, "an object for each judgement")

    def add_query(self, query: str, line: int, need: str = "") -> None:
        if query in self.needs or not query.strip():
            return
        self.needs[query] = need
        self.found.queries.append(
            QueryRow(id_from_text(query, prefix="q"), query, information_need=need, source="Quepid", line=line)
        )

    def _add_judgement(self, record: Record, query: str, doc_id: str) -> None:
        said = None
        if record.flag("unrateable", default=False):
            said = Graded(cannot_judge=UNRATEABLE)
        elif record.flag("judge_later", default=False):
            self.found.skip("marked to be judged later")
            return
        if said and UNRATEABLE in self.collector.grading.mapping:
            said = self.collector.grading.read(UNRATEABLE)
        value = record.values.get("rating")
        if said and value is not None:
            record.complain(CANNOT_JUDGE, value, "no rating where the pair is unrateable")
        self.collector.add(
            value,
            query_id="",
            query_text=query,
            doc_id=doc_id,
            annotator=record.identifier("user_email", "user_id", required=False),
            note=record.text("explanation", "notes"),
            line=record.line,
            said=said,
        )

    def _add_document(self, record: Record, doc_id: str, line: int) -> None:
        fields = record.take("document_fields")[1]
        if isinstance(fields, str):
            complaints: list[Problem] = []
            fields = json_object(fields, complaints)
            if complaints:
                self.not_json.append(line)
                fields = None
        if not isinstance(fields, dict) or not doc_id:
            return
        title, text = _title_and_text(fields)
        if self.documents.is_new(doc_id, (title, text), line=line):
            self.found.documents.append(DocumentRow(doc_id, title, text, source="Quepid", metadata=fields, line=line))

    def warn(self) -> None:
        if self.not_json:
            self.found.warnings.append(
                f"document fields are not JSON and were left out, in the pairs on {name_lines(self.not_json)}"
            )


def _title_and_text(fields: dict[str, Any]) -> tuple[str, str]:
    """Return the field named title, and the others as lines of "name: value": a book does not say which is the text."""
    title = fields.get("title")
    others = [f"{name}: {value}" for name, value in fields.items() if name != "title" and value not in (None, "", [])]
    return str(title) if isinstance(title, str | int) else "", "\n".join(others)
