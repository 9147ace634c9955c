"""Whether a difference could be chance: exact and seeded tests, Holm's correction, and what n queries can detect."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

import numpy as np

from evalsets.randomness import SplitMix64
from scoring.engine.arrays import Floats
from scoring.engine.intervals import SEED

EXACT_UP_TO = 20
DRAWS = 100_000
ALPHA = 0.05
POWER = 0.8

_DRAWS_AT_ONCE = 10_000


@dataclass(frozen=True)
class Randomization:
    """A two-sided p-value: `extreme` of `total` sign patterns are at least as far from zero as the observed mean."""

    p: float
    extreme: int
    total: int
    method: str


def randomization_test(differences: Floats, *, draws: int = DRAWS, seed: int = SEED) -> Randomization:
    """Fisher's paired randomization test of the mean difference.

    Exact up to 20 non-zero differences (zeros change nothing); above, p = (b + 1) / (B + 1) over B seeded sign
    patterns, which is never 0. Without a non-zero difference p is 1.
    """
    moved = differences[differences != 0.0]
    observed = abs(float(moved.sum()))
    # Sums that are equal on paper differ in their last bits; they count as equally extreme.
    bar = observed - 1e-12 * float(np.abs(moved).sum())
    if len(moved) <= EXACT_UP_TO:
        sums = np.zeros(1)
        for difference in moved:
            sums = np.concatenate([sums + difference, sums - difference])
        extreme = int(np.count_nonzero(np.abs(sums) >= bar))
        return Randomization(extreme / len(sums), extreme, len(sums), "exact randomization")
    extreme = int(np.count_nonzero(np.abs(_random_sums(moved, draws, seed)) >= bar))
    return Randomization((extreme + 1) / (draws + 1), extreme, draws, f"randomization, {draws} draws, seed {seed}")


def _random_sums(moved: Floats, draws: int, seed: int) -> Floats:
    """Sums under random signs. Eight signs are one byte, whose partial sum is looked up in a table of 256."""
    groups = -(-len(moved) // 8)
    padded = np.zeros(groups * 8)
    padded[: len(moved)] = moved
    bits = (np.arange(256)[:, None] >> np.arange(8)[None, :]) & 1
    tables = padded.reshape(groups, 8) @ (1.0 - 2.0 * bits).T
    numbers = -(-groups // 8)
    sums, stream = np.zeros(draws), SplitMix64(seed)
    for start in range(0, draws, _DRAWS_AT_ONCE):
        count = min(_DRAWS_AT_ONCE, draws - start)
        signs = stream.numbers(count * numbers).astype("<u8").view(np.uint8).reshape(count, numbers * 8)
        for group in range(groups):
            sums[start : start + count] += tables[group][signs[:, group]]
    return sums


def sign_test(up: int, down: int) -> float:
    """The exact two-sided sign test on `up` against `down`; 1 where there is neither."""
    n = up + down
    tail = sum(comb(n, i) for i in range(min(up, down) + 1))
    return min(1.0, 2 * tail / 2**n)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's (1979) step-down correction, in the order given."""
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, at in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[at]))
        adjusted[at] = highest
    return adjusted


def detectable_difference(sd: float, n: int, *, power: float = POWER, alpha: float = ALPHA) -> float | None:
    """The smallest mean difference that a paired t-test on n queries finds with this power, for a spread of `sd`.

    From the noncentral t distribution, two-sided. None under two queries; 0 when nothing varies.
    """
    from scipy.special import nctdtr, stdtrit  # loaded here to keep start-up quick

    if n < 2:
        return None
    critical = float(stdtrit(n - 1, 1 - alpha / 2))

    def found(shift: float) -> float:
        return float(1 - nctdtr(n - 1, shift, critical) + nctdtr(n - 1, shift, -critical))

    low, high = 0.0, critical + 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if found(middle) < power else (low, middle)
    return high * sd / sqrt(n)
