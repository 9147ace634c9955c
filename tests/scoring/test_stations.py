"""The station of the scores on the page of an eval set."""

from __future__ import annotations

import pytest

from evalsets.models import Role
from scoring.reports import Choice, get_report
from tests.factories import make_eval_set
from tests.scoring.scored_sets import make_scored_set
from tests.station_steps import see

pytestmark = pytest.mark.django_db

LABELS = {"q1": {"d1": 3, "d2": 2}, "q2": {"d3": 2}}
WORSE = {"q1": ["d9", "d1"], "q2": ["d9"]}
BETTER = {"q1": ["d1", "d2"], "q2": ["d3"]}


def test_scores_wait_for_a_gold_set() -> None:
    assert see(make_eval_set(), Role.ENGINEER)["scores"].state == "waiting"


def test_runs_are_to_be_scored_once_there_is_a_gold_set() -> None:
    scored = make_scored_set(LABELS, WORSE, BETTER)

    station = see(scored.eval_set, Role.ENGINEER)["scores"]

    assert (station.number, station.sentence) == ("\u2013", "Score 2 runs on gold set version 1.")


def test_best_run_gives_the_number() -> None:
    scored = make_scored_set(LABELS, WORSE, BETTER)
    for run in scored.runs:
        get_report(Choice.of(scored.gold_set, run), by=None)

    station = see(scored.eval_set, Role.ENGINEER)["scores"]

    assert (station.number, station.unit) == ("1.000", "best nDCG@3")
    assert station.sentence == "Run 2, retriever 2, mean over 2 queries of gold set version 1."


def test_report_under_other_depths_is_no_headline() -> None:
    scored = make_scored_set(LABELS, BETTER)
    get_report(Choice.of(scored.gold_set, scored.runs[0], k=1), by=None)
    get_report(Choice.of(scored.gold_set, scored.runs[0], split="dev"), by=None)

    assert see(scored.eval_set, Role.ENGINEER)["scores"].number == "\u2013"


def test_annotator_sees_no_scores() -> None:
    assert "scores" not in see(make_scored_set(LABELS, BETTER).eval_set, Role.ANNOTATOR)
