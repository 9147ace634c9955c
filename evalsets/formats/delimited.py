"""CSV and TSV with a header: rows by column name and physical line, and the writer whose output no spreadsheet executes.

A cell that begins with one of `= + - @`, a tab or a line end is run or reinterpreted by spreadsheets. `write_csv` puts an
apostrophe before such text, and before text that already begins with an apostrophe, and marks each row with the value
"apostrophe" in a last column named `text_guard`. The reader takes one leading apostrophe off the cells of exactly those rows,
so our own exports come back to the character and foreign files that begin with an apostrophe stay as they are.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalsets.formats.problems import Found, Problem, name_lines

# The csv module's own limit of 131,072 characters a field would refuse long passages; this is the largest all platforms take.
csv.field_size_limit(2**31 - 1)

GUARD_COLUMN = "text_guard"
GUARD_VALUE = "apostrophe"
# The full-width forms are read as formula signs by spreadsheets in East Asian locales.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";"}
QUOTES = ("csv", "none")
_PHYSICAL_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass
class Table:
    """A table read from text: its column names, and (physical line, cells by column) for each row."""

    columns: list[str] = field(default_factory=list)
    rows: list[tuple[int, dict[str, str]]] = field(default_factory=list)


def read_table(
    text: str, found: Found, *, name: str = "", delimiter: str | None = None, quotes: str | None = None
) -> Table:
    """Read CSV or TSV text with a header row; problems and warnings go to `found`.

    `delimiter` is "comma", "tab" or "semicolon", by default the one that the header uses most. `quotes` is "csv" (RFC 4180:
    a quoted field may hold delimiters and line ends, "" is one quote) or "none" (quotes are plain characters); tab-separated
    files default to "none". Blank lines are skipped. A row whose number of fields differs from the header's is a problem.
    """
    sign = _chosen_delimiter(text, name, delimiter, found)
    plain = quotes == "none" or (quotes != "csv" and sign == "\t")
    records = _records(text, found, sign, plain=plain)
    header = next(records, None)
    if header is None:
        found.problems.append(Problem(1, "header", "", "a first row with the column names"))
        return Table()
    columns = _column_names(header, found)
    guarded = GUARD_COLUMN in columns
    table = Table([_unguarded(column) for column in columns if column != GUARD_COLUMN] if guarded else columns)
    for line, cells in records:
        found.rows_read += 1
        if len(cells) != len(columns):
            expected = f"{len(columns)} fields as in the header, found {len(cells)}; put quotes around a field with {_named(sign)} in it"
            found.problems.append(Problem(line, "fields", sign.join(cells), expected))
            continue
        row = dict(zip(columns, cells, strict=True))
        table.rows.append((line, _without_guard(row) if guarded else row))
    if plain and quotes is None:
        _warn_of_quotes(table, found)
    return table


def split_plain(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, fields) of text without a header whose fields stand between tabs; blank lines are skipped."""
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.removesuffix("\r")
        if line.strip():
            yield number, line.split("\t")


def write_csv(
    rows: Iterable[Mapping[str, object]], *, columns: Sequence[str] | None = None, neutralise: bool = True
) -> str:
    """Return CSV text (RFC 4180, CRLF) of `rows`; the columns are those named, or the keys of the first row.

    Numbers are written as numbers, None as an empty cell, True and False as words, lists and mappings as JSON. With
    `neutralise`, text that a spreadsheet would run gets an apostrophe, and the guard column says so to our own reader.
    """
    rows = list(rows)
    columns = list(columns if columns is not None else (rows[0] if rows else ()))
    shown: list[str] = [_guarded(column) for column in columns] if neutralise else columns
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([*shown, GUARD_COLUMN] if neutralise else shown)
    for row in rows:
        cells = [_cell(row.get(column), neutralise=neutralise) for column in columns]
        writer.writerow([*cells, GUARD_VALUE] if neutralise else cells)
    return out.getvalue()


def _cell(value: object, *, neutralise: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple | Mapping):
        value = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return _guarded(str(value)) if neutralise else str(value)


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith((*FORMULA_STARTS, "'")) else text


def _unguarded(text: str) -> str:
    return text.removeprefix("'")


def _without_guard(row: dict[str, str]) -> dict[str, str]:
    """Undo the writer's apostrophes where the row says that it has them."""
    guard = row.pop(GUARD_COLUMN)
    if guard != GUARD_VALUE:
        return {_unguarded(column): cell for column, cell in row.items()}
    return {_unguarded(column): _unguarded(cell) for column, cell in row.items()}


def _chosen_delimiter(text: str, name: str, delimiter: str | None, found: Found) -> str:
    if delimiter:
        if delimiter not in DELIMITERS:
            found.problems.append(Problem(None, "delimiter", delimiter, f"one of {', '.join(DELIMITERS)}"))
        return DELIMITERS.get(delimiter, ",")
    first = re.sub(r'"[^"]*"', "", next((line for line in text.split("\n", 50) if line.strip()), ""))
    if "\t" in first and name.lower().removesuffix(".gz").endswith((".tsv", ".tab")):
        return "\t"
    return max(DELIMITERS.values(), key=first.count)


def _records(text: str, found: Found, sign: str, *, plain: bool) -> Iterator[tuple[int, list[str]]]:
    lines = (match.group() for match in _PHYSICAL_LINE.finditer(text))
    reader = _csv_reader(lines, sign, plain=plain)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            found.problems.append(Problem(line, "line", _line_at(text, line), _explained(str(error))))
            continue
        if cells and (len(cells) > 1 or cells[0].strip()):
            yield line, cells


def _csv_reader(lines: Iterator[str], sign: str, *, plain: bool) -> Any:
    if plain:
        return csv.reader(lines, delimiter=sign, quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(lines, delimiter=sign, strict=True)


def _line_at(text: str, number: int) -> str:
    lines = text.split("\n", number)
    return lines[number - 1].removesuffix("\r") if len(lines) >= number else ""


def _explained(message: str) -> str:
    if "unexpected end" in message:
        return 'a closing quote; the field that opens with " on or after this line never ends'
    if "expected after" in message:
        return 'a delimiter after a closing quote (a quote inside a quoted field is written "")'
    return f"CSV with LF or CRLF at line ends ({message})"


def _column_names(header: tuple[int, list[str]], found: Found) -> list[str]:
    line, cells = header
    names = [cell.strip() or f"column {number}" for number, cell in enumerate(cells, start=1)]
    for name in sorted({name for name in names if names.count(name) > 1}):
        found.problems.append(Problem(line, "header", name, "each column name once"))
    return names


def _named(sign: str) -> str:
    return {",": "a comma", "\t": "a tab", ";": "a semicolon"}[sign]


def _warn_of_quotes(table: Table, found: Found) -> None:
    quoted = [
        line
        for line, row in table.rows
        if any(len(cell) > 1 and cell.startswith('"') and cell.endswith('"') for cell in row.values())
    ]
    if quoted:
        found.warnings.append(
            f"quotes around whole fields are kept as text ({name_lines(quoted)}); choose quotes=csv to take them off"
        )
