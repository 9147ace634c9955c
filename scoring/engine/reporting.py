"""A scored run as one plain document for machines: the same bytes for the same input.

Keys are sorted where they are ids and in the order of the request where they are measures; numbers are rounded to ten
decimals; NaN and infinity do not exist in it (null stands for "no value").
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from scoring.engine import ENGINE_VERSION
from scoring.engine.comparison import Comparison
from scoring.engine.intervals import Interval
from scoring.engine.measures import Measure
from scoring.engine.scoring import RunScores
from scoring.engine.summary import Summary, summarise_all

DECIMALS = 10
QUANTILES = "type 7 of Hyndman and Fan"


def report_document(
    scores: RunScores,
    *,
    warnings: Sequence[str],
    provenance: Mapping[str, Any],
    summaries: Mapping[str, Summary] | None = None,
) -> dict[str, Any]:
    """The whole report as plain values: measures, queries, definition, warnings and the lists of what did not count.

    `provenance` names the gold set, the run and their checksums; it goes into the definition as it is.
    """
    made = summaries if summaries is not None else summarise_all(scores.per_query, scores.measures)
    return {
        "measures": {name: _summary(summary) for name, summary in made.items()},
        "queries": _rows(scores.per_query, scores.measures),
        "definition": _definition(scores, provenance),
        "warnings": list(warnings),
        "not_scored": {
            "without_relevant_label": scores.population.without_relevant,
            "unanswerable": scores.population.unanswerable,
            "security_only": scores.population.security_only,
            "other_split": scores.population.other_split,
            "unknown_to_the_gold_set": scores.unknown_queries,
        },
        "unanswered": [asdict(entry) for entry in scores.unanswered],
        "synthetic": _rows(scores.synthetic, scores.measures),
    }


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Two runs as plain values: a row per measure, the flips with their queries."""
    return {
        "measures": {
            row.measure: {key: value for key, value in asdict(row).items() if key != "measure"}
            for row in comparison.measures
        },
        "flips": [
            {
                "measure": str(flips.rule.measure),
                "up_means": flips.rule.up,
                "up": flips.up,
                "down_means": flips.rule.down,
            }
            | {"down": flips.down, "p": flips.p}
            for flips in comparison.flips
        ],
        "only_in_first": comparison.only_in_first,
        "only_in_second": comparison.only_in_second,
    }


def to_json(document: Mapping[str, Any]) -> str:
    """The document as JSON text with a line break at its end, byte-identical for equal documents."""
    return json.dumps(plain(document), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """The value with numbers rounded to ten decimals, whole numbers as such, and null for NaN and infinity."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        # Adding 0.0 turns -0.0 into 0.0.
        return round(float(value), DECIMALS) + 0.0 if isfinite(value) else None
    return value


def _summary(summary: Summary) -> dict[str, Any]:
    return {
        "mean": summary.mean,
        "median": summary.median,
        "p10": summary.p10,
        "p25": summary.p25,
        "zero": summary.zero,
        "n": summary.n,
        "undefined": summary.undefined,
        "zero_queries": summary.zero_queries,
        "interval": _interval(summary.interval),
        "bootstrap": _interval(summary.bootstrap),
    }


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    return None if interval is None else asdict(interval)


def _rows(per_query: pd.DataFrame, measures: Sequence[Measure]) -> dict[str, dict[str, float]]:
    names = [str(measure) for measure in measures]
    rows = per_query[names].to_numpy(dtype=np.float64)
    return {
        str(query_id): dict(zip(names, row.tolist(), strict=True))
        for query_id, row in zip(per_query.index, rows, strict=True)
    }


def _definition(scores: RunScores, provenance: Mapping[str, Any]) -> dict[str, Any]:
    given = scores.settings
    return {
        "unit": given.unit,
        "threshold": given.threshold,
        "gain": given.gain,
        "max_grade": given.max_grade,
        "depth": given.depth,
        "k": given.k,
        "order": given.order,
        "split": given.split,
        "denominator": f"{len(scores.population.scored)} scored queries: answerable, not synthetic, with a relevant label",
        "measures": {
            str(measure): {
                "text": scores.definition(measure),
                "cutoff": scores.depth_of(measure),
                "stage": scores.stage_of[str(measure)],
                "threshold": measure.threshold(given.threshold),
                "gain": measure.gain_used(given.gain) if "gain" in measure.registered.parameters else None,
            }
            for measure in scores.measures
        },
        "quantiles": QUANTILES,
        "rounding": f"{DECIMALS} decimals",
        "engine_version": ENGINE_VERSION,
    } | dict(provenance)
