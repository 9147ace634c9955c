"""Candidates with several labels, side by side: how far the labels lie apart, and which of them a url asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import urlencode

FAR_APART = 2


class Spread(Enum):
    """How far the labels of one candidate lie apart, in the order of what it does to scores."""

    CROSSING = "crossing"
    FAR = "far"
    CANNOT_JUDGE = "cannot_judge"
    NEAR = "near"
    SAME = "same"

    @property
    def words(self) -> str:
        """What it means, as a short phrase."""
        return _WORDS[self]


_WORDS = {
    Spread.CROSSING: "on both sides of the threshold",
    Spread.FAR: "two grades or more apart",
    Spread.CANNOT_JUDGE: "somebody could not judge it",
    Spread.NEAR: "one grade apart, on the same side of the threshold",
    Spread.SAME: "the same grade",
}


@dataclass(frozen=True)
class Comparison:
    """The labels of one candidate. `grades` maps an annotator's number to the grade; `cannot_judge` counts who gave none."""

    candidate_pk: int
    query_pk: int
    grades: Mapping[int, int]
    cannot_judge: int = 0

    @property
    def low(self) -> int | None:
        return min(self.grades.values(), default=None)

    @property
    def high(self) -> int | None:
        return max(self.grades.values(), default=None)

    def spread(self, threshold: int) -> Spread:
        """How far apart the labels lie; a cannot-judge counts where the grades alone need no decision."""
        low, high = self.low, self.high
        if low is not None and high is not None and low < high:
            if low < threshold <= high:
                return Spread.CROSSING
            if high - low >= FAR_APART:
                return Spread.FAR
        if self.cannot_judge:
            return Spread.CANNOT_JUDGE
        return Spread.SAME if low == high else Spread.NEAR

    def weight(self, threshold: int) -> tuple[int, int, int]:
        """Sort key: what changes scores most comes first (the kind of spread, its size, the highest grade at stake)."""
        low, high = self.low or 0, self.high or 0
        return (list(Spread).index(self.spread(threshold)), low - high, -high)


@dataclass(frozen=True)
class Choice:
    """What a list of candidates is narrowed to, as its url says it. Empty means everything."""

    query: int | None = None
    tag: str = ""
    pair: tuple[int, int] | None = None
    grades: tuple[int, int] | None = None
    spreads: frozenset[Spread] = field(default_factory=frozenset)

    @classmethod
    def read(cls, params: Mapping[str, str]) -> Choice:
        """Read `query`, `tag`, `pair=3-7`, `grades=1-2` and `spread=crossing` of a url; what cannot be read is left out."""
        named = {spread.value: spread for spread in Spread}
        spreads = [named[part] for part in params.get("spread", "").split(",") if part in named]
        query = params.get("query", "")
        return cls(
            query=int(query) if _is_number(query) else None,
            tag=params.get("tag", ""),
            pair=_two_numbers(params.get("pair", "")),
            grades=_two_numbers(params.get("grades", "")),
            spreads=frozenset(spreads),
        )

    def as_url(self, **other: object) -> str:
        """Write the choice as the query part of a url, with its question mark; "" where nothing is chosen."""
        parts = {
            "query": self.query,
            "tag": self.tag,
            "pair": "-".join(map(str, self.pair or ())),
            "grades": "-".join(map(str, self.grades or ())),
            "spread": ",".join(sorted(spread.value for spread in self.spreads)),
        } | other
        given = {name: value for name, value in parts.items() if value not in ("", None)}
        return f"?{urlencode(given)}" if given else ""

    def takes(self, comparison: Comparison, *, threshold: int, tags: Mapping[int, Iterable[str]]) -> bool:
        """Say whether a candidate belongs to what is chosen; `tags` are those of each query, by the query's number."""
        if self.query is not None and comparison.query_pk != self.query:
            return False
        if self.tag and self.tag not in tags.get(comparison.query_pk, ()):
            return False
        if self.pair and not set(self.pair) <= set(comparison.grades):
            return False
        if self.grades and not self._has_grades(comparison):
            return False
        return not self.spreads or comparison.spread(threshold) in self.spreads

    def _has_grades(self, comparison: Comparison) -> bool:
        """Two grades of different people; the same grade twice means that two people gave it."""
        wanted = list(self.grades or ())
        given = [grade for who, grade in comparison.grades.items() if not self.pair or who in self.pair]
        return all(given.count(grade) >= wanted.count(grade) for grade in wanted)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < len(str(2**63))


def _two_numbers(text: str) -> tuple[int, int] | None:
    first, _dash, second = text.partition("-")
    return (int(first), int(second)) if _is_number(first) and _is_number(second) else None
