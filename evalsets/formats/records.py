"""One record of a file (a CSV row, a JSON object, a YAML mapping), read field by field with every complaint collected.

A field may have several names; the first that holds something is read. Blank cells, JSON null and YAML null mean "absent".
"""

import datetime
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from evalsets.formats.json_text import json_object
from evalsets.formats.problems import Problem

TRUE_WORDS = frozenset({"true", "yes", "1", "y"})
FALSE_WORDS = frozenset({"false", "no", "0", "n"})
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class UnquotedDecimal(str):
    """A YAML scalar such as 4.0 without quotes: fine as text, never an id."""

    __slots__ = ()


def whole_number(text: str) -> int | None:
    """Return the integer that ASCII digits with an optional sign spell, else None (so no "1_000" and no digits of other scripts)."""
    return int(text) if _WHOLE.fullmatch(text) and len(text) <= 18 else None


def finite_number(text: str) -> float | None:
    """Return the finite float that plain ASCII notation spells, else None (so no "nan", "inf", "1_0")."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return number if math.isfinite(number) else None


class Record:
    """The named values of one record; readers return a neutral value after adding a Problem where a value is wrong.

    `advice` ends the complaint about a required field that is missing.
    """

    def __init__(
        self, values: Mapping[str, Any], *, line: int | None, problems: list[Problem], file: str = "", advice: str = ""
    ) -> None:
        self.values, self.line, self.problems, self.file, self.advice = values, line, problems, file, advice
        self.used: set[str] = set()

    def complain(self, field: str, value: object, expected: str) -> None:
        """Add a problem at this record's line."""
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        self.problems.append(Problem(self.line, field, shown, expected, file=self.file))

    def take(self, *names: str) -> tuple[str, Any]:
        """Return (name, value) of the first name that holds something, else (first name, None)."""
        self.used.update(names)
        for name in names:
            value = self.values.get(name)
            if value is not None and value != "":
                return name, value
        return names[0], None

    def unused(self) -> dict[str, Any]:
        """Return the fields that nothing has asked for and that hold something."""
        return {name: value for name, value in self.values.items() if name not in self.used and value not in (None, "")}

    def identifier(self, *names: str, required: bool = True) -> str:
        """Return an id: any text with something visible in it, kept to the character; a JSON integer becomes its digits."""
        name, value = self.take(*names)
        if value is None:
            if required:
                found = ", ".join(repr(key) for key in self.values) or "nothing"
                self.complain(
                    name, "", f"an id in {' or '.join(repr(item) for item in names)}; found {found}{self.advice}"
                )
            return ""
        return self.as_identifier(name, value)

    def as_identifier(self, field: str, value: Any) -> str:
        """Return one value as an id, or "" after complaining."""
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or isinstance(value, UnquotedDecimal):
            self.complain(field, value, "an id: text, or a whole number")
            return ""
        if not value.strip():
            self.complain(field, value, "an id that is more than blanks")
            return ""
        return value

    def text(self, *names: str, required: bool = False) -> str:
        """Return text as it stands."""
        name, value = self.take(*names)
        if isinstance(value, str):
            if required and not value.strip():
                self.complain(name, value, "text that is more than blanks")
            return value
        if value is not None:
            self.complain(name, value, "text")
        elif required:
            found = ", ".join(repr(key) for key in self.values) or "nothing"
            self.complain(name, "", f"text in {' or '.join(repr(item) for item in names)}; found {found}{self.advice}")
        return ""

    def word(self, *names: str, choices: Sequence[str], default: str = "") -> str:
        """Return one of `choices` (read without regard to case and outer blanks), or `default` where absent."""
        name, value = self.take(*names)
        if value is None:
            return default
        word = value.strip().lower() if isinstance(value, str) else None
        if word is not None and word in choices:
            return word
        self.complain(name, value, f"one of {', '.join(repr(choice) for choice in choices if choice)}")
        return default

    def flag(self, *names: str, default: bool) -> bool:
        """Return a truth value: JSON true/false, or one of the words true, false, yes, no, 1, 0."""
        name, value = self.take(*names)
        if value is None:
            return default
        if isinstance(value, bool):
            return value
        word = value.strip().lower() if isinstance(value, str) else str(value)
        if word in TRUE_WORDS:
            return True
        if word in FALSE_WORDS:
            return False
        self.complain(name, value, "true or false")
        return default

    def number(self, *names: str) -> float | None:
        """Return a finite number, or None where absent or wrong."""
        name, value = self.take(*names)
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
            return float(value)
        number = finite_number(value.strip()) if isinstance(value, str) else None
        if number is None:
            self.complain(name, value, "a finite number")
        return number

    def count(self, *names: str) -> int | None:
        """Return a whole number from 0, or None where absent or wrong."""
        name, value = self.take(*names)
        if value is None:
            return None
        if isinstance(value, str):
            value_read = whole_number(value.strip())
        else:
            value_read = value if isinstance(value, int) and not isinstance(value, bool) else None
        if value_read is None or not 0 <= value_read < 2**31:
            self.complain(name, value, "a whole number from 0")
            return None
        return value_read

    def day(self, *names: str) -> datetime.date | None:
        """Return a date written as YYYY-MM-DD (a time after it is dropped), or None where absent or wrong."""
        name, value = self.take(*names)
        if value is None:
            return None
        try:
            return datetime.date.fromisoformat(value.strip()[:10])
        except (ValueError, AttributeError):
            self.complain(name, value, "a date as YYYY-MM-DD")
            return None

    def names(self, *names: str) -> tuple[str, ...]:
        """Return a list of ids or words: a JSON/YAML list, or in one cell a JSON array or values separated by ";"."""
        name, value = self.take(*names)
        return tuple(self.as_identifier(name, item) for item in self.items(name, value))

    def items(self, field: str, value: Any) -> list[Any]:
        """Return a list as it stands, a cell's JSON array, or the parts of a cell separated by ";"."""
        if value is None:
            return []
        if isinstance(value, list):
            return value
        if not isinstance(value, str):
            self.complain(field, value, 'a list, or text with ";" between its parts')
            return []
        if value.lstrip().startswith("["):
            value = self.parsed(field, value)
            return value if isinstance(value, list) else []
        return [part.strip() for part in value.split(";") if part.strip()]

    def parsed(self, field: str, value: Any) -> Any:
        """Return a cell's JSON as a value; a value that is no text is returned as it is."""
        if not isinstance(value, str):
            return value
        return json_object(value, self.problems, line=self.line or 1, field=field)

    def mapping(self, *names: str) -> dict[str, Any]:
        """Return an object (in a cell: as JSON), or {} where absent or wrong."""
        name, value = self.take(*names)
        if value is None:
            return {}
        value = self.parsed(name, value)
        if isinstance(value, dict):
            return value
        if value is not None:
            self.complain(name, value, "an object with named values")
        return {}
