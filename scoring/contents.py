"""What a report keeps beside the offline document: the rows of its queries, and what only the database knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from math import isfinite
from typing import TYPE_CHECKING, Any

import pandas as pd

from evalsets.models import Snapshot
from scoring.engine.lists import text_column
from scoring.engine.measures import Measure
from scoring.engine.slices import slices, summarise_slices
from scoring.engine.summary import Summary, summarise_all
from scoring.offline.report import Report as Scored
from scoring.reading import day_of, read_known_documents, read_known_sections
from scoring.shown import LEAD, shown_measures

if TYPE_CHECKING:
    from scoring.reports import Choice

AGES = ((1, "under a year"), (3, "1 to 3 years"))
DAYS_A_YEAR = 365.25
EXPECTED_SHOWN = 2
BETWEEN = " \u203a "


def list_rows(scored: Scored, measures: Mapping[str, Measure]) -> dict[str, list[Any]]:
    """The values of every query, scored ones first, by column: query_id, text, split, source, tags, synthetic and the measures."""
    table = pd.concat([scored.scores.per_query, scored.scores.synthetic])
    about = _by_query(scored.gold.queries)
    ids = [str(query_id) for query_id in table.index]
    first_synthetic = len(scored.scores.per_query)
    rows: dict[str, list[Any]] = {
        "query_id": ids,
        "text": [str(about[query_id].get("text", query_id)) for query_id in ids],
        "split": [about[query_id].get("split", "") for query_id in ids],
        "source": [about[query_id].get("source", "") for query_id in ids],
        "tags": [list(about[query_id].get("tags") or []) for query_id in ids],
        "synthetic": [place >= first_synthetic for place in range(len(ids))],
        "relevant": [int(value) for value in table["relevant"]],
        "returned": [int(value) for value in table["returned"]],
    }
    for name, measure in measures.items():
        rows[name] = [value if isfinite(value) else None for value in table[str(measure)].tolist()]
    return rows


def describe_page(choice: Choice, scored: Scored, snapshot: Snapshot | None) -> dict[str, Any]:
    """Slices, synthetic queries, unjudged results, what was expected of zero-hit queries, and defects of the data."""
    scores = scored.scores
    shown = shown_measures(n=choice.depth_n, k=choice.depth_k, max_grade=scored.gold.max_grade)
    wanted = [shown[name] for name in LEAD]
    units = _GoldUnits.read(scored, snapshot)
    parts = slices(units.with_their_documents(scored.gold.queries, on=day_of(choice.run)), scores.per_query)
    unjudged = scores.unjudged(choice.depth_k)
    return {
        "measure_names": {name: str(measure) for name, measure in shown.items()},
        "slices": [
            {"by": part.dimension, "name": part.value, "few": part.small, "n": len(part.query_ids)}
            | {"figures": [_figure(found[str(measure)]) for measure in wanted]}
            for part, found in summarise_slices(scores.per_query, parts, wanted)
        ],
        "synthetic": [_figure(found) for found in summarise_all(scores.synthetic, wanted, bootstrap=False).values()],
        "unjudged": {"count": len(unjudged), "of": len(scores.examined(choice.depth_k))},
        "expected": units.expected(scored.summaries[str(shown["recall"])].zero_queries),
        "missing": units.missing(),
        "texts": _texts_of_the_unscored(scored),
        "not_pooled": _is_not_pooled(choice),
    }


def _by_query(queries: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """What is known about each query; "" for what one query has and another has not."""
    columns = {name: text_column(queries, str(name)) for name in queries.columns}
    ids = text_column(queries, "query_id")
    return {str(query_id): {str(name): columns[name][at] for name in columns} for at, query_id in enumerate(ids)}


def _figure(found: Summary) -> dict[str, Any]:
    interval = found.interval
    return {
        "measure": found.measure,
        "mean": found.mean,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "n": found.n,
        "zero": found.zero,
    }


def _texts_of_the_unscored(scored: Scored) -> dict[str, str]:
    """The texts of the queries that stand in lists but not in the table."""
    parts = scored.scores.population
    listed = [*parts.without_relevant, *parts.unanswerable, *parts.security_only]
    listed += [leak.query_id for leak in scored.leaks]
    listed += [row.query_id for row in scored.outdated or []]
    about = _by_query(scored.gold.queries)
    return {query_id: str(about[query_id].get("text", "")) for query_id in dict.fromkeys(listed) if query_id in about}


def _is_not_pooled(choice: Choice) -> bool:
    """Whether the labels were made without looking at this run's results, as far as the gold set says."""
    pools = choice.gold_set.header.get("pool") or []
    return bool(pools) and not choice.gold_set.imported and not any(choice.run.number in one["runs"] for one in pools)


