"""One test for each file that broke a real tool: what reading it gives."""

from typing import Any

import pytest

from evalsets.formats.catalogue import read
from evalsets.formats.delimited import write_csv
from tests.shared_data import shared_data


def messy(kind: str, name: str, **options: str) -> Any:
    return read(kind, shared_data("messy", name).read_bytes(), name=name, **options)


def problem_lines(found: Any) -> list[int | None]:
    return [problem.line for problem in found.problems]


def ranked(found: Any, query: str) -> list[str]:
    return [row.doc_id for row in found.results if row.query_id == query]


def warned(found: Any) -> str:
    return "\n".join(map(str, found.warnings))


def test_00_base_files_are_read_whole():
    assert len(messy("queries", "00-base.queries.tsv").queries) == 3
    assert len(messy("runs", "00-base.run").results) == 8
    assert len(messy("labels", "00-base.qrels").labels) == 9


def test_01_any_blanks_separate_and_text_after_the_tag_is_said():
    found = messy("runs", "01-run-tabs-extra-columns.trec")
    assert ranked(found, "q1") == ["d1", "d3", "d2"]
    assert ranked(found, "q2") == ["d5"]
    assert found.warnings == ["text after the tag ignored on lines 1 and 4"]
    assert found.tag == "sysA"


def test_03_repeated_document_is_refused_or_the_first_is_kept():
    found = messy("runs", "03-run-duplicate-docids.trec")
    assert problem_lines(found) == [3]
    assert "line 1" in str(found.problems[0])
    assert "duplicates=keep_first" in str(found.problems[0])
    assert ranked(messy("runs", "03-run-duplicate-docids.trec", duplicates="keep_first"), "q1") == ["d1", "d3"]


def test_05_ties_are_counted_and_ordered_by_rank_or_by_score():
    found = messy("runs", "05-run-ties.trec")
    assert found.ties == 4
    assert "4 pairs" in warned(found)
    assert [ranked(found, query) for query in ("t1", "t2", "t3")] == [["b", "a"], ["b", "c"], ["d1", "d2", "d3"]]
    by_score = messy("runs", "05-run-ties.trec", order="score")
    assert [ranked(by_score, query) for query in ("t1", "t2", "t3")] == [["b", "a"], ["c", "b"], ["d3", "d2", "d1"]]
    assert len(messy("labels", "05-ties.qrels").labels) == 8


def test_08_scores_that_are_no_finite_numbers_are_each_named():
    found = messy("runs", "08-run-nan-inf-none.trec")
    assert [(problem.line, problem.field, problem.value) for problem in found.problems[:4]] == [
        (1, "score", "nan"),
        (3, "score", "NaN"),
        (4, "score", "inf"),
        (5, "score", "None"),
    ]
    assert (found.problems[4].line, found.problems[4].field) == (6, "fields")
    assert "found 5" in found.problems[4].expected
    assert len(found.problems) == 5


def test_10_ranks_against_scores_are_refused_until_an_order_is_given():
    name = "10-run-rank-score-disagree.trec"
    found = messy("runs", name)
    assert not found.ok
    assert "order=rank or order=score" in str(found.problems[0])
    assert found.results == []
    assert ranked(messy("runs", name, order="rank"), "q1") == ["d3", "d2", "d1"]
    assert ranked(messy("runs", name, order="score"), "q1") == ["d1", "d2", "d3"]


def test_11_malformed_lines_are_all_named():
    found = messy("runs", "11-run-malformed-lines.trec")
    assert [(problem.line, problem.field) for problem in found.problems] == [
        (2, "fields"),
        (4, "fields"),
        (6, "rank"),
        (6, "score"),
    ]
    assert found.rows_read == 5


def test_14_query_ids_stay_as_they_are():
    assert [answer.query_id for answer in messy("runs", "14-topic-suffix.trec").answers] == ["101", "102"]
    assert {row.query_id for row in messy("labels", "14-topic-suffix.qrels").labels} == {"101.1", "102.1"}


def test_16_conflicting_grade_is_an_error_and_the_same_again_a_warning():
    found = messy("labels", "16-qrels-duplicates.qrels")
    assert problem_lines(found) == [4]
    said = str(found.problems[0])
    assert "'0'" in said
    assert "'q1'" in said
    assert "'d2'" in said
    assert "line 2 says otherwise (2)" in said
    assert "line 3 repeats line 1" in warned(found)


def test_18_negative_grades_need_a_mapping():
    found = messy("labels", "18-qrels-negative.qrels")
    assert [(problem.line, problem.value) for problem in found.problems] == [(2, "-1"), (5, "-2")]
    mapped = messy("labels", "18-qrels-negative.qrels", mapping="negative=0")
    assert [row.grade for row in mapped.labels] == [3, 0, 0, 2, 0]


