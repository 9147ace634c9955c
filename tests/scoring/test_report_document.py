"""The report for machines: complete, and the same bytes for the same input."""

import json

import numpy as np

from scoring.engine import ENGINE_VERSION
from scoring.engine.comparison import compare, flip_rules
from scoring.engine.reporting import comparison_document, plain, report_document, to_json
from tests.scoring.frames import results_frame, score

GOLD = {"q1": {"d1": 3, "d2": 2, "d3": 0}, "q2": {"d1": 1}, "q3": {"d5": 2}}
LISTS = {"q1": ["d3", "d1", "d9"], "q3": ["d9", "d7", "d5"]}


def document(lists=LISTS, gold=GOLD):
    scores = score(results_frame(lists), gold, "nDCG@10", "RR", "R@100", "FirstRel")
    return report_document(scores, warnings=["one"], provenance={"run": "base"})


def test_a_report_names_values_definitions_and_what_was_not_scored():
    made = json.loads(to_json(document()))
    assert made["measures"]["RR"] | {"interval": None} == made["measures"]["RR"]
    assert {key: made["measures"]["RR"][key] for key in ("mean", "median", "p10", "zero", "n")} == {
        "mean": 0.4166666667,
        "median": 0.4166666667,
        "p10": 0.35,
        "zero": 0,
        "n": 2,
    }
    assert made["queries"]["q3"]["RR"] == 0.3333333333
    assert made["warnings"] == ["one"]
    assert made["not_scored"]["without_relevant_label"] == ["q2"]
    definition = made["definition"]
    assert (definition["threshold"], definition["gain"], definition["unit"], definition["run"]) == (
        2,
        "exp",
        "document",
        "base",
    )
    assert definition["engine_version"] == ENGINE_VERSION
    assert definition["measures"]["R@100"]["stage"] == "candidates"
    assert "divided by all relevant documents" in definition["measures"]["R@100"]["text"]
    assert "2 scored queries" in definition["denominator"]


def test_the_same_input_gives_the_same_bytes_in_any_order():
    lists, gold = dict(reversed(LISTS.items())), dict(reversed(GOLD.items()))
    assert to_json(document()) == to_json(document(lists, gold))


def test_numbers_that_json_does_not_have_become_null():
    assert plain({"a": float("nan"), "b": [np.float64("inf"), -0.0, np.int64(3), np.bool_(True), 1 / 3]}) == {
        "a": None,
        "b": [None, 0.0, 3, True, 0.3333333333],
    }
    assert str(plain(-0.0)) == "0.0"


def test_ids_stay_as_they_are_written():
    made = to_json(document({"q é,\n": ["d1"]}, {"q é,\n": {"d1": 3}}))
    assert list(json.loads(made)["queries"]) == ["q é,\n"]


def test_a_comparison_lists_its_flips_and_tests():
    rules = flip_rules(depth=10, k=1, max_grade=3)
    names = [str(rule.measure) for rule in rules]
    first = score(results_frame(LISTS), GOLD, *names).per_query
    second = score(results_frame({"q1": ["d1"], "q3": ["d5"]}), GOLD, *names).per_query
    made = json.loads(to_json(comparison_document(compare(first, second, [rules[1].measure], flips=rules))))
    assert made["measures"]["Hit@1"]["wins"] == ["q1", "q3"]
    assert made["flips"][1]["up"] == ["q1", "q3"]
    assert made["flips"][1]["up_means"] == "first relevant result enters the top 1"
