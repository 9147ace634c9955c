import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.statistics.alpha import Level, alpha_of_counts, binary_alpha, krippendorff_alpha
from labelling.statistics.coefficient import Coefficient, Undefined
from labelling.statistics.labels import read_labels
from tests.labelling.label_frames import (
    COLUMNS,
    GRADES,
    chorus,
    code_search_net,
    labels_of_coders,
    labels_of_pairs,
    oracle,
)
from tests.shared_data import shared_data

SIX_DECIMALS = 5e-7
FOUR_DECIMALS = 5e-5
# The values that come with the chorus ratings are off by one in the fourth decimal where a last digit was cut or rounded twice: interval
# alpha is 0.77073 (given: 0.7708), raw agreement of raters 1 and 3 is 2542 / 3188 = 0.79737 (given: 0.7973).
LAST_DIGIT = 1e-4


def alpha(frame, level=Level.ORDINAL, scale=GRADES):
    return krippendorff_alpha(frame, scale=scale, level=level)


@pytest.mark.parametrize("level", Level)
def test_krippendorffs_four_coders_by_twelve_units(level):
    reference = oracle("O01_alpha_krippendorff2011_C")
    frame = labels_of_coders(reference["rows_are_coders"])

    assert alpha(frame, level, scale=range(1, 6)).value == pytest.approx(reference[level], abs=SIX_DECIMALS)


def test_a_unit_with_one_label_is_left_out():
    reference = oracle("O01_alpha_krippendorff2011_C")

    table = read_labels(labels_of_coders(reference["rows_are_coders"]), scale=range(1, 6)).comparable()

    assert (len(table.counts), len(table.grade)) == (reference["pairable_units"], reference["pairable_values"])


@pytest.mark.parametrize(("name", "scale"), [("K2011_A", (0, 1)), ("K2011_B", range(1, 6)), ("wikipedia", range(1, 5))])
def test_other_published_examples(name, scale):
    reference = oracle("O02_alpha_others")[name]
    frame = labels_of_coders(reference.pop("rows"))

    found = {level: alpha(frame, Level(level), scale).value for level in reference if level in set(Level)}

    assert found == {level: pytest.approx(reference[level], abs=SIX_DECIMALS) for level in found}
    assert found


@pytest.mark.parametrize("level", Level)
def test_no_variation_is_undefined_and_not_perfect(level):
    found = alpha(labels_of_pairs([(2, 2)] * 3), level)

    assert found.value is None
    assert found.undefined is Undefined.NO_VARIATION
    assert "same grade" in found.words


@pytest.mark.parametrize("level", Level)
def test_no_overlap_is_undefined_and_not_zero(level):
    found = alpha(labels_of_coders([[1, None, None], [None, 2, None], [None, None, 3]]), level)

    assert found.value is None
    assert found.undefined is Undefined.NO_PAIR
    assert "two people" in found.words


def test_no_labels_at_all_is_no_pair():
    assert alpha(pd.DataFrame(columns=COLUMNS)).undefined is Undefined.NO_PAIR


@pytest.mark.parametrize("level", Level)
def test_one_dissenting_label_gives_exactly_zero(level):
    assert alpha(labels_of_pairs([(0, 0)] * 49 + [(0, 1)]), level) == Coefficient(0.0)


@pytest.mark.parametrize(("pairs", "value"), [([(0, 1), (1, 0)], -0.5), ([(0, 1)], 0.0)])
def test_the_smallest_sets_have_the_value_of_the_formula(pairs, value):
    assert alpha(labels_of_pairs(pairs)).value == pytest.approx(value, abs=1e-12)


def test_two_annotators_on_ten_candidates():
    reference = oracle("O06_adjudication_exclusion")
    frame = labels_of_pairs(list(zip(reference["X"], reference["Y"], strict=True)))

    assert alpha(frame).value == pytest.approx(reference["alpha_ordinal"], abs=SIX_DECIMALS)
    assert alpha(frame, Level.NOMINAL).value == pytest.approx(reference["alpha_nominal"], abs=SIX_DECIMALS)


def test_single_labels_do_not_move_alpha_but_an_adjudicator_would():
    reference = oracle("O06_adjudication_exclusion")
    both = [reference["X"], reference["Y"]]
    third = [reference["adjudicated_index_to_grade"].get(str(unit)) for unit in range(10)]

    with_singles = alpha(labels_of_coders([[*reference["X"], 3, 0, 1], reference["Y"]]))
    with_adjudicator = alpha(labels_of_coders([*both, third]))

    assert with_singles.value == pytest.approx(
        reference["adding_3_single_labelled_units_changes_alpha_ordinal_to"], abs=SIX_DECIMALS
    )
    assert with_adjudicator.value == pytest.approx(reference["WRONG_adjudicator_as_third_coder"], abs=SIX_DECIMALS)


def test_a_dominant_grade_makes_alpha_negative():
    reference = oracle("O07_skew_paradox_95x00_5x30")

    found = alpha(labels_of_pairs([(0, 0)] * 95 + [(3, 0)] * 5))

    assert found.value == pytest.approx(reference["alpha_ordinal"], abs=SIX_DECIMALS)


@pytest.mark.parametrize(
    ("level", "value"), [(Level.NOMINAL, 0.6426), (Level.ORDINAL, 0.7695), (Level.INTERVAL, 0.7708)]
)
def test_three_raters_of_product_search(level, value):
    assert alpha(chorus(), level).value == pytest.approx(value, abs=LAST_DIGIT)


