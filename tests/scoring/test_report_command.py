"""`python -m scoring report`, run as other people run it: a process, files, an exit code."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared_data import shared_data

REPOSITORY = Path(__file__).resolve().parents[2]
QRELS = "q1 0 d1 3\nq1 0 d2 2\nq1 0 d3 0\nq2 0 d1 1\nq2 0 d4 2\n"
RUN = "q1 Q0 d3 1 3.0 base\nq1 Q0 d1 2 2.0 base\nq2 Q0 d4 1 1.0 base\n"


class Ended:
    """How the command ended."""

    def __init__(self, done, written):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.written = written
        self.json = json.loads(written) if written else None

    def means(self):
        return {name: found["mean"] for name, found in self.json["measures"].items()}


@pytest.fixture
def report(tmp_path):
    """Run the report on two files (paths, or texts that are written first) and read what it wrote."""

    def run(gold, run, *options):
        target = tmp_path / "report.json"
        target.unlink(missing_ok=True)
        files = [_file(tmp_path / "gold.qrels", gold), _file(tmp_path / "run.trec", run)]
        # No setting of this process may help: the command has to stand on its own.
        clean = {
            key: value for key, value in os.environ.items() if not key.startswith(("DJANGO", "DATABASE", "PLUMBLINE"))
        }
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "scoring",
                "report",
                "--gold",
                files[0],
                "--run",
                files[1],
                "--json",
                str(target),
                *options,
            ],
            cwd=REPOSITORY,
            env=clean,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return Ended(done, target.read_text(encoding="utf-8") if target.exists() else "")

    return run


def _file(path, content):
    if isinstance(content, Path):
        return str(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def messy(name):
    return shared_data("messy", name)


def refused(ended, *parts, code=2):
    """The command said why on standard error, and wrote and printed nothing."""
    assert ended.code == code, ended.err
    assert (ended.out, ended.written) == ("", "")
    assert "Traceback" not in ended.err
    for part in parts:
        assert part in ended.err


def test_the_report_names_measures_definitions_and_warnings(report):
    ended = report(QRELS, RUN, "--measures", "nDCG(gain='lin')@10, RR, R@100")
    assert (ended.code, ended.err) == (0, "")
    assert list(ended.json) >= ["measures", "queries", "definition", "warnings"]
    assert set(ended.json["measures"]["RR"]) >= {"mean", "median", "p10", "zero", "n"}
    assert ended.json["queries"] == {
        "q1": {"nDCG(gain='lin')@10": 0.4441228664, "RR": 0.5, "R@100": 0.5},
        "q2": {"nDCG(gain='lin')@10": 0.7601875334, "RR": 1.0, "R@100": 1.0},
    }
    assert ended.json["definition"]["threshold"] == 2
    assert "divided by all relevant documents labelled for the query" in ended.out
    assert "declares no threshold: grades from 2 on count as relevant" in ended.out
    assert "RR                   2  0.7500" in ended.out
    assert "Under ten queries there is no interval" in ended.out


def test_the_same_files_give_the_same_bytes(report):
    assert report(QRELS, RUN).written == report(QRELS, RUN).written


def test_gzipped_files_give_the_same_scores(report):
    plain = report(QRELS, RUN)
    packed = report(gzip.compress(QRELS.encode()), gzip.compress(RUN.encode()))
    assert packed.json["queries"] == plain.json["queries"]


def test_beir_qrels_and_json_runs_are_read(report):
    beir = "query-id\tcorpus-id\tscore\nq1\td1\t3\nq2\td4\t2\n"
    answers = [
        {
            "query_id": "q1",
            "results": {"candidates": [{"doc_id": "d9"}, {"doc_id": "d1"}], "final": [{"doc_id": "d1"}]},
        },
        {"query_id": "q2", "event": "timeout", "results": []},
    ]
    ended = report(beir, "\n".join(map(json.dumps, answers)), "--measures", "AP,RR")
    assert ended.json["queries"] == {"q1": {"AP": 0.5, "RR": 1.0}, "q2": {"AP": 0.0, "RR": 0.0}}
    assert {(entry["query_id"], entry["reason"]) for entry in ended.json["unanswered"]} == {("q2", "timeout")}


def test_measures_with_both_gains_stand_in_tables_of_their_own(report):
    ended = report(QRELS, RUN, "--measures", "nDCG@10, nDCG(gain='lin')@10, RR")
    assert ended.out.count("median") == 3
    assert "gain exp and lin" in ended.out


def test_threshold_gain_and_depths_can_be_chosen(report):
    ended = report(
        QRELS, RUN, "--threshold", "3", "--gain", "lin", "--depth", "1", "--k", "5", "--measures", "nDCG@10, RR, AP"
    )
    definition = ended.json["definition"]
    assert (definition["threshold"], definition["gain"], definition["depth"], definition["k"]) == (3, "lin", 1, 5)
    assert ended.json["queries"] == {"q1": {"nDCG@10": 0.4441228664, "RR": 0.0, "AP": 0.0}}
    assert ended.json["not_scored"]["without_relevant_label"] == ["q2"]


def test_without_named_measures_recall_at_n_stands_beside_the_measures_at_k(report):
    ended = report(QRELS, RUN, "--depth", "50", "--k", "5")
    assert list(ended.json["measures"]) == ["R@50", "nDCG@5", "P@5", "RR", "Hit@5", "Judged@5", "FirstRel"]


def test_two_runs_are_compared_query_by_query(report, tmp_path):
    other = tmp_path / "other.trec"
    other.write_text("q1 Q0 d1 1 3.0 new\nq1 Q0 d2 2 2.0 new\nq2 Q0 d9 1 1.0 new\n")
    ended = report(QRELS, RUN, "--measures", "RR", "--compare", str(other))
    row = ended.json["comparison"]["measures"]["RR"]
    assert (row["wins"], row["losses"]) == (["q1"], ["q2"])
    assert row["verdict"] == "moves 1 query up and 1 down; 2 queries are too few to say more"
    assert "lost within 100: 1: q2" in ended.out
    assert [flips["down"] for flips in ended.json["comparison"]["flips"]] == [["q2"], ["q2"], []]


def test_labels_without_a_relevant_unit_cannot_tell(report):
    ended = report("q1 0 d1 0\n", "q1 Q0 d1 1 1.0 base\n")
    assert ended.code == 3
    assert "no query can be scored" in ended.out
    assert ended.json["measures"]["RR"] | {"mean": None, "n": 0} == ended.json["measures"]["RR"]


def test_a_terminal_is_not_driven_by_an_id(report):
    ended = report("q\x1b[31m 0 d1 1\n", "q\x1b[31m Q0 d2 1 1.0 base\n")
    assert ended.code == 0
    assert "\x1b" not in ended.out
    assert "q\\x1b[31m" in ended.out


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--measures", "ndcg@10"], "did you mean nDCG?"),
        (["--measures", ""], "no measure was named"),
        (["--depth", "0"], "'0' is no whole number from 1 on"),
        (["--gain", "log"], "invalid choice"),
        (["--threshold", "4"], "threshold 4 is above the highest grade, 3"),
        (["--compare", "nowhere.trec"], "nowhere.trec: cannot be read (No such file or directory)"),
        (["--frobnicate"], "unrecognized arguments"),
    ],
)
def test_bad_usage_ends_with_two_and_says_what_is_wrong(report, options, part):
    refused(report(QRELS, RUN, *options), part)


def test_a_file_that_cannot_be_written_is_named(report, tmp_path):
    ended = report(QRELS, RUN, "--json", str(tmp_path / "nowhere" / "report.json"))
    refused(ended, "report.json: cannot be written")


def test_contradicting_labels_are_refused(report):
    refused(report("q1 0 d1 2\nq1 0 d1 0\n", RUN), "gold.qrels: 1 problem, nothing was scored", "line 2")


# The messy files: each gets what its kind gets everywhere.


def test_messy_base(report):
    ended = report(messy("00-base.qrels"), messy("00-base.run"), "--measures", "P@2, R@3, RR, nDCG@3")
    log3 = 1.584962500721156
    assert ended.json["queries"] == {
        "q1": {"P@2": 0.5, "R@3": 1.0, "RR": 1.0, "nDCG@3": round((7 + 3 / 2) / (7 + 3 / log3 + 1 / 2), 10)},
        "q2": {"P@2": 0.5, "R@3": 1.0, "RR": 0.5, "nDCG@3": round((3 / log3 + 1 / 2) / (3 + 1 / log3), 10)},
    }
    assert ended.json["not_scored"]["without_relevant_label"] == ["q3"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [([], {"t1": 1, "t2": 1, "t3": 0.3333333333}), (["--order", "score"], {"t1": 1, "t2": 0.5, "t3": 1})],
)
def test_messy_ties_follow_the_rank_or_the_higher_id(report, order, expected):
    ended = report(messy("05-ties.qrels"), messy("05-run-ties.trec"), "--measures", "RR", *order)
    assert {query: values["RR"] for query, values in ended.json["queries"].items()} == expected
    assert "4 pairs of neighbouring results with equal scores" in ended.out


def test_messy_scores_that_are_no_numbers_are_refused_by_line(report):
    refused(
        report(messy("00-base.qrels"), messy("08-run-nan-inf-none.trec")),
        "line 1,",
        "line 3,",
        "line 4,",
        "line 5,",
        "line 6,",
    )


@pytest.mark.parametrize(("order", "first"), [("rank", 1 / 3), ("score", 1.0)])
def test_messy_ranks_against_scores_need_a_choice(report, order, first):
    qrels = "q1 0 d1 1\nq1 0 d3 0\n"
    refused(report(qrels, messy("10-run-rank-score-disagree.trec")), "choose order=rank or order=score")
    ended = report(qrels, messy("10-run-rank-score-disagree.trec"), "--order", order, "--measures", "RR")
    assert ended.means()["RR"] == pytest.approx(first)


def test_messy_malformed_lines_are_refused_by_line(report):
    refused(report(messy("00-base.qrels"), messy("11-run-malformed-lines.trec")), "line 2,", "line 4,", "line 6,")


def test_messy_ids_that_are_not_in_the_set_are_shown_beside_the_nearest(report):
    ended = report(messy("14-topic-suffix.qrels"), messy("14-topic-suffix.trec"))
    refused(
        ended,
        "none of its 2 query ids is in the gold set",
        "101 (the gold set has 101.1)",
        "102 (the gold set has 102.1)",
    )


def test_messy_contradicting_and_negative_labels_are_refused(report):
    refused(report(messy("16-qrels-duplicates.qrels"), messy("00-base.run")), "line 4")
    refused(report(messy("18-qrels-negative.qrels"), messy("00-base.run")), "line 2", "line 5")


def test_messy_negative_labels_are_taken_with_a_mapping(report):
    ended = report(messy("18-qrels-negative.qrels"), messy("00-base.run"), "--mapping", "negative=0")
    assert ended.code in (0, 3), ended.err


def test_messy_query_without_a_relevant_label_is_listed(report):
    ended = report(messy("21-qrels-topic-without-relevant.qrels"), messy("21-run.trec"), "--measures", "RR")
    assert ended.json["not_scored"]["without_relevant_label"] == ["q2"]
    assert ended.json["measures"]["RR"]["n"] == 1
    assert "means are over 1 scored query" in ended.out


def test_messy_leading_zeros_stay(report):
    ended = report(
        messy("23-leading-zero-ids.qrels"), messy("23-leading-zero-ids.trec"), "--threshold", "1", "--measures", "RR"
    )
    assert ended.json["queries"] == {"007": {"RR": 0.5}, "7": {"RR": 1.0}}


def test_messy_repeated_documents_need_a_choice(report):
    qrels = "q1 0 d1 2\nq1 0 d3 2\n"
    refused(report(qrels, messy("03-run-duplicate-docids.trec")), "keep_first")
    ended = report(qrels, messy("03-run-duplicate-docids.trec"), "--duplicates", "keep_first", "--measures", "P@2")
    assert ended.means() == {"P@2": 1.0}


def test_messy_bare_columns_are_read_when_their_format_is_chosen(report):
    run = messy("00-base.run")
    refused(report(messy("19-qrels-three-columns.txt"), run), "three_columns")
    assert report(messy("19-qrels-three-columns.txt"), run, "--gold-format", "three_columns").code in (0, 3)
    refused(report(messy("19-qrels-two-columns.txt"), run), "two_columns")
    chosen = ["--gold-format", "two_columns", "--constant-grade", "1"]
    assert report(messy("19-qrels-two-columns.txt"), run, *chosen).code in (0, 3)
    assert report(messy("19-qrels-beir-header.tsv"), run).code in (0, 3)


# Real data with known values.


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("BM25", (0.8245, 0.4531, 0.5058, 0.2993)),
        ("D_BERT_KD_TASB", (0.9510, 0.5158, 0.7210, 0.3953)),
        ("OPEN_AI_ADA2", (0.9186, 0.5256, 0.7035, 0.4004)),
        ("SPLADE_P_P_ENSEMBLE_DISTIL", (0.9729, 0.5549, 0.7308, 0.4382)),
    ],
)
def test_trec_deep_learning_2019(report, run, expected):
    folder = shared_data("trec", "dl19")
    names = "RR, R@100, nDCG(gain='lin')@10, AP@100"
    ended = report(
        folder / "qrels.dl19-passage.txt",
        folder / f"{run}.trec_results_dl19_top100.txt.gz",
        "--threshold",
        "1",
        "--measures",
        names,
    )
    assert tuple(round(mean, 4) for mean in ended.means().values()) == expected
    assert all(found["n"] == 43 for found in ended.json["measures"].values())


TREC_EVAL_NAMES = {
    "map": "AP",
    "bpref": "bpref",
    "recip_rank": "RR",
    "ndcg": "nDCG(gain='lin')",
    **{f"P_{k}": f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"recall_{k}": f"R@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"ndcg_cut_{k}": f"nDCG(gain='lin')@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"map_cut_{k}": f"AP@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"success_{k}": f"Hit@{k}" for k in (1, 5, 10)},
}


@pytest.mark.parametrize(
    ("run", "printed"),
    [
        ("results.test", "out.test"),
        ("results.test", "out.test.a"),
        ("results.test", "out.test.aq"),
        ("results.trunc", "out.test.aqc"),
    ],
)
def test_trec_eval_prints_the_same_digits(report, run, printed):
    folder = shared_data("trec", "trec_eval")
    ended = report(
        folder / "qrels.test",
        folder / run,
        "--order",
        "score",
        "--threshold",
        "1",
        "--measures",
        ", ".join(TREC_EVAL_NAMES.values()),
    )
    assert ended.code == 0, ended.err
    compared = 0
    for line in (folder / printed).read_text().splitlines():
        name, query, number = line.split()
        if name in TREC_EVAL_NAMES:
            ours = TREC_EVAL_NAMES[name]
            found = ended.means()[ours] if query == "all" else ended.json["queries"][query][ours]
            assert f"{found:.4f}" == number, (name, query)
            compared += 1
    assert compared >= 12
