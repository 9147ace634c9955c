"""The page of an eval set: what each role sees of the way its data goes, and what comes next for whom."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from evalsets.building import build_pool
from evalsets.models import Role
from evalsets.retrieving import run_retrievers
from evalsets.stations import Station, find_next
from tests.evalsets.retrieval_steps import add_retriever, make_searchable
from tests.factories import make_eval_set, make_member
from tests.station_steps import next_of, see


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
def test_stations_stand_in_the_order_of_the_data() -> None:
    assert list(see(make_searchable(), Role.LEAD)) == [
        "documents",
        "queries",
        "runs",
        "pool",
        "rubric",
        "labelling",
        "agreement",
        "adjudication",
        "gold-sets",
        "scores",
    ]


@pytest.mark.django_db
def test_numbers_are_those_of_the_database() -> None:
    eval_set = make_searchable()
    runs = run_retrievers(eval_set=eval_set, retrievers=[add_retriever(eval_set)], by=None)
    built = build_pool(eval_set=eval_set, runs=runs, depth=5, by=None)

    stations = see(eval_set, Role.ENGINEER)

    numbers = {key: stations[key].number for key in ("documents", "queries", "runs", "pool")}
    assert numbers == {"documents": "3", "queries": "3", "runs": "1", "pool": str(built.added)}
