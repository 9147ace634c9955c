"""Worked examples of the measures, with their values to six decimals."""

import json

import pytest

from scoring.engine.intervals import share
from tests.scoring.frames import results_frame, score, value
from tests.shared_data import shared_data


@pytest.fixture(scope="module")
def oracles():
    return json.loads(shared_data("oracles.json").read_text())


def six(number):
    return pytest.approx(number, abs=5e-7)


def test_ndcg_of_the_textbook_example_with_both_gains(oracles):
    case = oracles["O09_ndcg_wikipedia"]
    labels = {f"d{at}": grade for at, grade in enumerate(case["all_judged"])}
    ranked = [f"d{at}" for at in range(len(case["ranked"]))]
    scores = score({"q": ranked}, {"q": labels}, "nDCG(gain='lin')@6", "nDCG(gain='exp')@6")
    assert value(scores, "nDCG(gain='lin')@6") == six(case["linear"]["ndcg"])
    assert value(scores, "nDCG(gain='exp')@6") == six(case["exp"]["ndcg"])


@pytest.mark.parametrize("k", [3, 5, 10])
def test_judged_is_a_share_of_the_results_examined(oracles, k):
    """The worked example divides by k; so does this measure, except where fewer than k results came back."""
    case = oracles["O10_seed_style_scoring"]
    scores = score({"q": case["docs"]}, {"q": case["gold"]}, f"Judged@{k}")
    examined = min(k, len(case["docs"]))
    assert value(scores, f"Judged@{k}") * examined / k == six(case[f"k{k}_thr2"]["judged"])
    assert value(scores, f"Judged@{k}") == six({3: 2 / 3, 5: 0.8, 10: 0.8}[k])


@pytest.mark.parametrize(("k", "threshold"), [(3, 1), (3, 2), (5, 1), (5, 2), (10, 1), (10, 2)])
def test_chunks_collapse_to_documents_before_anything_is_counted(oracles, k, threshold):
    case = oracles["O10_seed_style_scoring"]
    expected = case[f"k{k}_thr{threshold}"]
    chunks = [name.replace("#", "/") for name in case["chunks"]]
    names = [f"P@{k}", f"Pret@{k}", f"R@{k}", f"RR@{k}", f"nDCG(gain='lin')@{k}", f"nDCG@{k}"]
    scores = score({"q": chunks}, {"q": case["gold"]}, *names, threshold=threshold)
    keys = ["P_fixed_k", "P_returned", "recall", "rr", "ndcg_linear", "ndcg_exp"]
    assert list(scores.units["doc_id"]) == case["docs"]
    for name, key in zip(names, keys, strict=True):
        assert value(scores, name) == six(expected[key]), name


def test_condensed_lists_leave_unjudged_units_out(oracles):
    case = oracles["O10_seed_style_scoring"]
    expected = case["condensed_k5_thr2"]
    pairs = {
        "condensed(P@5)": "P_fixed_k",
        "condensed(Pret@5)": "P_returned",
        "condensed(R@5)": "recall",
        "condensed(RR@5)": "rr",
        "condensed(nDCG(gain='lin')@5)": "ndcg_linear",
        "condensed(nDCG@5)": "ndcg_exp",
        "Judged@5": "judged",
    }
    scores = score({"q": case["docs"]}, {"q": case["gold"]}, *pairs)
    for name, key in pairs.items():
        assert value(scores, name) == six(expected[key]), name


@pytest.mark.parametrize(
    ("ranked", "relevant", "name", "key"),
    [
        ("abcde", "ac", "P@5", "P_at_5_2of5"),
        ("abcxyzuvwt", "abcd", "R@10", "recall_at_10_3of4"),
        ("abc", "a", "RR", "rr_rank1"),
        ("xyzabc", "a", "RR", "rr_rank4"),
        ("xyz", "a", "RR", "rr_none"),
        ("Ax", "AB", "R@2", "backup_runA_recall_at_2"),
        ("AB", "AB", "R@2", "backup_runB_recall_at_2"),
    ],
)
def test_seed_arithmetic(oracles, ranked, relevant, name, key):
    scores = score({"q": ranked}, {"q": dict.fromkeys(relevant, 2)}, name)
    assert value(scores, name) == oracles["O11_seed_arithmetic"][key]


