"""What the comparison page shows: flips first, then differences with what they can and cannot mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.addresses import query_url
from scoring.engine.comparison import Comparison, Flips, MeasureComparison
from scoring.engine.intervals import Interval
from scoring.engine.significance import ALPHA, POWER
from scoring.models import Report
from scoring.presenting.numbers import NONE, difference_bins, interval_words, signed, written
from scoring.presenting.report import warnings_of
from scoring.presenting.rows import Row, scored_rows
from scoring.reports import Choice

LEAD_MEASURE = "ndcg"
NARROWEST = 0.05


class Pair:
    """Two reports with their rows by query, so that each listed query shows what it was and what it is."""

    def __init__(self, first: Report, second: Report, *, of: tuple[Choice, Choice]) -> None:
        self.first, self.second = first, second
        self.choices = of
        self.before = {row["query_id"]: row for row in scored_rows(first)}
        self.after = {row["query_id"]: row for row in scored_rows(second)}

    def item(self, query_id: str, *, note: str) -> dict[str, Any]:
        row = self.after.get(query_id) or self.before[query_id]
        url = query_url(self.choices[1], query_id, other=self.choices[0].run.number)
        return {"text": row["text"], "url": url, "note": note} | {
            "from_value": _rank(self.before.get(query_id)),
            "to_value": _rank(self.after.get(query_id)),
        }

    def describe(self, found: Comparison) -> dict[str, Any]:
        """The comparison as the template expects it."""
        names = self.second.page["measure_names"]
        lead = next(row for row in found.measures if row.measure == names[LEAD_MEASURE])
        span = _span(found.measures)
        differences = self._differences()
        bins = difference_bins(differences)
        gained, lost = self._flipped(found.flips, up=True), self._flipped(found.flips, up=False)
        both = [query_id for query_id in self.before if query_id in self.after]
        zero = [one for one in both if self.before[one]["recall"] == self.after[one]["recall"] == 0]
        return {
            "run_a": str(self.first.run),
            "run_b": str(self.second.run),
            "verdict": f"{lead.measure} {lead.verdict}",
            "measures": [self._measure(row, span) for row in found.measures],
            "span": f"{span:g}",
            "gained": gained,
            "lost": lost,
            "gained_n": len(gained),
            "lost_n": len(lost),
            "rules": [_rule(flips) for flips in found.flips],
            "same_zero": [self.item(query_id, note="") | {"to_value": ""} for query_id in zero],
            "bins": bins if differences else [],
            "bins_max": max([1, *(int(str(one["count"])) for one in bins)]),
            "bins_name": f"Difference in {lead.measure}, query by query",
            "bins_n": len(differences),
            "warnings": self._warnings(found),
            "power": f"{100 * POWER:.0f} %",
            "alpha": f"{ALPHA:g}",
        }

    def _differences(self) -> list[float]:
        pairs = [
            (row[LEAD_MEASURE], self.after.get(query_id, {}).get(LEAD_MEASURE)) for query_id, row in self.before.items()
        ]
        return [after - before for before, after in pairs if before is not None and after is not None]

    def _flipped(self, flips: Sequence[Flips], *, up: bool) -> list[dict[str, Any]]:
        """The queries that flipped in one direction, each once, with every way in which it did."""
        ways: dict[str, list[str]] = {}
        for one in flips:
            for query_id in one.up if up else one.down:
                ways.setdefault(query_id, []).append(one.rule.up if up else one.rule.down)
        return [self.item(query_id, note="; ".join(words)) for query_id, words in sorted(ways.items())]

    def _measure(self, row: MeasureComparison, span: float) -> dict[str, Any]:
        interval: Interval | None = row.interval
        words = interval_words(interval.low, interval.high) if interval else "no interval"
        low, high = (interval.low, interval.high) if interval else (None, None)
        name = next(short for short, name in self.second.page["measure_names"].items() if name == row.measure)
        about = self.second.page["document"]["definition"]["measures"][self.second.page["measure_names"][name]]
        return {
            "name": row.measure,
            "a": written(row.first_mean),
            "b": written(row.second_mean),
            "difference": signed(row.difference),
            "low": low,
            "point": row.difference or 0.0,
            "high": high,
            "label": f"{row.measure}: difference {signed(row.difference)}, {words}, over {row.n} queries",
            "interval": f"{signed(low)} to {signed(high)}" if interval else NONE,
            "p": f"{row.test.p:.4f}",
            "adjusted_p": f"{row.adjusted_p:.4f}",
            "test": row.test.method,
            "up": len(row.wins),
            "down": len(row.losses),
            "same": row.ties,
            "n": row.n,
            "detectable": written(row.detectable),
            "definition": about["text"],
            "verdict": row.verdict,
        }

    def _warnings(self, found: Comparison) -> list[str]:
        of_first, of_second = warnings_of(self.first), warnings_of(self.second)
        said = [sentence for sentence in of_first if sentence in of_second]
        said += [f"{self.first.run}: {sentence}" for sentence in of_first if sentence not in of_second]
        said += [f"{self.second.run}: {sentence}" for sentence in of_second if sentence not in of_first]
        for report, ids in ((self.first, found.only_in_first), (self.second, found.only_in_second)):
            if ids:
                said.append(f"{len(ids)} queries were scored in {report.run} only and are left out.")
        if self.first.run.snapshot_id != self.second.run.snapshot_id:
            said.append("The runs were made on different snapshots, so not every difference is the retriever's.")
        return said


def _rank(row: Row | None) -> str:
    """The rank of the first relevant unit, or a dash."""
    rank = row and row["first_relevant"]
    return f"{int(rank)}" if rank else NONE


def _span(measures: Sequence[MeasureComparison]) -> float:
    """What the ends of the interval plots stand for: one rounded number that holds every interval."""
    ends = [abs(row.difference or 0.0) for row in measures]
    ends += [abs(end) for row in measures if row.interval for end in (row.interval.low, row.interval.high)]
    widest = max([NARROWEST, *ends])
    return next(step for step in (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0) if widest <= step or step == 10.0)


def _rule(flips: Flips) -> dict[str, Any]:
    rule = flips.rule
    return {"up": rule.up, "up_n": len(flips.up), "down": rule.down, "down_n": len(flips.down), "p": f"{flips.p:.4f}"}
