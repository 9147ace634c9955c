"""A coefficient that may not exist: a number, or the reason why there is none."""

import math
from dataclasses import dataclass
from enum import StrEnum


class Undefined(StrEnum):
    """Why a coefficient has no value. Never shown as 0 or 1: both would claim something about the annotators."""

    NO_PAIR = "no_pair"
    NO_VARIATION = "no_variation"
    ONE_SIDE = "one_side"
    TOO_FEW = "too_few"
    NOBODY_GRADED_ALL = "nobody_graded_all"

    @property
    def words(self) -> str:
        """The reason as a sentence for the page."""
        return _WORDS[self]


_WORDS = {
    Undefined.NO_PAIR: "No candidate has labels from two people yet, so there is no agreement to compute.",
    Undefined.NO_VARIATION: "All labels that can be compared are the same grade. "
    "Perfect agreement and a habit of always pressing one key look alike here, so there is no coefficient.",
    Undefined.ONE_SIDE: "All labels that can be compared lie on the same side of the relevance threshold, so there is no coefficient for it.",
    Undefined.TOO_FEW: "Fewer than 10 candidates have two labels: only the counts are shown.",
    Undefined.NOBODY_GRADED_ALL: "No candidate was graded by every annotator, which this coefficient needs.",
}


@dataclass(frozen=True)
class Coefficient:
    """A value with `undefined` None, or None with the reason; `words` is empty where there is a value."""

    value: float | None
    undefined: Undefined | None = None
    words: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.undefined is not None):
            raise ValueError("a coefficient has either a value or a reason for having none")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"a coefficient is finite or undefined, never {self.value}")


def no_coefficient(reason: Undefined) -> Coefficient:
    """Return the coefficient that does not exist for this reason."""
    return Coefficient(value=None, undefined=reason, words=reason.words)
