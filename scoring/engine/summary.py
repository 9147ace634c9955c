"""What a column of per-query values says: the distribution beside the mean, and the queries at zero."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from scoring.engine.intervals import BOOTSTRAP_RESAMPLES, SEED, Interval, bootstrap_interval, t_interval
from scoring.engine.measures import Measure

COUNTS_ONLY_UNDER = 10


@dataclass(frozen=True)
class Summary:
    """One measure over queries. Everything is None where n is 0; intervals are None under ten queries.

    n: queries with a value. undefined: queries without one. zero_queries: ids at zero ("zero-hit"); for `FirstRel`,
    which has no zero, the ids where no relevant unit was found. under: ids below the `line` that was asked for.
    Quantiles are type 7 of Hyndman and Fan (1996).
    """

    measure: str
    n: int
    undefined: int
    mean: float | None = None
    median: float | None = None
    p10: float | None = None
    p25: float | None = None
    zero_queries: list[str] = field(default_factory=list)
    line: float | None = None
    under: list[str] = field(default_factory=list)
    interval: Interval | None = None
    bootstrap: Interval | None = None

    @property
    def zero(self) -> int:
        """How many queries are at zero."""
        return len(self.zero_queries)

    @property
    def counts_only(self) -> bool:
        """Whether there are too few queries for an interval."""
        return self.n < COUNTS_ONLY_UNDER


def summarise(
    per_query: pd.DataFrame,
    measure: Measure,
    *,
    line: float | None = None,
    bootstrap: bool = True,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = SEED,
) -> Summary:
    """Summarise one measure's column of a per-query frame; `line` is the value under which queries are listed."""
    column = per_query[str(measure)].sort_index()
    values = column.dropna()
    array = values.to_numpy(dtype=np.float64)
    # A rank has no zero: there, the queries without a relevant unit are the ones to read first.
    zero = column[column.isna()] if measure.kind == "FirstRel" else values[values == 0.0]
    found = Summary(
        measure=str(measure), n=len(array), undefined=len(column) - len(array), zero_queries=list(zero.index), line=line
    )
    if not len(array):
        return found
    p10, p25, median = (float(value) for value in np.quantile(array, [0.1, 0.25, 0.5]))
    enough = len(array) >= COUNTS_ONLY_UNDER
    return Summary(
        measure=found.measure,
        n=found.n,
        undefined=found.undefined,
        mean=float(np.mean(array)),
        median=median,
        p10=p10,
        p25=p25,
        zero_queries=found.zero_queries,
        line=line,
        under=[] if line is None else list(values[values < line].index),
        interval=t_interval(array) if enough else None,
        bootstrap=bootstrap_interval(array, resamples=resamples, seed=seed) if enough and bootstrap else None,
    )


def summarise_all(
    per_query: pd.DataFrame, measures: Iterable[Measure], *, bootstrap: bool = True
) -> dict[str, Summary]:
    """A summary per measure, by the measure's name, in the order given."""
    return {str(measure): summarise(per_query, measure, bootstrap=bootstrap) for measure in measures}
