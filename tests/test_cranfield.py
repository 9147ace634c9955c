"""The whole path on a real collection, by the commands that a user types, with scores beside those of the reference libraries.

Cranfield: 1,400 documents, 225 queries, graded judgments.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval
from django.core.management import call_command

from evalsets.models import Candidate, EvalSet, Result, Run
from scoring.models import Report
from scoring.offline.gold import read_gold
from scoring.reports import Choice, get_report
from tests.factories import make_eval_set
from tests.shared_data import shared_data

pytestmark = [pytest.mark.django_db, pytest.mark.slow_data]

RELEVANT = 2
# Our short names beside those of trec_eval; nDCG is compared for both gains.
SHARED = {
    "recall": "recall_50",
    "precision": "P_5",
    "rr": "recip_rank",
    "hit": "success_5",
    "ap": "map",
    "bpref": "bpref",
}
IR_MEASURES = {
    "recall": ir_measures.R(rel=RELEVANT) @ 50,
    "precision": ir_measures.P(rel=RELEVANT) @ 5,
    "rr": ir_measures.RR(rel=RELEVANT),
    "ap": ir_measures.AP(rel=RELEVANT),
}
Lists = dict[str, dict[str, float]]


def build(data: Path) -> EvalSet:
    """Import, retrieve, pool, label and publish, by command."""
    call_command("create_eval_set", "cran", "--unit", "document")
    call_command("import_documents", "cran", str(data / "corpus.jsonl"))
    call_command("import_queries", "cran", str(data / "queries.jsonl"))
    call_command("create_retriever", "cran", "BM25", "bm25")
    call_command("create_retriever", "cran", "LSA", "lsa")
    call_command("create_retriever", "cran", "Fusion", "rrf", "--config", '{"members": ["bm25", "lsa"]}')
    call_command("run_retrievers", "cran")
    call_command("build_pool", "cran")
    call_command("import_labels", "cran", str(data / "qrels.tsv"))
    call_command("publish_gold", "cran", "--accept-unresolved")
    return EvalSet.objects.get(slug="cran")


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text().splitlines()[1:]:
        query_id, doc_id, grade = line.split("\t")
        qrels[query_id][doc_id] = int(grade)
    return dict(qrels)


def ranked_documents(run: Run, stage: str) -> Lists:
    """The documents of one stage in rank order, each once, with scores that only say the order."""
    found: Lists = defaultdict(dict)
    rows = Result.objects.filter(answer__run=run, stage=stage).order_by("answer", "rank")
    for query_id, doc_id in rows.values_list("answer__query__query_id", "doc_id"):
        found[query_id].setdefault(doc_id, -float(len(found[query_id])))
    return dict(found)


def evaluate(qrels: dict[str, dict[str, int]], lists: Lists, name: str, *, level: int = RELEVANT) -> dict[str, float]:
    measure = "_".join(name.split("_")[:-1]) + f".{name.split('_')[-1]}" if name[-1].isdigit() else name
    found = pytrec_eval.RelevanceEvaluator(qrels, {measure}, relevance_level=level).evaluate(lists)
    return {query_id: found.get(query_id, {}).get(name, 0.0) for query_id in qrels}


def values(report: Report, name: str) -> dict[str, float]:
    return dict(zip(report.rows["query_id"], report.rows[name], strict=True))


def stage_of(report: Report, name: str) -> str:
    return str(report.page["document"]["definition"]["measures"][report.page["measure_names"][name]]["stage"])


def test_scores_of_three_retrievers_on_cranfield_are_those_of_the_reference_libraries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = shared_data("cranfield")
    eval_set = build(data)
    qrels = read_qrels(data / "qrels.tsv")
    scored = {query_id: of for query_id, of in qrels.items() if max(of.values()) >= RELEVANT}

    assert eval_set.snapshot is not None
    assert (eval_set.snapshot.document_count, eval_set.queries.count(), eval_set.runs.count()) == (1400, 225, 3)
    assert Candidate.objects.filter(query__eval_set=eval_set, pool__isnull=False).count() > 5000

    gold_set = eval_set.gold_sets.get()
    assert gold_set.label_count == sum(map(len, qrels.values()))
    for run in eval_set.runs.all():
        check_run(run, Choice.of(gold_set, run), qrels=qrels, scored=scored)

    check_export(eval_set, tmp_path, capsys, qrels)


def check_run(run: Run, choice: Choice, *, qrels: dict[str, dict[str, int]], scored: dict[str, dict[str, int]]) -> None:
    """Compare every shared measure, query by query and in the mean."""
    report = get_report(choice, by=None)
    assert set(report.rows["query_id"]) == set(scored)
    for name, theirs in SHARED.items():
        lists = ranked_documents(run, stage_of(report, name))
        expected = {query_id: value for query_id, value in evaluate(qrels, lists, theirs).items() if query_id in scored}
        assert values(report, name) == pytest.approx(expected, abs=1e-9), (run, name)
        mean = report.page["document"]["measures"][report.page["measure_names"][name]]["mean"]
        assert mean == pytest.approx(sum(expected.values()) / len(expected), abs=1e-9)
        if name in IR_MEASURES:
            theirs_too = {one.query_id: one.value for one in ir_measures.iter_calc([IR_MEASURES[name]], scored, lists)}
            assert values(report, name) == pytest.approx(theirs_too, abs=1e-9), (run, name)
    # trec_eval's gain is the grade itself; on grades that are gains already it computes the exponential one.
    gains = {query_id: {doc_id: 2**grade - 1 for doc_id, grade in of.items()} for query_id, of in scored.items()}
    for gain, graded in (("exp", gains), ("lin", scored)):
        report = get_report(Choice.of(choice.gold_set, run, gain=gain), by=None)
        expected = evaluate(graded, ranked_documents(run, stage_of(report, "ndcg")), "ndcg_cut_5", level=1)
        assert values(report, "ndcg") == pytest.approx(expected, abs=1e-9), (run, gain)


def check_export(
    eval_set: EvalSet, folder: Path, capsys: pytest.CaptureFixture[str], qrels: dict[str, dict[str, int]]
) -> None:
    """The same bytes twice, all labels in, and the same checksum elsewhere."""
    first, second = folder / "first.zip", folder / "second.zip"
    for path in (first, second):
        call_command("export_gold", "cran", "1", str(path))
    assert first.read_bytes() == second.read_bytes()

    labels = read_gold(str(first)).labels
    assert {(row.query_id, row.doc_id): row.grade for row in labels.itertuples()} == {
        (query_id, doc_id): grade for query_id, of in qrels.items() for doc_id, grade in of.items()
    }

    elsewhere = make_eval_set()
    capsys.readouterr()
    call_command("import_gold", elsewhere.slug, str(first), "--json")
    assert json.loads(capsys.readouterr().out)["sha256"] == eval_set.gold_sets.get().sha256
