"""What is never averaged: lists of queries that were declined, leaked, outdated, unanswered, defective or synthetic."""

from __future__ import annotations

from typing import Any

from scoring.addresses import query_url
from scoring.models import Report
from scoring.presenting.numbers import interval_words, queries_words, written
from scoring.reports import Choice

TAGS = {"pass": "good", "fail": "bad", "cannot tell": "warn"}
EXPECTED = {
    "empty": "no results",
    "below_threshold": "only results below a calibrated score",
    "insufficient_evidence": "that it says the evidence is insufficient",
}


class Lists:
    """The lists of one report, each item with the query's text and a link to its ranked list."""

    def __init__(self, report: Report, choice: Choice) -> None:
        self.report, self.choice = report, choice
        self.document = report.page["document"]
        self.texts = dict(zip(report.rows["query_id"], report.rows["text"], strict=True)) | report.page["texts"]

    def item(self, query_id: str, *, note: str = "", side: str = "") -> dict[str, str]:
        text = self.texts.get(query_id) or query_id
        return {"text": text, "url": query_url(self.choice, query_id), "note": note, "side": side}

    def unanswerable(self) -> dict[str, Any]:
        """Every unanswerable query with what was expected of the run and whether it did that."""
        checks = self.document["checks"]["unanswerable"]
        items = [
            self.item(
                check["query_id"],
                note=f"expected {EXPECTED.get(check['expected'], 'nothing that is stated')}; {check['reason']}",
                side=check["outcome"],
            )
            for check in checks
        ]
        counts = {outcome: sum(check["outcome"] == outcome for check in checks) for outcome in TAGS}
        return {
            "items": items,
            "counts": [{"n": n, "words": words, "tag": TAGS[words]} for words, n in counts.items() if n],
        }

    def leaks(self) -> list[dict[str, str]]:
        """Every forbidden document that a list shows."""
        return [
            self.item(leak["query_id"], note=leak["doc_id"], side=f"rank {leak['rank']} of {leak['stage']}")
            for leak in self.document["checks"]["leaks"]
        ]

    def outdated(self) -> list[dict[str, str]] | None:
        """Every document out of force above the one that holds instead; None where the run names no snapshot."""
        rows = self.document["checks"].get("outdated")
        if rows is None:
            return None
        return [
            self.item(
                row["query_id"],
                note=f"{row['doc_id']} ({row['state']}) above {row['current_doc_id']}, "
                + (f"rank {row['current_rank']}" if row["current_rank"] else "which is not in the list"),
                side=f"rank {row['rank']} of {row['stage']}",
            )
            for row in rows
        ]

    def unanswered(self) -> list[dict[str, str]]:
        """Scored queries without results: they scored 0."""
        return [
            self.item(row["query_id"], note=f"stage {row['stage']}", side=row["reason"])
            for row in self.document["unanswered"]
        ]

    def defects(self) -> list[dict[str, str]]:
        """What is wrong with the data and no fault of the run."""
        found = [
            self.item(query_id, note="answerable, yet no label at or above the threshold", side="not scored")
            for query_id in self.document["not_scored"]["without_relevant_label"]
        ]
        found += [
            self.item(
                row["query_id"],
                note=f"relevant {' > '.join(filter(None, (row['doc_id'], row['section_id'])))} is not in the run's snapshot",
                side="cannot be found",
            )
            for row in self.report.page["missing"]
        ]
        unknown = self.document["not_scored"]["unknown_to_the_gold_set"]
        return found + [{"text": one, "note": "in the run, not in the gold set", "side": "ignored"} for one in unknown]

    def latency(self) -> list[dict[str, str]]:
        """Percentiles by nearest rank; a timeout is longer than any number."""
        times = self.document["checks"]["latency"]
        if times is None:
            return []
        values = [
            (name, times[key]) for name, key in (("p50", "p50"), ("p95", "p95"), ("p99", "p99"), ("max", "longest"))
        ]
        facts = [
            {"name": name, "value": "timeout" if value is None and times["n"] else _milliseconds(value)}
            for name, value in values
        ]
        counted = [(name, len(times[name])) for name in ("timeouts", "fallbacks", "errors")]
        facts += [{"name": name, "value": str(n)} for name, n in [*counted, ("answers", times["n"])]]
        return facts + ([{"name": "without a time", "value": str(times["unknown"])}] if times["unknown"] else [])

    def synthetic(self) -> list[dict[str, str]]:
        """The lead measures over synthetic queries, which the headline leaves out."""
        return [
            {
                "name": figure["measure"],
                "value": f"{written(figure['mean'])} over {queries_words(figure['n'])}"
                + (f", {interval_words(figure['low'], figure['high'])}" if figure["low"] is not None else ""),
            }
            for figure in self.report.page["synthetic"]
            if figure["n"]
        ]

    def every(self) -> dict[str, Any]:
        """All lists by the names under which the templates know them."""
        names = ("unanswerable", "leaks", "outdated", "unanswered", "defects", "latency", "synthetic")
        return {name: getattr(self, name)() for name in names}


def _milliseconds(value: float | None) -> str:
    return "none recorded" if value is None else f"{value:g} ms"
