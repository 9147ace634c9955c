"""What a score depends on beside labels and run."""

from dataclasses import dataclass

from scoring.engine.lists import ORDERS, UNITS
from scoring.engine.registry import GAINS


class ScoringError(ValueError):
    """Labels, queries or settings that cannot be scored with; the message names the value."""


@dataclass(frozen=True)
class Settings:
    """The declared part of a score.

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
