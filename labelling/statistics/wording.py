"""What agreement numbers are called and what is said beside them, so that a page, an export and a command use the same words."""

from dataclasses import dataclass
from enum import StrEnum

FEWEST_FOR_COEFFICIENT = 10
FEWEST_FOR_MATRIX = 20
FEWEST_FOR_SETTLED = 30
FEWEST_QUERIES = 5
FEWEST_LABELS_OF_A_GRADE = 5
COPIED_FROM = 50
DOMINANT_SHARE = 0.85

PRACTICAL_MEANING = (
    "What it means for scores: when the TREC Deep Learning 2019 labels were judged again by other people (ordinal alpha 0.42), changing "
    "the judges reversed the order of 28 % of the pairs of systems less than 0.02 apart in nDCG@10, 3.5 % of those 0.02 to 0.05 apart and none "
    "further apart. Levels moved by 0.07 to 0.08, so scores from different groups of annotators are not compared as they stand."
)


class Band(StrEnum):
    """How an ordinal alpha is read. The upper two bars are Krippendorff's; graded relevance rarely reaches them."""

    STRONG = "strong"
    ADEQUATE = "adequate"
    TYPICAL = "typical"
    LOW = "low"

    @property
    def words(self) -> str:
        """The band as a sentence for the page."""
        return _BANDS[self]


_BANDS = {
    Band.STRONG: "Strong agreement.",
    Band.ADEQUATE: "Adequate agreement.",
    Band.TYPICAL: "Typical for graded relevance: adjudicate every candidate whose labels fall on both sides of the threshold.",
    Band.LOW: "Low agreement: revise the rubric or the queries before freezing a gold set.",
}


def band_of(alpha: float) -> Band:
    """Return the band of an ordinal alpha: from .80 strong, from .667 adequate, from .45 typical, below that low."""
    if alpha >= 0.80:
        return Band.STRONG
    if alpha >= 0.667:
        return Band.ADEQUATE
    return Band.TYPICAL if alpha >= 0.45 else Band.LOW


class Note(StrEnum):
    """What has to be said beside the numbers of a report."""

    NO_PAIR = "no_pair"
    NO_VARIATION = "no_variation"
    ONE_DISSENT = "one_dissent"
    COUNTS_ONLY = "counts_only"
    PRELIMINARY = "preliminary"
    LOOKS_COPIED = "looks_copied"
    DOMINANT_GRADE = "dominant_grade"
    UNMEASURED_PAIRS = "unmeasured_pairs"


@dataclass(frozen=True)
class Notice:
    """One thing to say, with its words."""

    note: Note
    words: str


def no_pair() -> Notice:
    """Say that nothing can be compared."""
    return Notice(
        Note.NO_PAIR,
        "No candidate has labels from two people yet. Agreement can be computed once the double-labelled candidates are graded.",
    )


def no_variation() -> Notice:
    """Say that all labels are one grade."""
    return Notice(
        Note.NO_VARIATION,
        "All labels that can be compared are one and the same grade. That may be agreement, or one key pressed throughout: they cannot tell.",
    )


def one_dissent() -> Notice:
    """Say that alpha is 0 because one label stands alone."""
    return Notice(
        Note.ONE_DISSENT,
        "Only one label differs from all the others. That is too little variation to measure agreement; alpha is 0 by its formula.",
    )


def counts_only(units: int) -> Notice:
    """Say that there are too few candidates for a coefficient."""
    return Notice(
        Note.COUNTS_ONLY,
        f"{_candidates(units)} with two labels: showing counts only. A coefficient needs {FEWEST_FOR_COEFFICIENT}.",
    )


def preliminary(units: int, queries: int) -> Notice:
    """Say that the coefficient rests on little."""
    return Notice(
        Note.PRELIMINARY,
        f"Preliminary: {_candidates(units)} with two labels from {queries} {'query' if queries == 1 else 'queries'}. "
        "Read the interval, not the value.",
    )


def looks_copied(who: str, units: int) -> Notice:
    """Say that perfect agreement on many candidates is suspicious."""
    return Notice(
        Note.LOOKS_COPIED,
        f"{who} agree on all of {units} candidates. People hardly ever do: check that the labels were given independently and not copied.",
    )


def dominant_grade(grade: int, share: float) -> Notice:
    """Say why alpha and Gwet's coefficients part when one grade holds nearly all labels."""
    return Notice(
        Note.DOMINANT_GRADE,
        f"Grade {grade} holds {share:.0%} of the labels. Alpha then expects people to agree by chance and lets the few disagreements weigh heavily; "
        "Gwet's AC1 and AC2 expect little agreement by chance. They answer different questions: read them together, and do not choose the higher.",
    )


def unmeasured_pairs(unmeasured: int, possible: int) -> Notice:
    """Say how many pairs of annotators share too little to be compared."""
    return Notice(
        Note.UNMEASURED_PAIRS,
        f"{unmeasured} of {possible} pairs of annotators share fewer than {FEWEST_FOR_MATRIX} candidates: how well they agree is not known.",
    )


def _candidates(count: int) -> str:
    return f"{count} {'candidate' if count == 1 else 'candidates'}"