@pytest.mark.parametrize("level", Level)
def test_three_raters_as_a_table_of_raters_give_the_same(level):
    table = chorus().pivot(index=["query_id", "unit_id"], columns="annotator", values="grade").to_numpy().T

    expected = krippendorff.alpha(table, level_of_measurement=level.value, value_domain=list(GRADES))

    assert alpha(chorus(), level).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("level", "value"), [(Level.NOMINAL, 0.1881), (Level.ORDINAL, 0.4669), (Level.INTERVAL, 0.4666)]
)
def test_nameless_raters_of_code_search(level, value):
    assert alpha(code_search_net(), level).value == pytest.approx(value, abs=FOUR_DECIMALS)


@pytest.mark.parametrize(
    ("case", "undefined"),
    [
        ("all-same", Undefined.NO_VARIATION),
        ("single-rater-items", Undefined.NO_VARIATION),
        ("one-rater-only", Undefined.NO_PAIR),
        ("no-overlap", Undefined.NO_PAIR),
        ("one-disagreement", None),
        ("missing-not-a-label", None),
    ],
)
def test_degenerate_sets_are_finite_or_undefined_with_words(case, undefined):
    frame = pd.read_csv(shared_data("messy", "49-agreement-degenerate.csv"))
    frame = frame[frame["case"] == case].set_axis(COLUMNS, axis="columns")

    found = {level: alpha(frame, level) for level in Level}

    assert {each.undefined for each in found.values()} == {undefined}
    assert all(each.words for each in found.values()) == (undefined is not None)
    if case == "one-disagreement":
        assert found[Level.ORDINAL].value == 0.0
    if case == "missing-not-a-label":
        assert found[Level.ORDINAL].value == pytest.approx(1.0)


def test_alpha_at_the_threshold_sees_only_the_side():
    table = read_labels(labels_of_pairs([(0, 1), (2, 3), (0, 2), (3, 3)]), scale=GRADES)
    sides = read_labels(labels_of_pairs([(0, 0), (1, 1), (0, 1), (1, 1)]), scale=(0, 1))

    found = binary_alpha(table.counts, scale=GRADES, threshold=2)

    assert found == alpha_of_counts(sides.counts, scale=(0, 1), level=Level.ORDINAL)


def test_labels_on_one_side_of_the_threshold_have_no_alpha_there():
    table = read_labels(labels_of_pairs([(0, 1), (1, 1)]), scale=GRADES)

    found = binary_alpha(table.counts, scale=GRADES, threshold=2)

    assert found.undefined is Undefined.ONE_SIDE
    assert "same side" in found.words


@pytest.mark.parametrize("threshold", [0, 4])
def test_a_threshold_that_divides_nothing_is_refused(threshold):
    with pytest.raises(ValueError, match="does not divide the scale"):
        binary_alpha(np.array([[1, 1, 0, 0]]), scale=GRADES, threshold=threshold)


def test_a_second_label_by_the_same_annotator_is_refused():
    frame = labels_of_pairs([(1, 2)])
    again = pd.concat([frame, frame.head(1).assign(grade=3)])

    with pytest.raises(ValueError, match="second label by the same annotator"):
        alpha(again)


@pytest.mark.parametrize(
    ("grade", "message"),
    [(7, "outside the scale"), (-1, "outside the scale"), (1.5, "outside the scale"), (None, "empty value")],
)
def test_a_grade_that_is_none_is_refused_with_the_label(grade, message):
    frame = pd.DataFrame([("q1", "d1", "ana", 1), ("q1", "d1", "ben", grade)], columns=COLUMNS)

    with pytest.raises(ValueError, match=message) as refused:
        alpha(frame)

    assert "'ben'" in str(refused.value)


def test_a_missing_column_is_named():
    with pytest.raises(ValueError, match="annotator"):
        alpha(labels_of_pairs([(1, 2)]).drop(columns="annotator"))


@pytest.mark.parametrize("scale", [(), (1,), (1, 0), (0, 0, 1)])
def test_a_scale_is_ascending_and_has_two_grades(scale):
    with pytest.raises(ValueError, match="ascending"):
        alpha(labels_of_pairs([(1, 0)]), scale=scale)


def test_counts_of_another_width_are_refused():
    with pytest.raises(ValueError, match="one column for each"):
        alpha_of_counts(np.array([[1, 1]]), scale=GRADES)


def test_the_same_passage_under_two_queries_is_two_candidates():
    frame = pd.DataFrame([("q1", "d1", "ana", 1), ("q2", "d1", "ben", 2)], columns=COLUMNS)

    assert alpha(frame).undefined is Undefined.NO_PAIR


@given(rows=st.lists(st.lists(st.sampled_from([0, 1, 2, 3, None]), min_size=12, max_size=12), min_size=0, max_size=4))
def test_any_labels_give_a_value_in_range_or_a_reason(rows):
    frame = labels_of_coders(rows, per_query=3)

    for level in Level:
        found = alpha(frame, level)
        assert found.undefined is not None or -1 <= found.value <= 1


def test_a_coefficient_is_a_value_or_a_reason():
    for value, undefined in [(None, None), (1.0, Undefined.NO_PAIR), (float("nan"), None)]:
        with pytest.raises(ValueError, match="a coefficient"):
            Coefficient(value, undefined)
