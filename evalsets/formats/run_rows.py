"""What a run consists of once it is read: results, answers, and the whole run with its columns."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from evalsets.formats.problems import Found

EVENTS = ("", "timeout", "empty", "fallback", "error", "insufficient_evidence")
FRAME_COLUMNS = ["query_id", "stage", "rank", "score", "doc_id", "section_id", "chunk_id"]
_TEXT_COLUMNS = ("section_id", "chunk_id", "text")


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One result: its place in one stage of one query (rank from 1), and the passage where the run records it."""

    query_id: str
    stage: str
    rank: int
    score: float | None
    doc_id: str
    section_id: str = ""
    chunk_id: str = ""
    text: str = ""
    start: int | None = None
    end: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One query of a run: how long it took (milliseconds) and what happened. `event` is one of EVENTS."""

    query_id: str
    query_text: str = ""
    latency_ms: float | None = None
    event: str = ""
    filters: dict[str, Any] = field(default_factory=dict)
    line: int | None = None


@dataclass
class RunFound(Found):
    """A run as read: `results` and `answers` in order, `versions` by name, the number of `ties` (neighbours of equal score).

    Results are kept as columns; `results` builds its rows when first asked for, `frame()` never does.
    """

    answers: list[AnswerRow] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    tag: str = ""
    ties: int = 0
    k: int | None = None
    columns: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    _results: list[ResultRow] | None = field(default=None, repr=False)

    @property
    def results(self) -> list[ResultRow]:
        """All results by query (first appearance), stage and rank."""
        if self._results is None:
            self._results = _rows(self.columns)
        return self._results

    def frame(self) -> pd.DataFrame:
        """Return the results as the columns query_id, stage, rank, score (NaN where absent), doc_id, section_id, chunk_id."""
        frame = self.columns.copy(deep=False)
        for name in FRAME_COLUMNS:
            if name not in frame:
                frame[name] = ""
        return frame[FRAME_COLUMNS].astype({"stage": object})


def _rows(columns: pd.DataFrame) -> list[ResultRow]:
    if columns.empty:
        return []
    size = len(columns)
    texts = [columns[name].tolist() if name in columns else [""] * size for name in _TEXT_COLUMNS]
    spans = [_whole_or_none(columns[name]) if name in columns else [None] * size for name in ("start", "end")]
    scores = columns["score"].astype(object).where(columns["score"].notna(), None).tolist()
    parts = zip(
        columns["query_id"].tolist(),
        columns["stage"].tolist(),
        columns["rank"].tolist(),
        scores,
        columns["doc_id"].tolist(),
        *texts,
        *spans,
        columns["line"].tolist(),
        strict=True,
    )
    return [ResultRow(*part) for part in parts]


def _whole_or_none(column: pd.Series) -> list[int | None]:
    return [None if np.isnan(value) else int(value) for value in column.tolist()]
