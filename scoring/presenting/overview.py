"""The table of all runs on one gold set version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scoring.addresses import comparison_url, report_url
from scoring.models import Report
from scoring.presenting.numbers import written
from scoring.reports import Choice, ReportError, can_compute_at_once, find_report, get_report

if TYPE_CHECKING:
    from django.contrib.auth.models import User

COLUMNS = ("recall", "ndcg", "precision", "rr", "judged")
# The best of a column is marked, as far as more is better there.
MARKED = ("recall", "ndcg", "precision", "rr")


def describe_runs(choices: Sequence[Choice], *, by: User) -> dict[str, Any]:
    """Rows of all runs; reports that are quick to make are made, for large runs the row leads to where a worker is asked."""
    rows = [_describe_run(choice, by) for choice in choices]
    done = [row for row in rows if row["values"]]
    best = {
        name: max((row["values"][name] for row in done if row["values"][name] is not None), default=None)
        for name in MARKED
    }
    for row in done:
        row["cells"] = [
            {"value": written(row["values"][name]), "best": len(done) > 1 and row["values"][name] == best.get(name)}
            for name in COLUMNS
        ]
    pair = [row["choice"] for row in done][:2]
    return {
        "rows": rows,
        "labels": done[0]["labels"] if done else [],
        "compare_url": comparison_url(pair[1], pair[0]) if len(pair) == 2 else "",
    }


def _describe_run(choice: Choice, by: User) -> dict[str, Any]:
    row: dict[str, Any] = {"choice": choice, "run": choice.run, "url": report_url(choice), "values": None}
    try:
        report = get_report(choice, by=by) if can_compute_at_once(choice.run) else find_report(choice)
    except ReportError as error:
        return row | {"problem": str(error)}
    return row | _read(report) if report else row | {"waiting": True}


def _read(report: Report) -> dict[str, Any]:
    document, names = report.page["document"], report.page["measure_names"]
    measures = document["measures"]
    recall = measures[names["recall"]]
    return {
        "values": {name: measures[names[name]]["mean"] for name in COLUMNS},
        "labels": [names[name] for name in COLUMNS],
        "n": recall["n"],
        "zero": recall["zero"],
        "leaks": len(document["checks"]["leaks"]),
    }
