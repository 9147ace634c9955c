"""Small frames for scoring tests, written as the lists and grades that a reader sees."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from scoring.engine.measures import parse_measure
from scoring.engine.scoring import RunScores, score_run
from scoring.engine.settings import Settings


def labels_frame(labels: Mapping[str, Mapping[str, int]]) -> pd.DataFrame:
    """Grades by query and unit; a unit is "doc" or "doc#section"."""
    rows = [(query, *_unit(name), grade) for query, grades in labels.items() for name, grade in grades.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "section_id", "grade"])


def results_frame(lists: Mapping[str, Iterable[str]], *, stage: str = "candidates") -> pd.DataFrame:
    """One stage of a run: the units of each query in rank order, scored 1, 1/2, 1/3 ...; "doc#section/chunk" names a chunk."""
    rows = []
    for query, names in lists.items():
        for rank, name in enumerate(names, start=1):
            place, _, chunk = name.partition("/")
            rows.append((query, stage, rank, 1.0 / rank, *_unit(place), chunk))
    return pd.DataFrame(rows, columns=["query_id", "stage", "rank", "score", "doc_id", "section_id", "chunk_id"])


def queries_frame(ids: Iterable[str], **columns: Sequence[object]) -> pd.DataFrame:
    """Ordinary answerable queries; further columns by name."""
    return pd.DataFrame({"query_id": list(ids), **columns})


def score(
    lists: Mapping[str, Iterable[str]] | pd.DataFrame,
    labels: Mapping[str, Mapping[str, int]],
    *names: str,
    queries: pd.DataFrame | None = None,
    answers: pd.DataFrame | None = None,
    spans: pd.DataFrame | None = None,
    **settings: object,
) -> RunScores:
    """Score lists against grades with measures given by name."""
    results = lists if isinstance(lists, pd.DataFrame) else results_frame(lists)
    return score_run(
        labels=labels_frame(labels),
        results=results,
        queries=queries_frame(labels) if queries is None else queries,
        measures=[parse_measure(name) for name in names],
        settings=Settings(**settings),
        answers=answers,
        spans=spans,
    )


def value(scores: RunScores, name: str, query: str = "q") -> float:
    """One query's value of one measure."""
    return float(scores.per_query.loc[query, name])


def _unit(name: str) -> tuple[str, str]:
    doc, _, section = name.partition("#")
    return doc, section
