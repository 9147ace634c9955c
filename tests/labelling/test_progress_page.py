"""The leads' page of progress."""

import uuid

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalsets.models import Role
from labelling.judging import Verdict, change_judgment
from labelling.models import Adjudication
from labelling.progress import (
    SeatCount,
    count_all_seats,
    count_disagreeing,
    describe_annotators,
    describe_queries,
    list_queued_queries,
)
from labelling.queue import LEASE
from tests.factories import make_eval_set, make_member, make_user
from tests.labelling.queue_steps import NOON, give, grade_all, make_annotator, make_seated_set, take

pytestmark = pytest.mark.django_db


def test_seats_are_done_leased_or_free():
    eval_set = make_seated_set(queries=1, per_query=4, rate=1.0)
    first, second = make_annotator(eval_set), make_annotator(eval_set)
    give(first, take(first))
    take(second)

    assert count_all_seats(eval_set, NOON) == SeatCount(candidates=4, done=1, leased=1, free=6)
    assert count_all_seats(eval_set, NOON + LEASE) == SeatCount(candidates=4, done=1, leased=0, free=7)
    assert [row.seats.total for row in describe_queries(list(list_queued_queries(eval_set)), NOON)] == [8]


def test_candidates_disagree_until_a_lead_settles_them():
    eval_set = make_seated_set(queries=1, per_query=2, rate=1.0)
    first, second = make_annotator(eval_set), make_annotator(eval_set)
    grade_all(first, 1)
    given = grade_all(second, 2)
    assert count_disagreeing(eval_set) == 2

    change_judgment(
        judgment=given[0].judgment, annotator=second, verdict=Verdict(grade=1), request_id=uuid.uuid4(), at=NOON
    )
    assert [row.disagreeing for row in describe_queries(list(list_queued_queries(eval_set)), NOON)] == [1]

    Adjudication.objects.create(
        candidate=given[1].judgment.candidate,
        outcome="grade",
        grade=2,
        reason_code="misread",
        request_id=uuid.uuid4(),
        adjudicated_at=NOON,
        adjudicated_by=make_user(),
    )
    assert count_disagreeing(eval_set) == 0


def test_each_annotator_has_a_row_with_a_pace():
    eval_set = make_seated_set(queries=1, per_query=4)
    annotator = make_annotator(eval_set, "anna")
    for seconds in (10, 20, 60):
        give(annotator, take(annotator), seconds=seconds)
    give(annotator, take(annotator), None, cannot_judge="unreadable", seconds=20)

    (row,) = describe_annotators(eval_set)

    assert (row.name, row.judged, row.cannot_judge, row.extra) == ("anna", 4, 1, 0)
    assert (row.median_seconds, row.per_hour, row.last_at) == (20, 180, NOON)


def test_a_lead_sees_the_page_in_few_queries(django_assert_max_num_queries):
    eval_set = make_seated_set(queries=30, per_query=3)
    annotator = make_annotator(eval_set)
    give(annotator, take(annotator, timezone.now()), at=timezone.now())
    client = Client()
    client.force_login(make_member(eval_set, Role.LEAD))

    with django_assert_max_num_queries(20):
        html = client.get(reverse("labelling:view_progress", args=[eval_set.slug])).content.decode()

    assert "<b>1</b> of 90 seats done" in html
    assert annotator.name in html


def test_before_the_pool_the_page_says_so():
    eval_set = make_eval_set()
    client = Client()
    client.force_login(make_member(eval_set, Role.LEAD))

    assert "No seats yet" in client.get(reverse("labelling:view_progress", args=[eval_set.slug])).content.decode()


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ENGINEER])
def test_others_do_not_see_it(role):
    eval_set = make_eval_set()
    client = Client()
    client.force_login(make_member(eval_set, role))

    assert client.get(reverse("labelling:view_progress", args=[eval_set.slug])).status_code == 403
