"""Agreement in the words and figures of its page: each figure with what it stands on and a link to the candidates behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from evalsets.models import EvalSet
from labelling.agreement import Agreement
from labelling.comparisons import Choice, Spread
from labelling.statistics.breakdowns import AnnotatorAgreement, GroupAgreement, PairAgreement
from labelling.statistics.coefficient import Coefficient
from labelling.statistics.intervals import Interval
from labelling.statistics.report import AgreementReport, AlphaReading
from labelling.statistics.wording import PRACTICAL_MEANING

SHADES = 5
NONE = "\u2013"
DEFINITIONS = {
    "ordinal": "Krippendorff's alpha: 1 less the disagreement found over the disagreement expected by chance; a pair of grades counts by how "
    "many labels lie between them. 95 % percentile interval from resampling whole queries.",
    "exact": "The share of pairs of labels on one candidate that are the same grade, averaged over candidates. Chance is not taken off.",
    "within_one": "The share of pairs of labels on one candidate that are at most one grade apart, averaged over candidates.",
    "binary": "Krippendorff's alpha on two values: below the relevance threshold, and at or above it.",
}
QUERY_SORTS = ("text", "n", "same", "crossing", "alpha")


class CandidateLinks:
    """Urls of the list of compared candidates, narrowed to those behind a figure."""

    def __init__(self, eval_set: EvalSet) -> None:
        self.base = reverse("labelling:list_compared", args=[eval_set.slug])

    def to(self, **choice: Any) -> str:
        """Return the url of the candidates that a choice takes."""
        return self.base + Choice(**choice).as_url()


def show_agreement(eval_set: EvalSet, agreement: Agreement) -> dict[str, Any] | None:
    """Return what the page shows of agreement; None while no candidate has two labels."""
    report, links = agreement.report, CandidateLinks(eval_set)
    if not report.totals.n_units:
        return None
    return {
        "headline": _headline(report, links),
        "band": report.alpha.band_words,
        "preliminary": report.preliminary,
        "interim": agreement.double_set.is_interim,
        "alpha": _interval_plot(report.alpha.ordinal),
        "others": _others(report),
        "confusion": _confusion(report, links),
        "confusion_label": "Pairs of labels on one candidate, each counted from both sides.",
        "pairs": [_pair(pair, agreement, links) for pair in report.by_pair],
        "annotators": [_annotator(one) for one in report.by_annotator],
        "by_grade": [{"grade": one.grade, "n": one.n_labels, "same": show_number(one.same)} for one in report.by_grade],
        "boundaries": _boundaries(report, links),
        "tags": [_group(one, one.name, links.to(tag=one.name)) for one in report.by_tag],
        "warnings": _warnings(agreement),
        "meaning": PRACTICAL_MEANING,
    }


def show_queries(
    eval_set: EvalSet, agreement: Agreement, texts: Mapping[int, str], sort: str = ""
) -> list[dict[str, Any]]:
    """Return a row for each query with compared candidates; by default those come first whose labels cross the threshold most."""
    links = CandidateLinks(eval_set)
    rows = []
    for group in agreement.report.by_query:
        pk = agreement.query_pks[group.name]
        rows.append(_group(group, texts.get(pk, group.name), links.to(query=pk)) | {"query_id": group.name})
    key = sort.removeprefix("-")
    if key not in QUERY_SORTS:
        return sorted(rows, key=lambda row: (-row["crossing"], row["same"] - row["n"], row["query_id"]))
    missing = float("-inf") if sort.startswith("-") else float("inf")
    # Queries without a coefficient stay at the end in either direction.
    value = (lambda row: row["alpha_value"] if row["alpha_value"] is not None else missing) if key == "alpha" else None
    return sorted(rows, key=value or (lambda row: row[key]), reverse=sort.startswith("-"))


def show_number(value: float | None) -> str:
    """Three decimals, or a dash."""
    return NONE if value is None else f"{value:.3f}"


def _headline(report: AgreementReport, links: CandidateLinks) -> list[dict[str, Any]]:
    totals, alpha = report.totals, report.alpha
    n = f"{totals.n_units} candidates of {totals.n_queries} queries, {totals.n_annotators} annotators"
    differ = Choice(spreads=frozenset(Spread) - {Spread.SAME}).spreads
    apart = f"{totals.n_units - totals.n_same} candidates with different grades"
    return [
        _alpha("Alpha, ordinal", alpha.ordinal, "ordinal") | {"lead": True, "n": n, "url": links.to()},
        _share("Same grade", totals.exact, "exact") | {"n": apart, "url": links.to(spreads=differ)},
        _share("Within one grade", totals.within_one, "within_one")
        | {"n": f"of {totals.n_units} candidates", "url": links.to(spreads=frozenset({Spread.FAR, Spread.CROSSING}))},
        _alpha(f"Alpha at threshold {report.threshold}", alpha.binary, "binary")
        | {"n": f"{totals.n_crossing} candidates cross it", "url": links.to(spreads=frozenset({Spread.CROSSING}))},
    ]


def _alpha(name: str, reading: AlphaReading, definition: str) -> dict[str, Any]:
    return {
        "name": name,
        "value": show_number(reading.coefficient.value),
        "words": reading.coefficient.words,
        "interval": _show_interval(reading.interval),
        "interval_words": reading.interval.words if reading.coefficient.value is not None else "",
        "definition": DEFINITIONS[definition],
    }


def _share(name: str, value: float | None, definition: str) -> dict[str, Any]:
    return {"name": name, "value": show_number(value), "definition": DEFINITIONS[definition]}


def _show_interval(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return ""
    return f"{interval.low:.3f} to {interval.high:.3f}"


def _interval_plot(reading: AlphaReading) -> dict[str, Any] | None:
    value, interval = reading.coefficient.value, reading.interval
    if value is None:
        return None
    words = f"ordinal alpha {value:.3f}"
    if interval.low is None or interval.high is None:
        return {"low": None, "point": max(0.0, value), "high": None, "label": words}
    # Below 0 the labels agree less than by chance; the picture ends there and the numbers beside it do not.
    low, high = max(0.0, interval.low), max(0.0, interval.high)
    words += f", 95 % interval {_show_interval(interval)}"
    return {"low": low, "point": max(0.0, value), "high": high, "label": words}


def _others(report: AgreementReport) -> list[dict[str, str]]:
    rows = [
        _other("Alpha, nominal", report.alpha.nominal.coefficient, report.alpha.nominal.interval),
        _other("Alpha, interval", report.alpha.interval.coefficient, report.alpha.interval.interval),
        _other("Fleiss' kappa", report.fleiss),
    ]
    if report.dominant_grade:
        rows += [
            _other("Gwet's AC1", report.dominant_grade.ac1),
            _other("Gwet's AC2, linear", report.dominant_grade.ac2_linear),
            _other("Gwet's AC2, quadratic", report.dominant_grade.ac2_quadratic),
        ]
    return rows


def _other(name: str, coefficient: Coefficient, interval: Interval | None = None) -> dict[str, str]:
    shown = _show_interval(interval) if interval else ""
    return {
        "name": name,
        "value": show_number(coefficient.value),
        "words": coefficient.words,
        "interval": f"({shown})" if shown else "",
    }


def _confusion(report: AgreementReport, links: CandidateLinks) -> list[dict[str, Any]]:
    most = max((count for row in report.confusion for count in row), default=0) or 1
    rows = []
    for grade, counts in zip(report.scale, report.confusion, strict=True):
        cells = [
            {
                "count": count,
                # Any count at all is told from none.
                "level": -(-count * SHADES // most),
                "diagonal": grade == other,
                "url": links.to(grades=(min(grade, other), max(grade, other))) if count else "",
            }
            for other, count in zip(report.scale, counts, strict=True)
        ]
        rows.append({"value": grade, "cells": cells})
    return rows


def _boundaries(report: AgreementReport, links: CandidateLinks) -> list[dict[str, Any]]:
    pairs = sum(map(sum, report.confusion)) // 2 or 1
    rows = []
    for place, (low, high) in enumerate(zip(report.scale, report.scale[1:], strict=False)):
        count = report.confusion[place][place + 1]
        rows.append(
            {
                "name": f"{low} | {high}",
                "count": count,
                "share": f"{count / pairs:.0%} of all",
                "url": links.to(grades=(low, high)),
            }
        )
    return rows


def _pair(pair: PairAgreement, agreement: Agreement, links: CandidateLinks) -> dict[str, Any]:
    names = (agreement.annotator_pks[pair.first], agreement.annotator_pks[pair.second])
    return {
        "first": pair.first,
        "second": pair.second,
        "n": pair.n_units,
        "exact": show_number(pair.exact),
        "within_one": show_number(pair.within_one),
        "kappa": show_number(pair.kappa.value),
        "kappa_linear": show_number(pair.kappa_linear.value),
        "kappa_quadratic": show_number(pair.kappa_quadratic.value),
        "kappa_binary": show_number(pair.kappa_binary.value),
        "url": links.to(pair=names),
    }


def _annotator(one: AnnotatorAgreement) -> dict[str, Any]:
    return {
        "name": one.annotator,
        "n": one.n_units,
        "mean": f"{one.mean_grade:.2f}",
        "bias": f"{one.bias:+.2f}",
        "alpha": show_number(one.alpha.value),
        "preliminary": one.preliminary,
    }


def _group(group: GroupAgreement, name: str, url: str) -> dict[str, Any]:
    return {
        "text": name,
        "url": url,
        "n": group.n_units,
        "queries": group.n_queries,
        "same": group.n_same,
        "crossing": group.n_crossing,
        "exact": show_number(group.exact),
        "alpha": show_number(group.alpha.value),
        "alpha_value": group.alpha.value,
        "alpha_words": group.alpha.words,
        "interval": _show_interval(group.interval) if group.interval else "",
        "preliminary": group.preliminary,
    }


def _warnings(agreement: Agreement) -> list[str]:
    words = [notice.words for notice in agreement.report.notices]
    double_set = agreement.double_set
    if double_set.is_interim:
        words.append(
            f"Interim: {double_set.complete} of {double_set.declared} declared double labels are complete. Which ones are missing may "
            "not be chance, so read the numbers again when all are there."
        )
    if agreement.set_aside:
        words.append(
            f"{agreement.set_aside} label{'s were' if agreement.set_aside > 1 else ' was'} given on another text or under another version "
            "of the rubric than the one beside it, and left out."
        )
    return words
