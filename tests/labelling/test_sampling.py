import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.sampling import (
    PLANNING_CASES,
    commitment,
    expected_half_width,
    first_of_each,
    hash_order,
    is_double_labelled,
    least_units,
    query_shuffle_key,
    sample_position,
    shuffle_key,
    unit_name,
    units_needed,
)
from tests.shared_data import shared_data

ITEMS = st.lists(st.tuples(st.sampled_from(["q1", "q2"]), st.text(max_size=6)), unique=True, max_size=20)
RATES = st.floats(0, 1)


@pytest.fixture(scope="module")
def oracle():
    return json.loads(shared_data("oracles.json").read_text())["O21_seeded_sampling"]


def doubles(seed, items, rate):
    return {item for item in items if is_double_labelled(seed, *item, rate=rate)}


def test_a_seed_is_committed_to_by_its_hash(oracle):
    assert commitment(oracle["seed"]) == oracle["commitment_sha256_of_seed"]


def test_items_come_in_the_order_of_their_hashes(oracle):
    assert hash_order(oracle["seed"], oracle["items"])[:5] == oracle["first5"]


def test_one_item_of_each_query_is_the_first_in_that_order(oracle):
    assert first_of_each(oracle["seed"], oracle["items"], lambda item: item.split("|")[0]) == oracle["one_per_query"]


def test_a_place_in_the_sample_follows_the_same_hashes(oracle):
    pairs = [item.split("|") for item in oracle["items"]]
    by_place = sorted(pairs, key=lambda pair: sample_position(oracle["seed"], *pair))
    assert ["|".join(pair) for pair in by_place[:5]] == oracle["first5"]


@given(ITEMS, RATES, st.randoms())
def test_the_double_labels_do_not_depend_on_the_order_of_candidates(items, rate, random):
    shuffled = list(items)
    random.shuffle(shuffled)
    assert doubles("seed", shuffled, rate) == doubles("seed", items, rate)


@given(ITEMS, ITEMS, RATES)
def test_a_pool_that_grows_keeps_its_double_labels(items, more, rate):
    before = doubles("seed", items, rate)
    after = doubles("seed", {*items, *more}, rate)
    assert before == {item for item in after if item in items}


@given(ITEMS, RATES, RATES)
def test_a_higher_rate_only_adds_double_labels(items, first, second):
    low, high = sorted((first, second))
    assert doubles("seed", items, low) <= doubles("seed", items, high)


@pytest.mark.parametrize(("rate", "expected"), [(0, 0), (1, 500)])
def test_none_or_all_can_be_double_labelled(rate, expected):
    assert len(doubles("seed", [("q1", f"d{at}") for at in range(500)], rate)) == expected


def test_about_the_declared_share_is_double_labelled():
    items = [(f"q{query}", f"d{doc}") for query in range(50) for doc in range(40)]
    assert 340 < len(doubles("seed", items, 0.2)) < 460


def test_another_seed_chooses_others():
    items = [("q1", f"d{at}") for at in range(200)]
    assert doubles("one", items, 0.3) != doubles("two", items, 0.3)


@pytest.mark.parametrize("rate", [-0.1, 1.5, 20])
def test_a_rate_that_is_no_share_is_refused(rate):
    with pytest.raises(ValueError, match="share from 0 to 1"):
        is_double_labelled("seed", "q1", "d1", rate=rate)


def test_a_section_has_a_name_of_its_own():
    assert unit_name("d1") == "d1"
    assert unit_name("d1", "limits") == "d1#limits"


def queue(annotator, *, seed="seed", query_id="q1", count=30):
    units = [f"d{at}" for at in range(count)]
    return sorted(units, key=lambda unit: shuffle_key(seed, annotator, query_id, unit))


def test_each_annotator_sees_an_order_of_their_own_and_always_the_same():
    assert queue(1) == queue(1)
    assert queue(1) != queue(2)
    assert queue(1) != queue(1, query_id="q2")
    assert queue(1) != queue(1, seed="other")


def test_each_annotator_walks_the_queries_in_an_order_of_their_own():
    queries = [f"q{at}" for at in range(20)]
    walks = [sorted(queries, key=lambda query_id: query_shuffle_key("seed", who, query_id)) for who in (1, 2)]
    assert walks[0] != walks[1]


def test_the_order_of_a_queue_does_not_gather_the_double_labels():
    count = 2000
    places = [at for at, unit in enumerate(queue(1, count=count)) if is_double_labelled("seed", "q1", unit, rate=0.2)]
    assert sum(places) / len(places) == pytest.approx(count / 2, rel=0.1)


@pytest.mark.parametrize(
    ("first", "second"), [(("s", 1, "q1", "2"), ("s", 1, "q", "12")), (("s", 1, "q|d", "e"), ("s", 1, "q", "d|e"))]
)
def test_ids_that_look_alike_when_joined_have_different_keys(first, second):
    assert shuffle_key(*first) != shuffle_key(*second)


@pytest.mark.parametrize(
    ("case", "units_for_10", "units_for_5"),
    list(zip(PLANNING_CASES, (210, 135, 70, 325, 135), (840, 535, 270, 1300, 535), strict=True)),
)
def test_units_needed_follow_the_simulated_table(case, units_for_10, units_for_5):
    assert units_needed(0.10, spread=case.spread) == pytest.approx(units_for_10, abs=3)
    assert units_needed(0.05, spread=case.spread) == pytest.approx(units_for_5, abs=7)


@pytest.mark.parametrize(
    ("case", "widths"),
    list(
        zip(
            PLANNING_CASES,
            [(0.14, 0.11, 0.07), (0.12, 0.08, 0.06), (0.08, 0.06, 0.04), (0.18, 0.12, 0.09), (0.12, 0.08, 0.06)],
            strict=True,
        )
    ),
)
def test_the_expected_half_width_is_that_of_the_simulation(case, widths):
    assert [expected_half_width(units, spread=case.spread) for units in (100, 200, 400)] == pytest.approx(
        list(widths), abs=0.011
    )


def test_no_double_label_has_no_half_width():
    assert expected_half_width(0) is None


def test_a_half_width_of_nothing_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        units_needed(0)


@pytest.mark.parametrize(("pool", "least"), [(50, 50), (900, 100), (1000, 100), (2001, 201)])
def test_the_fewest_double_labels_are_a_hundred_or_a_tenth(pool, least):
    assert least_units(pool) == least
