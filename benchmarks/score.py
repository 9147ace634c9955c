"""How long scoring takes beside the reference libraries, in memory and in one process: ratios, because machines differ.

python -m benchmarks.score [--queries 200] [--depth 100] [--repeat 5]
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable

import ir_measures
import pandas as pd
import pytrec_eval

from scoring.engine.measures import parse_measures
from scoring.engine.scoring import score_run
from scoring.engine.settings import Settings


def best_of(repeat: int, work: Callable[[], object]) -> float:
    """The shortest of some runs, in seconds."""
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    draw = random.Random(7)
    run = {
        f"q{q}": {f"d{draw.randrange(10 * options.depth)}": float(options.depth - r) for r in range(options.depth)}
        for q in range(options.queries)
    }
    qrels = {
        query: {doc: draw.randrange(4) for doc in draw.sample(list(docs), min(40, len(docs)))}
        for query, docs in run.items()
    }
    labels = pd.DataFrame(
        [(query, doc, "", grade) for query, of in qrels.items() for doc, grade in of.items()],
        columns=["query_id", "doc_id", "section_id", "grade"],
    )
    results = pd.DataFrame(
        [
            (query, "final", rank, score, doc, "", "")
            for query, of in run.items()
            for rank, (doc, score) in enumerate(of.items(), start=1)
        ],
        columns=["query_id", "stage", "rank", "score", "doc_id", "section_id", "chunk_id"],
    )
    queries = pd.DataFrame({"query_id": list(run), "answerable": True, "synthetic": False, "split": "dev"})
    measures = parse_measures("nDCG(gain='lin')@10, R@100, RR, AP@100")
    asked = Settings(unit="document", threshold=1, gain="lin", depth=options.depth, k=10, max_grade=3)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recall.100", "recip_rank", "map_cut.100"})
    theirs = [ir_measures.nDCG @ 10, ir_measures.R @ 100, ir_measures.RR, ir_measures.AP @ 100]
    peers = {
        "pytrec_eval": lambda: evaluator.evaluate(run),
        "ir_measures": lambda: list(ir_measures.iter_calc(theirs, qrels, run)),
    }
    ours = best_of(
        options.repeat,
        lambda: score_run(labels=labels, results=results, queries=queries, measures=measures, settings=asked),
    )
    print(f"{options.queries} queries x {options.depth} results, four measures: plumbline {ours * 1000:.0f} ms")
    for name, work in peers.items():
        seconds = best_of(options.repeat, work)
        print(f"  {name}: {seconds * 1000:.0f} ms, {seconds / ours:.2f} times ours")
    return 0


if __name__ == "__main__":
    sys.exit(main())
