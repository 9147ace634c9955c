"""What a reader has to say about a file: problems that stop an import, warnings that do not, and counts of what it skipped."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

SHOWN_CHARACTERS = 80


def shorten(value: str, limit: int = SHOWN_CHARACTERS) -> str:
    """Return `value`, or its first characters and an ellipsis where it is longer than `limit` characters."""
    return value if len(value) <= limit else value[: limit - 1] + "…"


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a file: the physical line (from 1), the field, the value found and what was expected.

    `line` is None where the whole file is meant; `column` (from 1) is given for syntax errors; `file` names the file inside a
    folder or an archive.
    """

    line: int | None
    field: str
    value: str
    expected: str
    column: int | None = None
    file: str = ""

    def __str__(self) -> str:
        where = [self.file] if self.file else []
        if self.line is not None:
            where.append(f"line {self.line}")
        if self.column is not None:
            where.append(f"column {self.column}")
        where.append(self.field)
        return f"{', '.join(where)}: {shorten(self.value)!r} - expected {self.expected}"

    def as_dict(self) -> dict[str, str | int | None]:
        """Return plain values for JSON, the value shortened for showing."""
        return asdict(self) | {"value": shorten(self.value)}


@dataclass
class Found:
    """What every reader returns. Where `problems` is not empty nothing may be imported, and the rows are empty.

    `skipped` counts, by reason, the rows that were left out on purpose; `rows_read` counts the rows of data seen, good or bad;
    `format` is the id of the format that was used.
    """

    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem | str] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    rows_read: int = 0
    format: str = ""

    @property
    def ok(self) -> bool:
        """True where the rows may be imported."""
        return not self.problems

    def skip(self, reason: str) -> None:
        """Count one row that was left out on purpose."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1


def by_line(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems in the order of the file: by file, then line (whole-file problems first), then column."""
    return sorted(problems, key=lambda problem: (problem.file, problem.line or 0, problem.column or 0))


def name_lines(lines: Sequence[int], limit: int = 10) -> str:
    """Return "line 4", "lines 1 and 4" or "lines 1, 2, 3 and 90 more" for line numbers in order."""
    if len(lines) == 1:
        return f"line {lines[0]}"
    shown = [str(line) for line in lines[:limit]]
    rest = len(lines) - len(shown)
    last = f"{rest} more" if rest else shown.pop()
    return f"lines {', '.join(shown)} and {last}"


class Repeats:
    """Finds rows that come twice: the same content twice is a warning, other content under one key is a problem.

    `said_once` words what must be single, for example "one text for each document id".
    """

    def __init__(self, found: Found, *, field: str, said_once: str) -> None:
        self.found, self.field, self.said_once = found, field, said_once
        self.first: dict[object, tuple[int | None, object, str]] = {}
        self.same: list[tuple[int | None, int | None]] = []

    def is_new(
        self, key: object, content: object, *, line: int | None, shown: str = "", about: str = "", file: str = ""
    ) -> bool:
        """Return True for the first row with this key; otherwise record the repetition and return False.

        `shown` is the value to show in a problem and `about` names what the row is about; both default to the key.
        """
        if key not in self.first:
            self.first[key] = (line, content, file)
            return True
        first_line, first_content, first_file = self.first[key]
        if content == first_content:
            self.same.append((first_line, line))
        else:
            place = f"line {first_line}" if not first_file else f"{first_file}, line {first_line}"
            said = f" ({first_content})" if isinstance(first_content, str | int) else ""
            expected = f"{self.said_once} {about or repr(key)}; {place} says otherwise{said}"
            self.found.problems.append(Problem(line, self.field, shown or str(key), expected, file=file))
        return False

    def warn(self) -> None:
        """Add one warning that names the rows that repeat an earlier one, which were left out."""
        if not self.same:
            return
        pairs = [f"line {line} repeats line {first}" for first, line in self.same[:10]]
        more = f" and {len(self.same) - 10} more" if len(self.same) > 10 else ""
        self.found.warnings.append(f"{self.field}: the same row again, kept once ({'; '.join(pairs)}{more})")
        self.found.skipped["the same row again"] = len(self.same)


def count_values(values: Iterable[str]) -> dict[str, int]:
    """Return how often each value occurs, most frequent first: what a stated mapping shows beside itself."""
    return dict(Counter(values).most_common())


def check_choices(found: Found, **chosen: tuple[str | None, Iterable[str]]) -> None:
    """Add a problem for each option, given as name=(value, choices), whose value is not empty and not among its choices."""
    for option, (value, choices) in chosen.items():
        if value and value not in choices:
            found.problems.append(Problem(None, option, str(value), f"one of {', '.join(choices)}"))
