import json
import random
from dataclasses import asdict

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelling.statistics.coefficient import Undefined
from labelling.statistics.intervals import Withheld
from labelling.statistics.report import describe_agreement
from labelling.statistics.wording import Band, Note, band_of
from tests.labelling.label_frames import (
    COLUMNS,
    GRADES,
    chorus,
    code_search_net,
    labels_of_coders,
    labels_of_pairs,
    oracle,
)

FOUR_DECIMALS = 5e-5
LAST_DIGIT = (
    1e-4  # see test_alpha.py: two of the values that come with the chorus ratings are off by one in the fourth decimal
)


def describe(frame, **options):
    return describe_agreement(frame, **{"scale": GRADES, "threshold": 2, "seed": 11, "resamples": 200} | options)


def notes(report):
    return [notice.note for notice in report.notices]


def varied_pairs(count):
    """Pairs that agree four times in five, on all grades, and are sometimes one or three apart."""
    pattern = [(0, 0), (3, 3), (1, 1), (2, 2), (1, 2), (0, 0), (3, 3), (2, 2), (1, 1), (3, 0)]
    return [pattern[i % 10] for i in range(count)]


@pytest.fixture(scope="module")
def chorus_report():
    return describe_agreement(chorus(), scale=GRADES, threshold=2, seed=1)


def test_real_ratings_have_their_totals(chorus_report):
    totals = chorus_report.totals

    assert (totals.n_units, totals.n_queries, totals.n_annotators, totals.n_labels) == (3188, 135, 3, 9564)
    assert (totals.n_pairs_with_overlap, totals.n_pairs_possible, totals.n_single_labelled) == (3, 3, 0)


def test_real_ratings_have_their_alphas(chorus_report):
    alpha = chorus_report.alpha

    assert alpha.nominal.coefficient.value == pytest.approx(0.6426, abs=FOUR_DECIMALS)
    assert alpha.ordinal.coefficient.value == pytest.approx(0.7695, abs=FOUR_DECIMALS)
    assert alpha.interval.coefficient.value == pytest.approx(0.7708, abs=LAST_DIGIT)
    assert chorus_report.fleiss.value == pytest.approx(0.6426, abs=FOUR_DECIMALS)
    assert alpha.band is Band.ADEQUATE


@pytest.mark.parametrize("reading", ["ordinal", "nominal", "interval", "binary"])
def test_each_alpha_lies_in_its_interval_from_resampled_queries(chorus_report, reading):
    found = getattr(chorus_report.alpha, reading)

    assert found.interval.low < found.coefficient.value < found.interval.high
    assert (found.interval.resampled, found.interval.groups, found.interval.resamples) == ("queries", 135, 2000)


@pytest.mark.parametrize(
    ("pair", "values"),
    [
        (("agent_1", "agent_2"), (0.8215, 0.6820, 0.7631, 0.7990, 0.7803)),
        (("agent_1", "agent_3"), (0.7973, 0.6458, 0.7315, 0.7755, 0.7268)),
        (("agent_2", "agent_3"), (0.7713, 0.6013, 0.6925, 0.7374, 0.7032)),
    ],
)
def test_each_pair_of_real_raters_has_its_kappas(chorus_report, pair, values):
    [found] = [each for each in chorus_report.by_pair if (each.first, each.second) == pair]

    kappas = [found.kappa, found.kappa_linear, found.kappa_quadratic, found.kappa_binary]
    assert found.n_units == 3188
    assert [found.exact, *(kappa.value for kappa in kappas)] == pytest.approx(values, abs=LAST_DIGIT)


def test_nameless_raters_have_their_alphas_and_counts():
    report = describe(code_search_net())

    found = [
        reading.coefficient.value for reading in (report.alpha.nominal, report.alpha.ordinal, report.alpha.interval)
    ]
    assert found == pytest.approx([0.1881, 0.4669, 0.4666], abs=FOUR_DECIMALS)
    assert (report.totals.n_units, report.totals.n_single_labelled) == (880, 2914 - 880)
    assert report.alpha.band is Band.TYPICAL


