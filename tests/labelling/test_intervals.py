import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.statistics.alpha import Level, alpha_of_counts, binary_alpha
from labelling.statistics.intervals import (
    Withheld,
    alpha_of_coincidences,
    coincidences_by_group,
    collapse_at,
    query_bootstrap,
    unit_bootstrap,
)
from labelling.statistics.labels import read_labels
from tests.labelling.label_frames import GRADES, labels_of_coders, labels_of_pairs, oracle


def table_of(rows, scale=GRADES, per_query=10):
    return read_labels(labels_of_coders(rows, per_query=per_query), scale=scale)


def noisy_pairs(size, seed=5):
    """Counts of two annotators: the second is at most one grade off."""
    random = np.random.default_rng(seed)
    first = random.integers(0, 4, size)
    second = np.clip(first + random.integers(-1, 2, size), 0, 3)
    return np.eye(4, dtype=np.int64)[first] + np.eye(4, dtype=np.int64)[second]


@pytest.mark.parametrize(("name", "scale"), [("O06_pairs", GRADES), ("O01_data", range(1, 6))])
def test_resampled_units_give_the_reference_interval(name, scale):
    reference = oracle("O08_alpha_unit_bootstrap")[name]
    pairs = oracle("O06_adjudication_exclusion")
    rows = (
        [pairs["X"], pairs["Y"]] if name == "O06_pairs" else oracle("O01_alpha_krippendorff2011_C")["rows_are_coders"]
    )

    found = unit_bootstrap(
        table_of(rows, scale).counts, scale=scale, level=Level.ORDINAL, seed=reference["seed"], count=reference["B"]
    )

    assert found.low == pytest.approx(reference["lo"], abs=5e-7)
    assert found.high == pytest.approx(reference["hi"], abs=5e-7)
    assert found.undefined == reference["undefined_replicates"]
    assert (found.resampled, found.seed, found.resamples) == ("candidates", 42, 1000)


@pytest.mark.parametrize("level", Level)
@given(rows=st.lists(st.lists(st.sampled_from([0, 1, 2, 3, None]), min_size=9, max_size=9), min_size=2, max_size=4))
def test_alpha_from_coincidences_equals_the_package(level, rows):
    table = table_of(rows, per_query=2)
    expected = alpha_of_counts(table.counts, scale=GRADES, level=level)

    matrices = coincidences_by_group(table.counts, table.unit_query, size=len(table.queries))
    found = alpha_of_coincidences(matrices.sum(axis=0)[None], scale=GRADES, level=level)[0]

    assert np.isnan(found) if expected.value is None else found == pytest.approx(expected.value, abs=1e-12)


def test_folding_coincidences_at_the_threshold_equals_folding_the_labels():
    counts = noisy_pairs(60)
    matrix = coincidences_by_group(counts, np.zeros(60, dtype=int), size=1)

    found = alpha_of_coincidences(collapse_at(matrix, scale=GRADES, threshold=2), scale=(0, 1), level=Level.NOMINAL)[0]

    assert found == pytest.approx(binary_alpha(counts, scale=GRADES, threshold=2).value, abs=1e-12)


def test_resampling_queries_keeps_their_units_together():
    """Where all units of a query are alike, resampling units claims more precision than there is."""
    agreeing, differing = [(0, 0), (3, 3)] * 5, [(0, 3), (3, 0)] * 5
    table = read_labels(labels_of_pairs([*agreeing, *differing] * 10), scale=GRADES)

    by_query = query_bootstrap(table.counts, table.unit_query, scale=GRADES, level=Level.ORDINAL, seed=1)
    by_unit = unit_bootstrap(table.counts, scale=GRADES, level=Level.ORDINAL, seed=1)

    assert (by_query.resampled, by_query.groups) == ("queries", 20)
    assert by_query.high - by_query.low > 2 * (by_unit.high - by_unit.low)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    counts, queries = noisy_pairs(100), np.arange(100) // 10

    def interval(seed):
        return query_bootstrap(counts, queries, scale=GRADES, level=Level.ORDINAL, seed=seed)

    assert interval(7) == interval(7)
    assert interval(7).low != interval(8).low


def test_an_interval_that_is_often_undefined_is_withheld_with_its_count():
    table = read_labels(labels_of_pairs([(0, 0)] * 49 + [(0, 1)]), scale=GRADES)

    found = unit_bootstrap(table.counts, scale=GRADES, level=Level.ORDINAL, seed=3)

    assert (found.low, found.high, found.withheld) == (None, None, Withheld.OFTEN_UNDEFINED)
    assert found.undefined > 0.3 * found.resamples
    assert "5 %" in found.words


def test_one_query_has_no_interval():
    counts = noisy_pairs(40)

    found = query_bootstrap(counts, np.zeros(40, dtype=int), scale=GRADES, level=Level.ORDINAL, seed=3)

    assert (found.withheld, found.low) == (Withheld.ONE_GROUP, None)
    assert "one query" in found.words


def test_single_labels_have_no_interval_and_move_none():
    counts, queries = noisy_pairs(40), np.arange(40) // 4
    singles = np.eye(4, dtype=np.int64)

    def interval(counts, queries):
        return query_bootstrap(counts, queries, scale=GRADES, level=Level.ORDINAL, seed=3)

    alone = interval(singles, np.arange(4))
    together = interval(np.concatenate([singles, counts]), np.concatenate([[90, 91, 92, 93], queries]))

    assert alone.withheld is Withheld.NOTHING_TO_RESAMPLE
    assert together == interval(counts, queries)


@pytest.mark.parametrize("per_query", [1, 40])
def test_a_thousand_resamples_of_ten_thousand_candidates_take_under_two_seconds(per_query):
    counts, queries = noisy_pairs(10_000), np.arange(10_000) // per_query
    start = time.process_time()

    query_bootstrap(counts, queries, scale=GRADES, level=Level.ORDINAL, seed=1, count=1000)

    assert time.process_time() - start < 2
