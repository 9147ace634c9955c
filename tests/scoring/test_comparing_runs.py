"""Two runs, query by query: who moved, and whether it could be chance."""

import numpy as np
import pandas as pd
import pytest

from scoring.engine.comparison import compare, flip_rules, paired_differences
from scoring.engine.measures import Measure
from tests.scoring.frames import score

RR, NDCG = Measure("RR"), Measure("nDCG", 10)


def frame(**columns):
    length = len(next(iter(columns.values())))
    return pd.DataFrame(columns, index=pd.Index([f"q{number:02}" for number in range(length)], name="query_id"))


def only(comparison):
    (row,) = comparison.measures
    return row


def test_wins_losses_and_ties_are_lists_of_queries():
    row = only(compare(frame(RR=[1.0, 0.5, 0.2, 0.0]), frame(RR=[1.0, 1.0, 0.1, 0.5]), [RR]))
    assert (row.wins, row.losses, row.ties, row.n) == (["q01", "q03"], ["q02"], 1, 4)
    assert row.difference == pytest.approx(row.second_mean - row.first_mean)
    assert row.verdict == "moves 2 queries up and 1 down; 4 queries are too few to say more"
    assert row.interval is None


def test_a_lower_rank_of_the_first_relevant_unit_is_a_win():
    row = only(compare(frame(FirstRel=[5.0, 1.0]), frame(FirstRel=[2.0, 3.0]), [Measure("FirstRel")]))
    assert (row.wins, row.losses) == (["q00"], ["q01"])


def test_a_query_moves_only_beyond_epsilon():
    row = only(compare(frame(RR=[0.5, 0.5]), frame(RR=[0.54, 0.6]), [RR], epsilon=0.05))
    assert (row.wins, row.ties) == (["q01"], 1)


def test_rounding_is_no_movement():
    first, second = frame(RR=[0.1 + 0.2]), frame(RR=[0.3])
    assert list(paired_differences(first["RR"], second["RR"])) == [0.0]
    assert only(compare(first, second, [RR])).verdict == "moves no query"


def test_a_query_without_a_value_in_one_run_is_left_out_and_named():
    row = only(compare(frame(RR=[0.5, np.nan, 1.0]), frame(RR=[0.5, 1.0, np.nan]), [RR]))
    assert (row.n, row.left_out) == (1, ["q01", "q02"])


def test_queries_that_only_one_run_was_scored_on_are_named():
    comparison = compare(frame(RR=[0.5, 0.1]), frame(RR=[0.5]), [RR])
    assert (comparison.only_in_first, comparison.only_in_second) == (["q01"], [])
    assert only(compare(frame(RR=[0.5]).iloc[:0], frame(RR=[0.5]), [RR])).verdict == "no query can be compared"


def test_noise_is_called_noise_with_what_could_have_been_seen():
    """12 up and 9 down by the same step."""
    first = frame(RR=[0.5] * 40)
    second = frame(RR=[0.75] * 12 + [0.25] * 9 + [0.5] * 19)
    row = only(compare(first, second, [RR]))
    assert row.verdict.startswith("moves 12 queries up and 9 down; not distinguishable from noise (40 queries can show")
    assert row.interval.low < 0 < row.interval.high
    assert row.bootstrap is not None
    assert row.detectable > abs(row.difference)


def test_a_clear_difference_is_called_one():
    row = only(compare(frame(RR=[0.25] * 30), frame(RR=[0.75] * 29 + [0.0]), [RR]))
    assert (
        row.verdict
        == "moves 29 queries up and 1 down; higher by 0.475 on average, more than chance explains (p < 0.001)"
    )
    assert only(compare(frame(RR=[0.75] * 30), frame(RR=[0.25] * 30), [RR])).verdict.startswith(
        "moves 0 queries up and 30 down; lower"
    )


def test_under_ten_moved_queries_there_is_no_interval():
    row = only(compare(frame(RR=[0.5] * 30), frame(RR=[1.0] * 9 + [0.5] * 21), [RR]))
    assert (row.interval, row.bootstrap) == (None, None)
    assert row.test.method == "exact randomization"
    assert row.test.p == 2 / 2**9


def test_several_measures_are_corrected_together():
    names = [str(RR), str(NDCG)]
    first = frame(**dict.fromkeys(names, [0.5] * 30))
    second = frame(**{names[0]: [0.75] * 6 + [0.5] * 24, names[1]: [0.75] * 5 + [0.25] * 5 + [0.5] * 20})
    one, other = compare(first, second, [RR, NDCG]).measures
    assert one.test.p == 2 / 2**6
    assert one.adjusted_p == 2 * one.test.p
    assert other.adjusted_p == 1.0


def test_flips_list_the_queries_that_crossed_the_depth_in_each_direction():
    gold = {"found": {"d": 3}, "lost": {"d": 3}, "deep": {"d": 2}, "same": {"d": 3}, "grade2": {"d": 2, "e": 3}}
    before = {"found": ["x"], "lost": ["d"], "deep": ["x", "y", "d"], "same": ["d"], "grade2": ["d", "x", "y", "e"]}
    after = {"found": ["d"], "lost": ["x"], "deep": ["d"], "same": ["d"], "grade2": ["e", "d"]}
    rules = flip_rules(depth=3, k=2, max_grade=3)
    names = [str(rule.measure) for rule in rules]
    assert names == ["R@3", "Hit@2", "Hit(rel=3)@2"]
    first, second = (score(run, gold, *names).per_query for run in (before, after))
    found, first_relevant, best = compare(first, second, [rule.measure for rule in rules], flips=rules).flips
    assert (found.up, found.down, found.p) == (["found"], ["lost"], 1.0)
    assert (first_relevant.up, first_relevant.down) == (["deep", "found"], ["lost"])
    assert (best.up, best.down) == (["found", "grade2"], ["lost"])
    assert best.rule.up == "a grade-3 unit enters the top 2"


def test_binary_labels_have_no_best_unit_apart_from_the_relevant_ones():
    assert [str(rule.measure) for rule in flip_rules(depth=50, k=5, max_grade=1)] == ["R@50", "Hit@5"]
