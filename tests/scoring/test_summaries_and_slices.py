"""The distribution beside the mean, overall and for parts of the set."""

import numpy as np
import pandas as pd
import pytest

from scoring.engine.measures import Measure
from scoring.engine.slices import slices, summarise_slices
from scoring.engine.summary import summarise
from tests.scoring.frames import queries_frame

RR = Measure("RR")


def column(values, measure=RR):
    ids = [f"q{number:02}" for number in range(len(values))]
    return pd.DataFrame({str(measure): values}, index=pd.Index(ids, name="query_id"))


def test_a_summary_gives_the_distribution_and_the_queries_behind_it():
    found = summarise(column([0.0, 1.0, 0.5, 0.25, 0.0, 1.0, 1.0, 0.5, 0.5, 0.2, 0.1]), RR, line=0.3)
    assert (found.n, found.zero, found.undefined) == (11, 2, 0)
    assert found.zero_queries == ["q00", "q04"]
    assert found.under == ["q00", "q03", "q04", "q09", "q10"]
    assert found.mean == pytest.approx(5.05 / 11)
    assert (found.median, found.p10, found.p25) == (0.5, 0.0, pytest.approx(0.15))
    assert found.interval.low < found.mean < found.interval.high
    assert found.bootstrap.method == "percentile bootstrap, 2000 resamples, seed 42"


def test_under_ten_queries_there_are_counts_and_no_interval():
    found = summarise(column([1.0] * 9), RR)
    assert found.counts_only
    assert (found.n, found.mean, found.interval, found.bootstrap) == (9, 1.0, None, None)
    assert summarise(column([1.0] * 10), RR).interval is not None


def test_queries_without_a_value_are_counted_apart():
    found = summarise(column([1.0, np.nan, 0.0]), RR)
    assert (found.n, found.undefined, found.mean, found.zero_queries) == (2, 1, 0.5, ["q02"])


def test_no_query_is_no_mean():
    found = summarise(column([]), RR)
    assert (found.n, found.mean, found.median, found.interval) == (0, None, None, None)


def test_ranks_list_the_queries_where_nothing_relevant_was_found():
    found = summarise(column([1.0, np.nan, 3.0], Measure("FirstRel")), Measure("FirstRel"))
    assert (found.n, found.mean, found.zero_queries) == (2, 2.0, ["q01"])


def test_the_order_of_the_rows_does_not_move_the_bootstrap():
    frame = column(np.linspace(0, 1, 25))
    assert summarise(frame, RR) == summarise(frame.iloc[::-1], RR)


def test_queries_are_parted_by_everything_that_is_known_about_them():
    queries = queries_frame(
        ["q00", "q01", "q02", "other"],
        tags=[["table", "code"], ["table"], [], ["table"]],
        split=["dev", "dev", "holdout", "dev"],
        source=["log", "", "expert", "log"],
        synthetic=[False, False, True, False],
        text=["backup", "how long are the monthly backups kept", "one two three four", "x"],
    )
    per_query = column([1.0, 0.0, 0.5]).assign(relevant=[1, 2, 7])
    found = {(part.dimension, part.value): part.query_ids for part in slices(queries, per_query)}
    assert found == {
        ("evidence units", "1 unit"): ("q00",),
        ("evidence units", "2 units"): ("q01",),
        ("evidence units", "6 units or more"): ("q02",),
        ("length", "1-3 words"): ("q00",),
        ("length", "4-7 words"): ("q01", "q02"),
        ("source", "expert"): ("q02",),
        ("source", "log"): ("q00",),
        ("split", "dev"): ("q00", "q01"),
        ("split", "holdout"): ("q02",),
        ("synthetic", "no"): ("q00", "q01"),
        ("synthetic", "yes"): ("q02",),
        ("tag", "code"): ("q00",),
        ("tag", "table"): ("q00", "q01"),
    }


def test_a_small_slice_says_so_and_shows_its_counts_beside_its_mean():
    per_query = column([1.0, 0.0, 0.5])
    queries = queries_frame(per_query.index, tags=[["a"], ["a"], ["b"]])
    summaries = summarise_slices(per_query, slices(queries, per_query), [RR])
    assert [(part.value, part.small, found["RR"].n, found["RR"].mean) for part, found in summaries] == [
        ("a", True, 2, 0.5),
        ("b", True, 1, 0.5),
    ]
