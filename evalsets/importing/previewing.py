"""What a file would bring, before anything is written: numbers, the first rows, every problem, and the choices that would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evalsets.formats.catalogue import Option
from evalsets.formats.problems import Found, Problem, by_line
from evalsets.importing.proposals import Proposal, find_proposals, proposed_options, unmapped_values
from evalsets.importing.registry import ImportKind, Shown, Target

SHOWN_PROBLEMS = 100
SHOWN_ROWS = 10
SHOWN_VALUES = 30
LONGEST_CELL = 300


@dataclass(frozen=True)
class Reading:
    """A file that was read and checked against the database, with all that it holds."""

    found: Found
    shown: Shown
    proposals: list[Proposal]
    wanted: list[str]
    unmapped: list[tuple[str, int]]

    @property
    def ok(self) -> bool:
        return self.found.ok

    @property
    def problems(self) -> list[Problem]:
        return self.found.problems


def read_and_check(kind: ImportKind, data: bytes | Path, target: Target) -> Reading:
    """Read a file and check it against the database; writes nothing and raises nothing for bad input."""
    found = kind.read(data, target)
    return check(kind, found, target)


def check(kind: ImportKind, found: Found, target: Target) -> Reading:
    """Check what was read against the database; its problems come after those of the file itself."""
    if found.ok:
        kind.check(found, target)
    shown = kind.show(found, target)
    if not found.ok and not shown.total:
        # A reader that found problems keeps no rows; counting them would say that the file is empty.
        shown = replace(shown, counts=[("rows read", found.rows_read)])
    if found.ok and not shown.total:
        found.problems.append(Problem(None, "file", target.source, f"at least one row of {kind.noun}"))
    found.problems = by_line(found.problems)
    options = all_options(kind, found, target)
    return Reading(
        found=found,
        shown=shown,
        proposals=find_proposals(found.problems, kind.known_formats(), options),
        wanted=sorted(proposed_options(found.problems)),
        unmapped=unmapped_values(found.problems)[:SHOWN_VALUES],
    )


def all_options(kind: ImportKind, found: Found | None, target: Target) -> list[Option]:
    """Return the options that a file can take now: the kind's own, then those of the format that was found or chosen."""
    chosen = kind.format(target.option("format") or (found.format if found else ""))
    formats = [chosen] if chosen else kind.known_formats()
    by_name = {option.name: option for option in kind.settings(target)}
    for item in formats:
        for option in item.options:
            by_name.setdefault(option.name, option)
    return list(by_name.values())


def as_json(reading: Reading) -> dict[str, Any]:
    """Return a preview as plain values that any database can keep: what the page shows and `--json` prints."""
    found, shown = reading.found, reading.shown
    content = {
        "format": found.format,
        "rows_read": found.rows_read,
        "counts": [{"name": name, "value": value} for name, value in shown.counts],
        "columns": list(shown.columns),
        "rows": [[_cell(value) for value in row] for row in shown.rows[:SHOWN_ROWS]],
        "total": shown.total,
        "problems": [problem.as_dict() for problem in found.problems[:SHOWN_PROBLEMS]],
        "problems_total": len(found.problems),
        "warnings": [str(warning) for warning in found.warnings],
        "skipped": [{"reason": reason, "count": count} for reason, count in found.skipped.items()],
        "proposals": [asdict(proposal) for proposal in reading.proposals],
        "wanted": reading.wanted,
        "unmapped": [{"value": value, "count": count} for value, count in reading.unmapped],
    }
    kept: dict[str, Any] = _keepable(content)
    return kept


def _cell(value: Any) -> str | int | float | None:
    if value is None or isinstance(value, int | float):
        return value
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def _keepable(value: Any) -> Any:
    """Return a value without the characters that PostgreSQL's JSON refuses: NUL and lone surrogates, which only bad files hold."""
    if isinstance(value, str):
        return value.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_keepable(key): _keepable(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_keepable(item) for item in value]
    return value
