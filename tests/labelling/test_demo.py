"""The demo loads through the real work, can be interrupted, and is loaded once."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from evalsets.demo_people import LOCAL_PASSWORD, make_people, sign_ins_to_show
from evalsets.models import Candidate, EvalSet, GoldLabel, GoldSet, Provenance, Query, Run
from labelling import demo
from labelling.demo import load_demo
from labelling.disagreements import count_open, list_decisions
from labelling.models import Adjudication, Judgment, Seat
from tests.factories import make_eval_set

pytestmark = pytest.mark.django_db


def load() -> EvalSet:
    return load_demo(say=lambda line: None)[0]


def test_every_page_has_something_true_to_show_and_a_second_load_changes_nothing(client: Client) -> None:
    eval_set = load()

    assert eval_set.is_demo
    assert Run.objects.complete().count() == 3
    pooled, judged = Candidate.objects.count(), Judgment.objects.live().values("candidate").distinct().count()
    assert 0.4 < judged / pooled < 0.6
    assert Seat.objects.open().exists()
    assert Adjudication.objects.exists()
    assert count_open(list_decisions(eval_set))
    assert {Provenance.SINGLE, Provenance.AGREED, Provenance.ADJUDICATED} <= set(
        GoldLabel.objects.values_list("provenance", flat=True)
    )
    answerable = Query.objects.filter(answerable=True, synthetic=False).count()
    assert answerable > 40

    counts = [model.objects.count() for model in (Judgment, GoldSet, Run, Candidate, Adjudication)]
    load()
    assert counts == [model.objects.count() for model in (Judgment, GoldSet, Run, Candidate, Adjudication)]

    assert LOCAL_PASSWORD in client.get(reverse("people:sign_in")).content.decode()


def test_load_that_was_interrupted_goes_on_where_it_stopped() -> None:
    class StoppedError(Exception):
        pass

    def stop_at(words: str) -> demo.Say:
        def say(line: str) -> None:
            if line.startswith(words):
                raise StoppedError

        return say

    for words in ("Imported 90", "Ran", "Pooled", "Took"):
        with pytest.raises(StoppedError):
            load_demo(say=stop_at(words))

    eval_set = load()

    assert Run.objects.complete().filter(eval_set=eval_set).count() == 3
    assert GoldSet.objects.filter(eval_set=eval_set).count() == 1
    assert Judgment.objects.count() == Judgment.objects.live().count()


def test_on_a_server_that_others_reach_nobody_has_a_known_password(settings: object) -> None:
    settings.LOCAL = False  # type: ignore[attr-defined]

    _users, sign_ins = make_people(make_eval_set())

    assert all(one.password and one.password != LOCAL_PASSWORD for one in sign_ins)
    assert len({one.password for one in sign_ins}) == len(sign_ins)
    assert not sign_ins_to_show()
