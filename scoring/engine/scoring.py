"""Scores one run against one set of labels: a value per query and measure, and the lists of what did not count."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from scoring.engine.arrays import UNJUDGED, Floats, GoldGrades, Ints, RankedGrades
from scoring.engine.codes import coded_column
from scoring.engine.contexts import context_cover
from scoring.engine.formulas import Terms
from scoring.engine.joining import clean_labels, gold_grades, grades_of, ranked_grades
from scoring.engine.lists import choose_stage, ranked_units, text_column
from scoring.engine.measures import Measure
from scoring.engine.populations import Population, population
from scoring.engine.registry import CANDIDATES, CONTEXT, FINAL, STAGES
from scoring.engine.settings import Settings


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

    def examined(self, k: int, stage: str = FINAL) -> pd.DataFrame:
        """The results in the top k of scored queries: query_id, rank, doc_id, section_id, grade."""
        units = self.units
        kept = (units["stage"] == choose_stage(self.stages, stage)) & (units["rank"] <= k)
        kept &= units["query_id"].isin(self.population.scored)
        found = units.loc[kept, ["query_id", "rank", "doc_id", "section_id", "grade"]].reset_index(drop=True)
        return found.astype({"query_id": object, "doc_id": object, "section_id": object})

    def unjudged(self, k: int, stage: str = FINAL) -> pd.DataFrame:
        """Those of them that nobody has judged: query_id, rank, doc_id, section_id."""
        found = self.examined(k, stage)
        return found[found["grade"] == UNJUDGED].drop(columns="grade").reset_index(drop=True)


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
    gold_labels = clean_labels(labels, settings)
    parts = population(queries, gold_labels, threshold=settings.threshold, split=settings.split)
    units = ranked_units(results, unit=settings.unit, order=settings.order)
    units["grade"] = grades_of(units, gold_labels)
    present = set(units["stage"].unique())
    stages = tuple(stage for stage in STAGES if stage in present)
    table = _values_table(measures, parts.counted(), gold_labels, units, stages, settings)
    for measure in (measure for measure in measures if measure.stage == CONTEXT):
        table[str(measure)] = _context_values(parts.counted(), results, spans, recorded=CONTEXT in stages)
    read_from = {str(measure): choose_stage(stages, measure.stage) for measure in measures}
    read = sorted({stage for stage in read_from.values() if stage}) or [choose_stage(stages, CANDIDATES) or CANDIDATES]
    return RunScores(
        settings=settings,
        measures=tuple(measures),
        population=parts,
        per_query=table.loc[table.index.isin(parts.scored)],
        synthetic=table.loc[table.index.isin(parts.synthetic)],
        units=units,
        stages=stages,
        stage_of={name: stage or "" for name, stage in read_from.items()},
        unanswered=_unanswered(parts.scored, units, read, answers),
        unknown_queries=sorted(set(coded_column(results, "query_id").used()) - set(text_column(queries, "query_id"))),
    )


def _values_table(
    measures: Sequence[Measure],
    counted: list[str],
    labels: pd.DataFrame,
    units: pd.DataFrame,
    stages: Sequence[str],
    settings: Settings,
) -> pd.DataFrame:
    """One row per counted query: R, how many units came back, and each measure that reads ranks."""
    index = pd.Index(counted, name="query_id", dtype=object)
    gold = gold_grades(labels, index)
    lists: dict[str | None, RankedGrades] = {stage: ranked_grades(units, stage, index) for stage in stages}
    lists[None] = RankedGrades.from_grades(len(index), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    columns: dict[str, Floats | Ints] = {
        "relevant": gold.count_at_least(settings.threshold),
        "returned": lists[choose_stage(stages, CANDIDATES)].returned(),
    }
    for measure in measures:
        if measure.stage == CONTEXT:
            columns[str(measure)] = np.full(len(index), np.nan)
        else:
            depth = list_depth(settings, stages, measure.stage)
            columns[str(measure)] = _values(measure, lists[choose_stage(stages, measure.stage)], gold, settings, depth)
    return pd.DataFrame(columns, index=index)


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
    for stage in stages:
        answered = set(units.loc[units["stage"] == stage, "query_id"].unique())
        for query_id in scored:
            if query_id not in answered:
                reason = (events[query_id] or "empty") if query_id in events else "not recorded"
                missing.append(Unanswered(query_id, stage, reason))
    return sorted(missing, key=lambda entry: (entry.query_id, entry.stage))
