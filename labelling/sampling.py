"""Seeded choices that anybody can repeat: which candidates are double-labelled, and in which order they are shown.

Every choice is a hash of the seed and the item alone, so it does not depend on the order of anything, and stays as it
was when the pool grows.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from hashlib import sha256

_HEX_DIGITS = 13
_Z_95 = 1.96


def commitment(seed: str) -> str:
    """Give the SHA-256 of a seed: published before labelling, it proves afterwards which seed was used."""
    return sha256(seed.encode()).hexdigest()


def unit_name(doc_id: str, section_id: str = "") -> str:
    """Name an evidence unit in one string, as it enters the hashes."""
    return f"{doc_id}#{section_id}" if section_id else doc_id


def sample_position(seed: str, query_id: str, unit: str) -> float:
    """Place a candidate in [0, 1): uniform over candidates, fixed for each one."""
    digest = sha256(f"{seed}|{query_id}|{unit}".encode()).hexdigest()
    return int(digest[:_HEX_DIGITS], 16) / 16**_HEX_DIGITS


def is_double_labelled(seed: str, query_id: str, unit: str, *, rate: float) -> bool:
    """Say whether two people grade this candidate: true for a share `rate` (0-1) of all. A higher rate only adds."""
    if not 0 <= rate <= 1:
        raise ValueError(f"rate is {rate}; it is a share from 0 to 1")
    return sample_position(seed, query_id, unit) < rate


def hash_order(seed: str, items: Iterable[str]) -> list[str]:
    """Order items by the SHA-256 of seed and item: a shuffle that anybody can repeat. Equal items stay together."""
    return sorted(items, key=lambda item: (sha256(f"{seed}|{item}".encode()).hexdigest(), item))


def first_of_each(seed: str, items: Iterable[str], group: Callable[[str], Hashable]) -> dict[Hashable, str]:
    """Choose one item of each group: the one that comes first in hash order."""
    first: dict[Hashable, str] = {}
    for item in hash_order(seed, items):
        first.setdefault(group(item), item)
    return first


def shuffle_key(seed: str, annotator: int | str, query_id: str, unit: str) -> str:
    """Give the sort key of a candidate in one annotator's queue: inside a query, a shuffle of that annotator's own.

    It is unrelated to the double-label choice, so the order gives none of it away.
    """
    return _keyed("unit", seed, str(annotator), query_id, unit)


def query_shuffle_key(seed: str, annotator: int | str, query_id: str) -> str:
    """Give the sort key of a query in one annotator's queue."""
    return _keyed("query", seed, str(annotator), query_id)


def _keyed(*parts: str) -> str:
    # Lengths go before the parts, so that no two different lists of parts are hashed as the same text.
    return sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()


@dataclass(frozen=True)
class PlanningCase:
    """A guess of what agreement will be, for planning: `spread` is c in half-width = 1.96 c / sqrt(units)."""

    alpha: float
    grades: str
    spread: float


BALANCED = "balanced grades (45 / 28 / 18 / 9 %)"
SKEWED = "mostly grade 0 (75 / 15 / 6 / 4 %)"
# Simulated for two annotators, 4,000 repetitions of each; from a hundred units on the rule holds to about 0.01.
PLANNING_CASES = (
    PlanningCase(0.56, BALANCED, 0.74),
    PlanningCase(0.70, BALANCED, 0.59),
    PlanningCase(0.81, BALANCED, 0.42),
    PlanningCase(0.61, SKEWED, 0.92),
    PlanningCase(0.85, SKEWED, 0.59),
)
SUGGESTED_UNITS = 200
FEWEST_UNITS = 100


def expected_half_width(units: int, *, spread: float = PLANNING_CASES[0].spread) -> float | None:
    """Give the half-width to expect of the 95 % interval of ordinal alpha from so many double labels; None for none."""
    return _Z_95 * spread / math.sqrt(units) if units > 0 else None


def units_needed(half_width: float, *, spread: float = PLANNING_CASES[0].spread) -> int:
    """Give the number of double labels for an interval of alpha of plus or minus `half_width`."""
    if half_width <= 0:
        raise ValueError(f"half_width is {half_width}; it must be above 0")
    return math.ceil((_Z_95 * spread / half_width) ** 2)


def least_units(pool_size: int) -> int:
    """Give the fewest double labels to plan for a pool: a hundred or a tenth of it, and never more than it has."""
    return min(pool_size, max(FEWEST_UNITS, math.ceil(pool_size / 10)))
