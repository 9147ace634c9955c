"""Reads what runs are measured against: an exported gold set, or a bare qrels file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from scoring.offline.exits import INVALID, CommandError

ZIP_MAGIC = b"PK"
SHOWN_PROBLEMS = 100
BINARY_GRADE, HIGHEST_GRADE = 1, 3


@dataclass(frozen=True)
class Gold:
    """Labels and queries with what the gold set declares; None where a bare qrels file declares nothing."""

    name: str
    sha256: str
    labels: pd.DataFrame
    queries: pd.DataFrame
    unit: str
    threshold: int
    gain: str
    max_grade: int
    depth: int | None = None
    k: int | None = None
    declared: bool = False
    version: str = ""
    warnings: list[str] = field(default_factory=list)


def read_gold(path: str, **choices: str | None) -> Gold:
    """Read a gold set; `choices` are options of the reader of qrels files (mapping, format, constant_grade).

    Raises CommandError with every problem of the file, or with code 4 for an archive that was changed.
    """
    data = read_bytes(path)
    name = Path(path).name
    return _from_archive(data, name) if data.startswith(ZIP_MAGIC) else _from_qrels(data, name, choices)


def read_bytes(path: str) -> bytes:
    """The bytes of a file; raises CommandError where it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"{path}: cannot be read ({error.strerror})") from error


def refuse(path: str, problems: Sequence[object]) -> None:
    """Raise CommandError with the problems of a file, the first hundred by line and all counted; nothing where there is none."""
    if problems:
        lines = [f"  {problem}" for problem in problems[:SHOWN_PROBLEMS]]
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        more = [f"  and {len(problems) - SHOWN_PROBLEMS} more"] if len(problems) > SHOWN_PROBLEMS else []
        raise CommandError("\n".join([f"{path}: {count}, nothing was scored", *lines, *more]))


def _from_qrels(data: bytes, name: str, choices: dict[str, str | None]) -> Gold:
    from evalsets.formats.labels import read_labels

    given = {option: value for option, value in choices.items() if value is not None}
    found = read_labels(data, name=name, **given)
    refuse(name, found.problems)
    rows = [(row.query_id, row.doc_id, row.section_id, row.grade) for row in found.labels if row.grade is not None]
    if any(not row[0] for row in rows):
        raise CommandError(
            f"{name}: labels without a query id cannot be matched with a run; give the file a query_id column"
        )
    labels = pd.DataFrame(rows, columns=["query_id", "doc_id", "section_id", "grade"])
    highest = int(labels["grade"].max()) if len(labels) else HIGHEST_GRADE
    binary = highest <= BINARY_GRADE
    sections = bool(len(labels)) and bool((labels["section_id"] != "").any())
    return Gold(
        name=name,
        sha256=sha256(data).hexdigest(),
        labels=labels,
        queries=pd.DataFrame({"query_id": sorted(labels["query_id"].unique())}),
        unit="section" if sections else "document",
        threshold=1 if binary else 2,
        gain="exp",
        max_grade=BINARY_GRADE if binary else HIGHEST_GRADE,
        warnings=[f"{name}: {warning}" for warning in found.warnings],
    )


def _from_archive(data: bytes, name: str) -> Gold:
    from evalsets.gold.archive import GoldArchiveError, read_archive
    from evalsets.gold.canonical import checksum

    try:
        content = read_archive(data)
    except GoldArchiveError as error:
        raise CommandError(f"{name}: {error}", INVALID) from error
    header = content.header
    return Gold(
        name=name,
        sha256=checksum(content),
        labels=_frame(content.labels, ["query_id", "doc_id", "section_id", "grade"]),
        queries=_frame(content.queries, ["query_id"]),
        unit=header["unit"],
        threshold=int(header["threshold"]),
        gain=header["gain"],
        max_grade=BINARY_GRADE if header.get("scale") == "binary" else HIGHEST_GRADE,
        depth=header.get("depth_n"),
        k=header.get("depth_k"),
        declared=True,
        version=str(header.get("version", "")),
    )


def _frame(rows: Sequence[dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)
