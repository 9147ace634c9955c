"""What a pool is told of the cost of labelling."""

from __future__ import annotations

import uuid

import pytest

from evalsets.hooks import LabellingTerms, get_labelling_terms
from evalsets.models import Candidate
from labelling.judging import Verdict, judge
from labelling.models import Annotator
from labelling.plans import declare_plan
from labelling.terms import FEWEST_TIMED
from tests.labelling.label_steps import make_labelled_set
from tests.labelling.queue_steps import NOON, make_annotator

pytestmark = pytest.mark.django_db


def test_before_any_plan_the_customary_figures_hold() -> None:
    eval_set, _candidates = make_labelled_set(rate=0.2)

    assert get_labelling_terms(eval_set) == LabellingTerms(double_rate=0.2, seconds_a_judgment=20.0, measured=False)


def test_declared_share_of_double_labels_is_told() -> None:
    eval_set, _candidates = make_labelled_set(rate=0.2)

    declare_plan(eval_set=eval_set, rate=0.5, seed="another seed", by=None)

    assert get_labelling_terms(eval_set).double_rate == 0.5


def test_own_median_counts_from_enough_timed_judgments_on() -> None:
    eval_set, candidates = make_labelled_set(*[(None,)] * FEWEST_TIMED, rate=0.0)
    annotator = make_annotator(eval_set)

    for seconds, candidate in enumerate(candidates[:-1]):
        give_in(seconds, candidate, annotator)
    assert not get_labelling_terms(eval_set).measured
    give_in(500, candidates[-1], annotator)

    terms = get_labelling_terms(eval_set)
    assert (terms.measured, terms.seconds_a_judgment) == (True, 14.5)


def give_in(seconds: float, candidate: Candidate, annotator: Annotator) -> None:
    judge(
        candidate=candidate,
        annotator=annotator,
        verdict=Verdict(grade=1),
        request_id=uuid.uuid4(),
        at=NOON,
        seconds=seconds,
    )
