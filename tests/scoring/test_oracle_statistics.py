"""Worked examples of intervals and tests, with their values."""

import json

import numpy as np
import pytest

from scoring.engine.checks import nearest_rank
from scoring.engine.intervals import bootstrap_interval, highest_rate_behind_none, t_interval, wilson_interval
from scoring.engine.significance import detectable_difference, holm, randomization_test, sign_test
from tests.shared_data import shared_data


@pytest.fixture(scope="module")
def oracles():
    return json.loads(shared_data("oracles.json").read_text())


def six(number):
    return pytest.approx(number, abs=5.1e-7)


def test_paired_differences(oracles):
    case = oracles["O15_paired"]
    diffs = np.array(case["diffs"])
    extreme, total, p = case["randomization_exact"]
    found = randomization_test(diffs)
    interval = t_interval(diffs)
    assert np.mean(diffs) == six(case["mean"])
    assert np.std(diffs, ddof=1) == six(case["sd"])
    assert found.p == p
    # The zero difference is left out, which halves both counts.
    assert (2 * found.extreme, 2 * found.total) == (extreme, total)
    assert [interval.low, interval.high] == [six(bound) for bound in case["t_ci95"]]
    assert sign_test(5, 2) == case["sign_test_5_2"]


def test_sign_test_on_flips(oracles):
    for counts, p in oracles["O16_flips_sign_test"].items():
        up, down = map(int, counts.split("-"))
        assert sign_test(up, down) == six(p)
        assert sign_test(down, up) == six(p)


def test_no_flip_is_no_evidence():
    assert sign_test(0, 0) == 1.0


def test_holm_correction(oracles):
    case = oracles["O17_multiplicity"]
    assert holm(case["p"]) == [six(p) for p in case["holm"]]
    assert holm(case["p"][::-1]) == [six(p) for p in case["holm"][::-1]]
    assert holm([]) == []


@pytest.mark.parametrize(("resamples", "seed"), [(1000, 42), (1000, 43), (10000, 42)])
def test_bootstrap_is_the_same_everywhere(oracles, resamples, seed):
    case = oracles["O18_bootstrap_determinism"]
    interval = bootstrap_interval(np.array(case["diffs"]), resamples=resamples, seed=seed)
    assert [interval.low, interval.high] == [six(bound) for bound in case[f"B{resamples}_seed{seed}"]]


def test_wilson_intervals(oracles):
    for rate, (low, high) in oracles["O19_proportions"]["wilson95"].items():
        successes, n = map(int, rate.split("/"))
        interval = wilson_interval(successes, n)
        assert (interval.low, interval.high) == (six(low), six(high))
    assert wilson_interval(30, 30).high == 1.0


def test_no_event_bounds_the_rate_without_making_it_zero(oracles):
    for n, upper in oracles["O19_proportions"]["zero_events_one_sided95_upper"].items():
        assert highest_rate_behind_none(int(n)) == six(upper)


def test_a_rate_of_nothing_is_an_error():
    with pytest.raises(ValueError, match="at least one"):
        wilson_interval(0, 0)
    with pytest.raises(ValueError, match="at least one"):
        highest_rate_behind_none(0)
    with pytest.raises(ValueError, match="two values"):
        t_interval(np.array([1.0]))
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_interval(np.array([]))


def test_latency_percentile_by_nearest_rank(oracles):
    assert nearest_rank(np.arange(1.0, 21.0), 95) == oracles["O20_latency_p95"]["nearest_rank"]


@pytest.mark.parametrize(
    ("sd", "n", "expected"),
    [
        (0.05, 30, 0.026),
        (0.05, 200, 0.010),
        (0.12, 50, 0.049),
        (0.12, 200, 0.024),
        (0.2, 30, 0.106),
        (0.26, 100, 0.074),
    ],
)
def test_smallest_difference_that_a_number_of_queries_can_show(sd, n, expected):
    assert detectable_difference(sd, n) == pytest.approx(expected, abs=6e-4)


def test_one_query_can_show_nothing_and_no_spread_needs_nothing():
    assert detectable_difference(0.1, 1) is None
    assert detectable_difference(0.0, 30) == 0.0


def test_drawn_randomization_agrees_with_the_exact_one():
    """Twenty non-zero differences are enumerated; one more is drawn. A tiny 21st difference barely changes the truth."""
    diffs = np.array([0.1, 0.05, -0.02, 0.08, 0.12, -0.05, 0.03, 0.07, -0.04, 0.02] * 2)
    exact = randomization_test(diffs)
    drawn = randomization_test(np.append(diffs, 1e-9), seed=42)
    assert (exact.total, drawn.total) == (2**20, 100_000)
    assert drawn.p == pytest.approx(exact.p, abs=0.002)
    assert drawn == randomization_test(np.append(diffs, 1e-9), seed=42)
    assert drawn.p == (drawn.extreme + 1) / 100_001


def test_drawn_p_is_never_zero():
    assert randomization_test(np.full(300, 0.5)).p == 1 / 100_001


def test_without_a_difference_p_is_one():
    assert randomization_test(np.zeros(30)).p == 1.0
    assert randomization_test(np.array([])).p == 1.0