def test_19_beir_header_is_accepted():
    found = messy("labels", "19-qrels-beir-header.tsv")
    assert found.format == "beir_qrels"
    assert [(row.query_id, row.doc_id, row.grade) for row in found.labels] == [
        ("q1", "d1", 3),
        ("q1", "d2", 2),
        ("q2", "d5", 2),
    ]


def test_19_three_columns_are_accepted_when_chosen():
    name = "19-qrels-three-columns.txt"
    assert "format=three_columns" in str(messy("labels", name).problems[0])
    assert [row.grade for row in messy("labels", name, format="three_columns").labels] == [3, 2, 2]


def test_19_two_columns_are_accepted_with_one_grade_for_all():
    name = "19-qrels-two-columns.txt"
    said = str(messy("labels", name).problems[0])
    assert "a grade" in said
    assert "format=two_columns" in said
    assert [row.grade for row in messy("labels", name, format="two_columns", constant_grade="1").labels] == [1, 1, 1]


def test_21_query_without_a_relevant_label_is_read():
    assert [
        row.grade for row in messy("labels", "21-qrels-topic-without-relevant.qrels").labels if row.query_id == "q2"
    ] == [0, 0]
    assert len(messy("runs", "21-run.trec").results) == 3


def test_23_leading_zeros_stay():
    labels = messy("labels", "23-leading-zero-ids.qrels").labels
    assert [(row.query_id, row.doc_id) for row in labels] == [("007", "0012"), ("007", "12"), ("7", "12")]
    results = messy("runs", "23-leading-zero-ids.trec").results
    assert [(row.query_id, row.doc_id) for row in results] == [("007", "12"), ("007", "0012"), ("7", "12")]


def test_24_number_and_text_are_one_id_and_a_float_is_none():
    found = messy("documents", "24-corpus-int-ids.jsonl")
    assert sorted(set(problem_lines(found))) == [2, 3, 4]
    by_line = {problem.line: str(problem) for problem in found.problems}
    assert "'3'" in by_line[2]
    assert "line 1 says otherwise" in by_line[2]
    assert "4.0" in by_line[3]
    assert "'id', 'contents'" in by_line[4]
    assert "mapping" in by_line[4]
    mapped = messy("documents", "24-corpus-int-ids.jsonl", mapping="doc_id=id, text=contents")
    assert problem_lines(mapped) == [2, 3]


def test_26_document_with_two_texts_is_an_error():
    found = messy("documents", "26-corpus-duplicate-ids.jsonl")
    assert problem_lines(found) == [4]
    assert "line 3" in str(found.problems[0])
    assert "line 2 repeats line 1" in warned(found)


def test_27_broken_json_lines_are_named_with_line_and_column():
    found = messy("documents", "27-corpus-trailing-comma-crlf.jsonl")
    assert problem_lines(found) == [1, 2, 5, 6]
    assert all(problem.column for problem in found.problems)


def test_27_json_array_is_accepted_under_any_name():
    assert [row.doc_id for row in messy("documents", "27-corpus-json-array-named.jsonl").documents] == ["d1", "d2"]


def test_29_utf16_is_named_by_its_mark_and_intact_when_chosen():
    found = messy("documents", "29-corpus-utf16.csv")
    assert "byte order mark FF FE" in str(found.problems[0])
    texts = [row.text for row in messy("documents", "29-corpus-utf16.csv", encoding="utf-16").documents]
    assert texts == ["Schaltung einstellen f\u00fcr Anf\u00e4nger", "\u00e9lagage d\u2019un pommier"]


@pytest.mark.parametrize("name", ["30-corpus-huge-field.csv", "30-corpus-huge-line.jsonl"])
def test_30_huge_field_and_huge_line_are_intact(name):
    found = messy("documents", name)
    assert found.problems == []
    raw = shared_data("messy", name).read_text()
    longest = max((row.text for row in found.documents), key=len)
    assert len(longest) > 140_000
    assert longest in raw
    assert set(longest.split()) == {"gear"}


def test_31_repeated_query_id_is_an_error_and_the_same_again_a_warning():
    found = messy("queries", "31-queries-duplicate-id.tsv")
    assert problem_lines(found) == [3]
    assert "line 1" in str(found.problems[0])
    assert "line 4 repeats line 2" in warned(found)


