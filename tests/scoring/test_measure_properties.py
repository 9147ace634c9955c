"""What holds for every registered measure, on any data."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.engine.measures import Measure
from scoring.engine.registry import CONTEXT, GAINS, KINDS
from tests.scoring.frames import labels_frame, queries_frame, results_frame, score

DOCS = [f"d{number:02}" for number in range(12)]
QUERIES = ["q1", "q2", "q3", "q4"]


def every_measure():
    """Each kind with each of its forms, uncut and cut, plain and condensed."""
    for kind in KINDS.values():
        cutoffs = {"required": [1, 5, 50], "optional": [None, 1, 5], "none": [None]}[kind.cutoff]
        for cutoff in cutoffs:
            gains = GAINS if "gain" in kind.parameters else [None]
            rels = [None, 1, 3] if "rel" in kind.parameters else [None]
            for gain in gains:
                for rel in rels:
                    for condensed in [False, True] if kind.condensable else [False]:
                        yield Measure(kind.name, cutoff, rel, gain, None, condensed)


MEASURES = list(every_measure())
NAMES = [str(measure) for measure in MEASURES]
RANKED = [str(measure) for measure in MEASURES if measure.stage != CONTEXT]

grades = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), max_size=9)
rankings = st.lists(st.sampled_from(DOCS), unique=True, max_size=12)
gold_sets = st.fixed_dictionaries(dict.fromkeys(QUERIES, grades))
runs = st.fixed_dictionaries(dict.fromkeys(QUERIES, rankings))
thresholds = st.integers(1, 3)
common = settings(max_examples=60, deadline=None)


def same(one, other):
    """Two per-query frames with equal values, NaN equal to NaN."""
    assert list(one.index) == list(other.index)
    np.testing.assert_allclose(
        one[NAMES].to_numpy(dtype=float), other[NAMES].to_numpy(dtype=float), rtol=0, atol=1e-12, equal_nan=True
    )


@given(gold=gold_sets, run=runs, threshold=thresholds)
@common
def test_every_value_lies_within_its_bounds_or_is_empty(gold, run, threshold):
    scores = score(run, gold, *NAMES, threshold=threshold)
    for measure in MEASURES:
        low, high = measure.bounds()
        values = scores.per_query[str(measure)].dropna()
        assert values.between(low, high).all(), measure
        assert not np.isinf(values).any()


@given(gold=gold_sets, run=runs, threshold=thresholds)
@common
def test_a_measure_is_empty_only_where_it_has_no_meaning(gold, run, threshold):
    scores = score(run, gold, *RANKED, threshold=threshold)
    for measure in (measure for measure in MEASURES if str(measure) in RANKED and measure.kind != "FirstRel"):
        needs = measure.threshold(threshold) if "rel" in measure.registered.parameters else 1
        for query_id, value in scores.per_query[str(measure)].items():
            has_unit = any(grade >= needs for grade in gold[query_id].values())
            assert math.isnan(value) == (not has_unit), (measure, query_id)


@given(gold=gold_sets, run=runs, threshold=thresholds)
@common
def test_renaming_documents_and_queries_changes_nothing(gold, run, threshold):
    def renamed(name):
        return f"{ord(name[-1]) % 7}é {name[::-1]}"

    there = {f"x-{query}": {renamed(doc): grade for doc, grade in units.items()} for query, units in gold.items()}
    lists = {f"x-{query}": [renamed(doc) for doc in docs] for query, docs in run.items()}
    one = score(run, gold, *NAMES, threshold=threshold).per_query
    other = score(lists, there, *NAMES, threshold=threshold).per_query
    same(one.set_axis([f"x-{query}" for query in one.index]), other)


@given(gold=gold_sets, run=runs, threshold=thresholds, shuffle=st.permutations(QUERIES))
@common
def test_the_order_of_queries_and_rows_changes_nothing(gold, run, threshold, shuffle):
    one = score(run, gold, *NAMES, threshold=threshold)
    results = results_frame({query: run[query] for query in shuffle}).iloc[::-1]
    labels = {query: dict(reversed(gold[query].items())) for query in shuffle}
    other = score(results, labels, *NAMES, threshold=threshold)
    same(one.per_query, other.per_query)
    assert one.unanswered == other.unanswered


@given(gold=gold_sets, run=runs, threshold=thresholds)
@common
def test_irrelevant_labels_of_units_that_were_not_retrieved_change_nothing_but_bpref_upwards(gold, run, threshold):
    more = {query: {**units, "never-1": 0, "never-2": 0} for query, units in gold.items()}
    one = score(run, gold, *NAMES, threshold=threshold).per_query
    other = score(run, more, *NAMES, threshold=threshold).per_query
    # bpref divides by the number of judged irrelevant units where those are fewer than the relevant ones.
    bpref = [name for name in NAMES if "bpref" in name]
    assert (other[bpref].fillna(0) >= one[bpref].fillna(0) - 1e-12).all(axis=None)
    same(one.assign(**other[bpref]), other)


@given(gold=gold_sets, run=runs, threshold=thresholds)
@common
def test_unjudged_results_at_the_end_of_a_full_list_do_not_change_what_is_cut_above_them(gold, run, threshold):
    full = {query: docs for query, docs in run.items() if len(docs) >= 5}
    cut = [
        name
        for name, measure in zip(NAMES, MEASURES, strict=True)
        if (measure.cutoff or 99) <= 5 and not measure.condensed
    ]
    longer = {query: [*docs, "more-1", "more-2"] for query, docs in full.items()}
    queries = queries_frame(full)
    gold = {query: gold[query] for query in full}
    if gold:
        one = score(full, gold, *cut, queries=queries, threshold=threshold).per_query
        other = score(longer, gold, *cut, queries=queries, threshold=threshold).per_query
        np.testing.assert_array_equal(one[cut].to_numpy(dtype=float), other[cut].to_numpy(dtype=float))


@pytest.mark.parametrize("name", RANKED)
def test_an_empty_run_scores_zero_in_every_measure_and_every_query_is_listed(name):
    gold = {"q1": {"d1": 3, "d2": 0}, "q2": {"d1": 3}}
    scores = score(results_frame({}), gold, name)
    column = scores.per_query[name]
    if "FirstRel" in name:
        assert column.isna().all()
    else:
        assert (column == 0).all()
    assert [entry.query_id for entry in scores.unanswered] == ["q1", "q2"]


@pytest.mark.parametrize("name", RANKED)
def test_a_perfect_list_reaches_the_highest_value(name):
    measure = MEASURES[NAMES.index(name)]
    # As many relevant units as the cutoff, so that neither precision nor recall is bounded by it.
    best = [f"d{at}" for at in range(measure.cutoff or 5)]
    found = score({"q": best}, {"q": dict.fromkeys(best, 3) | {"z": 0}}, name).per_query.loc["q", name]
    unseen = 0.8 ** len(best)
    assert found == pytest.approx({"RBP": 1 - unseen, "RBPres": unseen}.get(measure.kind, 1.0))


@given(gold=gold_sets, run=runs, threshold=thresholds)
@common
def test_rank_biased_precision_and_its_residual_never_exceed_one_together(gold, run, threshold):
    scores = score(
        run, gold, "RBP(p=0.8)", "RBPres(p=0.8)", "RBP(p=0.95)@5", "RBPres(p=0.95)@5", threshold=threshold
    ).per_query
    assert (scores["RBP(p=0.8)"] + scores["RBPres(p=0.8)"] <= 1 + 1e-12).all()
    assert (scores["RBP(p=0.95)@5"] + scores["RBPres(p=0.95)@5"] <= 1 + 1e-12).all()


@given(gold=gold_sets, run=runs)
@common
def test_sections_that_stand_for_their_documents_score_like_documents(gold, run):
    sections = {query: {f"{doc}#s": grade for doc, grade in units.items()} for query, units in gold.items()}
    lists = {query: [f"{doc}#s" for doc in docs] for query, docs in run.items()}
    same(score(run, gold, *NAMES).per_query, score(lists, sections, *NAMES, unit="section").per_query)


def test_the_frames_of_the_tests_say_what_they_hold():
    assert labels_frame({"q": {"d#s": 2}}).iloc[0].tolist() == ["q", "d", "s", 2]
    assert results_frame({"q": ["d#s/c"]}).iloc[0].tolist() == ["q", "candidates", 1, 1.0, "d", "s", "c"]