def test_a_report_is_plain_json(chorus_report):
    plain = json.loads(json.dumps(chorus_report.as_dict(), allow_nan=False))

    assert plain["alpha"]["ordinal"]["coefficient"]["value"] == chorus_report.alpha.ordinal.coefficient.value
    assert plain["alpha"]["band"] == "adequate"
    assert plain["by_pair"][0]["confusion"][0][0] > 0


def test_no_pair_is_said_in_words_and_nothing_is_computed():
    report = describe(labels_of_coders([[1, None, 2], [None, 3, None]]))

    assert notes(report) == [Note.NO_PAIR]
    assert report.alpha.ordinal.coefficient.undefined is Undefined.NO_PAIR
    assert report.alpha.ordinal.interval.withheld is Withheld.NO_COEFFICIENT
    assert (report.totals.n_units, report.totals.n_single_labelled, report.totals.exact) == (0, 3, None)
    assert report.by_pair == report.by_annotator == report.by_query == ()


def test_no_label_at_all_is_no_pair():
    assert notes(describe(pd.DataFrame(columns=COLUMNS))) == [Note.NO_PAIR]


def test_no_variation_is_neither_perfect_nor_an_error():
    report = describe(labels_of_pairs([(2, 2)] * 40))

    assert notes(report) == [Note.NO_VARIATION]
    assert report.alpha.ordinal.coefficient.undefined is Undefined.NO_VARIATION
    assert report.alpha.binary.coefficient.undefined is Undefined.ONE_SIDE
    assert report.by_pair[0].kappa.undefined is Undefined.NO_VARIATION
    assert (report.alpha.band, report.dominant_grade, report.totals.exact) == (None, None, 1.0)


def test_one_dissent_is_zero_with_its_words_and_no_interval():
    report = describe(labels_of_pairs([(0, 0)] * 49 + [(0, 1)]))

    assert Note.ONE_DISSENT in notes(report)
    assert report.alpha.ordinal.coefficient.value == 0.0
    assert report.alpha.ordinal.interval.withheld is Withheld.OFTEN_UNDEFINED


def test_under_ten_candidates_there_are_counts_only():
    report = describe(labels_of_pairs(varied_pairs(9)), tags={"q000": ["faq"]})

    assert Note.COUNTS_ONLY in notes(report)
    assert "9 candidates" in report.notices[0].words
    shown = [
        report.alpha.ordinal.coefficient,
        report.by_pair[0].kappa,
        report.by_annotator[0].alpha,
        report.by_tag[0].alpha,
        report.fleiss,
    ]
    assert {each.undefined for each in shown} == {Undefined.TOO_FEW}
    assert (report.totals.n_same, report.totals.n_crossing) == (8, 1)
    assert sum(map(sum, report.confusion)) == 18


@pytest.mark.parametrize(
    ("units", "per_query", "preliminary"), [(29, 5, True), (30, 5, False), (30, 10, True), (60, 10, False)]
)
def test_few_candidates_or_few_queries_are_preliminary(units, per_query, preliminary):
    report = describe(labels_of_pairs(varied_pairs(units), per_query=per_query))

    assert report.preliminary is preliminary
    assert (Note.PRELIMINARY in notes(report)) is preliminary
    assert report.alpha.ordinal.coefficient.value is not None


def test_hardly_any_second_grade_is_preliminary():
    assert describe(labels_of_pairs([(0, 0)] * 56 + [(0, 1)] * 4, per_query=5)).preliminary


def test_perfect_agreement_on_many_candidates_looks_copied():
    report = describe(labels_of_pairs([(0, 0), (3, 3)] * 25))

    assert Note.LOOKS_COPIED in notes(report)
    assert report.alpha.ordinal.coefficient.value == 1.0
    assert describe(labels_of_pairs([(0, 0), (3, 3)] * 24)).by_pair[0].looks_copied is False