def test_a_share_of_nothing_is_not_applicable(oracles):
    case = oracles["O11_seed_arithmetic"]
    assert share(2, 2) == case["runA_faithfulness"]
    assert share(2, 3) == six(case["runB_faithfulness"])
    assert share(0, 0) is case["empty_answer_faithfulness"]


def test_measures_of_an_incompletely_judged_list(oracles):
    case = oracles["O12_incomplete"]
    judged = {doc: grade for doc, grade in case["qrels"].items() if grade >= 0}
    names = ["bpref", "AP", "condensed(AP)", "RBP(p=0.8)", "RBPres(p=0.8)", "Judged@5", "Judged@10"]
    scores = score({"q": case["ranking"]}, {"q": judged}, *names, threshold=1, max_grade=1)
    assert value(scores, "bpref") == six(case["bpref"])
    assert value(scores, "AP") == six(case["AP"])
    assert value(scores, "condensed(AP)") == six(case["AP_condensed"])
    assert value(scores, "RBP(p=0.8)") == six(case["rbp_p08"])
    assert value(scores, "RBPres(p=0.8)") == six(case["rbp_residual_p08"])
    assert 1 - value(scores, "Judged@5") == six(case["unjudged_at_5"])
    assert 1 - value(scores, "Judged@10") == six(case["unjudged_at_10"])


@pytest.mark.parametrize("run", ["A", "B", "C"])
def test_scores_against_a_pool_of_depth_three(oracles, run):
    case = oracles["O14_pooling"]
    pool = {doc: case["grades"][doc] for doc in case["depth"]["3"]}
    names = ["RBP(rel=2, p=0.8)", "RBPres(rel=2, p=0.8)", "nDCG@5", "condensed(nDCG@5)", "Judged@5"]
    scores = score({"q": case["runs"][run]}, {"q": pool}, *names)
    assert value(scores, names[0]) == six(case["rbp_p08_pool3_rel2"][run]["base"])
    assert value(scores, names[1]) == six(case["rbp_p08_pool3_rel2"][run]["residual"])
    assert value(scores, "nDCG@5") == six(case["ndcg5_exp_pool3"][run]["zero_fill"])
    assert value(scores, "condensed(nDCG@5)") == six(case["ndcg5_exp_pool3"][run]["condensed"])
    assert value(scores, "Judged@5") == six(case["leave_one_out_depth3"][run]["judged_at_5_pool"])


def test_filling_unjudged_units_with_the_best_grade_is_no_upper_bound(oracles):
    case = oracles["O14_pooling"]
    expected = {run: values["naive_upper"] for run, values in case["ndcg5_exp_pool3"].items()}
    for run, upper in expected.items():
        filled = {doc: case["grades"][doc] for doc in case["depth"]["3"]}
        filled |= {doc: 3 for doc in case["runs"][run][:5] if doc not in filled}
        assert value(score({"q": case["runs"][run]}, {"q": filled}, "nDCG@5"), "nDCG@5") == six(upper)
    assert expected["B"] < case["ndcg5_exp_pool3"]["B"]["zero_fill"]


def test_the_base_example_by_hand():
    """Three queries: the relevant units of q1 stand at ranks 1 and 3, that of q2 at rank 2, and q3 has none."""
    lists = {"q1": ["d1", "d3", "d2"], "q2": ["d6", "d5", "d7"], "q3": ["d9", "d8"]}
    labels = {"q1": {"d1": 3, "d2": 2, "d3": 0, "d4": 1}, "q2": {"d5": 2, "d6": 0, "d7": 1}, "q3": {"d8": 1, "d9": 0}}
    scores = score(results_frame(lists), labels, "P@2", "R@3", "RR", "nDCG@3")
    log3 = 1.584962500721156
    assert scores.per_query["P@2"].to_dict() == {"q1": 0.5, "q2": 0.5}
    assert scores.per_query["R@3"].to_dict() == {"q1": 1.0, "q2": 1.0}
    assert scores.per_query["RR"].to_dict() == {"q1": 1.0, "q2": 0.5}
    assert value(scores, "nDCG@3", "q1") == pytest.approx((7 + 3 / 2) / (7 + 3 / log3 + 1 / 2))
    assert value(scores, "nDCG@3", "q2") == pytest.approx((3 / log3 + 1 / 2) / (3 + 1 / log3))
    assert scores.population.without_relevant == ["q3"]
