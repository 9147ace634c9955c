"""The report as text for a terminal: tables in columns, definitions, lists and warnings."""

from collections.abc import Mapping, Sequence

from scoring.engine import ENGINE_VERSION
from scoring.engine.checks import DeclineCheck, Latency, Leak
from scoring.engine.comparison import Comparison
from scoring.engine.intervals import Interval
from scoring.engine.measures import Measure
from scoring.engine.remarks import named
from scoring.engine.scoring import RunScores
from scoring.engine.summary import Summary
from scoring.offline.gold import Gold
from scoring.offline.layout import columns
from scoring.offline.runs import Run


def report_text(scores: RunScores, summaries: Mapping[str, Summary], *, gold: Gold, run: Run) -> str:
    """Head, tables (one for each gain where both are asked for), definitions and the queries at zero."""
    parts = [_head(scores, gold, run)]
    parts += [_table([summaries[str(measure)] for measure in group]) for group in _by_gain(scores)]
    parts.append("\n".join(["What the numbers mean", *_definitions(scores)]))
    zeros = [f"  {name}: {named(found.zero_queries)}" for name, found in summaries.items() if found.zero]
    if zeros:
        parts.append("\n".join(["Queries at zero (for FirstRel: without a relevant unit)", *zeros]))
    return "\n\n".join(parts)


def warnings_text(warnings: Sequence[str]) -> str:
    """The warnings, one a line."""
    return "\n".join(["Warnings", *(f"  {warning}" for warning in warnings)]) if warnings else ""


def checks_text(declines: Sequence[DeclineCheck], leaks: Sequence[Leak], times: Latency | None) -> str:
    """What is never averaged: declines, leaks and latency; empty where there is nothing to check."""
    lines = []
    for check in declines:
        lines.append(
            f"  {check.query_id}: {check.outcome} - expected {check.expected or 'nothing stated'}, {check.reason}"
        )
    if lines:
        lines.insert(0, "Unanswerable queries")
    if leaks:
        lines += ["Leaks", *(f"  {leak.query_id}: {leak.doc_id} at rank {leak.rank} of {leak.stage}" for leak in leaks)]
    if times is not None and times.n:
        cells = [f"{name} {_time(value)}" for name, value in _percentiles(times)]
        cells += [f"{len(times.timeouts)} timeouts", f"{len(times.errors)} errors", f"{len(times.fallbacks)} fallbacks"]
        lines += [f"Latency in ms over {times.n} answers, by nearest rank: {', '.join(cells)}"]
    return "\n".join(lines)


def comparison_text(comparison: Comparison, *, first: Run, second: Run) -> str:
    """Flips first, then the numbers and the verdict for each measure."""
    lines = [f"{second.name} compared with {first.name}: differences are {second.name} minus {first.name}", "Flips"]
    for flips in comparison.flips:
        lines.append(f"  {flips.rule.up}: {_ids(flips.up)}")
        lines.append(f"  {flips.rule.down}: {_ids(flips.down)}  (sign test p = {flips.p:.4f})")
    rows = [["measure", "n", "first", "second", "difference", "95 % interval", "up", "down", "ties", "p", "p (Holm)"]]
    for row in comparison.measures:
        numbers = [_number(row.first_mean), _number(row.second_mean), _number(row.difference), _interval(row.interval)]
        counts = [str(len(row.wins)), str(len(row.losses)), str(row.ties)]
        rows.append([row.measure, str(row.n), *numbers, *counts, f"{row.test.p:.4f}", f"{row.adjusted_p:.4f}"])
    verdicts = [f"  {row.measure}: {row.verdict}" for row in comparison.measures]
    return "\n".join([*lines, "", *columns(rows), "", "In words", *verdicts])


def _head(scores: RunScores, gold: Gold, run: Run) -> str:
    given = scores.settings
    depth, k = given.depth or "all", given.k or "all"
    gain = " and ".join(_gains(scores)) or given.gain
    version = f", version {gold.version}" if gold.version else ""
    return "\n".join(
        [
            f"gold    {gold.name}{version}, {len(gold.queries)} queries, {len(gold.labels)} labels, sha256 {gold.sha256[:12]}",
            f"run     {run.name}{f' ({run.tag})' if run.tag else ''}, {len(run.results)} results, sha256 {run.sha256[:12]}",
            f"scored  {len(scores.population.scored)} queries; unit {given.unit}; relevant from grade {given.threshold}; gain {gain}; "
            f"ordered by {given.order}; candidates to depth {depth}; final list to k {k}; engine {ENGINE_VERSION}",
        ]
    )


def _by_gain(scores: RunScores) -> list[list[Measure]]:
    """The measures in one table, or in two where both gains are asked for: those are never mixed."""
    used = _gains(scores)
    if len(used) < 2:
        return [list(scores.measures)]
    with_gain = [measure for measure in scores.measures if "gain" in measure.registered.parameters]
    groups: list[list[Measure]] = [[measure for measure in scores.measures if measure not in with_gain]]
    groups += [[measure for measure in with_gain if measure.gain_used(scores.settings.gain) == gain] for gain in used]
    return [group for group in groups if group]


def _gains(scores: RunScores) -> list[str]:
    """The gains that the measures use, each once."""
    with_gain = [measure for measure in scores.measures if "gain" in measure.registered.parameters]
    return list(dict.fromkeys(measure.gain_used(scores.settings.gain) for measure in with_gain))


def _table(summaries: Sequence[Summary]) -> str:
    rows = [["measure", "n", "mean", "median", "p10", "p25", "zero", "95 % of the mean", "bootstrap"]]
    for found in summaries:
        numbers = [_number(value) for value in (found.mean, found.median, found.p10, found.p25)]
        ends = [_interval(found.interval), _interval(found.bootstrap)]
        rows.append([found.measure, str(found.n), *numbers, str(found.zero), *ends])
    few = [found for found in summaries if found.counts_only]
    note = [f"Under ten queries there is no interval: {', '.join(found.measure for found in few)}"] if few else []
    return "\n".join([*columns(rows), *note])


def _definitions(scores: RunScores) -> list[str]:
    width = max((len(str(measure)) for measure in scores.measures), default=0)
    return [
        f"  {str(measure).ljust(width)}  {scores.definition(measure)} Stage: {scores.stage_of[str(measure)] or 'none recorded'}."
        for measure in scores.measures
    ]


def _percentiles(times: Latency) -> list[tuple[str, float | None]]:
    return [("p50", times.p50), ("p95", times.p95), ("p99", times.p99), ("max", times.longest)]


def _time(value: float | None) -> str:
    return "timeout" if value is None else f"{value:g}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _interval(interval: Interval | None) -> str:
    return "-" if interval is None else f"{interval.low:.4f} to {interval.high:.4f}"


def _ids(ids: Sequence[str]) -> str:
    return f"{len(ids)}: {named(ids)}" if ids else "none"