@dataclass(frozen=True)
class _GoldUnits:
    """The relevant units of the scored queries, and what the run's snapshot knows of them (None: the run names no snapshot)."""

    of_query: dict[str, list[tuple[str, str]]]
    documents: dict[str, tuple[str, str, date | None]] | None
    sections: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def read(cls, scored: Scored, snapshot: Snapshot | None) -> _GoldUnits:
        labels, counted = scored.gold.labels, set(scored.scores.population.counted())
        relevant = labels[(labels["grade"] >= scored.scores.settings.threshold) & labels["query_id"].isin(counted)]
        of_query: dict[str, list[tuple[str, str]]] = {}
        best_first = relevant.sort_values(["grade", "doc_id", "section_id"], ascending=[False, True, True])
        columns = (text_column(best_first, name) for name in ("query_id", "doc_id", "section_id"))
        for query_id, doc_id, section_id in zip(*columns, strict=True):
            of_query.setdefault(str(query_id), []).append((str(doc_id), str(section_id)))
        if snapshot is None:
            return cls(of_query, None)
        doc_ids = sorted({doc_id for units in of_query.values() for doc_id, _ in units})
        return cls(of_query, read_known_documents(snapshot, doc_ids), read_known_sections(snapshot, doc_ids))

    def name(self, unit: tuple[str, str]) -> str:
        title = (self.documents or {}).get(unit[0], ("", "", None))[0] or unit[0]
        return f"{title}{BETWEEN}{self.sections.get(unit) or unit[1]}" if unit[1] else title

    def expected(self, query_ids: list[str]) -> dict[str, str]:
        """For each query the names of its best units: what a reader of the list of zero hits wants to know."""
        found = {}
        for query_id in query_ids:
            units = self.of_query.get(query_id, [])
            more = f" and {len(units) - EXPECTED_SHOWN} more" if len(units) > EXPECTED_SHOWN else ""
            found[query_id] = "; ".join(self.name(unit) for unit in units[:EXPECTED_SHOWN]) + more
        return found

    def missing(self) -> list[dict[str, str]]:
        """Relevant units that the run's snapshot does not hold: nothing could have found them."""
        if self.documents is None:
            return []
        return [
            {"query_id": query_id, "doc_id": doc_id, "section_id": section_id}
            for query_id, units in sorted(self.of_query.items())
            for doc_id, section_id in units
            if doc_id not in self.documents or (section_id and (doc_id, section_id) not in self.sections)
        ]

    def with_their_documents(self, queries: pd.DataFrame, *, on: date) -> pd.DataFrame:
        """The queries with the types and ages of the documents that answer them."""
        if self.documents is None:
            return queries
        known = self.documents
        types: list[list[str]] = []
        ages: list[list[str]] = []
        for query_id in queries["query_id"]:
            found = [known[doc_id] for doc_id, _ in self.of_query.get(str(query_id), []) if doc_id in known]
            types.append(sorted({doc_type for _, doc_type, _ in found if doc_type}))
            ages.append(sorted({_age(since, on) for _, _, since in found if since}))
        return queries.assign(doc_types=pd.Series(types, dtype=object), gold_age=pd.Series(ages, dtype=object))


def _age(since: date, on: date) -> str:
    years = (on - since).days / DAYS_A_YEAR
    return next((name for limit, name in AGES if years < limit), "3 years or more")
