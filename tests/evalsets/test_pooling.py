import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsets.pooling.overlap import (
    ChosenRun,
    labelling_cost,
    leave_one_out,
    overview,
    pairwise_overlap,
    pool_warnings,
    run_shares,
    sizes_by_query,
)
from evalsets.pooling.strategies import DepthK, RankedResult, RrfTake, build_pool, fused_order, id_order, not_yet_pooled
from tests.shared_data import shared_data

RUNS = ("A", "B", "C")


@pytest.fixture(scope="module")
def oracle():
    return json.loads(shared_data("oracles.json").read_text())["O14_pooling"]


def results_of(lists, *, query_id="q1", stage="candidates"):
    return [
        RankedResult(run, query_id, stage, rank, doc_id)
        for run, doc_ids in lists.items()
        for rank, doc_id in enumerate(doc_ids, start=1)
    ]


def documents(pool):
    return [candidate.doc_id for candidate in pool]


@st.composite
def recorded(draw):
    """Results of up to three runs over two queries and two stages, with several chunks of one unit among them."""
    units = st.tuples(st.sampled_from(["d1", "d2", "d10"]), st.sampled_from(["", "s1", "s2"]))
    results = []
    for run in RUNS:
        for query_id in ("q1", "q2"):
            for stage in ("candidates", "final"):
                for rank, (doc_id, section_id) in enumerate(draw(st.lists(units, max_size=6)), start=1):
                    results.append(RankedResult(run, query_id, stage, rank, doc_id, section_id, f"c{rank}"))
    return results


strategies = st.one_of(
    st.builds(DepthK, st.integers(1, 5)),
    st.builds(RrfTake, st.integers(1, 5), st.integers(0, 60), st.one_of(st.none(), st.integers(1, 5))),
)
units = st.sampled_from(["document", "section"])


@pytest.mark.parametrize("depth", ["1", "2", "3"])
def test_depth_k_pools_the_first_k_of_every_run(oracle, depth):
    pool = build_pool(results_of(oracle["runs"]), DepthK(int(depth)), unit="document")
    assert documents(pool) == oracle["depth"][depth]


def test_fused_order_and_scores_are_those_of_the_worked_example(oracle):
    ranks = {}
    for doc_ids in oracle["runs"].values():
        for rank, doc_id in enumerate(doc_ids, start=1):
            ranks.setdefault((doc_id, ""), []).append(rank)
    order = fused_order(ranks)
    assert [unit[0] for unit, _ in order] == oracle["rrf_k60_order"]
    scores = {unit[0]: round(score, 6) for unit, score in order}
    assert {doc_id: scores[doc_id] for doc_id in oracle["rrf_scores"]} == oracle["rrf_scores"]


@pytest.mark.parametrize("take", [1, 3, 8, 12, 50])
def test_take_n_pools_the_n_units_that_fuse_best(oracle, take):
    pool = build_pool(results_of(oracle["runs"]), RrfTake(take), unit="document")
    assert documents(pool) == sorted(oracle["rrf_k60_order"][:take], key=id_order)


def test_leaving_a_run_out_finds_what_it_alone_brought(oracle):
    results = results_of(oracle["runs"])
    left_out = leave_one_out(build_pool(results, DepthK(3), unit="document"), results, unit="document", k=5)
    assert [one.name for one in left_out] == list(RUNS)
    for one in left_out:
        expected = oracle["leave_one_out_depth3"][one.name]
        assert documents(one.unique) == expected["unique"]
        assert one.coverage == pytest.approx(expected["judged_at_5_pool"])
        assert one.coverage_without_own == pytest.approx(expected["judged_at_5_leave_one_out"])


def test_leaving_a_family_out_takes_all_its_runs_away():
    results = results_of({"A": ["d1", "d2"], "B": ["d1", "d3"], "C": ["d3"]})
    pool = build_pool(results, DepthK(2), unit="document")
    families = {"A": "lexical", "B": "lexical", "C": "dense"}
    dense, lexical = leave_one_out(pool, results, unit="document", k=2, groups=families)
    assert (dense.name, documents(dense.unique)) == ("dense", [])
    assert (lexical.name, documents(lexical.unique)) == ("lexical", ["d1", "d2"])
    assert lexical.coverage_without_own == pytest.approx((0 + 1 / 2) / 2)


def test_a_contribution_says_which_run_which_stage_and_how_high():
    results = [
        RankedResult("A", "q1", "candidates", 4, "d1", "s1", "c9", 10, 20),
        RankedResult("A", "q1", "final", 1, "d1", "s1", "c9", 10, 20),
        RankedResult("B", "q1", "candidates", 2, "d1", "s1", "c7", 30, 40),
    ]
    (candidate,) = build_pool(results, DepthK(5), unit="section")
    assert [(one.run, one.stage, one.rank) for one in candidate.contributions] == [
        ("A", "candidates", 4),
        ("A", "final", 1),
        ("B", "candidates", 2),
    ]
    assert {one.inclusion_probability for one in candidate.contributions} == {1.0}
    assert (candidate.best.run, candidate.best.result.chunk_id) == ("A", "c9")


