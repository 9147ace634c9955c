"""Two people press the button at the same moment: the pool holds everything once."""

from __future__ import annotations

import threading

import pytest
from django.db import connection

from evalsets.building import PoolBuilt, build_pool
from evalsets.models import Candidate, Contribution, EvalSet, Pool, Run
from tests.evalsets.retrieval_steps import add_recorded_run, make_searchable

pytestmark = pytest.mark.django_db(transaction=True)


def build_at_once(eval_set: EvalSet, choices: list[list[Run]]) -> list[PoolBuilt]:
    built: list[PoolBuilt] = []
    start = threading.Barrier(len(choices))

    def work(runs: list[Run]) -> None:
        try:
            start.wait(timeout=20)
            built.append(build_pool(eval_set=eval_set, runs=runs, by=None))
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(runs,)) for runs in choices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return built


def test_same_pool_built_by_four_at_once_is_there_once() -> None:
    eval_set = make_searchable(unit="document")
    runs = [add_recorded_run(eval_set, {"q1": "guide old", "q2": "secret"}, name) for name in "AB"]

    built = build_at_once(eval_set, [runs] * 4)

    assert sorted(one.added for one in built) == [0, 0, 0, 3]
    assert Candidate.objects.count() == 3
    assert Pool.objects.count() == 1
    # Two runs brought each of three candidates, and one of them is stated as evidence.
    assert Contribution.objects.count() == 7


def test_pools_of_different_runs_built_at_once_add_up() -> None:
    eval_set = make_searchable(unit="document")
    runs = [
        add_recorded_run(eval_set, {"q1": found}, name) for name, found in (("A", "guide old"), ("B", "old secret"))
    ]

    built = build_at_once(eval_set, [[run] for run in runs])

    assert len(built) == 2
    assert set(Candidate.objects.values_list("doc_id", flat=True)) == {"guide", "old", "secret"}
    assert Contribution.objects.filter(candidate__doc_id="old").count() == 2
