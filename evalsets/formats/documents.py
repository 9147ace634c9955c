"""Documents: JSON Lines or a JSON array (BEIR's `corpus.jsonl` among them), CSV and TSV, and Markdown or text files.

Fields (JSON keys, column names or front matter): `_id` or `doc_id`, `title`, `text`, `sections`, `language`, `doc_type`,
`lifecycle` (current, draft, archived), `effective_from` and `effective_to` (YYYY-MM-DD), `superseded_by` (a document id), `access`
(a list of groups), `source`, `metadata` (an object). Anything else is kept in `metadata`. A section is
`{section_id, heading, level, text}`, and the document's text is then their texts with a blank line between; or
`{section_id, heading, level, start, end}` with offsets into `text`. In CSV, lists and objects stand in a cell as JSON.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from evalsets.formats.decoding import decoded, peek
from evalsets.formats.delimited import DELIMITERS, QUOTES, read_table
from evalsets.formats.document_rows import LIFECYCLES, DocumentRow, DocumentsFound, SectionRow
from evalsets.formats.grades import pairs_option
from evalsets.formats.json_text import json_items
from evalsets.formats.markdown import (
    MARKDOWN_ENDINGS,
    TEXT_ENDINGS,
    ZIP_MAGIC,
    decoded_file,
    files_in_folder,
    files_in_zip,
    sections_of,
    split_front_matter,
)
from evalsets.formats.problems import Problem, Repeats, by_line, check_choices
from evalsets.formats.records import Record

__all__ = ["DocumentRow", "DocumentsFound", "SectionRow", "read_documents"]

DOCUMENT_FORMATS = ("jsonl", "csv", "markdown")
ID_NAMES = ("_id", "doc_id", "docid", "document_id")
MAPPED_FIELDS = ("doc_id", "title", "text", "source", "language", "doc_type")


def read_documents(
    data: bytes | str | Path,
    *,
    name: str,
    format: str | None = None,
    mapping: Mapping[str, object] | str | None = None,
    delimiter: str | None = None,
    quotes: str | None = None,
    encoding: str | None = None,
) -> DocumentsFound:
    """Read documents; nothing raises, all problems are in the result.

    `data` is a file's content, a zip of a folder, or the path of a file or folder. `format` is one of DOCUMENT_FORMATS (by
    default found from content and name). `mapping` names, for fields of MAPPED_FIELDS, the key or column that holds them
    ("doc_id=id, text=contents"). An id that comes again with other content is a problem naming both lines.
    """
    found = DocumentsFound()
    if isinstance(data, Path) and not data.is_dir():
        name, data = name or data.name, data.read_bytes()
    check_choices(found, format=(format, DOCUMENT_FORMATS), delimiter=(delimiter, DELIMITERS), quotes=(quotes, QUOTES))
    names = {field: str(column) for field, column in pairs_option(mapping, "mapping", found).items()}
    check_choices(found, **{f"mapping ({field})": (field, MAPPED_FIELDS) for field in names})
    if found.ok:
        found.format = format or _detect(data, name, encoding)
        unique = Repeats(found, field="doc_id", said_once="one content for document")
        for row, file in _rows(
            data, name, found, names, {"delimiter": delimiter, "quotes": quotes, "encoding": encoding}
        ):
            shown = replace(row, line=None)
            if row.doc_id and unique.is_new(row.doc_id, shown, line=row.line, file=file):
                found.documents.append(row)
        unique.warn()
    return _finished(found)


def _finished(found: DocumentsFound) -> DocumentsFound:
    found.problems = by_line(found.problems)
    if found.problems:
        found.documents = []
    elif not found.documents:
        found.warnings.append("there are no documents in it")
    silent = [row.doc_id for row in found.documents if not row.text.strip()]
    if silent:
        shown = ", ".join(repr(doc_id) for doc_id in silent[:10])
        found.warnings.append(
            f"{len(silent)} of {len(found.documents)} documents have no text ({shown}{', ...' if len(silent) > 10 else ''})"
        )
    return found


def _detect(data: bytes | str | Path, name: str, encoding: str | None) -> str:
    if isinstance(data, Path) or (isinstance(data, bytes) and data.startswith(ZIP_MAGIC)):
        return "markdown"
    if name.lower().removesuffix(".gz").endswith((*MARKDOWN_ENDINGS, *TEXT_ENDINGS)):
        return "markdown"
    return "jsonl" if peek(data, encoding).lstrip(" \t\r\n").startswith(("{", "[")) else "csv"


def _rows(
    data: bytes | str | Path, name: str, found: DocumentsFound, names: dict[str, str], options: dict[str, str | None]
) -> Iterator[tuple[DocumentRow, str]]:
    """Yield (document, file inside the folder or "")."""
    encoding = options["encoding"]
    if found.format == "markdown":
        for file, content in _markdown_files(data, name, found):
            text = decoded_file(content, encoding, found, file=file) if isinstance(content, bytes) else content
            if text is not None:
                found.rows_read += 1
                yield _markdown_document(text, file, found), file
        return
    if isinstance(data, Path):
        found.problems.append(Problem(None, "format", data.name, "a file; a folder is read with format=markdown"))
        return
    text = decoded(data, encoding, found.problems)
    if text is None:
        return
    for line, values in _json_rows(text, found) if found.format == "jsonl" else _table_rows(text, name, found, options):
        record = Record(
            values,
            line=line,
            problems=found.problems,
            advice="; mapping names another field, as in doc_id=NAME,text=NAME",
        )
        yield _document(record, names), ""


def _markdown_files(data: bytes | str | Path, name: str, found: DocumentsFound) -> Iterator[tuple[str, bytes | str]]:
    if isinstance(data, Path):
        yield from files_in_folder(data, found)
    elif isinstance(data, bytes) and data.startswith(ZIP_MAGIC):
        yield from files_in_zip(data, found)
    else:
        yield name, data


def _markdown_document(text: str, file: str, found: DocumentsFound) -> DocumentRow:
    """Return one Markdown or text file as a document: its id is its path unless the front matter gives one."""
    is_markdown = not file.lower().removesuffix(".gz").endswith(TEXT_ENDINGS)
    fields, body = split_front_matter(text, found, file=file) if is_markdown else ({}, text)
    before = text[: len(text) - len(body)]
    first_line = before.count("\n") + 1
    sections = sections_of(body, found, file=file, markdown=is_markdown, first_line=first_line)
    record = Record(fields, line=1, problems=found.problems, file=file)
    row = _fields(record, {"doc_id": "id"}, text=body, sections=sections, default_id=file)
    title = row.title or next((item.heading for item in sections if item.level == 1 and item.heading), "")
    return replace(row, title=title or PurePosixPath(file).stem, source=row.source or file)


def _json_rows(text: str, found: DocumentsFound) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, item in json_items(text, found.problems):
        found.rows_read += 1
        if isinstance(item, dict):
            yield line, item
        else:
            found.problems.append(Problem(line, "line", str(item), "a JSON object"))


def _table_rows(
    text: str, name: str, found: DocumentsFound, options: dict[str, str | None]
) -> Iterator[tuple[int, dict[str, Any]]]:
    table = read_table(text, found, name=name, delimiter=options["delimiter"], quotes=options["quotes"])
    known = {*ID_NAMES, "title", "text", "sections", *DocumentRow.__dataclass_fields__}
    shown = {column: column.lower() if column.lower() in known else column for column in table.columns}
    for line, row in table.rows:
        yield line, {shown[column]: cell for column, cell in row.items()}


def _document(record: Record, names: dict[str, str]) -> DocumentRow:
    """Return one record as a document; text and sections settle each other."""
    written = record.values.get("sections")
    parts = [Record(item, line=record.line, problems=record.problems) for item in _section_items(record, written)]
    record.used.add("sections")
    own_text = [part.values.get("text") for part in parts]
    if parts and all(isinstance(item, str) for item in own_text):
        sections, text = _joined(parts)
        given = record.values.get(names.get("text", "text"))
        record.used |= {"text", names.get("text", "text")}
        if given not in (None, "", text):
            record.complain(
                "text", given, "the texts of its sections with a blank line between, or no text beside them"
            )
    else:
        text = _text(record, names)
        sections = tuple(_placed(part, len(text)) for part in parts)
        if any(one.end > other.start for one, other in itertools.pairwise(sections)):
            record.complain("sections", [item.section_id for item in sections], "sections in order that do not overlap")
    repeated = {
        item.section_id for item in sections if [part.section_id for part in sections].count(item.section_id) > 1
    }
    for section_id in sorted(repeated):
        record.complain("section_id", section_id, "each section id once in a document")
    return _fields(record, names, text=text, sections=sections)


def _section_items(record: Record, written: Any) -> list[dict[str, Any]]:
    if written in (None, ""):
        return []
    items = record.parsed("sections", written)
    if isinstance(items, list) and all(isinstance(item, dict) for item in items):
        return items
    if items is not None:
        record.complain("sections", written, "a list of objects with section_id, heading and text")
    return []


def _joined(parts: list[Record]) -> tuple[tuple[SectionRow, ...], str]:
    sections, texts, start = [], [], 0
    for part in parts:
        text = part.text("text")
        sections.append(_section(part, start, start + len(text)))
        texts.append(text)
        start += len(text) + 2
    return tuple(sections), "\n\n".join(texts)


def _placed(part: Record, size: int) -> SectionRow:
    start, end = part.count("start"), part.count("end")
    if start is None or end is None or not start <= end <= size:
        part.complain("sections", [start, end], f"a text, or start and end inside the document's {size} characters")
        start = end = 0
    return _section(part, start, end)


def _section(part: Record, start: int, end: int) -> SectionRow:
    heading = part.text("heading")
    return SectionRow(part.identifier("section_id"), heading, part.count("level") or (1 if heading else 0), start, end)


def _text(record: Record, names: dict[str, str]) -> str:
    """Return the document's text, which must be there but may be empty."""
    wanted = [name for name in (names.get("text"), "text") if name]
    written = next((record.values[name] for name in wanted if isinstance(record.values.get(name), str)), None)
    record.used.update(wanted)
    return record.text(*wanted, required=True) if written is None else written


