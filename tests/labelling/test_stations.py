"""The page of an eval set: what each station says, and what is the next thing to do for whom."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from evalsets.building import build_pool
from evalsets.creating import create_eval_set
from evalsets.hooks import get_labelling_terms
from evalsets.models import EvalSet, Role, Run
from evalsets.retrieving import run_retrievers
from labelling.plans import declare_plan
from tests.evalsets.retrieval_steps import add_retriever, make_searchable
from tests.factories import make_member
from tests.labelling.label_steps import decide, make_labelled_set

pytestmark = pytest.mark.django_db


def read(eval_set: EvalSet, role: Role) -> dict[str, dict[str, Any]]:
    client = Client()
    client.force_login(make_member(eval_set, role))
    page = client.get(eval_set.get_absolute_url())
    assert page.status_code == 200
    return {station["key"]: station for station in page.context["stations"]}


def next_of(stations: dict[str, dict[str, Any]]) -> list[str]:
    return [key for key, station in stations.items() if station["state"] == "now"]


def make_retrieved() -> tuple[EvalSet, list[Run]]:
    eval_set = make_searchable()
    retrievers = [add_retriever(eval_set, name, kind) for name, kind in (("words", "bm25"), ("meaning", "lsa"))]
    retrievers.append(add_retriever(eval_set, "both", "rrf", members=["words", "meaning"]))
    return eval_set, run_retrievers(eval_set=eval_set, retrievers=retrievers, by=None)


def test_stations_stand_in_the_order_of_the_data() -> None:
    eval_set = make_searchable()

    assert list(read(eval_set, Role.LEAD)) == [
        "documents",
        "queries",
        "retrievers",
        "runs",
        "pool",
        "labelling",
        "agreement",
        "adjudication",
        "gold",
        "scores",
    ]


def test_annotator_sees_the_grading_alone() -> None:
    eval_set, _candidates = make_labelled_set((1, 2), (None, None))

    stations = read(eval_set, Role.ANNOTATOR)

    assert list(stations) == ["labelling"]
    assert next_of(stations) == ["labelling"]
    assert (stations["labelling"]["number"], stations["labelling"]["total"]) == ("0", 2)


def test_engineer_sees_no_labelling() -> None:
    eval_set, _candidates = make_labelled_set((1, 2))

    assert not {"labelling", "agreement", "adjudication"} & set(read(eval_set, Role.ENGINEER))


def test_empty_eval_set_says_at_each_station_that_there_is_nothing_yet() -> None:
    eval_set = create_eval_set(name="New", slug="fresh", by=None)

    stations = read(eval_set, Role.LEAD)

    assert {stations[key]["number"] for key in ("documents", "queries", "retrievers", "runs", "pool")} == {"0"}
    assert stations["labelling"]["state"] == stations["pool"]["state"] == stations["scores"]["state"] == "waiting"
    assert len(next_of(stations)) == 1


def test_next_thing_moves_from_retrievers_to_runs_to_pool_to_grading() -> None:
    eval_set = make_searchable()
    add_retriever(eval_set, "words")
    assert next_of(read(eval_set, Role.LEAD)) == ["retrievers"]

    add_retriever(eval_set, "meaning", "lsa")
    add_retriever(eval_set, "both", "rrf", members=["words", "meaning"])
    assert next_of(read(eval_set, Role.LEAD)) == ["runs"]

    runs = run_retrievers(eval_set=eval_set, retrievers=list(eval_set.retrievers.all()), by=None)
    assert next_of(read(eval_set, Role.LEAD)) == ["pool"]

    build_pool(eval_set=eval_set, runs=runs, by=None)
    assert next_of(read(eval_set, Role.LEAD)) == ["labelling"]


def test_numbers_are_those_of_the_database() -> None:
    eval_set, runs = make_retrieved()
    built = build_pool(eval_set=eval_set, runs=runs[:2], by=None)

    stations = read(eval_set, Role.LEAD)

    assert stations["documents"]["number"] == "3"
    assert stations["runs"]["number"] == "3"
    assert stations["pool"]["number"] == str(built.added)
    assert stations["pool"]["sentence"] == "1 run did not contribute yet."


def test_disagreements_that_are_settled_no_longer_count() -> None:
    eval_set, candidates = make_labelled_set((0, 3), (3, 0), (1, 1))
    assert read(eval_set, Role.LEAD)["adjudication"]["number"] == "2"

    decide(candidates[0], 2)

    station = read(eval_set, Role.LEAD)["adjudication"]
    assert station["number"] == "1"
    assert station["sentence"] == "1 of 2 disagreements are settled."


def test_alpha_is_written_from_ten_units_on() -> None:
    nine, _candidates = make_labelled_set(*[(grade % 4, grade % 4) for grade in range(9)])
    ten, _candidates = make_labelled_set(*[(grade % 4, grade % 4) for grade in range(10)])

    assert read(nine, Role.LEAD)["agreement"]["number"] == "\N{EN DASH}"
    agreement = read(ten, Role.LEAD)["agreement"]
    assert (agreement["number"], agreement["unit"]) == ("1.000", "alpha, n = 10")


def test_pool_is_told_the_declared_share_of_double_labels() -> None:
    eval_set = make_searchable()

    declare_plan(eval_set=eval_set, rate=0.5, seed="seed", by=None)

    terms = get_labelling_terms(eval_set)
    assert (terms.double_rate, terms.seconds_a_judgment, terms.measured) == (0.5, 20.0, False)


def test_page_costs_a_fixed_number_of_queries(django_assert_max_num_queries: Any) -> None:
    eval_set, _candidates = make_labelled_set(*[(0, 3)] * 12, queries=4)
    client = Client()
    client.force_login(make_member(eval_set, Role.LEAD))

    with django_assert_max_num_queries(40):
        client.get(eval_set.get_absolute_url())
