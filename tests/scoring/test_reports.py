"""Reports out of the database: the numbers of the offline command, kept and found again."""

import json

import pytest
from django.db import IntegrityError, transaction

from evalsets.frozen import FrozenError
from evalsets.gold_sets import export_gold_set
from scoring.engine.reporting import to_json
from scoring.models import Report
from scoring.offline.command import main
from scoring.reports import Choice, ReportError, compute_report, find_report, get_report
from scoring.shown import shown_measures
from tests.scoring.scored_sets import jsonl, make_scored_set
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db

LABELS = {
    "q1": {"d1": 3, "d2": 2, "d3": 0, "d4": 1},
    "q2": {"d5": 2, "d6": 0},
    "made": {"d1": 2},
    "hard": {"d1": 0},
}
QUERIES = {
    "q1": {"tags": ["table"], "source": "log"},
    "q2": {"split": "holdout"},
    "made": {"synthetic": True},
    "never": {"answerable": False, "expected_behaviour": "empty"},
    "unsure": {"answerable": False, "expected_behaviour": "insufficient_evidence"},
    "closed": {"forbidden_documents": ["secret"]},
}
ANSWERS = [
    {"query_id": "q1", "latency_ms": 10, "results": [{"doc_id": "d9"}, {"doc_id": "d2"}, {"doc_id": "d1"}]},
    {"query_id": "q2", "latency_ms": 30, "event": "timeout", "results": []},
    {"query_id": "made", "latency_ms": 20.5, "results": [{"doc_id": "d1"}]},
    {"query_id": "never", "results": []},
    {"query_id": "unsure", "event": "insufficient_evidence", "results": [{"doc_id": "d7"}]},
    {"query_id": "closed", "results": [{"doc_id": "d4"}, {"doc_id": "secret"}]},
]


def report_of(scored, **choice):
    return get_report(Choice.of(scored.gold_set, scored.runs[0], **choice), by=None)


def offline(tmp_path, scored, run_text, *options):
    """The JSON that the command writes for the exported gold set and the run's file."""
    (tmp_path / "gold.zip").write_bytes(export_gold_set(scored.gold_set))
    (tmp_path / "run").write_text(run_text)
    target = tmp_path / "report.json"
    files = ["--gold", str(tmp_path / "gold.zip"), "--run", str(tmp_path / "run"), "--json", str(target)]
    assert main(["report", *files, *options]) == 0
    return json.loads(target.read_text())


@pytest.mark.parametrize("choice", [{}, {"n": 2, "k": 1}, {"threshold": 1, "gain": "lin"}, {"split": "dev"}])
def test_page_and_offline_command_write_the_same_bytes(tmp_path, capsys, choice):
    scored = make_scored_set(LABELS, ANSWERS, queries=QUERIES)
    names = {"n": "--depth", "k": "--k", "threshold": "--threshold", "gain": "--gain", "split": "--split"}
    n, k = choice.get("n", 10), choice.get("k", 3)
    measures = ", ".join(map(str, shown_measures(n=n, k=k, max_grade=3).values()))
    options = [word for name, value in choice.items() for word in (names[name], str(value))]

    here = json.loads(report_of(scored, **choice).document)
    there = offline(tmp_path, scored, jsonl(ANSWERS), *options, "--measures", measures)

    for key in ("measures", "queries", "synthetic", "not_scored", "unanswered", "checks"):
        assert to_json({key: here[key]}) == to_json({key: there[key]})
    assert here["definition"]["measures"] == there["definition"]["measures"]
    assert here["warnings"] == there["warnings"]


def test_a_run_without_options_gives_the_commands_own_measures_too(tmp_path, capsys):
    scored = make_scored_set(LABELS, ANSWERS, queries=QUERIES)

    here = json.loads(report_of(scored).document)
    there = offline(tmp_path, scored, jsonl(ANSWERS))

    assert {name: here["measures"][name] for name in there["measures"]} == there["measures"]