def _fields(
    record: Record, names: dict[str, str], *, text: str, sections: tuple[SectionRow, ...], default_id: str = ""
) -> DocumentRow:
    def named(field: str, *others: str) -> tuple[str, ...]:
        return tuple(name for name in (names.get(field), field, *others) if name)

    ids = tuple(name for name in (names.get("doc_id"), *ID_NAMES) if name)
    effective_from, effective_to = record.day("effective_from"), record.day("effective_to")
    if effective_from and effective_to and effective_to < effective_from:
        record.complain("effective_to", str(effective_to), f"no day before effective_from, {effective_from}")
    row = DocumentRow(
        doc_id=record.identifier(*ids, required=not default_id) or default_id,
        title=record.text(*named("title")),
        text=text,
        sections=sections,
        language=record.text(*named("language", "lang")),
        doc_type=record.text(*named("doc_type")),
        lifecycle=record.word("lifecycle", choices=LIFECYCLES, default="current"),
        effective_from=effective_from,
        effective_to=effective_to,
        superseded_by=record.identifier("superseded_by", required=False),
        access=record.names("access"),
        source=record.text(*named("source")),
        metadata=record.mapping("metadata"),
        line=record.line,
    )
    unknown = record.unused()
    for name in sorted(set(unknown) & set(row.metadata)):
        record.complain(name, unknown[name], "this field either beside metadata or inside it, not both")
    return replace(row, metadata={**row.metadata, **unknown})
