"""The page of an eval set: what each role sees of the way its data goes, and what comes next for whom."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from evalsets.building import build_pool
from evalsets.models import EvalSet, Role
from evalsets.retrieving import run_retrievers
from evalsets.stations import Station, find_next, list_stations
from labelling.rubrics import get_current_rubric, write_rubric
from tests.evalsets.retrieval_steps import add_retriever, make_searchable
from tests.factories import make_eval_set, make_member
from tests.labelling.label_steps import make_labelled_set
from tests.labelling.queue_steps import grade_all, make_annotator, make_seated_set


def see(eval_set: EvalSet, role: Role, **person: Any) -> dict[str, Station]:
    """The stations as a member of that role sees them, by key."""
    user = person.get("user") or make_member(eval_set, role)
    return {station.key: station for station in list_stations(eval_set, role, user)}


def next_of(stations: dict[str, Station]) -> str:
    [key] = [station.key for station in stations.values() if station.state == "now"]
    return key


def station(key: str, state: Any, action_url: str = "", **fields: Any) -> Station:
    return Station(key, key, "", "1", "things", state, "", action_url=action_url, **fields)


def test_first_open_station_with_something_to_do_is_next() -> None:
    stations = [
        station("a", "done", "/a/"),
        station("b", "open"),
        station("c", "open", "/c/"),
        station("d", "open", "/d/"),
    ]

    assert find_next(stations) is stations[2]


def test_urgent_station_goes_before_the_others() -> None:
    stations = [station("a", "open", "/a/"), station("b", "open", "/b/", urgent=True)]

    assert find_next(stations) is stations[1]


def test_what_others_have_to_do_is_next_where_oneself_has_nothing() -> None:
    stations = [station("a", "done", "/a/"), station("b", "open"), station("c", "waiting")]

    assert find_next(stations) is stations[1]


def test_last_done_station_is_next_where_nothing_is_open() -> None:
    stations = [station("a", "done"), station("b", "done"), station("c", "waiting")]

    assert find_next(stations) is stations[1]
    assert find_next([]) is None


@pytest.mark.django_db
@pytest.mark.parametrize("role", list(Role))
def test_one_station_is_next_for_every_role_of_an_empty_set(client: Client, role: Role) -> None:
    eval_set = make_eval_set(snapshot=None)
    client.force_login(make_member(eval_set, role))

    response = client.get(eval_set.get_absolute_url())

    assert response.status_code == 200
    assert [one.state for one in response.context["stations"]].count("now") == 1


@pytest.mark.django_db
def test_empty_set_begins_with_documents_and_then_queries() -> None:
    empty = make_eval_set(snapshot=None)
    stations = see(empty, Role.LEAD)

    assert next_of(stations) == "documents"
    assert stations["queries"].state == "open"
    assert {stations[key].state for key in ("runs", "pool", "labelling", "agreement", "adjudication")} == {"waiting"}
    assert next_of(see(make_eval_set(), Role.ENGINEER)) == "queries"


@pytest.mark.django_db
def test_each_step_leads_to_the_next_one() -> None:
    eval_set = make_searchable()
    assert next_of(see(eval_set, Role.ENGINEER)) == "runs"

    runs = run_retrievers(eval_set=eval_set, retrievers=[add_retriever(eval_set)], by=None)
    before = see(eval_set, Role.ENGINEER)
    assert next_of(before) == "pool"
    assert "A pool takes at least 3" in before["runs"].sentence

    build_pool(eval_set=eval_set, runs=runs, depth=5, by=None)
    assert see(eval_set, Role.ENGINEER)["pool"].state == "done"
    assert next_of(see(eval_set, Role.LEAD)) == "labelling"


@pytest.mark.django_db
def test_run_that_is_newer_than_the_pool_is_named() -> None:
    eval_set = make_searchable()
    retriever = add_retriever(eval_set)
    build_pool(
        eval_set=eval_set, runs=run_retrievers(eval_set=eval_set, retrievers=[retriever], by=None), depth=5, by=None
    )
    run_retrievers(eval_set=eval_set, retrievers=[retriever], by=None)

    pool = see(eval_set, Role.ENGINEER)["pool"]

    assert (pool.state, pool.sentence, pool.action_label) == ("now", "Run 2 is not in it.", "Add them")


@pytest.mark.django_db
def test_engineer_neither_grades_nor_reads_what_belongs_to_leads() -> None:
    stations = see(make_seated_set(), Role.ENGINEER)

    assert not {"agreement", "adjudication", "own-work"} & set(stations)
    assert not stations["labelling"].action_url
    assert not stations["labelling"].url


@pytest.mark.django_db
def test_annotator_sees_grading_the_rubric_and_own_work_only(client: Client) -> None:
    eval_set = make_seated_set(queries=1, per_query=3, rate=1.0)
    user = make_member(eval_set, Role.ANNOTATOR)
    client.force_login(user)

    page = client.get(eval_set.get_absolute_url())

    assert [one.key for one in page.context["stations"]] == ["rubric", "labelling", "own-work"]
    assert not page.context["facts"]


@pytest.mark.django_db
def test_annotator_is_shown_candidates_and_never_seats() -> None:
    once = see(make_seated_set(queries=1, per_query=3, rate=0.0), Role.ANNOTATOR)
    twice = see(make_seated_set(queries=1, per_query=3, rate=1.0), Role.ANNOTATOR)

    assert once["labelling"].number == twice["labelling"].number == "3"
    assert once["labelling"].state == "now"


@pytest.mark.django_db
def test_annotator_who_judged_everything_has_nothing_waiting() -> None:
    eval_set = make_seated_set(queries=1, per_query=3, rate=0.0)
    annotator = make_annotator(eval_set)
    grade_all(annotator)

    stations = see(eval_set, Role.ANNOTATOR, user=annotator.user)

    assert stations["labelling"].sentence == "Nothing waits for you just now."
    assert (stations["own-work"].number, stations["own-work"].done, stations["own-work"].total) == ("3", 3, 3)


@pytest.mark.django_db
def test_disagreement_goes_before_grading_for_a_lead() -> None:
    eval_set, _candidates = make_labelled_set([3, 0], [2, 2], [1, None])

    stations = see(eval_set, Role.LEAD)

    assert next_of(stations) == "adjudication"
    assert (stations["adjudication"].number, stations["adjudication"].unit) == ("1", "to settle")
    assert stations["labelling"].state == "open"


@pytest.mark.django_db
def test_agreement_is_a_number_from_ten_candidates_on() -> None:
    few, _ = make_labelled_set(*[[3, 3], [0, 0], [1, 2]] * 3)
    enough, _ = make_labelled_set(*[[3, 3], [0, 0], [1, 2]] * 4)

    assert see(few, Role.LEAD)["agreement"].number == "\u2013"
    assert see(enough, Role.LEAD)["agreement"].number.startswith("0.9")


@pytest.mark.django_db
def test_rubric_of_the_eval_set_is_counted_by_its_version() -> None:
    eval_set = make_eval_set()
    assert see(eval_set, Role.LEAD)["rubric"].sentence == "The one that comes with Plumbline."
    rubric = get_current_rubric(eval_set)
    write_rubric(
        eval_set=eval_set, definitions=rubric.definitions, guidance="", after=1, by=make_member(eval_set, Role.LEAD)
    )

    assert see(eval_set, Role.LEAD)["rubric"].number == "2"


@pytest.mark.django_db
def test_page_costs_the_same_number_of_queries_however_much_there_is(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    eval_set, _candidates = make_labelled_set(*[[3, 0], [2, 2]] * 10, queries=5)
    client.force_login(make_member(eval_set, Role.ADMINISTRATOR))
    client.get(eval_set.get_absolute_url())

    with django_assert_max_num_queries(45):
        client.get(eval_set.get_absolute_url())
