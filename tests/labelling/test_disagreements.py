"""Which candidates wait for a decision, and in which order."""

import pytest

from labelling.adjudication import flag_query
from labelling.comparisons import Choice, Spread
from labelling.disagreements import count_open, find_next, list_decisions
from labelling.models import Annotator, AnnotatorKind, Judgment
from tests.factories import make_member
from tests.labelling.label_frames import labels_of_pairs
from tests.labelling.label_steps import decide, import_frame, label_candidate, labels_of, make_labelled_set
from tests.labelling.queue_steps import NOON, make_annotator

pytestmark = pytest.mark.django_db


def listed(eval_set, **choice):
    return [one.pk for one in list_decisions(eval_set, Choice(**choice))]


def test_what_differs_is_listed_and_what_agrees_or_waits_is_not():
    eval_set, (differ, _agree, _waits) = make_labelled_set((1, 2), (3, 3), (0, None))

    assert listed(eval_set) == [differ.pk]


def test_what_changes_scores_most_comes_first():
    eval_set, candidates = make_labelled_set((0, 1), (2, 3), (1, 2), (0, 3), (2, "unreadable"), (3, 3))
    near_low, near_high, crossing, crossing_far, cannot, _same = (one.pk for one in candidates)

    assert listed(eval_set) == [crossing_far, crossing, cannot, near_high, near_low]


def test_two_grades_apart_on_one_side_is_told_from_one_grade_apart():
    eval_set, _ = make_labelled_set((1, 3), (2, 3), threshold=1)

    assert [one.spread for one in list_decisions(eval_set)] == [Spread.FAR, Spread.NEAR]


def test_a_correction_may_settle_a_disagreement():
    eval_set, (candidate,) = make_labelled_set((1, 2))
    label_candidate(candidate, labels_of(candidate).first().annotator, 2)

    assert listed(eval_set) == []


def test_cannot_judge_waits_for_the_second_label():
    eval_set, (candidate,) = make_labelled_set(("unclear_query", None))
    assert listed(eval_set) == []

    label_candidate(candidate, make_annotator(eval_set), 2)
    assert listed(eval_set) == [candidate.pk]


def test_a_single_cannot_judge_is_listed_where_nobody_else_is_asked():
    eval_set, (candidate,) = make_labelled_set(("unclear_query",), rate=0.0)

    assert listed(eval_set) == [candidate.pk]


def test_labels_of_files_are_compared_only_where_no_person_graded():
    eval_set, (candidate,) = make_labelled_set((2,), rate=0.0)
    import_frame(eval_set, labels_of_pairs([(0, 3), (1, 1)]), kind=AnnotatorKind.FILE)
    imported = Annotator.objects.filter(kind=AnnotatorKind.FILE).first()
    Judgment.objects.create(
        candidate=candidate,
        annotator=imported,
        grade=0,
        origin="import",
        request_id="0" * 32,
        judged_at=NOON,
        text_sha256="",
    )

    (only,) = list_decisions(eval_set)

    assert sorted(only.comparison.grades.values()) == [0, 3]


def test_decided_candidates_stay_in_the_list_as_settled():
    eval_set, (first, second) = make_labelled_set((0, 3), (1, 2))
    decide(first, 3)

    decisions = list_decisions(eval_set)

    assert [(one.pk, one.settled) for one in decisions] == [(first.pk, True), (second.pk, False)]
    assert count_open(decisions) == 1


def test_the_next_one_is_the_open_one_behind_and_goes_round():
    eval_set, (first, second, third) = make_labelled_set((0, 3), (0, 2), (1, 2))
    decide(second, 0)

    decisions = list_decisions(eval_set)

    assert find_next(decisions) == first.pk
    assert find_next(decisions, after=first.pk) == third.pk
    assert find_next(decisions, after=third.pk) == first.pk
    assert find_next(list_decisions(eval_set, Choice(tag="none")), after=1) is None


def test_candidates_of_a_flagged_query_come_last():
    eval_set, (first, second) = make_labelled_set((0, 3), (1, 2), queries=2)
    flag_query(query=first.query, reason="", by=make_member(eval_set), at=NOON)

    assert listed(eval_set) == [second.pk, first.pk]


def test_the_list_is_narrowed_by_query_tag_pair_grades_and_spread():
    eval_set, (first, second, third) = make_labelled_set((0, 3), (1, 2), (0, 1), queries=3)
    second.query.tags = ["price"]
    second.query.save()
    pair = tuple(labels_of(first).values_list("annotator_id", flat=True))

    assert listed(eval_set, query=first.query_id) == [first.pk]
    assert listed(eval_set, tag="price") == [second.pk]
    assert listed(eval_set, pair=pair) == [first.pk, second.pk, third.pk]
    assert listed(eval_set, pair=(pair[0], 10**6)) == []
    assert listed(eval_set, grades=(2, 1)) == [second.pk]
    assert listed(eval_set, spreads=frozenset({Spread.NEAR})) == [third.pk]


def test_a_choice_reads_its_own_url_and_leaves_out_what_is_none():
    choice = Choice(query=3, tag="a b&c", pair=(1, 2), grades=(0, 3), spreads=frozenset({Spread.FAR, Spread.NEAR}))

    assert choice.as_url() == "?query=3&tag=a+b%26c&pair=1-2&grades=0-3&spread=far%2Cnear"
    assert Choice.read({"query": "3", "tag": "a b&c", "pair": "1-2", "grades": "0-3", "spread": "far,near"}) == choice
    assert Choice.read({"query": "x", "pair": "1", "grades": "-", "spread": "wide"}) == Choice()


def test_the_list_takes_few_queries_however_long_it_is(django_assert_max_num_queries):
    eval_set, _ = make_labelled_set(*[(0, 3)] * 12, queries=4)

    with django_assert_max_num_queries(6):
        assert len(list_decisions(eval_set)) == 12
