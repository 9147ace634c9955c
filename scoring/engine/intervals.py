"""Intervals: Student's t for a mean, a seeded percentile bootstrap beside it, and Wilson's for a rate."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from evalsets.randomness import SplitMix64
from scoring.engine.arrays import Floats

CONFIDENCE = 0.95
NORMAL_975 = 1.959963984540054
BOOTSTRAP_RESAMPLES = 2000
SEED = 42

_BLOCK = 1 << 21


@dataclass(frozen=True)
class Interval:
    """A 95 % interval and how it was made."""

    low: float
    high: float
    method: str


def t_interval(values: Floats) -> Interval:
    """The 95 % t-interval of the mean; needs two values or more."""
    from scipy.special import stdtrit  # loaded here: it costs as much start-up time as numpy itself

    n = len(values)
    if n < 2:
        raise ValueError("a t-interval needs two values or more")
    half = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * float(np.std(values, ddof=1)) / sqrt(n)
    mean = float(np.mean(values))
    return Interval(mean - half, mean + half, "t")


def bootstrap_interval(values: Floats, *, resamples: int = BOOTSTRAP_RESAMPLES, seed: int = SEED) -> Interval:
    """The 95 % percentile interval of the mean over seeded resamples of the values (queries), quantile type 7."""
    n = len(values)
    if n < 1:
        raise ValueError("a bootstrap needs at least one value")
    means, stream = np.empty(resamples), SplitMix64(seed)
    per_block = max(1, _BLOCK // n)
    for start in range(0, resamples, per_block):
        rows = min(per_block, resamples - start)
        drawn = stream.indices(n, rows * n).reshape(rows, n)
        means[start : start + rows] = values[drawn].mean(axis=1)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(low), float(high), f"percentile bootstrap, {resamples} resamples, seed {seed}")


def wilson_interval(successes: int, n: int) -> Interval:
    """Wilson's 95 % score interval of a rate (1927)."""
    if n < 1:
        raise ValueError("a rate needs at least one case")
    rate, square = successes / n, NORMAL_975**2
    centre = (rate + square / (2 * n)) / (1 + square / n)
    half = NORMAL_975 * sqrt(rate * (1 - rate) / n + square / (4 * n * n)) / (1 + square / n)
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(low, high, "Wilson")


def highest_rate_behind_none(n: int) -> float:
    """With no event in n cases, the rate that is still possible: the one-sided 95 % upper bound."""
    if n < 1:
        raise ValueError("a rate needs at least one case")
    return float(1.0 - (1.0 - CONFIDENCE) ** (1.0 / n))


def share(part: int, whole: int) -> float | None:
    """part / whole, or None (not applicable) where there is nothing to divide by."""
    return part / whole if whole else None
