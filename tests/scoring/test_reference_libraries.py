"""The same numbers as trec_eval (through pytrec_eval) and ir_measures, to 1e-9, on random data full of ties."""

import shutil

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval

from scoring.engine.measures import parse_measure
from scoring.engine.scoring import score_run
from scoring.engine.settings import Settings
from tests.scoring.frames import queries_frame

# Our name -> trec_eval's.
TREC_EVAL = {
    "P@5": "P_5",
    "P@30": "P_30",
    "R@10": "recall_10",
    "R@100": "recall_100",
    "RR": "recip_rank",
    "Hit@1": "success_1",
    "Hit@10": "success_10",
    "nDCG(gain='lin')": "ndcg",
    "nDCG(gain='lin')@5": "ndcg_cut_5",
    "nDCG(gain='lin')@10": "ndcg_cut_10",
    "AP": "map",
    "AP@10": "map_cut_10",
    "bpref": "bpref",
}

# Our name -> ir_measures's, by threshold.
IR_MEASURES = {
    "P@5": "P(rel={rel})@5",
    "R@10": "R(rel={rel})@10",
    "RR": "RR(rel={rel})",
    "Hit@5": "Success(rel={rel})@5",
    "nDCG(gain='lin')@10": "nDCG@10",
    "AP": "AP(rel={rel})",
    "AP@7": "AP(rel={rel})@7",
    "bpref": "Bpref(rel={rel})",
    "condensed(nDCG(gain='lin')@10)": "nDCG(judged_only=True)@10",
    "condensed(P@5)": "P(rel={rel},judged_only=True)@5",
    "condensed(AP)": "AP(rel={rel},judged_only=True)",
    "condensed(RR)": "RR(rel={rel},judged_only=True)",
}


def random_data(seed, *, queries=30, documents=60, depth=40, max_grade=3, tied=True):
    """Labels, and results with many tied scores or none. Every query has a unit of each grade."""
    random = np.random.default_rng(seed)
    labels, results = [], []
    for number in range(queries):
        judged = random.permutation(documents)[: random.integers(max_grade + 1, 35)]
        grades = [*range(max_grade + 1), *random.integers(0, max_grade + 1, len(judged))][: len(judged)]
        labels += [(f"{number + 1}", f"d{doc}", "", grade) for doc, grade in zip(judged, grades, strict=True)]
        # Quarters are exact in single precision too, in which trec_eval keeps its scores.
        retrieved = random.permutation(documents)[: random.integers(1, depth)]
        scores = (random.integers(0, 12, len(retrieved)) if tied else random.permutation(len(retrieved))) / 4
        results += [
            (f"{number + 1}", "candidates", rank, score, f"d{doc}", "", "")
            for rank, (doc, score) in enumerate(zip(retrieved, scores, strict=True), start=1)
        ]
    label_frame = pd.DataFrame(labels, columns=["query_id", "doc_id", "section_id", "grade"])
    columns = ["query_id", "stage", "rank", "score", "doc_id", "section_id", "chunk_id"]
    result_frame = pd.DataFrame(results, columns=columns)
    return label_frame, result_frame


def nested(frame, value):
    """{query: {document: value}} as the reference libraries take it."""
    found = {}
    for query, doc, number in zip(frame["query_id"], frame["doc_id"], frame[value], strict=True):
        found.setdefault(query, {})[doc] = number
    return found


def ours(labels, results, names, **settings):
    return score_run(
        labels=labels,
        results=results,
        queries=queries_frame(labels["query_id"].unique()),
        measures=[parse_measure(name) for name in names],
        settings=Settings(order="score", **settings),
    ).per_query


# Providers of ir_measures that break ties in ways of their own; compared without ties.
IR_MEASURES_UNTIED = {"RR@3": "RR(rel={rel})@3", "Judged@10": "Judged@10"}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("threshold", [1, 2, 3])
def test_every_shared_measure_equals_trec_eval(seed, threshold):
    labels, results = random_data(seed)
    evaluator = pytrec_eval.RelevanceEvaluator(
        nested(labels, "grade"), set(pytrec_eval.supported_measures), relevance_level=threshold
    )
    expected = evaluator.evaluate(nested(results, "score"))
    found = ours(labels, results, TREC_EVAL, threshold=threshold)
    for name, theirs in TREC_EVAL.items():
        for query_id, number in found[name].items():
            assert number == pytest.approx(expected[query_id][theirs], abs=1e-9), (name, query_id)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("threshold", [1, 2, 3])
@pytest.mark.parametrize(("measures", "tied"), [(IR_MEASURES, True), (IR_MEASURES | IR_MEASURES_UNTIED, False)])
def test_every_shared_measure_equals_ir_measures(seed, threshold, measures, tied):
    labels, results = random_data(seed, tied=tied)
    pairs = {name: theirs.format(rel=threshold) for name, theirs in measures.items()}
    found = ours(labels, results, pairs, threshold=threshold)
    parsed = {name: ir_measures.parse_measure(theirs) for name, theirs in pairs.items()}
    qrels, run = nested(labels, "grade"), nested(results, "score")
    values = {
        (str(entry.measure), entry.query_id): entry.value
        for entry in ir_measures.iter_calc(parsed.values(), qrels, run)
    }
    for name, measure in parsed.items():
        for query_id, number in found[name].items():
            assert number == pytest.approx(values[str(measure), query_id], abs=1e-9), (name, query_id)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script and there is no perl here")
@pytest.mark.parametrize("seed", range(3))
def test_exponential_gain_equals_gdeval_to_the_five_digits_that_it_prints(seed):
    labels, results = random_data(seed, tied=False)
    measure = ir_measures.parse_measure("nDCG(dcg='exp-log2')@10")
    entries = ir_measures.iter_calc([measure], nested(labels, "grade"), nested(results, "score"))
    expected = {entry.query_id: entry.value for entry in entries}
    found = ours(labels, results, ["nDCG(gain='exp')@10"])
    assert found["nDCG(gain='exp')@10"].to_dict() == {
        query: pytest.approx(number, abs=6e-6) for query, number in expected.items()
    }