@pytest.mark.parametrize("kind", ["queries", "labels"])
def test_33_texts_stay_and_lookalikes_are_listed(kind):
    found = messy(kind, "33-queries-case-and-space.csv")
    rows = found.queries if kind == "queries" else found.labels
    texts = [row.text if kind == "queries" else row.query_text for row in rows]
    assert texts == ["Dairy", "dairy", "dairy ", " dairy", "dai\u200bry", "cafe\u0301", "caf\u00e9"]
    said = warned(found)
    assert "2 groups" in said
    assert r"'Dairy', 'dairy', 'dairy ', ' dairy', 'dai\u200bry'" in said
    assert r"'cafe\u0301', 'café'" in said


def test_34_comma_without_quotes_is_an_error_at_its_line():
    found = messy("labels", "34-ratings-comma-in-query.csv")
    assert problem_lines(found) == [3]
    assert "3 fields" in found.problems[0].expected
    assert "found 4" in found.problems[0].expected
    data = (
        shared_data("messy", "34-ratings-comma-in-query.csv").read_text().replace("bolts, nuts and washers,d2,2\n", "")
    )
    assert [row.query_text for row in read("labels", data, name="x.csv").labels] == [
        "bolts, nuts and washers",
        'say "hello" in Czech',
    ]


@pytest.mark.parametrize("name", ["36-ratings-bom.csv", "36-ratings-bom-quoted.csv"])
def test_36_byte_order_mark_is_no_part_of_the_first_column(name):
    found = messy("labels", name)
    assert [(row.query_text, row.doc_id, row.grade) for row in found.labels] == [("renew a library card", "d5", 2)]


def test_38_odd_document_ids_come_back_from_an_export():
    labels = messy("labels", "38-ratings-odd-docids.csv").labels
    ids = [row.doc_id for row in labels]
    assert ids[1:6] == ["http://example.org/a/b.pdf?x=1&y=2#frag", "../../etc/notes", "a b c", "100%", "<b>d7</b>"]
    assert len(ids) == 8
    exported = write_csv([{"query": row.query_text, "docid": row.doc_id, "rating": row.grade} for row in labels])
    assert [row.doc_id for row in read("labels", exported, name="export.csv").labels] == ids


def test_40_notes_keep_their_line_breaks():
    found = messy(
        "labels", "40-ratings-embedded-newlines.csv", columns="query=Query, doc_id=DocUrl, grade=Relevance, note=Notes"
    )
    assert [(row.line, row.note) for row in found.labels] == [
        (2, "Good, but there is a shorter way = \nuse the built-in"),
        (4, 'He said "never" use this,\r\nsee the other one'),
        (6, ""),
    ]


def test_41_formulas_are_verbatim_and_survive_the_neutralised_export():
    labels = messy("labels", "41-notes-formula.csv").labels
    notes = [row.note for row in labels]
    assert notes == ["=1+2", "+44 20 7946 0000", "-5 degrees", "@here", "plain", "\t=2+3"]
    assert labels[4].doc_id == "=HYPERLINK(0)"
    exported = write_csv(
        [{"query": row.query_text, "docid": row.doc_id, "rating": row.grade, "notes": row.note} for row in labels]
    )
    assert not any(
        cell.strip('"').startswith(("=", "+", "-", "@", "\t")) for cell in exported.replace("\r\n", ",").split(",")
    )
    again = read("labels", exported, name="export.csv").labels
    assert [(row.doc_id, row.grade, row.note) for row in again] == [(row.doc_id, row.grade, row.note) for row in labels]


def test_42_blank_is_unjudged_zero_is_a_grade_and_words_are_errors():
    found = messy("labels", "42-ratings-blank-zero-text.csv")
    assert [(problem.line, problem.value) for problem in found.problems] == [
        (4, "unrateable"),
        (7, "NaN"),
        (8, "-"),
        (9, "three"),
        (10, "1.5"),
        (11, "TRUE"),
    ]
    assert found.skipped == {"blank grade (unjudged)": 1}
    mapping = "unrateable=cannot_judge, NaN=skip, -=skip, three=3, 1.5=1, TRUE=skip"
    labels = messy("labels", "42-ratings-blank-zero-text.csv", mapping=mapping).labels
    assert {row.doc_id: row.grade for row in labels} == {"d1": 0, "d3": None, "d4": 3, "d5": 2, "d8": 3, "d9": 1}
    assert [row.cannot_judge for row in labels if row.doc_id == "d3"] == ["unrateable"]


def test_43_quepid_book_is_read():
    found = messy("labels", "43-quepid-book.json")
    assert [(row.doc_id, row.annotator, row.grade, row.cannot_judge) for row in found.labels] == [
        ("325", "rater01@example.org", 3, ""),
        ("325", "rater02@example.org", None, "unrateable"),
        ("327", "", 1, ""),
    ]
    assert [pair[1] for pair in found.pairs] == ["325", "326", "327"]
    assert found.skipped == {"marked to be judged later": 1}
    assert "not JSON" in warned(found)
    assert [row.title for row in found.documents] == ['Screen 3.05 m (120")']


