"""The table of all runs on one gold set version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings

from scoring.addresses import comparison_url, report_url
from scoring.models import Report
from scoring.presenting.numbers import written
from scoring.reports import Choice, ReportError, compute_report, find_reports

if TYPE_CHECKING:
    from django.contrib.auth.models import User

COLUMNS = ("recall", "ndcg", "precision", "rr", "judged")
# The best of a column is marked, as far as more is better there.
MARKED = ("recall", "ndcg", "precision", "rr")


def describe_runs(choices: Sequence[Choice], *, by: User) -> dict[str, Any]:
    """Rows of all runs. Missing reports are made up to what one page may wait for; the other rows lead to where theirs is made."""
    found = find_reports(choices)
    patience = settings.RESULTS_SCORED_AT_ONCE
    rows = []
    for choice in choices:
        report = found.get(choice.run.pk)
        quick = report is None and choice.run.result_count <= patience
        patience -= choice.run.result_count if quick else 0
        rows.append(_describe_run(choice, report, by=by, quick=quick))
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


def _describe_run(choice: Choice, report: Report | None, *, by: User, quick: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"choice": choice, "run": choice.run, "url": report_url(choice), "values": None}
    try:
        report = compute_report(choice, by=by) if quick else report
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
