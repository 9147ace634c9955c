"""The rows of a report's queries: filtered, sorted, and ready for a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scoring.addresses import query_url
from scoring.models import Report
from scoring.reports import Choice

SORTS = ("query", "relevant", "recall", "ndcg", "precision", "rr", "first_relevant", "judged")
USUAL_SORT = "recall"
SHOWN = ("relevant", "recall", "ndcg", "precision", "rr", "judged")

Row = dict[str, Any]


def rows_of(report: Report) -> list[Row]:
    """Every query of a report as a mapping, scored ones first."""
    names = list(report.rows)
    return [dict(zip(names, values, strict=True)) for values in zip(*report.rows.values(), strict=True)]


def scored_rows(report: Report) -> list[Row]:
    """The queries that count."""
    return [row for row in rows_of(report) if not row["synthetic"]]


def filter_rows(rows: Sequence[Row], chosen: Mapping[str, str], *, below: float) -> list[Row]:
    """Those that match words, tag and source and are of the wanted kind."""
    words = chosen.get("q", "").casefold()
    only = chosen.get("only", "")
    tests: list[Callable[[Row], bool]] = [lambda row: row["synthetic"] == (only == "synthetic")]
    if words:
        tests.append(lambda row: words in row["text"].casefold() or words in row["query_id"].casefold())
    if chosen.get("tag"):
        tests.append(lambda row: chosen["tag"] in row["tags"])
    if chosen.get("source"):
        tests.append(lambda row: row["source"] == chosen["source"])
    if only == "zero":
        tests.append(lambda row: row["recall"] == 0)
    if only == "below":
        tests.append(lambda row: row["ndcg"] is not None and row["ndcg"] < below)
    if only == "unjudged":
        tests.append(lambda row: row["judged"] is not None and row["judged"] < 1 and row["returned"] > 0)
    return [row for row in rows if all(test(row) for test in tests)]


def sort_rows(rows: Sequence[Row], sort: str) -> list[Row]:
    """Sorted by a column, "-column" for the largest first; a missing value always comes last, ties go by id."""
    name = sort.removeprefix("-")
    column = "text" if name == "query" else name
    by_id = sorted(rows, key=lambda row: row["query_id"])
    there = [row for row in by_id if row[column] is not None]
    there.sort(key=lambda row: row[column], reverse=sort.startswith("-"))
    return there + [row for row in by_id if row[column] is None]


def known_sort(sort: str | None) -> str:
    """The wanted order, or the usual one: the worst first."""
    return sort if sort and sort.removeprefix("-") in SORTS else USUAL_SORT


def to_table(rows: Sequence[Row], choice: Choice) -> list[Row]:
    """Rows with what the template writes and a link to the query's ranked list."""
    return [
        {name: row[name] for name in ("query_id", "text", *SHOWN)}
        | {
            "first_relevant": None if row["first_relevant"] is None else int(row["first_relevant"]),
            "url": query_url(choice, row["query_id"]),
        }
        for row in rows
    ]


def values_of(report: Report) -> tuple[list[str], list[str]]:
    """The tags and the sources that queries of the report have, to choose from."""
    tags = sorted({tag for tags in report.rows["tags"] for tag in tags})
    return tags, sorted({source for source in report.rows["source"] if source})


def to_export(report: Report) -> list[dict[str, Any]]:
    """The rows of a report for a spreadsheet, in the order of the query ids; measures under their full names."""
    about = ("query_id", "text", "split", "source", "tags", "synthetic", "relevant", "returned")
    measures = report.page["measure_names"]
    return [
        {name: row[name] for name in about} | {full: row[name] for name, full in measures.items()}
        for row in sorted(rows_of(report), key=lambda row: row["query_id"])
    ]