def test_46_label_studio_export_names_what_is_wrong_with_task_3():
    found = messy("labels", "46-label-studio-export.json")
    assert [(problem.field, problem.value) for problem in found.problems] == [
        ("grade", "4"),
        ("completed_by", "rater01@example.org"),
    ]
    assert set(problem_lines(found)) == {84}
    assert found.skipped == {"cancelled annotation": 1, "empty annotation": 1}


def test_46_first_task_has_two_annotators_and_no_prediction():
    text = shared_data("messy", "46-label-studio-export.json").read_text()
    start, end = text.index(' {\n  "id": 3,'), text.index(' {\n  "id": 4,')
    found = read("labels", text[:start] + text[end:], name="export.json", columns="query=query, doc_id=docid")
    assert [(row.doc_id, row.annotator, row.grade) for row in found.labels] == [
        ("d1", "rater01@example.org", 3),
        ("d1", "2", 2),
    ]
    assert found.labels[0].passage_text == "Turn the barrel adjuster."


def test_48_retrieval_log_makes_ids_from_texts_and_says_so():
    found = messy("runs", "48-retrieval-log.jsonl")
    assert found.problems == []
    assert "ids were made from the questions" in warned(found)
    assert "their document ids were made from the texts" in warned(found)
    assert "kept once, at the first rank: lines 1 and 3" in warned(found)
    assert [(row.rank, row.text, row.score) for row in found.results if row.line == 1] == [
        (1, "Turn the barrel adjuster.", None),
        (2, "Oil the chain.", None),
    ]
    assert [(row.doc_id, row.score) for row in found.results if row.query_id == "q2"] == [
        ("5f0c", None),
        ("77aa", 0.81),
    ]
    assert [row.text for row in found.results if row.line == 3] == ["Prune in winter."]
    assert [row.text for row in found.queries] == ["adjust rear gear", "renew a library card", "prune an apple tree"]


def test_49_cases_are_read_with_their_raters():
    found = messy("labels", "49-agreement-degenerate.csv", columns="query_id=case, doc_id=item")
    assert len(found.labels) == 24
    assert {row.annotator for row in found.labels if row.query_id == "missing-not-a-label"} == {"a", "b", "c"}


def test_51_fourteen_labels_in_and_fourteen_out():
    labels = messy("labels", "51-ratings-fourteen-for-one-query.csv").labels
    assert len(labels) == 14
    exported = write_csv([{"query": row.query_text, "docid": row.doc_id, "rating": row.grade} for row in labels])
    assert len(read("labels", exported, name="export.csv").labels) == 14


@pytest.mark.slow_data
def test_real_judgments_of_several_raters_are_read():
    chorus = read("labels", shared_data("multirater", "chorus_ratings.csv").read_bytes(), name="chorus_ratings.csv")
    assert (len(chorus.labels), len(chorus.pairs), len({row.annotator for row in chorus.labels})) == (9564, 3188, 3)
    data = shared_data("multirater", "codesearchnet_ratings.csv").read_bytes()
    code = read("labels", data, name="codesearchnet_ratings.csv", columns="doc_id=GitHubUrl", repeats="anonymous")
    assert (len(code.labels), len(code.pairs)) == (4006, 2914)


@pytest.mark.slow_data
def test_real_runs_and_qrels_are_read():
    for path in sorted(shared_data("trec", "dl19").glob("*.gz")):
        assert len(read("runs", path.read_bytes(), name=path.name).results) == 4300
    assert (
        len(read("labels", shared_data("trec", "dl19", "qrels.dl19-passage.txt").read_bytes(), name="qrels").labels)
        == 9260
    )
    assert (
        len(read("queries", shared_data("trec", "dl19", "topics.dl19-passage.txt").read_bytes(), name="topics").queries)
        == 43
    )
    assert (
        read(
            "runs", shared_data("trec", "trec_eval", "results.test").read_bytes(), name="results.test", order="score"
        ).ties
        == 10
    )
    assert (
        len(read("documents", shared_data("cranfield", "corpus.jsonl").read_bytes(), name="corpus.jsonl").documents)
        == 1400
    )
    assert (
        len(read("queries", shared_data("cranfield", "queries.jsonl").read_bytes(), name="queries.jsonl").queries)
        == 225
    )
    assert len(read("labels", shared_data("cranfield", "qrels.tsv").read_bytes(), name="qrels.tsv").labels) == 1837
