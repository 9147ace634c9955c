"""Scores one run against one set of labels: a value per query and measure, and the lists of what did not count."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from scoring.engine.arrays import UNJUDGED, Floats, GoldGrades, Ints, RankedGrades
from scoring.engine.contexts import context_cover
from scoring.engine.formulas import Terms
from scoring.engine.lists import ORDERS, UNITS, choose_stage, codes_of, ranked_units, text_column
from scoring.engine.measures import Measure
from scoring.engine.populations import Population, population
from scoring.engine.registry import CANDIDATES, CONTEXT, FINAL, GAINS


class ScoringError(ValueError):
    """Labels, queries or settings that cannot be scored with; the message names the value."""


@dataclass(frozen=True)
class Settings:
    """What a score depends on beside labels and run.

    `depth` is N, how deep candidates are looked at, and `k` how deep the final list is; None means the whole list.
    They cut measures that have no cutoff of their own. `split` None takes every split.
    """

    unit: str = "document"
    threshold: int = 2
    gain: str = "exp"
    depth: int | None = None
    k: int | None = None
    order: str = "rank"
    max_grade: int = 3
    split: str | None = None

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("unit", self.unit, UNITS),
            ("gain", self.gain, GAINS),
            ("order", self.order, ORDERS),
        ):
            if value not in choices:
                raise ScoringError(f"{name} {value!r} is none of {', '.join(choices)}")
        for name, number in (("threshold", self.threshold), ("depth", self.depth), ("k", self.k)):
            if number is not None and number < 1:
                raise ScoringError(f"{name} {number} has to be 1 or more")
        if self.threshold > self.max_grade:
            raise ScoringError(f"threshold {self.threshold} is above the highest grade, {self.max_grade}")


@dataclass(frozen=True)
class Unanswered:
    """A scored query without results in a stage: it scores 0 there.

    `reason` is the run's recorded event (timeout, fallback, error ...), "empty" for an answer without results, or
    "not recorded" where the run does not mention the query.
    """

    query_id: str
    stage: str
    reason: str


@dataclass(frozen=True)
class RunScores:
    """Everything that came out of one scoring.

    per_query: one row per scored query, sorted by id: relevant (R), returned, then a column per measure name; NaN
    where a measure has no value. synthetic: the same for synthetic queries. units: every scored list, one row per
    unit with its grade (`UNJUDGED` for none). stage_of: the stage that each measure was read from.
    """

    settings: Settings
    measures: tuple[Measure, ...]
    population: Population
    per_query: pd.DataFrame
    synthetic: pd.DataFrame
    units: pd.DataFrame
    stages: tuple[str, ...]
    stage_of: dict[str, str]
    unanswered: list[Unanswered] = field(default_factory=list)
    unknown_queries: list[str] = field(default_factory=list)

    def depth_of(self, measure: Measure) -> int | None:
        """How deep a measure looks: its own cutoff, or the depth of the list it reads."""
        return measure.cutoff if measure.cutoff is not None else list_depth(self.settings, self.stages, measure.stage)

    def definition(self, measure: Measure) -> str:
        """The measure's meaning under these settings."""
        given = self.settings
        return measure.definition(
            given.threshold, given.gain, unit=given.unit, max_grade=given.max_grade, depth=self.depth_of(measure)
        )

    def unjudged(self, k: int, stage: str = FINAL) -> pd.DataFrame:
        """The results in the top k of scored queries that nobody has judged: query_id, rank, doc_id, section_id."""
        read = choose_stage(self.stages, stage)
        units = self.units
        holes = (units["stage"] == read) & (units["rank"] <= k) & (units["grade"] == UNJUDGED)
        holes &= units["query_id"].isin(self.population.scored)
        return units.loc[holes, ["query_id", "rank", "doc_id", "section_id"]].reset_index(drop=True)


def list_depth(settings: Settings, stages: Sequence[str], wanted: str) -> int | None:
    """How deep a measure without a cutoff looks: k in the final list of a run with both stages, otherwise N."""
    both = CANDIDATES in stages and FINAL in stages
    return settings.k if both and wanted == FINAL else settings.depth


