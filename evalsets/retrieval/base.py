"""The small interface that every built-in retriever keeps, and the texts that go into one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

# Scores are rounded before they are ranked, so that noise in the last bits of a sum never decides an order.
SCORE_DECIMALS = 9


@dataclass(frozen=True)
class SourceSection:
    """A section of a document: offsets in characters of the document's text; sections do not overlap."""

    section_id: str
    heading: str
    start: int
    end: int


@dataclass(frozen=True)
class SourceDocument:
    """A document as a retriever reads it. Text outside every section belongs to the section id ""."""

    doc_id: str
    title: str
    text: str
    sections: tuple[SourceSection, ...] = ()


@dataclass(frozen=True)
class Chunk:
    """A piece of a document: `text` is exactly the document's text from `start` to `end`.

    `context` (title and heading) is indexed with the text and is never part of the passage that is shown.
    """

    chunk_id: str
    doc_id: str
    section_id: str
    start: int
    end: int
    text: str
    context: str = ""

    @property
    def indexed_text(self) -> str:
        """The text that goes into the index."""
        return f"{self.context}\n{self.text}" if self.context else self.text


@dataclass(frozen=True)
class Hit:
    """One answer to a query. Ranks start at 1; a higher score is better, and means nothing across retrievers."""

    rank: int
    score: float
    doc_id: str
    section_id: str
    chunk_id: str
    start: int | None = None
    end: int | None = None


class Retriever(Protocol):
    """Whatever answers queries. `versions` names what the answers depend on, for the record of a run."""

    @property
    def versions(self) -> dict[str, str]: ...

    def search(self, query: str, k: int) -> list[Hit]:
        """Give at most `k` hits, best first; an empty list when nothing matches or the query has no known token."""
        ...


def check_k(k: int) -> None:
    """Raise ValueError for a number of results below one."""
    if k < 1:
        raise ValueError(f"k is {k}; ask for at least one result")


def best_hits(chunks: Sequence[Chunk], scores: npt.NDArray[np.float64], k: int) -> list[Hit]:
    """Rank the chunks that scored above zero: best first, equal scores by chunk id, at most `k`.

    `chunks` must stand in the order of their ids, and `scores[i]` belongs to `chunks[i]`.
    """
    rounded = np.round(scores, SCORE_DECIMALS)
    positive = np.flatnonzero(rounded > 0)
    if len(positive) > k:
        threshold = np.partition(rounded[positive], len(positive) - k)[len(positive) - k]
        positive = positive[rounded[positive] >= threshold]
    order = positive[np.argsort(-rounded[positive], kind="stable")][:k]
    return [_hit(chunks[at], rank, float(rounded[at])) for rank, at in enumerate(order.tolist(), start=1)]


def _hit(chunk: Chunk, rank: int, score: float) -> Hit:
    return Hit(rank, score, chunk.doc_id, chunk.section_id, chunk.chunk_id, chunk.start, chunk.end)
