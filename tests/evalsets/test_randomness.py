import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsets.randomness import SplitMix64, resamples
from tests.shared_data import shared_data


@pytest.fixture(scope="module")
def oracle():
    return json.loads(shared_data("oracles.json").read_text())["O18_bootstrap_determinism"]


def test_first_numbers_of_a_seed_are_the_published_ones(oracle):
    stream = SplitMix64(42)

    assert [str(stream.next()) for _ in range(3)] == oracle["first3_seed42"]


def test_first_indices_of_a_seed_are_the_published_ones(oracle):
    assert SplitMix64(42).indices(8, 10).tolist() == oracle["first10_idx_n8"]


@pytest.mark.parametrize(
    ("count", "seed", "name"), [(1000, 42, "B1000_seed42"), (1000, 43, "B1000_seed43"), (10000, 42, "B10000_seed42")]
)
def test_a_seeded_bootstrap_of_a_mean_gives_the_same_interval_everywhere(oracle, count, seed, name):
    differences = np.array(oracle["diffs"])

    means = [differences[chosen].mean() for chosen in resamples(seed, len(differences), count)]

    assert np.quantile(means, [0.025, 0.975]) == pytest.approx(oracle[name], abs=1e-12)


@given(
    seed=st.integers(min_value=0, max_value=2**64 - 1),
    n=st.integers(min_value=1, max_value=2**32),
    size=st.integers(0, 20),
)
def test_many_at_once_are_the_same_as_one_by_one(seed, n, size):
    together, singly = SplitMix64(seed), SplitMix64(seed)

    assert together.indices(n, size).tolist() == [singly.index(n) for _ in range(size)]
    assert together.next() == singly.next()


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_a_range_that_cannot_be_indexed_is_refused(n):
    with pytest.raises(ValueError, match="an index needs a range"):
        SplitMix64(1).indices(n, 1)