def test_chunks_collapse_to_units_before_the_depth_is_counted():
    results = [
        RankedResult("A", "q1", "candidates", rank, doc_id, "", f"c{rank}")
        for rank, doc_id in enumerate(["d1", "d1", "d1", "d2", "d3"], start=1)
    ]
    pool = build_pool(results, DepthK(2), unit="document")
    assert [(one.doc_id, one.best.rank, one.best.unit_rank) for one in pool] == [("d1", 1, 1), ("d2", 4, 2)]


def test_sections_are_units_of_their_own_only_where_the_unit_is_the_section():
    results = [RankedResult("A", "q1", "final", 1, "d1", "s1"), RankedResult("A", "q1", "final", 2, "d1", "s2")]
    assert [one.unit for one in build_pool(results, DepthK(5), unit="section")] == [("d1", "s1"), ("d1", "s2")]
    assert [one.unit for one in build_pool(results, DepthK(5), unit="document")] == [("d1", "")]


def test_only_chosen_runs_and_stages_are_pooled():
    results = results_of({"A": ["d1"], "B": ["d2"]}) + results_of({"A": ["d3"]}, stage="context")
    assert documents(build_pool(results, DepthK(5), unit="document", runs={"A"}, stages={"candidates"})) == ["d1"]


def test_a_result_under_the_depth_is_no_contribution():
    pool = build_pool(results_of({"A": ["d1", "d2"], "B": ["d3", "d1"]}), DepthK(1), unit="document")
    assert [(one.doc_id, one.runs) for one in pool] == [("d1", {"A"}), ("d3", {"B"})]


def test_a_run_with_several_stages_counts_once_in_fusion():
    lists = {"A": ["d1", "d2"], "B": ["d2"]}
    twice = results_of(lists) + results_of({"A": ["d1", "d2"]}, stage="final")
    assert documents(build_pool(twice, RrfTake(1), unit="document")) == ["d2"]


@given(recorded(), strategies, units, st.randoms())
def test_the_order_of_results_does_not_matter(results, strategy, unit, random):
    shuffled = list(results)
    random.shuffle(shuffled)
    assert build_pool(shuffled, strategy, unit=unit) == build_pool(results, strategy, unit=unit)


@given(recorded(), st.integers(1, 5), units)
def test_adding_a_run_leaves_what_was_pooled_and_adds_only_new_units(results, depth, unit):
    before = build_pool(results, DepthK(depth), unit=unit, runs={"A", "B"})
    after = build_pool(results, DepthK(depth), unit=unit)
    known = {candidate.key for candidate in before}
    added = not_yet_pooled(after, known)
    assert known | {candidate.key for candidate in added} == {candidate.key for candidate in after}
    assert all(candidate.runs == {"C"} for candidate in added)


@given(recorded(), strategies, units)
def test_a_pool_holds_each_unit_of_a_query_once(results, strategy, unit):
    pool = build_pool(results, strategy, unit=unit)
    assert len({candidate.key for candidate in pool}) == len(pool)
    assert all(candidate.contributions for candidate in pool)


@given(recorded(), st.integers(1, 4), units)
def test_a_deeper_pool_contains_the_shallower_one(results, depth, unit):
    shallow, deep = (
        {candidate.key for candidate in build_pool(results, DepthK(at), unit=unit)} for at in (depth, depth + 1)
    )
    assert shallow <= deep


@given(recorded(), strategies, units)
def test_shares_and_overlaps_count_what_the_pool_holds(results, strategy, unit):
    pool = build_pool(results, strategy, unit=unit)
    shares = {share.run: share for share in run_shares(pool, RUNS)}
    brought = {run: {one.key for one in pool if run in one.runs} for run in RUNS}
    for run in RUNS:
        others = set().union(*(brought[other] for other in RUNS if other != run))
        assert shares[run].contributed == len(brought[run])
        assert shares[run].unique == len(brought[run] - others)
    for pair in pairwise_overlap(pool, RUNS):
        assert pair.shared == len(brought[pair.first] & brought[pair.second])
        assert pair.union == len(brought[pair.first] | brought[pair.second])


@pytest.mark.parametrize("ranks", [(0, 1), (1, 1)])
def test_ranks_that_are_not_ranks_are_refused(ranks):
    results = [RankedResult("A", "q1", "final", rank, f"d{at}") for at, rank in enumerate(ranks)]
    with pytest.raises(ValueError, match="run 'A', query 'q1', stage 'final'"):
        build_pool(results, DepthK(5), unit="document")


