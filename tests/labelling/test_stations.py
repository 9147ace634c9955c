"""The stations of the human work on the page of an eval set, and what the pool is told about it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from evalsets.hooks import get_labelling_terms
from evalsets.models import Role
from labelling.plans import declare_plan
from labelling.rubrics import get_current_rubric, write_rubric
from tests.factories import make_eval_set, make_member
from tests.labelling.label_steps import decide, make_labelled_set
from tests.labelling.queue_steps import grade_all, make_annotator, make_seated_set
from tests.station_steps import next_of, see

pytestmark = pytest.mark.django_db


def test_engineer_neither_grades_nor_reads_what_belongs_to_leads() -> None:
    stations = see(make_seated_set(), Role.ENGINEER)

    assert not {"agreement", "adjudication", "own-work"} & set(stations)
    assert not stations["labelling"].action_url
    assert not stations["labelling"].url


def test_annotator_sees_grading_the_rubric_and_own_work_only(client: Client) -> None:
    eval_set = make_seated_set(queries=1, per_query=3, rate=1.0)
    user = make_member(eval_set, Role.ANNOTATOR)
    client.force_login(user)

    page = client.get(eval_set.get_absolute_url())

    assert [one.key for one in page.context["stations"]] == ["rubric", "labelling", "own-work"]
    assert not page.context["facts"]


def test_annotator_is_shown_candidates_and_never_seats() -> None:
    once = see(make_seated_set(queries=1, per_query=3, rate=0.0), Role.ANNOTATOR)
    twice = see(make_seated_set(queries=1, per_query=3, rate=1.0), Role.ANNOTATOR)

    assert once["labelling"].number == twice["labelling"].number == "3"
    assert once["labelling"].state == "now"


def test_annotator_who_judged_everything_has_nothing_waiting() -> None:
    eval_set = make_seated_set(queries=1, per_query=3, rate=0.0)
    annotator = make_annotator(eval_set)
    grade_all(annotator)

    stations = see(eval_set, Role.ANNOTATOR, user=annotator.user)

    assert stations["labelling"].sentence == "Nothing waits for you just now."
    assert (stations["own-work"].number, stations["own-work"].done, stations["own-work"].total) == ("3", 3, 3)


def test_disagreement_goes_before_grading_for_a_lead() -> None:
    eval_set, _candidates = make_labelled_set([3, 0], [2, 2], [1, None])

    stations = see(eval_set, Role.LEAD)

    assert next_of(stations) == "adjudication"
    assert (stations["adjudication"].number, stations["adjudication"].unit) == ("1", "to settle")
    assert stations["labelling"].state == "open"


def test_agreement_is_a_number_from_ten_candidates_on() -> None:
    few, _ = make_labelled_set(*[[3, 3], [0, 0], [1, 2]] * 3)
    enough, _ = make_labelled_set(*[[3, 3], [0, 0], [1, 2]] * 4)

    assert see(few, Role.LEAD)["agreement"].number == "\u2013"
    assert see(enough, Role.LEAD)["agreement"].number.startswith("0.9")


def test_rubric_of_the_eval_set_is_counted_by_its_version() -> None:
    eval_set = make_eval_set()
    assert see(eval_set, Role.LEAD)["rubric"].sentence == "The one that comes with Plumbline."
    rubric = get_current_rubric(eval_set)
    write_rubric(
        eval_set=eval_set, definitions=rubric.definitions, guidance="", after=1, by=make_member(eval_set, Role.LEAD)
    )

    assert see(eval_set, Role.LEAD)["rubric"].number == "2"


def test_page_costs_the_same_number_of_queries_however_much_there_is(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    eval_set, _candidates = make_labelled_set(*[[3, 0], [2, 2]] * 10, queries=5)
    client.force_login(make_member(eval_set, Role.ADMINISTRATOR))
    client.get(eval_set.get_absolute_url())

    with django_assert_max_num_queries(45):
        client.get(eval_set.get_absolute_url())


def test_disagreements_that_are_settled_no_longer_count() -> None:
    eval_set, candidates = make_labelled_set((0, 3), (3, 0), (1, 1))
    assert see(eval_set, Role.LEAD)["adjudication"].number == "2"

    decide(candidates[0], 2)

    station = see(eval_set, Role.LEAD)["adjudication"]
    assert (station.number, station.sentence) == ("1", "1 of 2 disagreements are settled.")


def test_pool_is_told_the_declared_share_of_double_labels() -> None:
    eval_set = make_eval_set()

    declare_plan(eval_set=eval_set, rate=0.5, seed="seed", by=None)

    terms = get_labelling_terms(eval_set)
    assert (terms.double_rate, terms.seconds_a_judgment, terms.measured) == (0.5, 20.0, False)
