"""`manage.py agreement EVAL_SET [--json]`: how far the annotators of an eval set agree."""

from __future__ import annotations

from typing import Any

from evalsets.management.eval_set_command import EvalSetCommand
from evalsets.models import EvalSet
from labelling.agreement import Agreement, measure_agreement
from labelling.statistics.coefficient import Coefficient
from labelling.statistics.report import AlphaReading


class Command(EvalSetCommand):
    """Prints alphas with intervals, raw agreement and each pair of annotators."""

    help = "Show the agreement between the annotators of an eval set."

    def run(self, eval_set: EvalSet, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
        agreement = measure_agreement(eval_set)
        double_set = agreement.double_set
        result = {
            "eval_set": eval_set.slug,
            "report": agreement.report.as_dict(),
            "double_set": {
                "declared": double_set.declared,
                "complete": double_set.complete,
                "share": double_set.share,
                "interim": double_set.is_interim,
            },
            "set_aside": agreement.set_aside,
        }
        return result, "\n".join(_say(agreement))


def _say(agreement: Agreement) -> list[str]:
    report, double_set = agreement.report, agreement.double_set
    totals = report.totals
    lines = [
        f"candidates with two labels or more: {totals.n_units}, of {totals.n_queries} queries, by {totals.n_annotators} annotators",
        _say_alpha("alpha, ordinal", report.alpha.ordinal),
        _say_alpha("alpha, nominal", report.alpha.nominal),
        _say_alpha("alpha, interval", report.alpha.interval),
        _say_alpha(f"alpha at the threshold {report.threshold}", report.alpha.binary),
    ]
    if totals.exact is not None and totals.within_one is not None:
        lines += [f"same grade: {totals.exact:.3f}", f"within one grade: {totals.within_one:.3f}"]
    for pair in report.by_pair:
        kappas = f"kappa {_say_value(pair.kappa)}, linear {_say_value(pair.kappa_linear)}, quadratic {_say_value(pair.kappa_quadratic)}"
        lines.append(f"{pair.first} and {pair.second}: n {pair.n_units}, same grade {pair.exact:.3f}, {kappas}")
    if double_set.is_interim:
        lines.append(f"interim: {double_set.complete} of {double_set.declared} declared double labels are complete")
    if agreement.set_aside:
        lines.append(f"left out, given on another text or rubric: {agreement.set_aside}")
    return lines + [notice.words for notice in report.notices]


def _say_alpha(name: str, reading: AlphaReading) -> str:
    low, high = reading.interval.low, reading.interval.high
    interval = f", 95 % interval {low:.4f} to {high:.4f}" if low is not None and high is not None else ""
    return f"{name}: {_say_value(reading.coefficient)}{interval}"


def _say_value(coefficient: Coefficient) -> str:
    return coefficient.words if coefficient.value is None else f"{coefficient.value:.4f}"
