"""Every format of every kind of import, with its options, and one function that reads any of them.

An import page builds its form from FORMATS: each option has a name, a label, a help text and, where they are fixed, its choices
(value and label; "" is the default). Option values are plain text. `read` takes the same names.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsets.formats.decoding import ENCODINGS, peek
from evalsets.formats.documents import read_documents
from evalsets.formats.json_text import json_object
from evalsets.formats.label_studio import read_export
from evalsets.formats.labels import read_labels
from evalsets.formats.problems import Found, Problem
from evalsets.formats.quepid import read_book
from evalsets.formats.queries import read_queries
from evalsets.formats.retrieval_log import LIST_NAMES, read_log
from evalsets.formats.runs import read_run

Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Option:
    """One option of a format; without `choices` it takes free text."""

    name: str
    label: str
    help: str
    choices: Choices = ()


@dataclass(frozen=True)
class Format:
    """One format of one kind of import, the function that reads it, and the options that the function takes."""

    id: str
    label: str
    description: str
    reader: Callable[..., Found]
    options: tuple[Option, ...] = ()
    endings: tuple[str, ...] = ()
    takes_format: bool = True

    def option(self, name: str) -> Option | None:
        """Return the option of that name, or None."""
        return next((option for option in self.options if option.name == name), None)


ENCODING = Option(
    "encoding",
    "Encoding",
    "UTF-8 unless chosen; nothing is guessed.",
    (("", "UTF-8"), *((name, name.upper()) for name in ENCODINGS[1:])),
)
DELIMITER = Option(
    "delimiter",
    "Delimiter",
    "By default the one that the header uses.",
    (("", "as in the header"), ("comma", "comma"), ("tab", "tab"), ("semicolon", "semicolon")),
)
QUOTES = Option(
    "quotes",
    "Quotes",
    "Whether quotes around a field are part of the text. By default they are in tab-separated files only.",
    (("", "by file"), ("csv", "around fields, as in CSV"), ("none", "part of the text")),
)
ORDER = Option(
    "order",
    "Order",
    "Which counts where ranks and scores disagree.",
    (("", "they must agree"), ("rank", "by rank"), ("score", "by score, then document id descending")),
)
DUPLICATES = Option(
    "duplicates",
    "Listed twice",
    "What to do where a query lists one document twice.",
    (("", "refuse"), ("keep_first", "keep the first")),
)
STAGE = Option(
    "stage",
    "Stage",
    "What the results are where the file does not say it.",
    (
        ("", "candidates (before reranking)"),
        ("final", "final (after reranking)"),
        ("context", "context (reached the model)"),
    ),
)
GRADES = Option(
    "mapping",
    "Values to grades",
    "What values other than 0 to 3 mean, as in: negative=0, unrateable=cannot_judge, n/a=skip, 4=3. A blank is unjudged.",
)
REPEATS = Option(
    "repeats",
    "Rows without an annotator",
    "What a further row for one query and document means where the file names no annotator.",
    (("", "a repetition: same grade once, other grade refused"), ("anonymous", "another anonymous annotator")),
)
COLUMNS = Option(
    "columns",
    "Columns",
    "Which column holds what where the names are unusual, as in: query=Question, doc_id=DocUrl, grade=Relevance. Fields: "
    "query_id, query, doc_id, section_id, grade, annotator, note, passage.",
)
CONSTANT = Option(
    "constant_grade",
    "Grade of every pair",
    "The grade that each listed pair has.",
    tuple((str(grade), str(grade)) for grade in range(4)),
)
FIELDS = Option(
    "mapping",
    "Field names",
    "Which field holds what where the names are unusual, as in: doc_id=id, text=contents. Fields: doc_id, title, text, source, "
    "language, doc_type.",
)
DOCUMENT_ID = Option(
    "document_id",
    "Document id",
    "A place inside the retrieved items that holds the document's id, such as metadata.source; the texts are then its chunks. "
    "By default each text is a document.",
)
CONTROL = Option(
    "control", "Control", "The name (from_name) of the choices or rating that is the grade, where there are several."
)

_TABLE = (DELIMITER, QUOTES, ENCODING)
_RUN = (ORDER, DUPLICATES, ENCODING)

FORMATS: dict[str, tuple[Format, ...]] = {
    "documents": (
        Format(
            "jsonl",
            "JSON Lines or JSON array",
            "One object a document: _id or doc_id, title, text, optional sections; BEIR's corpus.jsonl.",
            read_documents,
            (FIELDS, ENCODING),
            (".jsonl", ".json", ".gz"),
        ),
        Format(
            "csv",
            "CSV or TSV",
            "A header, one document a row.",
            read_documents,
            (FIELDS, *_TABLE),
            (".csv", ".tsv", ".gz"),
        ),
        Format(
            "markdown",
            "Markdown or text",
            "One file, or a zip of a folder; headings become sections, front matter gives the fields.",
            read_documents,
            (ENCODING,),
            (".zip", ".md", ".markdown", ".txt"),
        ),
    ),
    "queries": (
        Format(
            "jsonl",
            "JSON Lines or JSON array",
            "One object a query; BEIR's queries.jsonl.",
            read_queries,
            (ENCODING,),
            (".jsonl", ".json", ".gz"),
        ),
        Format("csv", "CSV or TSV", "A header, one query a row.", read_queries, _TABLE, (".csv", ".tsv", ".gz")),
        Format(
            "id_tab_text",
            "Id, tab, text",
            "No header; TREC and MS MARCO topics.",
            read_queries,
            (ENCODING,),
            (".tsv", ".txt", ".gz"),
        ),
        Format("yaml", "YAML", "A list of queries.", read_queries, (ENCODING,), (".yaml", ".yml")),
    ),
    "runs": (
        Format(
            "trec",
            "TREC run",
            "Six columns: query, Q0, document, rank, score, tag.",
            read_run,
            (STAGE, *_RUN),
            (".trec", ".txt", ".run", ".gz"),
        ),
        Format(
            "jsonl",
            "JSON Lines run",
            "Results by stage with scores, passages, latency, events, filters and versions.",
            read_run,
            (STAGE, *_RUN),
            (".jsonl", ".gz"),
        ),
        Format(
            "retrieval_log",
            "Log of a RAG framework",
            "JSON Lines of Ragas, LlamaIndex, LangChain or Haystack: a question and the texts retrieved for it.",
            read_log,
            (STAGE, ORDER, DOCUMENT_ID, ENCODING),
            (".jsonl", ".json", ".gz"),
            takes_format=False,
        ),
    ),
    "labels": (
        Format(
            "trec_qrels",
            "TREC qrels",
            "Four columns: query, 0, document, grade.",
            read_labels,
            (GRADES, REPEATS, ENCODING),
            (".qrels", ".txt", ".gz"),
        ),
        Format(
            "beir_qrels",
            "BEIR qrels",
            "Tab-separated with the header query-id, corpus-id, score.",
            read_labels,
            (GRADES, REPEATS, ENCODING),
            (".tsv", ".gz"),
        ),
        Format(
            "three_columns",
            "Query, document, grade",
            "Three columns without a header.",
            read_labels,
            (GRADES, REPEATS, ENCODING),
            (".txt", ".tsv"),
        ),
        Format(
            "two_columns",
            "Query, document",
            "Two columns; every listed pair has one grade.",
            read_labels,
            (CONSTANT, ENCODING),
            (".txt", ".tsv"),
        ),
        Format(
            "csv",
            "CSV or TSV",
            "A header with query (or query id), document and grade; with an annotator column each annotator stays apart.",
            read_labels,
            (COLUMNS, GRADES, REPEATS, *_TABLE),
            (".csv", ".tsv", ".gz"),
        ),
        Format(
            "jsonl",
            "JSON Lines or JSON array",
            "One object a label.",
            read_labels,
            (COLUMNS, GRADES, REPEATS, ENCODING),
            (".jsonl", ".json", ".gz"),
        ),
        Format(
            "quepid_json",
            "Quepid book (JSON)",
            "Pairs with the judgements of each rater.",
            read_book,
            (GRADES, REPEATS, ENCODING),
            (".json",),
        ),
        Format(
            "quepid_csv",
            "Quepid book (CSV)",
            "query, docid, then one column for each rater.",
            read_book,
            (GRADES, ENCODING),
            (".csv",),
        ),
        Format(
            "label_studio",
            "Label Studio (JSON)",
            "Tasks with annotations; predictions are not read.",
            read_export,
            (COLUMNS, GRADES, CONTROL, ENCODING),
            (".json",),
            takes_format=False,
        ),
    ),
}


def format_of(kind: str, format_id: str) -> Format | None:
    """Return the format of a kind by its id, or None."""
    return next((item for item in FORMATS[kind] if item.id == format_id), None)


def read(kind: str, data: bytes | str | Path, *, name: str, format: str | None = None, **options: str | None) -> Any:
    """Read a file of a kind ("documents", "queries", "runs", "labels") in the format chosen or found; nothing raises.

    Options that are empty are left out; one that the format does not take is a problem that names those it takes. Returns what
    the format's reader returns. Where no format is found, the kind's plain reader says which ones could be meant.
    """
    if isinstance(data, Path) and not data.is_dir():
        name, data = name or data.name, data.read_bytes()
    chosen = format_of(kind, format) if format else _detected(kind, data, options.get("encoding"))
    if format and chosen is None:
        known = ", ".join(item.id for item in FORMATS[kind])
        return _nothing(kind, Problem(None, "format", format, f"one of {known}"))
    if isinstance(data, Path) and kind != "documents":
        return _nothing(kind, Problem(None, "file", data.name, "a file, not a folder"))
    given = {option: value for option, value in options.items() if value not in (None, "")}
    # While the format is open, the kind's plain reader gets every option that it takes for some format.
    plain = FORMATS[kind][0].reader
    possible = [chosen] if chosen else [item for item in FORMATS[kind] if item.reader is plain]
    taken = dict.fromkeys(option.name for item in possible for option in item.options)
    for option, value in given.items():
        if option not in taken:
            return _nothing(kind, Problem(None, option, str(value), f"an option of this format: {', '.join(taken)}"))
    if chosen is None:
        return plain(data, name=name, **given)
    return chosen.reader(data, name=name, **given, **({"format": chosen.id} if chosen.takes_format else {}))


def _nothing(kind: str, problem: Problem) -> Found:
    """Return the empty result of a kind with one problem."""
    found = FORMATS[kind][0].reader(b"", name="")
    found.warnings.clear()
    found.problems.append(problem)
    return found


def _detected(kind: str, data: bytes | str | Path, encoding: str | None) -> Format | None:
    """Return the format that only a look into the content tells from its neighbours, else None: the plain reader decides."""
    if kind not in ("runs", "labels") or isinstance(data, Path):
        return None
    text = peek(data, encoding)
    start = text.lstrip(" \t\r\n")[:1]
    if kind == "labels" and start == "{" and '"query_doc_pairs"' in text:
        return format_of(kind, "quepid_json")
    if kind == "labels" and start == "[" and '"annotations"' in text and '"data"' in text:
        return format_of(kind, "label_studio")
    if kind == "runs" and start in ("{", "["):
        return _log_or_run(text)
    return None


def _log_or_run(text: str) -> Format | None:
    first = next((line for line in text.split("\n", 1000) if line.strip(" \t\r[")), "").strip(" \t\r,[")
    item = json_object(first, [])
    if isinstance(item, dict) and not {"doc_id", "results", "run"} & set(item) and set(LIST_NAMES) & set(item):
        return format_of("runs", "retrieval_log")
    return None