@pytest.mark.parametrize(
    "build", [lambda: DepthK(0), lambda: RrfTake(0), lambda: RrfTake(1, -1), lambda: RrfTake(1, 60, 0)]
)
def test_a_strategy_that_takes_nothing_is_refused(build):
    with pytest.raises(ValueError, match=" is "):
        build()


def test_ids_are_ordered_by_the_numbers_in_them():
    ids = ["d10", "d2", "d2b", "", "d02", "10", "9", "d" + "9" * 5000]
    assert sorted(ids, key=id_order) == ["", "9", "10", "d02", "d2", "d2b", "d10", "d" + "9" * 5000]


@given(st.lists(st.text(max_size=8), max_size=6))
def test_any_ids_can_be_ordered(ids):
    assert sorted(sorted(ids, key=id_order)) == sorted(ids)


def test_a_query_that_no_run_answered_has_size_zero():
    pool = build_pool(results_of({"A": ["d1", "d2"]}), DepthK(5), unit="document")
    assert sizes_by_query(pool, ["q0", "q1"]) == {"q0": 0, "q1": 2}


def test_the_labelling_cost_counts_double_labels_and_expects_adjudications():
    cost = labelling_cost(1000, double_rate=0.2)
    assert (cost.double_labelled, cost.judgments) == (200, 1200)
    assert cost.judging_hours == pytest.approx(1200 * 20 / 3600)
    assert (cost.adjudications_low, cost.adjudications_high) == (54, 108)
    assert cost.adjudicating_hours == pytest.approx((0.9, 1.8))


@pytest.mark.parametrize("rate", [-0.1, 1.1, 20])
def test_a_double_rate_that_is_no_share_is_refused(rate):
    with pytest.raises(ValueError, match="share from 0 to 1"):
        labelling_cost(10, double_rate=rate)


LEXICAL, DENSE, HYBRID = (
    ChosenRun("A", "bm25", "lexical"),
    ChosenRun("B", "lsa", "dense"),
    ChosenRun("C", "rrf", "hybrid"),
)


@pytest.mark.parametrize(
    ("runs", "depth", "codes"),
    [
        ([LEXICAL, DENSE, HYBRID], 20, []),
        ([LEXICAL, DENSE], 20, ["few_configurations"]),
        ([LEXICAL, DENSE, ChosenRun("A2", "bm25", "lexical")], 20, ["few_configurations"]),
        ([LEXICAL, ChosenRun("D", "b", "lexical"), ChosenRun("E", "c", "lexical")], 20, ["one_family"]),
        ([LEXICAL], 5, ["few_configurations", "one_family", "depth_under_k"]),
        ([], 20, ["few_configurations"]),
    ],
)
def test_a_pool_unfit_to_compare_retrievers_is_warned_of(runs, depth, codes):
    assert [warning.code for warning in pool_warnings(runs, strategy=DepthK(depth), k=10)] == codes


def test_recall_deeper_than_the_pool_is_warned_of():
    (warning,) = pool_warnings([LEXICAL, DENSE, HYBRID], strategy=DepthK(20), k=10, candidate_depth=50)
    assert warning.code == "depth_under_candidate_depth"
    assert "50" in warning.message


def test_an_overview_says_everything_before_the_pool_is_made():
    results = results_of({"A": ["d1", "d2"], "B": ["d2"], "C": ["d1", "d3"]})
    strategy = DepthK(2)
    pool = build_pool(results, strategy, unit="document")
    seen = overview(
        pool, runs=[LEXICAL, DENSE, HYBRID], query_ids=["q1", "q2"], strategy=strategy, k=2, double_rate=0.5
    )
    assert (seen.size, seen.sizes, seen.median_size, seen.empty_queries) == (3, {"q1": 3, "q2": 0}, 1.5, ["q2"])
    assert [(share.run, share.contributed, share.unique) for share in seen.shares] == [
        ("A", 2, 0),
        ("B", 1, 0),
        ("C", 2, 1),
    ]
    assert [(pair.first, pair.second, pair.share) for pair in seen.overlaps] == [
        ("A", "B", pytest.approx(1 / 2)),
        ("A", "C", pytest.approx(1 / 3)),
        ("B", "C", 0),
    ]
    assert (seen.cost.double_labelled, seen.warnings) == (2, [])


def test_an_overview_of_nothing_is_empty():
    seen = overview([], runs=[], query_ids=[], strategy=DepthK(), k=10, double_rate=0.2)
    assert (seen.size, seen.median_size, seen.empty_queries, seen.cost.judgments) == (0, None, [], 0)
