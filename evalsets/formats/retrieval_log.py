"""JSON Lines logs of retrieval-augmented generation frameworks: texts often without ids, their order as the rank.

One object a line: a question, and one list of what was retrieved. The shapes that are known:

| written by | question | list | each item |
|---|---|---|---|
| Ragas | `user_input`, `question` | `retrieved_contexts`, `contexts` | text (ids beside it in `retrieved_context_ids`) |
| LlamaIndex | `query`, `query_str` | `source_nodes`, `nodes` | `{node: {id_, text, metadata}, score}` or the node itself |
| LangChain | `input`, `query`, `question` | `source_documents`, `documents`, `context` | `{id, page_content, metadata}` |
| Haystack | `query` | `documents` | `{id, content, meta, score}` |

Each retrieved text becomes a document. One without an id gets an id made from its text, so the same text is the same document
in every log; the option `document_id` names a place inside the items ("metadata.source") that holds the document's own id, and
the text is then a chunk of it. A text that a list repeats is kept once, at its first rank. Scores may be missing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from evalsets.formats.decoding import decoded
from evalsets.formats.document_rows import DocumentRow
from evalsets.formats.json_runs import Answers, ResultColumns, result_values
from evalsets.formats.json_text import json_items
from evalsets.formats.problems import Problem, Repeats, check_choices, name_lines
from evalsets.formats.query_rows import QueryRow, id_from_text, lookalike_warning
from evalsets.formats.records import Record
from evalsets.formats.run_order import ORDERS, STAGES
from evalsets.formats.run_rows import RunFound
from evalsets.formats.runs import finish_run

QUESTION_NAMES = ("query", "question", "user_input", "query_str", "input")
LIST_NAMES = (
    "retrieved_contexts",
    "source_nodes",
    "nodes",
    "source_documents",
    "documents",
    "contexts",
    "context",
    "docs",
)
TEXT_NAMES = ("text", "page_content", "content")
ID_NAMES = ("id_", "id", "node_id", "doc_id")


@dataclass
class LogFound(RunFound):
    """A run, with the queries and documents that its log gives the texts of."""

    queries: list[QueryRow] = field(default_factory=list)
    documents: list[DocumentRow] = field(default_factory=list)


def read_log(
    data: bytes | str,
    *,
    name: str,
    stage: str | None = None,
    order: str | None = None,
    document_id: str | None = None,
    encoding: str | None = None,
) -> LogFound:
    """Read a retrieval log as a run with its queries and documents; nothing raises, all problems are in the result.

    `stage` says what the lists are, by default `candidates` as in every run (`context` where they reached the model). `order`
    settles scores that rise down a list ("rank" keeps the list's order). `document_id` is a place such as "metadata.source"
    inside the items.
    """
    found = LogFound(format="retrieval_log", tag=name)
    text = decoded(data, encoding, found.problems)
    check_choices(found, stage=(stage, STAGES), order=(order, ORDERS))
    if text is None or not found.ok:
        return found
    reader = _Log(found, stage or "candidates", document_id or None)
    for line, item in json_items(text, found.problems):
        if isinstance(item, dict):
            reader.add(item, line)
        else:
            found.problems.append(Problem(line, "line", str(item), "a JSON object"))
    reader.finish()
    finish_run(found, reader.columns.frame(), order=order, duplicates=None)
    if not found.ok:
        found.queries, found.documents = [], []
    return found


class _Log:
    """Takes log lines apart into queries, documents, answers and results."""

    def __init__(self, found: LogFound, stage: str, document_id: str | None) -> None:
        self.found, self.stage, self.document_id = found, stage, document_id
        self.columns, self.answers = ResultColumns(), Answers(found)
        self.queries = Repeats(found, field="query_id", said_once="one question and one list for query")
        self.documents = Repeats(found, field="document", said_once="one text for document")
        self.made_queries: list[int] = []
        self.made_documents: dict[str, None] = {}
        self.repeated: list[int] = []

    def add(self, item: dict[str, Any], line: int) -> None:
        record = Record(item, line=line, problems=self.found.problems)
        question = record.text(*QUESTION_NAMES, required=True)
        query_id = record.identifier("query_id", "qid", "id", required=False)
        if not query_id and question:
            query_id = id_from_text(question, prefix="q")
            self.made_queries.append(line)
        name, listed = record.take(*LIST_NAMES)
        if not any(key in item for key in LIST_NAMES):
            record.complain(
                name, "", f"a list of what was retrieved in one of {', '.join(LIST_NAMES)}; found {', '.join(item)}"
            )
        if not self.queries.is_new(query_id, (question, str(listed)), line=line):
            return
        self.found.queries.append(QueryRow(query_id, question, source="retrieval log", line=line))
        self.answers.add(_answer_record(record, question), query_id, empty=listed == [])
        ids = record.items("retrieved_context_ids", item.get("retrieved_context_ids"))
        self._add_results(record, query_id, list(_passages(record, name, listed, ids)))

    def _add_results(self, record: Record, query_id: str, passages: "list[_Passage]") -> None:
        seen: set[tuple[str, str]] = set()
        for passage in passages:
            self.found.rows_read += 1
            doc_id, chunk_id = self._ids(passage, record)
            if not doc_id:
                continue
            if (doc_id, chunk_id) in seen:
                self.repeated.append(record.line or 0)
                continue
            seen.add((doc_id, chunk_id))
            values = {"doc_id": doc_id, "chunk_id": chunk_id, "text": passage.text, "score": passage.score}
            result = Record(values, line=record.line, problems=self.found.problems)
            self.columns.rows.append(result_values(result, query_id, self.stage, len(seen)))

    def _ids(self, passage: "_Passage", record: Record) -> tuple[str, str]:
        """Return (document id, chunk id) of a passage, and note the document that it makes."""
        own = record.as_identifier("id", passage.id) if passage.id not in (None, "") else ""
        if self.document_id:
            value = _inside(passage.item, self.document_id)
            if value in (None, ""):
                record.complain(self.document_id, "", "the document's id in every retrieved item")
                return "", ""
            return record.as_identifier(self.document_id, value), own or id_from_text(passage.text, prefix="c")
        if not own:
            own = id_from_text(passage.text, prefix="d")
            self.made_documents[own] = None
        if self.documents.is_new(own, passage.text, line=record.line):
            source = passage.metadata.get("source")
            row = DocumentRow(
                own,
                "",
                passage.text,
                source=source if isinstance(source, str) else "",
                metadata=passage.metadata,
                line=record.line,
            )
            self.found.documents.append(row)
        return own, ""

    def finish(self) -> None:
        found = self.found
        found.answers = list(self.answers.rows.values())
        self.queries.warn()
        if self.made_queries:
            found.warnings.append(f"no query id on {name_lines(self.made_queries)}; ids were made from the questions")
        if self.made_documents:
            found.warnings.append(
                f"{len(self.made_documents)} texts have no id; their document ids were made from the texts"
            )
        if self.repeated:
            found.skipped["text repeated in one list"] = len(self.repeated)
            found.warnings.append(
                f"texts repeated in one list were kept once, at the first rank: {name_lines(list(dict.fromkeys(self.repeated)))}"
            )
        found.warnings += lookalike_warning(dict.fromkeys(row.text for row in found.queries))


@dataclass(frozen=True)
class _Passage:
    text: str
    id: Any
    score: Any
    metadata: dict[str, Any]
    item: dict[str, Any]


def _passages(record: Record, name: str, listed: Any, ids: list[Any]) -> Iterator[_Passage]:
    """Yield what a list holds, whatever shape its items have."""
    if listed is None:
        return
    if not isinstance(listed, list):
        record.complain(name, listed, "a list of texts or objects")
        return
    for place, item in enumerate(listed):
        beside = ids[place] if place < len(ids) else None
        if isinstance(item, str):
            if item.strip():
                yield _Passage(item, beside, None, {}, {})
            else:
                record.complain(name, item, "texts that are more than blanks")
            continue
        inner = item.get("node", item) if isinstance(item, dict) else None
        text = (
            next((inner[key] for key in TEXT_NAMES if isinstance(inner.get(key), str)), None)
            if isinstance(inner, dict)
            else None
        )
        if not isinstance(inner, dict) or not isinstance(item, dict) or not text:
            record.complain(name, item, f"a text, or an object with one in {', '.join(TEXT_NAMES)}")
            continue
        metadata = inner.get("metadata", inner.get("meta"))
        its_id = next((inner[key] for key in ID_NAMES if inner.get(key) not in (None, "")), beside)
        score = item.get("score", inner.get("score"))
        yield _Passage(text, its_id, score, metadata if isinstance(metadata, dict) else {}, inner)


def _inside(item: dict[str, Any], place: str) -> Any:
    """Return the value at a dotted place inside nested objects, or None."""
    value: Any = item
    for name in place.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _answer_record(record: Record, question: str) -> Record:
    """Return the answer fields of a log line under the names that a run has for them."""
    values = {key: record.values[key] for key in ("latency_ms", "event", "filters") if key in record.values}
    return Record({**values, "query": question}, line=record.line, problems=record.problems)
