"""Reads the JSON Lines run format, which the docstring of `evalsets.formats.runs` defines."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from evalsets.formats.json_text import json_items
from evalsets.formats.problems import Problem
from evalsets.formats.records import Record
from evalsets.formats.run_order import STAGES
from evalsets.formats.run_rows import EVENTS, AnswerRow, RunFound

QUERY_FIELDS = ("query_id", "query", "latency_ms", "event", "filters")


@dataclass
class ResultColumns:
    """The results of a run, collected value by value."""

    rows: list[tuple[Any, ...]] = field(default_factory=list)
    names = ("query_id", "stage", "rank", "score", "doc_id", "section_id", "chunk_id", "text", "start", "end", "line")

    def frame(self) -> pd.DataFrame:
        columns = list(zip(*self.rows, strict=True)) if self.rows else [()] * len(self.names)
        kinds = {"rank": np.int64, "line": np.int64, "score": np.float64, "start": np.float64, "end": np.float64}
        return pd.DataFrame(
            {
                name: np.array(column, dtype=kinds.get(name, object))
                for name, column in zip(self.names, columns, strict=True)
            }
        )


def read_json_columns(text: str, found: RunFound, *, stage: str, ranks_needed: bool) -> pd.DataFrame:
    """Return the results of a JSON Lines run as columns; answers, versions, tag and k go to `found`.

    `stage` is that of results whose line names none. With `ranks_needed` a result line without a rank is a problem.
    """
    columns, answers, ignored = ResultColumns(), Answers(found), dict[str, Any]()
    for number, (line, item) in enumerate(json_items(text, found.problems)):
        if not isinstance(item, dict):
            found.problems.append(Problem(line, "line", str(item), "a JSON object"))
            continue
        if set(item) == {"run"}:
            _read_versions(item["run"], line, found, first=number == 0)
            continue
        record = Record(item, line=line, problems=found.problems)
        query_id = record.identifier("query_id")
        line_stage = record.word("stage", choices=STAGES, default=stage)
        answers.add(record, query_id, _has_no_results(item))
        if "results" in item or "doc_id" not in item:
            for result, place, its_stage in _listed(record, line_stage):
                columns.rows.append(result_values(result, query_id, its_stage, place))
                ignored.update(result.unused())
                found.rows_read += 1
        else:
            columns.rows.append(result_values(record, query_id, line_stage, None if ranks_needed else 0))
            found.rows_read += 1
        ignored.update(record.unused())
    if ignored:
        found.warnings.append(f"fields that a run does not have were ignored: {', '.join(map(repr, ignored))}")
    found.answers = list(answers.rows.values())
    return columns.frame()


def _read_versions(value: Any, line: int, found: RunFound, *, first: bool) -> None:
    if not first:
        found.problems.append(Problem(line, "run", "", "the run line once, before all others"))
        return
    if not isinstance(value, dict):
        found.problems.append(Problem(line, "run", str(value), "an object with the versions behind the run"))
        return
    record = Record(value, line=line, problems=found.problems)
    found.tag = record.text("tag", "name")
    found.k = record.count("k")
    for name, version in record.unused().items():
        if isinstance(version, dict | list):
            record.complain(name, version, "a version as text or number")
        else:
            found.versions[name] = str(version).lower() if isinstance(version, bool) else str(version)


def _has_no_results(item: dict[str, Any]) -> bool:
    results = item.get("results")
    return results == [] or (isinstance(results, dict) and not any(results.values()))


def _listed(record: Record, stage: str) -> Iterator[tuple[Record, int, str]]:
    """Yield (result, place from 1, stage) of an answer line's results."""
    results = record.take("results")[1]
    by_stage = results if isinstance(results, dict) else {stage: results}
    for its_stage, items in by_stage.items():
        if its_stage not in STAGES:
            record.complain("results", its_stage, f"stages among {', '.join(STAGES)}")
            its_stage = stage
        if items is not None and not isinstance(items, list):
            record.complain("results", items, "a list of results, or lists by stage")
            continue
        for place, item in enumerate(items or [], start=1):
            if isinstance(item, dict):
                result = Record(item, line=record.line, problems=record.problems)
                yield result, place, result.word("stage", choices=STAGES, default=its_stage)
            else:
                record.complain("results", item, "an object for each result")


def result_values(record: Record, query_id: str, stage: str, place: int | None) -> tuple[Any, ...]:
    """Return one result in the order of the columns; `place` is its rank where it names none (None: a rank is needed)."""
    rank = record.count("rank")
    if rank is None:
        if place is None and record.values.get("rank") in (None, ""):
            record.complain("rank", "", "a whole number from 0 (order=score reads a run without ranks)")
        rank = place or 0
    score = record.number("score")
    start, end = record.count("start"), record.count("end")
    if start is not None and end is not None and end < start:
        record.complain("end", end, f"no less than start, {start}")
    return (
        query_id,
        stage,
        rank,
        math.nan if score is None else score,
        record.identifier("doc_id"),
        record.identifier("section_id", required=False),
        record.identifier("chunk_id", required=False),
        record.text("text"),
        math.nan if start is None else start,
        math.nan if end is None else end,
        record.line,
    )


class Answers:
    """One answer for each query, put together from all its lines, which must not contradict each other."""

    def __init__(self, found: RunFound) -> None:
        self.found = found
        self.rows: dict[str, AnswerRow] = {}

    def add(self, record: Record, query_id: str, empty: bool) -> None:
        text, event = record.text("query"), record.word("event", choices=EVENTS)
        latency = record.number("latency_ms")
        if latency is not None and latency < 0:
            record.complain("latency_ms", latency, "milliseconds from 0")
        event = event or ("empty" if empty else "")
        here = AnswerRow(query_id, text, latency, event, record.mapping("filters"), record.line)
        before = self.rows.setdefault(query_id, here)
        if before is here:
            return
        for name in ("query_text", "latency_ms", "event", "filters"):
            old, new = getattr(before, name), getattr(here, name)
            if new in (None, "", {}) or old == new:
                continue
            if old in (None, "", {}):
                before = replace(before, **{name: new})
            else:
                shown = "query" if name == "query_text" else name
                record.complain(shown, new, f"one {shown} for query {query_id!r}; line {before.line} says {old!r}")
        self.rows[query_id] = before
