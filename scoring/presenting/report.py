"""What the report page shows of one report."""

from __future__ import annotations

from typing import Any

from scoring.addresses import pool_url, query_url, report_url
from scoring.engine import ENGINE_VERSION
from scoring.engine.remarks import UNJUDGED_LIMIT
from scoring.models import Report
from scoring.presenting.numbers import bins_of, interval_words, queries_words, written
from scoring.presenting.rows import Row
from scoring.reports import Choice
from scoring.shown import LEAD

HEADLINE = (*LEAD, "rr", "hit", "judged", "rbp", "residual", "condensed")


def describe_definition(report: Report, choice: Choice) -> list[dict[str, Any]]:
    """What every figure of the report stands on."""
    given = report.page["document"]["definition"]
    gold_set, run = report.gold_set, report.run
    snapshot = run.snapshot or "none named by the run"
    stages = sorted({one["stage"] for one in given["measures"].values() if one["stage"]})
    facts: list[tuple[str, object, bool]] = [
        ("gold set", f"version {gold_set.number}", False),
        ("gold sha256", gold_set.sha256[:16], True),
        ("run", str(run), False),
        ("run sha256", run.sha256[:16], True),
        ("configuration sha256", run.config_sha256[:16], True),
        ("snapshot", snapshot, False),
        ("stages read", ", ".join(stages) or "none", False),
        ("unit", given["unit"], False),
        ("relevant from", f"grade {given['threshold']}", False),
        ("gain", "2^grade \u2212 1" if given["gain"] == "exp" else "the grade itself", False),
        ("N", given["depth"], False),
        ("k", given["k"], False),
        ("split", given["split"] or "all", False),
        ("denominator", given["denominator"], False),
        ("order", f"by {given['order']}, {given['tied_results']} tied neighbours", False),
        ("quantiles", given["quantiles"], False),
        ("engine", report.engine_version, False),
        ("computed", f"{report.computed_at:%Y-%m-%d %H:%M} UTC", False),
    ]
    return [{"name": name, "value": value, "mono": mono} for name, value, mono in facts]


def describe_versions(report: Report) -> list[dict[str, Any]]:
    """The versions that the run recorded of what it was made with."""
    return [{"name": name, "value": value} for name, value in sorted(report.run.versions.items())]


def describe_report(report: Report, choice: Choice, rows: list[Row], *, below: float) -> dict[str, Any]:
    """Headline, lists, distributions and slices of a report; `rows` are its scored queries."""
    page = report.page
    return {
        "headline": [figure_of(report, name) for name in HEADLINE],
        "distributions": [_distribution(report, name, rows) for name in LEAD] if rows else [],
        "zero_hits": _zero_hits(report, choice, rows),
        "below": _below(report, choice, rows, below),
        "unjudged": _unjudged(report, choice),
        "slices": [_slice(part) for part in page["slices"] if not part["few"]],
        "small_slices": [_slice(part) for part in page["slices"] if part["few"]],
        "slice_measures": [page["measure_names"][name] for name in LEAD],
        "warnings": warnings_of(report),
    }


def definition_of(report: Report, name: str) -> str:
    """The whole definition of one measure: formula, stage, denominator, gold version, run, engine."""
    document = report.page["document"]
    measure = report.page["measure_names"][name]
    about = document["definition"]["measures"][measure]
    found = document["measures"][measure]
    return (
        f"{about['text']} Stage: {about['stage'] or 'none recorded'}. Over {queries_words(found['n'])} of gold set "
        f"{report.gold_set.number}, {report.run}, engine {ENGINE_VERSION}."
    )


def figure_of(report: Report, name: str) -> dict[str, Any]:
    """One headline figure with what it may not be shown without."""
    measure = report.page["measure_names"][name]
    found = report.page["document"]["measures"][measure]
    interval, bootstrap = found["interval"] or {}, found["bootstrap"]
    definition = definition_of(report, name)
    if bootstrap:
        definition += (
            f" Bootstrap interval {interval_words(bootstrap['low'], bootstrap['high'])} ({bootstrap['method']})."
        )
    return {
        "name": measure,
        "value": "" if found["mean"] is None else written(found["mean"]),
        "words": "no query has a value" if found["mean"] is None else "",
        "n": f"{queries_words(found['n'])}, median {written(found['median'])}" if found["n"] else "",
        "interval": interval_words(interval.get("low"), interval.get("high")),
        "definition": definition,
        "lead": name == "recall",
    }


def warnings_of(report: Report) -> list[str]:
    """What the engine has to say, and that a run did not help to make the pool."""
    said = [str(warning) for warning in report.page["document"]["warnings"]]
    if report.page["not_pooled"]:
        said.insert(
            0,
            f"{report.run} did not contribute to the pool that was labelled, so what only it found was never judged and counts as "
            "not relevant; add it to the pool before comparing it with runs that did",
        )
    return [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in said]


def _distribution(report: Report, name: str, rows: list[Row]) -> dict[str, Any]:
    measure = report.page["measure_names"][name]
    found = report.page["document"]["measures"][measure]
    bins = bins_of([row[name] for row in rows if row[name] is not None])
    shown: dict[str, Any] = {"name": measure, "bins": bins, "max_count": max(int(str(one["count"])) for one in bins)}
    marks = {mark: found[mark] for mark in ("n", "mean", "median", "p10", "p25")}
    return shown | marks | {"definition": definition_of(report, name)}


def _zero_hits(report: Report, choice: Choice, rows: list[Row]) -> list[dict[str, Any]]:
    expected = report.page["expected"]
    return [
        {
            "text": row["text"],
            "url": query_url(choice, row["query_id"]),
            "note": f"expected {expected[row['query_id']]}" if expected.get(row["query_id"]) else "",
            "side": f"0 of {row['relevant']}",
        }
        for row in rows
        if row["recall"] == 0
    ]


def _below(report: Report, choice: Choice, rows: list[Row], below: float) -> dict[str, Any]:
    values = [row["ndcg"] for row in rows if row["ndcg"] is not None]
    return {
        "threshold": f"{below:g}",
        "measure": report.page["measure_names"]["ndcg"],
        "count": sum(value < below for value in values),
        "n": len(values),
        "url": report_url(choice, below=below, only="below") + "#queries",
    }


def _unjudged(report: Report, choice: Choice) -> dict[str, Any] | None:
    count, examined = report.page["unjudged"]["count"], report.page["unjudged"]["of"]
    if not examined or count / examined <= UNJUDGED_LIMIT:
        return None
    return {"share": f"{100 * count / examined:.0f} %", "count": count, "url": pool_url(choice)}


def _slice(part: dict[str, Any]) -> dict[str, Any]:
    columns = []
    for figure in part["figures"]:
        words = interval_words(figure["low"], figure["high"])
        label = f"{figure['measure']} {written(figure['mean'])}" + (f", 95 % interval {words}" if words else "")
        drawn = {"low": figure["low"], "point": figure["mean"] if not part["few"] else None, "high": figure["high"]}
        columns.append({"value": written(figure["mean"]), "label": label} | drawn)
    return {"by": part["by"], "name": part["name"], "n": part["n"], "few": part["few"], "columns": columns}
