"""Numbers as they are written on a page: three decimals, and a dash where there is none."""

from __future__ import annotations

from collections.abc import Sequence

NONE = "\u2013"
BINS = 20


def written(value: float | None) -> str:
    """Three decimals, or a dash."""
    return NONE if value is None else f"{value:.3f}"


def signed(value: float | None) -> str:
    """The same with its sign."""
    return NONE if value is None else f"{value:+.3f}".replace("-", "\u2212")


def interval_words(low: float | None, high: float | None) -> str:
    """ "0.610 to 0.740"; empty where there is no interval."""
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def queries_words(n: int) -> str:
    """A number of queries with its noun."""
    return f"{n} {'query' if n == 1 else 'queries'}"


def bins_of(values: Sequence[float]) -> list[dict[str, object]]:
    """How many values from 0 to 1 lie in each of twenty equal bins; the first one says how many are exactly zero."""
    counts = [0] * BINS
    for value in values:
        counts[min(int(value * BINS), BINS - 1)] += 1
    zero = sum(value == 0.0 for value in values)
    bins: list[dict[str, object]] = [
        {"label": f"{at / BINS:.2f} to {(at + 1) / BINS:.2f}", "count": count, "is_zero": False}
        for at, count in enumerate(counts)
    ]
    if zero:
        rest = counts[0] - zero
        bins[0] |= {"label": "exactly 0" if not rest else f"0 to {1 / BINS:.2f}, {zero} of them 0", "is_zero": not rest}
    return bins


def difference_bins(values: Sequence[float]) -> list[dict[str, object]]:
    """How many differences from -1 to 1 lie in each of 21 equal bins; the one in the middle holds those around zero."""
    width = 2 / (BINS + 1)
    counts = [0] * (BINS + 1)
    for value in values:
        counts[min(int((value + 1) / width), BINS)] += 1
    return [
        {"label": f"{signed(-1 + at * width)} to {signed(-1 + (at + 1) * width)}", "count": count}
        for at, count in enumerate(counts)
    ]