def test_a_pair_that_copies_is_named_among_others():
    grades = [first for first, _ in varied_pairs(60)]
    others = [second for _, second in varied_pairs(60)]

    report = describe(labels_of_coders([grades, grades, others]))

    [copied] = [notice for notice in report.notices if notice.note is Note.LOOKS_COPIED]
    assert copied.words.startswith("coder0 and coder1 agree on all of 60")


def test_a_dominant_grade_brings_gwet_beside_alpha():
    report = describe(labels_of_pairs([(0, 0)] * 95 + [(3, 0)] * 5))

    assert (report.dominant_grade.grade, report.dominant_grade.share) == (0, 0.975)
    assert report.dominant_grade.ac1.value == pytest.approx(
        oracle("O07_skew_paradox_95x00_5x30")["gwet_AC1_q4"], abs=5e-7
    )
    assert Note.DOMINANT_GRADE in notes(report)
    assert describe(labels_of_pairs(varied_pairs(50))).dominant_grade is None


def test_the_matrix_of_a_pair_needs_twenty_candidates():
    few, enough = (
        describe(labels_of_pairs(varied_pairs(19))).by_pair[0],
        describe(labels_of_pairs(varied_pairs(20))).by_pair[0],
    )

    assert (few.confusion, few.measured) == (None, False)
    assert enough.measured
    assert enough.confusion[3][0] == 2
    assert enough.confusion[0][3] == 0


def test_pairs_of_annotators_that_share_too_little_are_counted():
    grades = [first for first, _ in varied_pairs(40)]
    report = describe(labels_of_coders([grades[:20] + [None] * 20, grades, [None] * 20 + grades[20:]]))

    assert (report.totals.n_pairs_with_overlap, report.totals.n_pairs_possible) == (2, 3)
    assert report.notices[-1].note is Note.UNMEASURED_PAIRS
    assert report.notices[-1].words.startswith("1 of 3 pairs")


def test_a_generous_annotator_has_a_positive_bias():
    report = describe(labels_of_coders([[0, 1, 2] * 10, [0, 1, 2] * 10, [1, 2, 3] * 10]))

    assert [each.bias for each in report.by_annotator] == pytest.approx([-0.5, -0.5, 1.0])
    assert [each.mean_grade for each in report.by_annotator] == pytest.approx([1, 1, 2])
    assert report.by_annotator[0].alpha.value > report.by_annotator[2].alpha.value


def test_of_two_annotators_each_against_the_rest_is_alpha_itself():
    report = describe(labels_of_pairs(varied_pairs(40)))

    assert {each.alpha.value for each in report.by_annotator} == {report.alpha.ordinal.coefficient.value}


def test_each_grade_says_how_often_the_other_label_is_the_same():
    report = describe(labels_of_pairs([(0, 0), (0, 0), (0, 1), (1, 3)]))

    assert [(each.grade, each.n_labels, each.same) for each in report.by_grade] == [
        (0, 5, 0.8),
        (1, 2, 0.0),
        (2, 0, None),
        (3, 1, 0.0),
    ]


def test_a_query_has_a_coefficient_from_ten_candidates():
    report = describe(labels_of_pairs(varied_pairs(19)))

    first, second = report.by_query
    assert (first.name, first.n_units, first.alpha.undefined) == ("q000", 10, None)
    assert (second.name, second.n_units, second.alpha.undefined) == ("q001", 9, Undefined.TOO_FEW)
    assert first.preliminary
    assert first.interval is None


def test_a_tag_gathers_its_queries():
    tags = {"q000": ["table", "acronym"], "q001": ["table"], "q777": ["table"]}

    acronym, table = describe(labels_of_pairs(varied_pairs(30)), tags=tags).by_tag

    assert (acronym.name, acronym.n_queries, acronym.n_units) == ("acronym", 1, 10)
    assert (table.name, table.n_queries, table.n_units) == ("table", 2, 20)
    assert acronym.interval.withheld is Withheld.ONE_GROUP
    assert table.interval.groups == 2


def test_a_set_of_two_grades_is_read_on_its_own_scale():
    report = describe(labels_of_pairs([(0, 0), (1, 1), (0, 1)] * 10), scale=(0, 1), threshold=1)

    assert report.alpha.binary.coefficient.value == pytest.approx(report.alpha.ordinal.coefficient.value)
    assert len(report.confusion) == 2


