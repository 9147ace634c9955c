import numpy as np
import pytest

from labelling.statistics.coefficient import Undefined
from labelling.statistics.kappa import (
    Weights,
    agreement_within_one,
    at_least,
    cohen_kappa,
    confusion_matrix,
    exact_agreement,
    fleiss_kappa,
    gwet_ac,
    raw_agreement,
    raw_within_one,
)
from labelling.statistics.labels import read_labels
from tests.labelling.label_frames import GRADES, chorus, labels_of_coders, oracle

SIX_DECIMALS = 5e-7


@pytest.mark.parametrize("hospital", ["winnipeg_n149", "new_orleans_n69"])
@pytest.mark.parametrize(
    ("weights", "name"), [(Weights.NONE, "nominal"), (Weights.LINEAR, "linear"), (Weights.QUADRATIC, "quadratic")]
)
def test_two_neurologists_on_four_grades(hospital, weights, name):
    reference = oracle("O04_weighted_kappa_MSPatients")[hospital]

    found = cohen_kappa(np.array(reference["table"]), weights)

    assert found.value == pytest.approx(reference[name], abs=SIX_DECIMALS)


@pytest.mark.parametrize(
    ("weights", "name"), [(Weights.NONE, "identity"), (Weights.LINEAR, "linear"), (Weights.QUADRATIC, "quadratic")]
)
def test_gwet_on_krippendorffs_example_takes_chance_from_all_units(weights, name):
    rows = oracle("O01_alpha_krippendorff2011_C")["rows_are_coders"]
    counts = read_labels(labels_of_coders(rows), scale=range(1, 6)).counts

    assert gwet_ac(counts, weights).value == pytest.approx(oracle("O05_gwet_on_O01_data")[name], abs=SIX_DECIMALS)


def test_two_annotators_on_ten_candidates():
    reference = oracle("O06_adjudication_exclusion")
    matrix = confusion_matrix(np.array(reference["X"]), np.array(reference["Y"]), size=4)
    counts = read_labels(labels_of_coders([reference["X"], reference["Y"]]), scale=GRADES).counts

    assert matrix.tolist() == reference["confusion"]
    assert exact_agreement(matrix) == raw_agreement(counts) == reference["raw_exact"]
    assert agreement_within_one(matrix) == raw_within_one(counts) == reference["within_1"]
    assert cohen_kappa(matrix).value == pytest.approx(reference["kappa"], abs=SIX_DECIMALS)
    assert cohen_kappa(matrix, Weights.LINEAR).value == pytest.approx(reference["kappa_linear"], abs=SIX_DECIMALS)
    assert cohen_kappa(matrix, Weights.QUADRATIC).value == pytest.approx(reference["kappa_quadratic"], abs=SIX_DECIMALS)


def test_a_dominant_grade_parts_kappa_from_gwet():
    reference = oracle("O07_skew_paradox_95x00_5x30")
    pairs = np.array([(0, 0)] * 95 + [(3, 0)] * 5)
    matrix = confusion_matrix(pairs[:, 0], pairs[:, 1], size=4)
    counts = np.array([[2, 0, 0, 0]] * 95 + [[1, 0, 0, 1]] * 5)

    assert exact_agreement(matrix) == reference["raw_exact"]
    assert cohen_kappa(matrix).value == reference["kappa"]
    assert gwet_ac(counts).value == pytest.approx(reference["gwet_AC1_q4"], abs=SIX_DECIMALS)
    assert gwet_ac(counts[:, [0, 3]]).value == pytest.approx(reference["gwet_AC1_q2"], abs=SIX_DECIMALS)


def test_fleiss_on_candidates_that_all_three_graded():
    counts = read_labels(chorus(), scale=GRADES).counts

    assert fleiss_kappa(counts, annotators=3).value == pytest.approx(0.6426, abs=5e-5)


def test_nothing_to_compare_is_undefined_everywhere():
    empty, single = np.zeros((4, 4), dtype=int), np.array([[1, 0, 0, 0]])

    assert cohen_kappa(empty).undefined is Undefined.NO_PAIR
    assert gwet_ac(single).undefined is Undefined.NO_PAIR
    assert fleiss_kappa(single, annotators=1).undefined is Undefined.NO_PAIR
    assert fleiss_kappa(single, annotators=2).undefined is Undefined.NOBODY_GRADED_ALL
    assert [exact_agreement(empty), agreement_within_one(empty), raw_agreement(single), raw_within_one(single)] == [
        None
    ] * 4


def test_one_grade_throughout_is_undefined():
    matrix = np.diag([0, 0, 12, 0])

    assert [cohen_kappa(matrix, weights).undefined for weights in Weights] == [Undefined.NO_VARIATION] * 3
    assert fleiss_kappa(np.array([[0, 0, 2, 0]] * 12), annotators=2).undefined is Undefined.NO_VARIATION


def test_two_people_who_each_pressed_one_key_agree_by_chance_alone():
    matrix = np.zeros((4, 4), dtype=int)
    matrix[0, 3] = 12

    assert [cohen_kappa(matrix, weights).value for weights in Weights] == [0.0] * 3


def test_grades_fold_into_below_and_at_the_threshold():
    matrix = np.arange(16).reshape(4, 4)

    assert at_least(matrix, position=2).tolist() == [
        [0 + 1 + 4 + 5, 2 + 3 + 6 + 7],
        [8 + 9 + 12 + 13, 10 + 11 + 14 + 15],
    ]


def test_a_candidate_with_many_labels_counts_once():
    counts = np.array([[2, 0, 0, 0], [3, 3, 0, 0]])

    assert raw_agreement(counts) == pytest.approx((1 + 6 / 15) / 2)
