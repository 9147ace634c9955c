"""Which seat an annotator gets next."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from evalsets.models import Query
from labelling.models import Judgment, Seat
from labelling.queue import LEASE, claim, get_progress, take_next, waits_elsewhere
from tests.factories import make_pool, make_query
from tests.labelling.queue_steps import (
    NOON,
    give,
    grade_all,
    make_annotator,
    make_seated_set,
    minutes,
    take,
)

pytestmark = pytest.mark.django_db


def test_ones_own_lease_comes_first():
    annotator = make_annotator(make_seated_set(per_query=10))

    first = take(annotator)

    assert take(annotator, minutes(5)) == first
    assert Seat.objects.get(pk=first.pk).leased_until == minutes(5) + LEASE


def test_a_lease_that_ran_out_is_ones_own_while_nobody_took_the_seat():
    annotator = make_annotator(make_seated_set(per_query=10))

    first = take(annotator)

    assert take(annotator, minutes(60)) == first


def test_two_annotators_never_hold_the_same_seat():
    eval_set = make_seated_set(queries=1, per_query=3)
    annotators = [make_annotator(eval_set) for _ in range(4)]

    seats = [take_next(annotator=annotator, at=NOON) for annotator in annotators]

    assert len({seat.pk for seat in seats[:3]}) == 3
    assert seats[3] is None


def test_a_seat_held_by_somebody_cannot_be_claimed_until_the_lease_runs_out():
    eval_set = make_seated_set(queries=1, per_query=1)
    holder, other = make_annotator(eval_set), make_annotator(eval_set)
    seat = take(holder)

    assert not claim(seat_pk=seat.pk, annotator=other, at=NOON + LEASE - timedelta(seconds=1))
    assert claim(seat_pk=seat.pk, annotator=other, at=NOON + LEASE)


def test_a_query_is_finished_before_the_next_one():
    annotator = make_annotator(make_seated_set(queries=4, per_query=5))

    queries = [judged.judgment.candidate.query_id for judged in grade_all(annotator)]

    runs = [query for place, query in enumerate(queries) if place == 0 or queries[place - 1] != query]
    assert len(queries) == 20
    assert len(runs) == 4


def test_the_shuffle_is_another_for_each_annotator_and_never_the_rank():
    eval_set = make_seated_set(queries=1, per_query=12, rate=1.0)

    orders = [
        [judged.judgment.candidate_id for judged in grade_all(make_annotator(eval_set))],
        [judged.judgment.candidate_id for judged in grade_all(make_annotator(eval_set))],
    ]

    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
    assert sorted(orders[0]) not in orders


def test_annotators_begin_with_different_queries():
    eval_set = make_seated_set(queries=30, per_query=3)

    first = Counter(take(make_annotator(eval_set)).query_id for _ in range(6))

    assert len(first) >= 4


def test_nobody_gets_both_seats_of_a_double_label():
    eval_set = make_seated_set(queries=2, per_query=4, rate=1.0)
    first, second, third = (make_annotator(eval_set) for _ in range(3))

    assert [len(grade_all(annotator)) for annotator in (first, second, third)] == [8, 8, 0]
    per_candidate = Counter(Judgment.objects.values_list("candidate", "annotator"))
    assert set(per_candidate.values()) == {1}


def test_the_queue_goes_on_to_another_query_when_others_hold_the_rest_of_this_one():
    eval_set = make_seated_set(queries=2, per_query=2)
    first, second = make_annotator(eval_set), make_annotator(eval_set)
    held = take(first)
    give(first, held)
    rest = Seat.objects.free(NOON).get(query=held.query_id)
    claim(seat_pk=rest.pk, annotator=second, at=NOON)

    assert take(first).query_id != held.query_id


def test_a_retired_query_is_not_handed_out():
    eval_set = make_seated_set(queries=2, per_query=2)
    annotator = make_annotator(eval_set)
    held = take(annotator)
    Query.objects.filter(pk=held.query_id).update(retired_at=timezone.now())

    assert take(annotator).query_id != held.query_id
    assert len(grade_all(annotator)) == 2


def test_what_others_hold_is_told_from_what_is_finished():
    eval_set = make_seated_set(queries=1, per_query=1)
    holder, other = make_annotator(eval_set), make_annotator(eval_set)
    seat = take(holder)

    assert take_next(annotator=other, at=NOON) is None
    assert waits_elsewhere(annotator=other)
    give(holder, seat)
    assert not waits_elsewhere(annotator=other)
    assert not waits_elsewhere(annotator=holder)


def test_a_lease_that_ran_out_is_taken_over():
    eval_set = make_seated_set(queries=1, per_query=1)
    holder, other = make_annotator(eval_set), make_annotator(eval_set)
    seat = take(holder)

    assert take(other, minutes(15)) == seat


def test_new_candidates_appear_when_the_pool_grows():
    eval_set = make_seated_set(queries=1, per_query=2)
    annotator = make_annotator(eval_set)
    grade_all(annotator)
    make_pool(eval_set, [make_query(eval_set)], per_query=2)

    from labelling.seating import open_missing_seats

    open_missing_seats(eval_set=eval_set)

    assert len(grade_all(annotator)) == 2


def test_progress_counts_candidates_and_never_seats():
    eval_set = make_seated_set(queries=2, per_query=4, rate=1.0)
    annotator, other = make_annotator(eval_set), make_annotator(eval_set)
    seat = take(annotator)

    before = get_progress(annotator=annotator, query=seat.query)
    give(annotator, seat)
    after = get_progress(annotator=annotator, query=seat.query)

    assert (before.query_done, before.query_total, before.done, before.total) == (0, 4, 0, 8)
    assert (after.query_done, after.query_total, after.done, after.total) == (1, 4, 1, 8)
    assert get_progress(annotator=other, query=seat.query).query_done == 0


def test_next_and_submit_take_as_many_queries_on_a_large_pool_as_on_a_small_one(django_assert_max_num_queries):
    small = make_annotator(make_seated_set(queries=2, per_query=3))
    large = make_annotator(make_seated_set(queries=60, per_query=40))

    for annotator in (small, large):
        seat = take(annotator)
        with django_assert_max_num_queries(20):
            give(annotator, seat)
            take(annotator)