def test_a_threshold_outside_the_scale_is_refused():
    with pytest.raises(ValueError, match="does not divide"):
        describe(labels_of_pairs([(0, 1)]), threshold=4)


@pytest.mark.parametrize(
    ("alpha", "band"),
    [
        (0.80, Band.STRONG),
        (0.799, Band.ADEQUATE),
        (0.667, Band.ADEQUATE),
        (0.666, Band.TYPICAL),
        (0.45, Band.TYPICAL),
        (0.449, Band.LOW),
        (-0.1, Band.LOW),
    ],
)
def test_bands_begin_at_their_bars(alpha, band):
    assert band_of(alpha) is band
    assert band.words


some_coders = st.lists(st.lists(st.sampled_from([0, 1, 2, 3, None]), min_size=14, max_size=14), min_size=2, max_size=4)


@settings(max_examples=25, deadline=None)
@given(rows=some_coders, seed=st.integers(0, 99))
def test_the_order_of_labels_changes_nothing(rows, seed):
    frame = labels_of_coders(rows, per_query=4)
    order = random.Random(seed).sample(range(len(frame)), len(frame))

    assert describe(frame.iloc[order], resamples=50) == describe(frame, resamples=50)


@settings(max_examples=25, deadline=None)
@given(rows=some_coders, order=st.permutations(["ana", "ben", "cem", "dora"]))
def test_the_names_of_annotators_change_nothing_but_names(rows, order):
    frame = labels_of_coders(rows, per_query=4)
    names = {f"coder{number}": name for number, name in enumerate(order)}

    before, after = (
        describe(frame, resamples=50),
        describe(frame.assign(annotator=frame["annotator"].map(names)), resamples=50),
    )

    for part in ("totals", "alpha", "fleiss", "confusion", "by_grade", "by_query", "dominant_grade"):
        assert getattr(after, part) == getattr(before, part)
    assert {each.annotator: (each.bias, each.alpha) for each in after.by_annotator} == {
        names[each.annotator]: (each.bias, each.alpha) for each in before.by_annotator
    }
    assert {frozenset((each.first, each.second)): each.kappa.value for each in after.by_pair} == pytest.approx(
        {frozenset((names[each.first], names[each.second])): each.kappa.value for each in before.by_pair}
    )


@settings(max_examples=25, deadline=None)
@given(rows=some_coders, singles=st.lists(st.sampled_from(GRADES), min_size=1, max_size=5))
def test_single_labels_change_nothing_but_their_own_count(rows, singles):
    frame = labels_of_coders(rows, per_query=4)
    alone = pd.DataFrame(
        [(f"q{i % 2:03}", f"alone{i}", f"new{i}", grade) for i, grade in enumerate(singles)], columns=COLUMNS
    )

    before, after = describe(frame, resamples=50).as_dict(), describe(pd.concat([frame, alone]), resamples=50).as_dict()

    assert after["totals"].pop("n_single_labelled") == before["totals"].pop("n_single_labelled") + len(singles)
    assert after == before


@settings(max_examples=25, deadline=None)
@given(rows=some_coders)
def test_the_names_of_units_and_queries_change_no_coefficient(rows):
    frame = labels_of_coders(rows, per_query=4)
    renamed = frame.assign(
        query_id=frame["query_id"].map(lambda name: name[::-1]), unit_id=frame["unit_id"].map(lambda name: name[::-1])
    )

    before, after = describe(frame, resamples=50), describe(renamed, resamples=50)

    assert asdict(after.totals) == pytest.approx(asdict(before.totals), abs=1e-12)
    for reading in ("ordinal", "nominal", "interval", "binary"):
        old, new = getattr(before.alpha, reading).coefficient, getattr(after.alpha, reading).coefficient
        assert new.undefined == old.undefined
        assert new.value == (old.value if old.value is None else pytest.approx(old.value, abs=1e-12))
