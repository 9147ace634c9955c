"""The command on an exported gold set: what it declares is used, and a changed one is refused."""

import io
import json
import zipfile

import pytest

from evalsets.gold.archive import write_archive
from evalsets.gold.canonical import FORMAT, GoldContent, checksum
from scoring.offline.command import main

HEADER = {
    "format": FORMAT,
    "version": 3,
    "unit": "document",
    "scale": "graded",
    "threshold": 2,
    "gain": "lin",
    "depth_n": 20,
    "depth_k": 2,
}


def query(query_id, **given):
    ordinary = {
        "text": f"text of {query_id}",
        "answerable": True,
        "expected_behaviour": "",
        "split": "dev",
        "tags": [],
        "source": "log",
    }
    return {"query_id": query_id, "synthetic": False, "forbidden_documents": []} | ordinary | given


def label(query_id, doc_id, grade, section_id=""):
    place = {"query_id": query_id, "doc_id": doc_id, "section_id": section_id}
    return place | {"grade": grade, "provenance": "single", "text_sha256": "", "judgments": [], "adjudication": None}


QUERIES = [
    query("q1"),
    query("q2", split="holdout"),
    query("made", synthetic=True),
    query("never", answerable=False, expected_behaviour="empty"),
    query("closed", forbidden_documents=["secret"]),
]
LABELS = [
    label("q1", "d1", 3),
    label("q1", "d2", 0),
    label("q2", "d1", 2),
    label("made", "d1", 2),
    label("closed", "d1", 2),
]
ANSWERS = [
    {"query_id": "q1", "latency_ms": 10, "results": [{"doc_id": "d2"}, {"doc_id": "d1"}]},
    {"query_id": "q2", "latency_ms": 30, "event": "timeout", "results": []},
    {"query_id": "made", "latency_ms": 20, "results": [{"doc_id": "d1"}]},
    {"query_id": "never", "results": []},
    {"query_id": "closed", "results": [{"doc_id": "d1"}, {"doc_id": "d4"}, {"doc_id": "secret"}]},
]


@pytest.fixture
def report(tmp_path, capsys):
    """Write a gold set and a run, score them in this process, and return exit code, printed text, errors and JSON."""

    def run(answers, *options, header=None, queries=QUERIES, labels=LABELS, spoil=lambda data: data):
        content = GoldContent(HEADER | (header or {}), queries, labels)
        (tmp_path / "gold.zip").write_bytes(spoil(write_archive(content)))
        text = answers if isinstance(answers, str) else "\n".join(map(json.dumps, answers))
        (tmp_path / "run").write_text(text)
        target = tmp_path / "report.json"
        files = ["--gold", str(tmp_path / "gold.zip"), "--run", str(tmp_path / "run"), "--json", str(target)]
        code = main(["report", *files, *options])
        printed = capsys.readouterr()
        made = json.loads(target.read_text()) if target.exists() else None
        return code, printed.out, printed.err, made, content

    return run


def test_what_the_gold_set_declares_is_used(report):
    code, out, _, made, content = report(ANSWERS)
    assert code == 0
    definition = made["definition"]
    assert {key: definition[key] for key in ("unit", "threshold", "gain", "depth", "k")} == {
        "unit": "document",
        "threshold": 2,
        "gain": "lin",
        "depth": 20,
        "k": 2,
    }
    assert definition["gold"] == {"name": "gold.zip", "version": "3", "sha256": checksum(content)}
    assert list(made["measures"]) == ["R@20", "nDCG@2", "P@2", "RR", "Hit@2", "Judged@2", "FirstRel"]
    assert "version 3" in out
    assert "declares no threshold" not in out


def test_each_kind_of_query_goes_where_it_belongs(report):
    _, out, _, made, _ = report(ANSWERS)
    assert list(made["queries"]) == ["closed", "q1", "q2"]
    assert list(made["synthetic"]) == ["made"]
    assert made["not_scored"]["unanswerable"] == ["never"]
    assert made["unanswered"] == [{"query_id": "q2", "reason": "timeout", "stage": "candidates"}]
    assert made["checks"]["unanswerable"][0]["outcome"] == "pass"
    assert made["checks"]["leaks"] == [{"query_id": "closed", "stage": "candidates", "rank": 3, "doc_id": "secret"}]
    assert made["checks"]["latency"]["timeouts"] == ["q2"]
    assert "LEAK: 1 forbidden result," in out
    assert "closed: secret at rank 3 of candidates" in out
    assert "never: pass - expected empty, returned nothing" in out


def test_a_split_can_be_chosen(report):
    _, _, _, made, _ = report(ANSWERS, "--split", "holdout")
    assert list(made["queries"]) == ["q2"]


def test_asking_against_the_declaration_is_said(report):
    _, _, _, made, _ = report(ANSWERS, "--threshold", "3", "--k", "2")
    assert "threshold 3 was asked for; the gold set declares 2" in made["warnings"]
    assert not any("k 2 was asked for" in warning for warning in made["warnings"])


def test_a_binary_set_counts_grade_one(report):
    labels = [label("q1", "d1", 1), label("q1", "d2", 0)]
    _, _, _, made, _ = report(
        ANSWERS[:1], header={"scale": "binary", "threshold": 1}, queries=QUERIES[:1], labels=labels
    )
    assert made["definition"]["max_grade"] == 1
    assert made["queries"]["q1"]["RR"] == 0.5


@pytest.mark.parametrize(
    "run",
    [
        "q1 Q0 d#1#s2 1 2.0 t\nq1 Q0 d#1#s1 2 1.0 t\n",
        '{"query_id": "q1", "results": [{"doc_id": "d#1", "section_id": "s2"}, {"doc_id": "d#1", "section_id": "s1"}]}',
    ],
)
def test_sections_are_scored_from_both_formats(report, run):
    labels = [label("q1", "d#1", 2, "s1"), label("q1", "d#1", 0, "s2")]
    _, _, _, made, _ = report(run, "--measures", "RR", header={"unit": "section"}, queries=QUERIES[:1], labels=labels)
    assert made["queries"]["q1"]["RR"] == 0.5


def test_a_leak_is_found_in_a_run_that_names_sections_in_its_ids(report):
    labels = [label("closed", "d1", 2, "s1")]
    run = "closed Q0 secret#s9 1 2.0 t\n"
    _, _, _, made, _ = report(run, header={"unit": "section"}, queries=QUERIES[4:], labels=labels)
    assert made["checks"]["leaks"][0]["doc_id"] == "secret"


def test_a_run_without_sections_cannot_be_scored_on_sections(report):
    labels = [label("q1", "d1", 2, "s1")]
    code, out, err, made, _ = report(
        "q1 Q0 d1 1 2.0 t\n", header={"unit": "section"}, queries=QUERIES[:1], labels=labels
    )
    assert (code, out, made) == (2, "", None)
    assert "the gold set labels sections and the run names none" in err


def one_grade_higher(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["gold.jsonl"] = files["gold.jsonl"].replace(b'"grade":2', b'"grade":3', 1)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize("spoil", [one_grade_higher, lambda data: data[: len(data) // 2]])
def test_a_changed_gold_set_is_invalid(report, spoil):
    code, out, err, made, _ = report(ANSWERS, spoil=spoil)
    assert (code, out, made) == (4, "", None)
    assert err.startswith("gold.zip: ")
