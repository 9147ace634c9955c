"""From the labels of one candidate to its gold grade."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsets.models import Provenance
from labelling.comparisons import Spread
from labelling.resolving import Decision, Label, resolve


def labels(*grades, **fields):
    return [Label(number, grade, **fields) for number, grade in enumerate(grades)]


@pytest.mark.parametrize(
    ("given_labels", "grade", "provenance", "left_open"),
    [
        (labels(2), 2, "single", None),
        (labels(2, imported=True), 2, "imported", None),
        (labels(1, of_person=False, imported=True), 1, "imported", None),
        (labels(3, 3), 3, "agreed", None),
        (labels(3, 3, imported=True), 3, "agreed", None),
        (labels(2, 3), None, None, Spread.NEAR),
        (labels(1, 2), None, None, Spread.CROSSING),
        (labels(0, 3), None, None, Spread.CROSSING),
        (labels(2, 2, 1), None, None, Spread.CROSSING),
        (labels(None), None, None, Spread.CANNOT_JUDGE),
        (labels(None, 2), 2, "single", Spread.CANNOT_JUDGE),
        (labels(None, None), None, None, Spread.CANNOT_JUDGE),
        (labels(0, 3, of_person=False), None, None, Spread.CROSSING),
        ([], None, None, None),
        ([*labels(2), Label(9, 0, of_person=False)], 2, "single", None),
        ([Label(1, None), Label(9, 0, of_person=False)], 0, "imported", Spread.CANNOT_JUDGE),
    ],
)
def test_labels_become_a_grade_or_stay_open(given_labels, grade, provenance, left_open):
    found = resolve(given_labels, threshold=2)

    assert (found.grade, found.provenance, found.open) == (grade, provenance and Provenance(provenance), left_open)


def test_the_lower_grade_is_taken_only_on_one_side_and_only_when_asked_for():
    assert resolve(labels(3, 2), threshold=2, take_lower=True).grade == 2
    assert resolve(labels(3, 2), threshold=2, take_lower=True).provenance is Provenance.LOWER
    assert resolve(labels(1, 0, 0), threshold=2, take_lower=True).grade == 0
    assert resolve(labels(1, 2), threshold=2, take_lower=True).grade is None
    assert resolve(labels(1, 3), threshold=1, take_lower=True).open is Spread.FAR


def test_a_decision_stands_above_all_labels():
    found = resolve(labels(3, 3), threshold=2, decision=Decision(1))

    assert (found.grade, found.provenance) == (1, Provenance.ADJUDICATED)


def test_what_cannot_be_settled_has_no_grade_and_nothing_open():
    found = resolve(labels(0, 3), threshold=2, decision=Decision(None), take_lower=True)

    assert (found.grade, found.provenance, found.open) == (None, None, None)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.integers(1, 3), st.booleans())
def test_no_grade_comes_out_that_nobody_gave(grades, threshold, take_lower):
    found = resolve(labels(*grades), threshold=threshold, take_lower=take_lower)

    assert found.grade is None or found.grade in grades
    assert (found.grade is None) == (found.provenance is None)
    if len(set(grades)) > 1 and found.grade is not None:
        assert take_lower
        assert (min(grades) >= threshold) == (max(grades) >= threshold)