def test_the_base_file_gets_its_values_computed_by_hand():
    folder = shared_data("messy")
    labels = {}
    for line in (folder / "00-base.qrels").read_text().splitlines():
        query_id, _, doc_id, grade = line.split()
        labels.setdefault(query_id, {})[doc_id] = int(grade)
    scored = make_scored_set(labels, (folder / "00-base.run").read_text())

    rows = report_of(scored, n=3, k=3).rows

    # q3 has no unit of grade 2 or 3: it is listed, not scored.
    assert rows["query_id"] == ["q1", "q2"]
    assert rows["recall"] == [1.0, 1.0]
    assert rows["precision"] == pytest.approx([2 / 3, 1 / 3])
    assert rows["rr"] == [1.0, 0.5]
    # q1: grades 3 0 2 of 3 2 1 0: (7 + 3/2) / (7 + 3/log2(3) + 1/2); q2: 0 2 1 of 2 1 0: (3/log2(3) + 1/2) / (3 + 1/log2(3)).
    assert rows["ndcg"] == pytest.approx([0.9049495, 0.6590018], abs=1e-7)


def test_a_report_is_computed_once_for_a_choice(django_assert_num_queries):
    scored = make_scored_set(LABELS, ANSWERS, queries=QUERIES)
    first = report_of(scored)

    with django_assert_num_queries(1):
        again = get_report(Choice.of(scored.gold_set, scored.runs[0]), by=None)

    assert again == first


def test_two_computations_at_once_keep_one_report():
    scored = make_scored_set(LABELS, ANSWERS, queries=QUERIES)
    choice = Choice.of(scored.gold_set, scored.runs[0])

    assert compute_report(choice, by=None) == compute_report(choice, by=None)
    assert Report.objects.count() == 1


def test_another_depth_gain_threshold_or_split_is_another_report():
    scored = make_scored_set(LABELS, ANSWERS, queries=QUERIES)

    reports = {
        report_of(scored, **choice)
        for choice in ({}, {"n": 20}, {"k": 2}, {"gain": "lin"}, {"threshold": 1}, {"split": "dev"})
    }

    assert len(reports) == 6


def test_a_report_cannot_be_changed():
    report = report_of(make_scored_set(LABELS, ANSWERS, queries=QUERIES))

    with pytest.raises(FrozenError):
        report.save()
    with pytest.raises(FrozenError):
        Report.objects.update(document="")


@pytest.mark.parametrize(
    ("field", "value"), [("depth_k", 99), ("gain", "log"), ("threshold", 0), ("gain", "exp")], ids=str
)
def test_the_database_refuses_a_report_of_no_choice_or_of_one_that_is_there(field, value):
    report = report_of(make_scored_set(LABELS, ANSWERS, queries=QUERIES))
    report.pk, report._state.adding = None, True
    setattr(report, field, value)

    with pytest.raises(IntegrityError), transaction.atomic():
        report.save()


def test_k_above_n_is_refused_with_words():
    scored = make_scored_set(LABELS, ANSWERS, queries=QUERIES)

    with pytest.raises(ReportError, match="k is 30 and N is 10"):
        report_of(scored, k=30)


def test_a_run_without_sections_is_refused_where_sections_are_labelled():
    scored = make_scored_set({"q1": {"d1#s1": 3}}, {"q1": ["d1"]}, unit="section")

    with pytest.raises(ReportError, match="names none"):
        report_of(scored)


def test_ids_with_a_section_after_a_hash_are_read_as_exported_qrels_write_them():
    scored = make_scored_set({"q1": {"d1#s1": 3}}, "q1 Q0 d1#s1 1 1.0 tag\n", unit="section")

    assert report_of(scored).rows["recall"] == [1.0]


def test_an_event_of_insufficient_evidence_passes_the_query_that_expects_it():
    checks = report_of(make_scored_set(LABELS, ANSWERS, queries=QUERIES)).page["document"]["checks"]

    outcomes = {check["query_id"]: check["outcome"] for check in checks["unanswerable"]}
    assert outcomes == {"never": "pass", "unsure": "pass"}
    assert [(leak["query_id"], leak["doc_id"]) for leak in checks["leaks"]] == [("closed", "secret")]


def test_nothing_is_found_before_it_was_computed():
    scored = make_scored_set(LABELS, ANSWERS, queries=QUERIES)

    assert find_report(Choice.of(scored.gold_set, scored.runs[0])) is None