def score_run(
    *,
    labels: pd.DataFrame,
    results: pd.DataFrame,
    queries: pd.DataFrame,
    measures: Sequence[Measure],
    settings: Settings,
    answers: pd.DataFrame | None = None,
    spans: pd.DataFrame | None = None,
) -> RunScores:
    """Score a run.

    labels: query_id, doc_id, section_id, grade (0 or more). results: query_id, stage, rank, score, doc_id, section_id,
    chunk_id, and text where context cover is wanted. queries: query_id, answerable, synthetic, split,
    forbidden_documents. answers: query_id, event. spans: query_id, text of the gold evidence.
    Raises ScoringError for labels that contradict each other and ListError for lists that cannot be ordered.
    """
    gold_labels = _clean_labels(labels, settings)
    parts = population(queries, gold_labels, threshold=settings.threshold, split=settings.split)
    counted = parts.counted()
    units = ranked_units(results, unit=settings.unit, order=settings.order)
    units["grade"] = _grades(units, gold_labels)
    stages = tuple(stage for stage in (CANDIDATES, FINAL, CONTEXT) if (units["stage"] == stage).any())
    index = pd.Index(counted, dtype=object)
    gold = _gold_grades(gold_labels, index)
    lists = {stage: _ranked_grades(units, stage, index) for stage in stages}
    empty = RankedGrades.from_grades(len(index), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    read_from = {measure: choose_stage(stages, measure.stage) for measure in measures}
    main = choose_stage(stages, CANDIDATES)
    columns: dict[str, Floats | Ints] = {
        "relevant": gold.count_at_least(settings.threshold),
        "returned": (lists[main] if main else empty).returned(),
    }
    for measure in measures:
        stage = read_from[measure]
        if measure.stage == CONTEXT:
            columns[str(measure)] = _context_values(counted, results, spans, recorded=stage is not None)
        else:
            ranked = lists[stage] if stage else empty
            columns[str(measure)] = _values(
                measure, ranked, gold, settings, list_depth(settings, stages, measure.stage)
            )
    table = pd.DataFrame(columns, index=pd.Index(counted, name="query_id", dtype=object))
    used = dict.fromkeys([stage for stage in read_from.values() if stage] or [main or CANDIDATES])
    return RunScores(
        settings=settings,
        measures=tuple(measures),
        population=parts,
        per_query=table.loc[table.index.isin(parts.scored)],
        synthetic=table.loc[table.index.isin(parts.synthetic)],
        units=units,
        stages=stages,
        stage_of={str(measure): stage or "" for measure, stage in read_from.items()},
        unanswered=_unanswered(parts.scored, units, list(used), answers),
        unknown_queries=sorted(set(text_column(results, "query_id")) - set(text_column(queries, "query_id"))),
    )


def _values(measure: Measure, ranked: RankedGrades, gold: GoldGrades, settings: Settings, depth: int | None) -> Floats:
    lists = (ranked.condensed() if measure.condensed else ranked).cut(
        measure.cutoff if measure.cutoff is not None else depth
    )
    compute = measure.registered.compute
    assert compute is not None
    return compute(
        Terms(
            lists=lists,
            gold=gold,
            cutoff=measure.cutoff if measure.cutoff is not None else depth,
            threshold=measure.threshold(settings.threshold),
            gain=measure.gain_used(settings.gain),
            p=measure.p or 0.0,
            max_grade=settings.max_grade,
            graded_gain=measure.rel is None,
        )
    )


def _clean_labels(labels: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """The labels keyed by unit, each once; a unit with two different grades is an error."""
    frame = pd.DataFrame(
        {
            "query_id": text_column(labels, "query_id"),
            "doc_id": text_column(labels, "doc_id"),
            "section_id": text_column(labels, "section_id") if settings.unit == "section" else "",
            "grade": pd.to_numeric(labels["grade"]).to_numpy(dtype=np.int64),
        }
    ).drop_duplicates(ignore_index=True)
    outside = frame["grade"].lt(0) | frame["grade"].gt(settings.max_grade)
    if outside.any():
        row = frame[outside].iloc[0]
        raise ScoringError(
            f"query {row.query_id}, {row.doc_id}: grade {row.grade} is outside 0 to {settings.max_grade}"
        )
    twice = frame.duplicated(["query_id", "doc_id", "section_id"])
    if twice.any():
        row = frame[twice].iloc[0]
        name = f"{row.doc_id} > {row.section_id}" if row.section_id else row.doc_id
        raise ScoringError(
            f"query {row.query_id}: {name} has two different grades; a gold set holds one per {settings.unit}"
        )
    return frame


def _grades(units: pd.DataFrame, labels: pd.DataFrame) -> Ints:
    """The grade of each retrieved unit, `UNJUDGED` where it has no label."""
    key_of_unit, key_of_label = np.zeros(len(units), dtype=np.int64), np.zeros(len(labels), dtype=np.int64)
    for name in ("query_id", "doc_id", "section_id"):
        both = np.concatenate([text_column(units, name), text_column(labels, name)])
        codes, uniques = codes_of(both)
        key_of_unit = key_of_unit * max(len(uniques), 1) + codes[: len(units)]
        key_of_label = key_of_label * max(len(uniques), 1) + codes[len(units) :]
    if not len(labels):
        return np.full(len(units), UNJUDGED, dtype=np.int64)
    order = np.argsort(key_of_label)
    keys, grades = key_of_label[order], labels["grade"].to_numpy(dtype=np.int64)[order]
    at = np.minimum(np.searchsorted(keys, key_of_unit), len(keys) - 1)
    return np.where(keys[at] == key_of_unit, grades[at], UNJUDGED)


def _gold_grades(labels: pd.DataFrame, index: "pd.Index[str]") -> GoldGrades:
    query = index.get_indexer(pd.Index(text_column(labels, "query_id"), dtype=object)).astype(np.int64)
    return GoldGrades.from_labels(len(index), query[query >= 0], labels["grade"].to_numpy(dtype=np.int64)[query >= 0])


def _ranked_grades(units: pd.DataFrame, stage: str, index: "pd.Index[str]") -> RankedGrades:
    chosen = units[units["stage"] == stage]
    query = index.get_indexer(pd.Index(text_column(chosen, "query_id"), dtype=object)).astype(np.int64)
    grade = chosen["grade"].to_numpy(dtype=np.int64)
    # Units come sorted by query id and rank, and so do the codes of the index.
    return RankedGrades.from_grades(len(index), query[query >= 0], grade[query >= 0])


def _context_values(
    counted: Sequence[str], results: pd.DataFrame, spans: pd.DataFrame | None, *, recorded: bool
) -> Floats:
    if spans is None or not recorded or "text" not in results.columns:
        return np.full(len(counted), np.nan)
    seen = results[results["stage"] == CONTEXT]
    return context_cover(counted, _texts_by_query(spans), _texts_by_query(seen))


def _texts_by_query(frame: pd.DataFrame) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for query_id, text in zip(text_column(frame, "query_id"), text_column(frame, "text"), strict=True):
        found.setdefault(query_id, []).append(text)
    return found


def _unanswered(
    scored: Sequence[str], units: pd.DataFrame, stages: Sequence[str], answers: pd.DataFrame | None
) -> list[Unanswered]:
    events: dict[str, str] = {}
    if answers is not None:
        events = dict(zip(text_column(answers, "query_id"), text_column(answers, "event"), strict=True))
    missing = []
    for stage in sorted(stages):
        answered = set(units.loc[units["stage"] == stage, "query_id"])
        for query_id in scored:
            if query_id not in answered:
                reason = (events[query_id] or "empty") if query_id in events else "not recorded"
                missing.append(Unanswered(query_id, stage, reason))
    return sorted(missing, key=lambda entry: (entry.query_id, entry.stage))
