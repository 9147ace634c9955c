"""JSON Lines and JSON arrays, item by item with the line each item starts on, and every syntax error with line and column."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from evalsets.formats.problems import Problem, shorten

BLANKS = " \t\r\n"
_ITEM_GAP = re.compile(r"[ \t\r\n]*")
# Only lines with these escapes can hold a NUL or a lone surrogate once decoded.
_RISKY_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class _RefusedError(ValueError):
    """A value that JSON text can spell and that no table can keep."""

    def __init__(self, field: str, value: str, expected: str) -> None:
        super().__init__(expected)
        self.field, self.value, self.expected = field, value, expected


def _refuse_constant(name: str) -> float:
    raise _RefusedError("number", name, "a finite number; JSON has no NaN or Infinity")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _RefusedError("number", digits, "a number that a double can hold")
    return number


def _single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RefusedError(twice, twice, "each field once in an object")
    return values


_DECODER = json.JSONDecoder(object_pairs_hook=_single_keys, parse_constant=_refuse_constant, parse_float=_finite)


def json_items(
    text: str, problems: list[Problem], *, key: str | None = None, file: str = ""
) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) for each line of JSON Lines or each element of a JSON array; errors go to `problems`.

    Blank lines are skipped. A broken line does not stop the lines after it; a broken array stops there. With `key`, the text
    is one object and the items are those of the array under that key.
    """
    start = _skip_gap(text, 0)
    if key is not None:
        start = _find_array(text, start, key, problems)
        if start < 0:
            return
    if key is not None or text.startswith("[", start):
        yield from _array_items(text, start, problems, closed=key is None)
    else:
        yield from _line_items(text, problems)


def json_object(text: str, problems: list[Problem], *, line: int = 1, field: str = "line") -> Any:
    """Return the one JSON value that `text` holds, or None after adding the reason to `problems`."""
    try:
        value = _DECODER.decode(text)
        _check_storable(text, value)
    except (ValueError, RecursionError) as error:
        problems.append(_problem(error, text, line, field=field))
        return None
    return value


def _line_items(text: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    first_bad = True
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip(BLANKS)
        if not line:
            continue
        try:
            value = _DECODER.decode(line)
            _check_storable(line, value)
        except (ValueError, RecursionError) as error:
            if first_bad and _is_one_object(text):
                expected = "one JSON object a line, or an array of objects; this is one object over many lines"
                problems.append(Problem(number, "line", line, expected))
                return
            first_bad = False
            indent = len(raw) - len(raw.lstrip(BLANKS))
            problems.append(_problem(error, line, number, indent=indent))
            continue
        first_bad = False
        yield number, value


def _is_one_object(text: str) -> bool:
    try:
        return isinstance(_DECODER.decode(text), dict)
    except (ValueError, RecursionError):
        return False


def _array_items(text: str, start: int, problems: list[Problem], *, closed: bool) -> Iterator[tuple[int, Any]]:
    """Yield the elements of the array at `start`; where `closed`, nothing may follow it."""
    lines = _LineCounter(text)
    at = _skip_gap(text, start + 1)
    if text.startswith("]", at):
        yield from _after_array(text, at + 1, lines, problems, closed=closed)
        return
    while True:
        try:
            value, end = _DECODER.raw_decode(text, at)
            _check_storable(text[at:end], value)
        except (ValueError, RecursionError) as error:
            problems.append(_problem_at(error, text, at, lines))
            return
        yield lines.line(at), value
        at = _skip_gap(text, end)
        if not text.startswith(",", at):
            break
        at = _skip_gap(text, at + 1)
    if text.startswith("]", at):
        yield from _after_array(text, at + 1, lines, problems, closed=closed)
    else:
        problems.append(
            Problem(lines.line(at), "line", text[at : at + 80], "a comma or ] after an element", lines.column(at))
        )


def _after_array(
    text: str, at: int, lines: "_LineCounter", problems: list[Problem], *, closed: bool
) -> Iterator[tuple[int, Any]]:
    """Report what follows the end of the array, where nothing may."""
    at = _skip_gap(text, at)
    if closed and at < len(text):
        problems.append(
            Problem(lines.line(at), "line", text[at : at + 80], "nothing after the end of the array", lines.column(at))
        )
    yield from ()


def _find_array(text: str, at: int, key: str, problems: list[Problem]) -> int:
    """Return where the array under `key` of the one object in `text` starts, or -1 after naming the reason."""
    value = json_object(text, problems)
    if value is None:
        return -1
    if not isinstance(value, dict) or not isinstance(value.get(key), list):
        problems.append(Problem(None, key, shorten(text.strip(BLANKS)), f"one JSON object with an array {key!r}"))
        return -1
    at = _skip_gap(text, at + 1)
    while True:  # the text is known to be valid, so each step lands on a key, a colon, a value and a comma
        name, at = _DECODER.raw_decode(text, at)
        at = _skip_gap(text, _skip_gap(text, at) + 1)
        if name == key:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip_gap(text, _skip_gap(text, at) + 1)


def _skip_gap(text: str, at: int) -> int:
    gap = _ITEM_GAP.match(text, at)
    return gap.end() if gap else at


class _LineCounter:
    """Line and column of positions that only grow, without counting the text from its start each time."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.number = text, 0, 1

    def line(self, position: int) -> int:
        self.number += self.text.count("\n", self.at, position)
        self.at = max(self.at, position)
        return self.number

    def column(self, position: int) -> int:
        return position - self.text.rfind("\n", 0, position)


def _check_storable(raw: str, value: Any) -> None:
    if not _RISKY_ESCAPE.search(raw):
        return
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, str) and ("\0" in item or any("\ud800" <= character <= "\udfff" for character in item)):
            raise _RefusedError("text", item, "text without NUL characters and lone surrogates")


def _problem(error: Exception, raw: str, line: int, *, indent: int = 0, field: str = "line") -> Problem:
    if isinstance(error, json.JSONDecodeError):
        expected = f"JSON ({error.msg[0].lower()}{error.msg[1:]})"
        return Problem(line + error.lineno - 1, field, raw[max(0, error.pos - 20) :], expected, error.colno + indent)
    if isinstance(error, _RefusedError):
        named = re.search(rf'"([^"\\]*)"\s*:\s*{re.escape(error.value)}', raw) if error.field == "number" else None
        return Problem(line, named.group(1) if named else error.field, error.value, error.expected)
    return Problem(line, field, raw[:80], f"JSON that can be read ({error})")


def _problem_at(error: Exception, text: str, at: int, lines: _LineCounter) -> Problem:
    if isinstance(error, json.JSONDecodeError):
        where = lines.line(error.pos)
        expected = f"JSON ({error.msg[0].lower()}{error.msg[1:]})"
        return Problem(where, "line", text[error.pos : error.pos + 80], expected, lines.column(error.pos))
    return _problem(error, text[at : at + 2000], lines.line(at))
