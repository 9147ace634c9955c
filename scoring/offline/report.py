"""Puts gold set, run and engine together into one report."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

import pandas as pd

from scoring.engine.checks import DeclineCheck, Latency, Leak, check_declines, find_leaks, latency
from scoring.engine.comparison import Comparison, FlipRule, compare, flip_rules
from scoring.engine.lifecycle import Outdated, find_outdated
from scoring.engine.measures import Measure, with_companions
from scoring.engine.remarks import counted, remarks
from scoring.engine.reporting import comparison_document, report_document
from scoring.engine.scoring import RunScores, score_run
from scoring.engine.settings import Settings
from scoring.engine.summary import Summary, summarise_all
from scoring.offline.gold import Gold
from scoring.offline.layout import printable
from scoring.offline.runs import Run
from scoring.offline.terminal import checks_text, comparison_text, report_text, warnings_text

# Where neither the gold set nor the user names a depth.
USUAL_DEPTH, USUAL_K = 100, 10


@dataclass(frozen=True)
class Report:
    """One scored run with everything that is shown beside it."""

    gold: Gold
    run: Run
    scores: RunScores
    summaries: dict[str, Summary]
    warnings: list[str]
    declines: list[DeclineCheck]
    leaks: list[Leak]
    times: Latency | None
    outdated: list[Outdated] | None = None

    def text(self) -> str:
        """The report for a terminal."""
        parts = [
            report_text(self.scores, self.summaries, gold=self.gold, run=self.run),
            checks_text(self.declines, self.leaks, self.times),
            warnings_text(self.warnings),
        ]
        return printable("\n\n".join(part for part in parts if part))

    def document(self) -> dict[str, Any]:
        """The report for a machine."""
        gold, run = self.gold, self.run
        provenance = {
            "gold": {"name": gold.name, "version": gold.version, "sha256": gold.sha256},
            "run": {"name": run.name, "tag": run.tag, "versions": run.versions, "sha256": run.sha256},
            "tied_results": run.ties,
        }
        made = report_document(self.scores, warnings=self.warnings, provenance=provenance, summaries=self.summaries)
        times = None if self.times is None else asdict(self.times)
        checks = {
            "unanswerable": [asdict(check) for check in self.declines],
            "leaks": [asdict(leak) for leak in self.leaks],
        }
        if self.outdated is not None:
            checks["outdated"] = [asdict(row) for row in self.outdated]
        return made | {"checks": checks | {"latency": times}}


def usual_measures(settings: Settings) -> list[Measure]:
    """What is shown where no measure is named: recall at N beside the measures of the top k."""
    depth, k = settings.depth or USUAL_DEPTH, settings.k or USUAL_K
    return [
        Measure("R", depth),
        Measure("nDCG", k),
        Measure("P", k),
        Measure("RR"),
        Measure("Hit", k),
        Measure("Judged", k),
        Measure("FirstRel"),
    ]


def make_report(
    gold: Gold,
    run: Run,
    settings: Settings,
    measures: Sequence[Measure],
    *,
    asked: Sequence[str] = (),
    documents: pd.DataFrame | None = None,
    on: date | None = None,
) -> Report:
    """Score the run; `asked` are remarks about what the user overrode. Raises ListError and ScoringError.

    With `documents` (doc_id, lifecycle, effective_from, effective_to, superseded_by) and the day `on` which the run was made,
    documents out of force are looked for too.
    """
    wanted = with_companions(measures or usual_measures(settings))
    scores = _score(gold, run, settings, wanted)
    times = (
        latency(run.answers) if run.answers["latency_ms"].notna().any() or run.answers["event"].ne("").any() else None
    )
    leaks = find_leaks(gold.queries, run.results)
    said = [*asked, *gold.warnings, *run.warnings, *remarks(scores, k=settings.k or USUAL_K)]
    if leaks:
        said.append(f"LEAK: {counted(len(leaks), 'forbidden result')}, listed under leaks")
    return Report(
        gold=gold,
        run=run,
        scores=scores,
        summaries=summarise_all(scores.per_query, wanted),
        warnings=said,
        declines=check_declines(gold.queries, run.results, run.answers if len(run.answers) else None),
        leaks=leaks,
        times=times,
        outdated=find_outdated(documents, run.results, on=on) if documents is not None and on is not None else None,
    )


@dataclass(frozen=True)
class Versus:
    """A second run beside the first."""

    comparison: Comparison
    first: Run
    second: Run
    warnings: list[str]

    def text(self) -> str:
        """The comparison for a terminal."""
        parts = [comparison_text(self.comparison, first=self.first, second=self.second), warnings_text(self.warnings)]
        return printable("\n\n".join(part for part in parts if part))

    def document(self) -> dict[str, Any]:
        """The comparison for a machine."""
        run = {"name": self.second.name, "tag": self.second.tag, "sha256": self.second.sha256}
        return comparison_document(self.comparison) | {"second_run": run, "warnings": self.warnings}


def compare_runs(report: Report, other: Run) -> Versus:
    """Compare the report's run with another one on the report's measures."""
    settings, measures = report.scores.settings, list(report.scores.measures)
    depth, k = settings.depth or USUAL_DEPTH, settings.k or USUAL_K
    rules: list[FlipRule] = flip_rules(depth=depth, k=k, max_grade=settings.max_grade)
    wanted = list(dict.fromkeys([*measures, *(rule.measure for rule in rules)]))
    first = _score(report.gold, report.run, settings, wanted)
    second = _score(report.gold, other, settings, wanted)
    comparison = compare(first.per_query, second.per_query, measures, flips=rules)
    said = [*other.warnings, *remarks(replace(second, measures=tuple(measures)), k=k)]
    return Versus(comparison, report.run, other, said)


def _score(gold: Gold, run: Run, settings: Settings, measures: Sequence[Measure]) -> RunScores:
    return score_run(
        labels=gold.labels,
        results=run.results,
        queries=gold.queries,
        measures=measures,
        settings=settings,
        answers=run.answers if len(run.answers) else None,
    )
