"""Everything that an agreement page shows, computed from a frame of eligible judgments.

Which judgments are eligible (independent first labels by two people, no adjudications, no model labels) is decided by the caller.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from labelling.statistics import wording
from labelling.statistics.alpha import Level, alpha_of_counts, binary_alpha, has_one_dissent
from labelling.statistics.breakdowns import (
    AnnotatorAgreement,
    GroupAgreement,
    PairAgreement,
    agreement_by_annotator,
    agreement_by_pair,
    agreement_by_query,
    agreement_by_tag,
    as_rows,
    is_preliminary,
    same_and_crossing,
    with_enough,
)
from labelling.statistics.coefficient import Coefficient
from labelling.statistics.intervals import (
    RESAMPLES,
    Interval,
    Withheld,
    alpha_of_coincidences,
    coincidences_by_group,
    collapse_at,
    percentile_interval,
    resampled_coincidences,
    withheld_interval,
)
from labelling.statistics.kappa import Weights, fleiss_kappa, gwet_ac, raw_agreement, raw_within_one
from labelling.statistics.labels import Counts, LabelTable, at_threshold, read_labels
from labelling.statistics.wording import Band, Notice, band_of


@dataclass(frozen=True)
class AlphaReading:
    """One alpha with its interval from resampling queries."""

    coefficient: Coefficient
    interval: Interval


@dataclass(frozen=True)
class GradeAgreement:
    """For one grade: the labels of it that can be compared, and P(another person's label is the same | this grade)."""

    grade: int
    n_labels: int
    same: float | None


@dataclass(frozen=True)
class DominantGrade:
    """The grade that holds more than 85 % of the labels, with the coefficients to read beside alpha."""

    grade: int
    share: float
    ac1: Coefficient
    ac2_linear: Coefficient
    ac2_quadratic: Coefficient


@dataclass(frozen=True)
class Totals:
    """What the report rests on. All but `n_single_labelled` counts only candidates with two or more labels and what belongs to them.

    `n_same` candidates have one grade from everybody, `n_crossing` have labels on both sides of the threshold; `exact` and `within_one`
    are shares of pairs of labels, averaged over candidates (`within_one` is always 1 on a scale of two grades).
    """

    n_units: int
    n_queries: int
    n_annotators: int
    n_labels: int
    n_single_labelled: int
    n_pairs_with_overlap: int
    n_pairs_possible: int
    n_same: int
    n_crossing: int
    exact: float | None
    within_one: float | None


@dataclass(frozen=True)
class Alphas:
    """Krippendorff's alpha by three distances and at the threshold. `band` reads the ordinal one, `cautious_band` its interval's lower end."""

    ordinal: AlphaReading
    nominal: AlphaReading
    interval: AlphaReading
    binary: AlphaReading
    band: Band | None
    band_words: str
    cautious_band: Band | None


@dataclass(frozen=True)
class AgreementReport:
    """Agreement over candidates with two or more labels.

    `confusion` counts every pair of labels on a candidate from both sides, so it is symmetric; P(other = same | grade) weighs each
    candidate's pairs as alpha does. `fleiss` takes only candidates that everybody graded.
    """

    scale: tuple[int, ...]
    threshold: int
    seed: int
    totals: Totals
    alpha: Alphas
    fleiss: Coefficient
    preliminary: bool
    confusion: tuple[tuple[int, ...], ...]
    by_grade: tuple[GradeAgreement, ...]
    dominant_grade: DominantGrade | None
    by_pair: tuple[PairAgreement, ...]
    by_annotator: tuple[AnnotatorAgreement, ...]
    by_query: tuple[GroupAgreement, ...]
    by_tag: tuple[GroupAgreement, ...]
    notices: tuple[Notice, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values that JSON can hold."""
        plain: dict[str, Any] = _plain(self)
        return plain


def describe_agreement(
    frame: pd.DataFrame,
    *,
    scale: Sequence[int],
    threshold: int,
    seed: int,
    tags: Mapping[str, Iterable[str]] | None = None,
    resamples: int = RESAMPLES,
) -> AgreementReport:
    """Return the agreement of the eligible judgments in a frame [query_id, unit_id, annotator, grade].

    `scale` is the whole rubric scale, `threshold` the lowest relevant grade, `tags` maps query ids to tags. Ids are read as strings.
    The same labels and seed give the same report in whatever order they come. Raises ValueError for labels that cannot be used (see
    `read_labels`) and for a threshold that does not divide the scale.
    """
    everything = read_labels(frame, scale=scale)
    at_threshold(everything.counts, scale=everything.scale, threshold=threshold)
    table = everything.comparable()
    counts = table.counts
    pairs = agreement_by_pair(table, threshold=threshold)
    totals = _totals(table, pairs, threshold=threshold, single=len(everything.counts) - len(counts))
    preliminary = is_preliminary(counts, units=totals.n_units, queries=totals.n_queries)
    dominant = _dominant_grade(counts, table.scale)
    return AgreementReport(
        scale=table.scale,
        threshold=threshold,
        seed=seed,
        totals=totals,
        alpha=_alphas(table, threshold=threshold, seed=seed, resamples=resamples),
        fleiss=with_enough(totals.n_units, fleiss_kappa(counts, annotators=totals.n_annotators)),
        preliminary=preliminary,
        confusion=as_rows(counts.T @ counts - np.diag(counts.sum(axis=0))),
        by_grade=_agreement_by_grade(counts, table.scale),
        dominant_grade=dominant,
        by_pair=pairs,
        by_annotator=agreement_by_annotator(table),
        by_query=agreement_by_query(table, threshold=threshold),
        by_tag=agreement_by_tag(table, tags or {}, threshold=threshold, seed=seed, count=resamples),
        notices=_notices(counts, totals, pairs, dominant, preliminary=preliminary),
    )


def _totals(table: LabelTable, pairs: tuple[PairAgreement, ...], *, threshold: int, single: int) -> Totals:
    people = len(table.annotators)
    same, crossing = same_and_crossing(table.counts, scale=table.scale, threshold=threshold)
    return Totals(
        n_units=len(table.counts),
        n_queries=len(table.queries),
        n_annotators=people,
        n_labels=len(table.grade),
        n_single_labelled=single,
        n_pairs_with_overlap=len(pairs),
        n_pairs_possible=people * (people - 1) // 2,
        n_same=same,
        n_crossing=crossing,
        exact=raw_agreement(table.counts),
        within_one=raw_within_one(table.counts),
    )


def _alphas(table: LabelTable, *, threshold: int, seed: int, resamples: int) -> Alphas:
    counts, scale, queries = table.counts, table.scale, len(table.queries)
    replicates: dict[str, NDArray[np.float64]] = {}
    if queries >= 2:
        # One set of resamples serves all four, so that their intervals differ by the distance between grades alone.
        sums = resampled_coincidences(
            coincidences_by_group(counts, table.unit_query, size=queries), count=resamples, seed=seed
        )
        replicates = {level: alpha_of_coincidences(sums, scale=scale, level=level) for level in Level}
        replicates["binary"] = alpha_of_coincidences(
            collapse_at(sums, scale=scale, threshold=threshold), scale=(0, 1), level=Level.NOMINAL
        )

    def reading(name: str, coefficient: Coefficient) -> AlphaReading:
        shown = with_enough(len(counts), coefficient)
        if shown.value is None or name not in replicates:
            reason = Withheld.NO_COEFFICIENT if shown.value is None else Withheld.ONE_GROUP
            return AlphaReading(shown, withheld_interval(reason, resampled="queries", groups=queries, seed=seed))
        return AlphaReading(
            shown, percentile_interval(replicates[name], resampled="queries", groups=queries, seed=seed)
        )

    of = {level: reading(level, alpha_of_counts(counts, scale=scale, level=level)) for level in Level}
    value, low = of[Level.ORDINAL].coefficient.value, of[Level.ORDINAL].interval.low
    band = None if value is None else band_of(value)
    return Alphas(
        ordinal=of[Level.ORDINAL],
        nominal=of[Level.NOMINAL],
        interval=of[Level.INTERVAL],
        binary=reading("binary", binary_alpha(counts, scale=scale, threshold=threshold)),
        band=band,
        band_words=band.words if band else "",
        cautious_band=None if low is None else band_of(low),
    )


def _agreement_by_grade(counts: Counts, scale: tuple[int, ...]) -> tuple[GradeAgreement, ...]:
    coincidences = coincidences_by_group(counts, np.zeros(len(counts), dtype=np.intp), size=1)[0]
    labels = counts.sum(axis=0)
    return tuple(
        GradeAgreement(grade, int(labels[i]), float(coincidences[i, i] / coincidences[i].sum()) if labels[i] else None)
        for i, grade in enumerate(scale)
    )


def _dominant_grade(counts: Counts, scale: tuple[int, ...]) -> DominantGrade | None:
    labels = counts.sum(axis=0)
    if len(counts) < wording.FEWEST_FOR_COEFFICIENT or np.count_nonzero(labels) == 1:
        return None
    if labels.max() <= wording.DOMINANT_SHARE * labels.sum():
        return None
    return DominantGrade(
        grade=scale[int(labels.argmax())],
        share=float(labels.max() / labels.sum()),
        ac1=gwet_ac(counts),
        ac2_linear=gwet_ac(counts, Weights.LINEAR),
        ac2_quadratic=gwet_ac(counts, Weights.QUADRATIC),
    )


def _notices(
    counts: Counts,
    totals: Totals,
    pairs: tuple[PairAgreement, ...],
    dominant: DominantGrade | None,
    *,
    preliminary: bool,
) -> tuple[Notice, ...]:
    n = totals.n_units
    if n == 0:
        return (wording.no_pair(),)
    varied = np.count_nonzero(counts.sum(axis=0)) > 1
    found = [] if varied else [wording.no_variation()]
    if has_one_dissent(counts):
        found.append(wording.one_dissent())
    if n < wording.FEWEST_FOR_COEFFICIENT:
        found.append(wording.counts_only(n))
    if preliminary and varied:
        found.append(wording.preliminary(n, totals.n_queries))
    if n >= wording.COPIED_FROM and totals.n_same == n:
        found.append(wording.looks_copied("All annotators", n))
    else:
        found += [
            wording.looks_copied(f"{pair.first} and {pair.second}", pair.n_units) for pair in pairs if pair.looks_copied
        ]
    if dominant:
        found.append(wording.dominant_grade(dominant.grade, dominant.share))
    unmeasured = totals.n_pairs_possible - sum(pair.measured for pair in pairs)
    if unmeasured:
        found.append(wording.unmeasured_pairs(unmeasured, totals.n_pairs_possible))
    return tuple(found)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    return [_plain(item) for item in value] if isinstance(value, (tuple, list)) else value
