"""The demo content is data; these tests hold its promises: it is complete, consistent, and shows every kind of query."""

import re
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

import bm25s
import pytest
import yaml

DEMO = Path(__file__).resolve().parents[2] / "evalsets" / "demo"
HEADING = re.compile(r"^#{1,6} .+? \{#([a-z0-9-]+)\}$")
DOC_TYPES = {"policy", "procedure", "reference", "faq", "manual", "release-notes", "runbook", "table"}
BEHAVIOURS = {"empty", "below_threshold", "insufficient_evidence"}
REASONS = {"misread", "rubric_gap", "ambiguous_query", "missing_context", "domain_fact", "other"}
TEXT_FIELDS = {"id", "query", "information_need", "expected_scope", "expected_behaviour", "source", "source_family"}
OTHER_FIELDS = {"answerable", "split", "tags", "synthetic", "permitted", "forbidden_documents", "relevant_evidence"}

FORMS = ["keyword", "question", "misspelt", "abbreviation", "product-code", "exact-identifier", "language-de"]
ORIGINS = ["known-bad", "ordinary", "synthetic"]
NEEDS = ["direct-lookup", "two-passage", "terminology-mismatch", "date-sensitive", "table-answer"]
NEGATIVE = ["nonexistent-entity", "outside-corpus", "unsupported-time-range", "removed-evidence", "unanswerable"]
PATTERNS = ["heading-without-details", "exact-identifier", "table", "stale-archive", "multi-part", "crowding-manual"]
KINDS = [*FORMS, *ORIGINS, *NEEDS, *NEGATIVE, "permission-sensitive", *(f"pattern-{name}" for name in PATTERNS)]


def section_texts(body: str) -> dict[str, str]:
    """Split a Markdown body at its headings, outside of code fences; text before the first heading is "top"."""
    sections: dict[str, list[str]] = defaultdict(list)
    current, fenced = "top", False
    for line in body.strip().splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else HEADING.match(line)
        if line.startswith("#") and not fenced:
            assert heading, f"heading without an anchor: {line!r}"
            assert heading[1] not in sections, f"anchor used twice: {line!r}"
            current = heading[1]
        sections[current].append(line)
    return {name: "\n".join(lines).strip() for name, lines in sections.items()}


@cache
def handbook() -> dict[str, dict[str, Any]]:
    documents = {}
    for path in sorted((DEMO / "handbook").glob("*.md")):
        _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
        document = yaml.safe_load(front)
        assert document["doc_id"] == path.stem
        documents[path.stem] = document | {"body": body, "sections": section_texts(body)}
    return documents


@cache
def load(name: str) -> Any:
    return yaml.safe_load((DEMO / name).read_text(encoding="utf-8"))


@cache
def queries() -> dict[str, dict[str, Any]]:
    return {query["id"]: query for query in load("queries.yaml")}


def queries_tagged(tag: str) -> list[dict[str, Any]]:
    return [query for query in queries().values() if tag in query["tags"]]


def reference() -> dict[tuple[str, str, str], int]:
    return {
        (query_id, row["document_id"], row["section_id"]): row["grade"]
        for query_id, rows in load("grades.yaml").items()
        for row in rows
    }


def exists(row: dict[str, Any]) -> bool:
    return row["section_id"] in handbook().get(row["document_id"], {"sections": {}})["sections"]


def may_read(query: dict[str, Any], document_id: str) -> bool:
    groups = set(handbook()[document_id]["access"])
    return not groups or bool(groups & set(query["permitted"]))


# The handbook


def test_handbook_has_the_promised_size_and_kinds():
    lengths = {doc_id: len(document["body"].split()) for doc_id, document in handbook().items()}
    assert 80 <= len(lengths) <= 95
    assert min(lengths.values()) >= 150
    assert sum(words >= 1500 for words in lengths.values()) == 3
    assert {document["doc_type"] for document in handbook().values()} == DOC_TYPES
    assert {document["language"] for document in handbook().values()} == {"en", "de"}


def test_every_section_has_text_beyond_its_heading():
    empty = [
        (doc_id, name)
        for doc_id, document in handbook().items()
        for name, text in document["sections"].items()
        if len(text.split("\n", 1)) < 2 and name != "top"
    ]
    assert empty == []


def test_titles_are_unique():
    titles = Counter(document["title"] for document in handbook().values())
    assert [title for title, count in titles.items() if count > 1] == []


def test_archived_documents_are_superseded_by_current_ones_that_begin_the_day_after():
    archived = [document for document in handbook().values() if document["lifecycle"] == "archived"]
    assert len(archived) == 2
    for document in archived:
        successor = handbook()[document["superseded_by"]]
        assert successor["lifecycle"] == "current"
        assert (successor["effective_from"] - document["effective_to"]).days == 1


def test_archived_documents_are_near_duplicates_with_other_figures():
    for document in handbook().values():
        if document["lifecycle"] == "archived":
            successor = handbook()[document["superseded_by"]]
            likeness = SequenceMatcher(None, document["body"].split(), successor["body"].split()).ratio()
            assert set(document["sections"]) == set(successor["sections"])
            assert 0.5 < likeness < 0.95
            assert re.findall(r"\d+ days", document["body"]) != re.findall(r"\d+ days", successor["body"])


def test_only_archived_documents_name_a_successor():
    assert all(
        (document["superseded_by"] is not None) == (document["lifecycle"] == "archived")
        for document in handbook().values()
    )


def test_some_documents_are_restricted_to_a_group():
    groups = Counter(group for document in handbook().values() for group in document["access"])
    assert groups == {"finance": 3, "security": 4, "people": 1}


# The queries


def test_queries_have_exactly_the_fields_of_the_import_form():
    assert 60 <= len(queries()) <= 70
    assert len(queries()) == len(load("queries.yaml"))
    assert all(set(query) == TEXT_FIELDS | OTHER_FIELDS for query in queries().values())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_query_is_present(kind):
    assert queries_tagged(kind)


@pytest.mark.parametrize("split", ["dev", "holdout"])
def test_both_splits_hold_the_kinds_that_are_sliced_most(split):
    present = {tag for query in queries().values() if query["split"] == split for tag in query["tags"]}
    wanted = {"keyword", "question", "known-bad", "ordinary", "unanswerable", "permission-sensitive", "synthetic"}
    assert wanted <= present


def test_no_source_family_straddles_the_splits():
    splits = defaultdict(set)
    for query in queries().values():
        splits[query["source_family"]].add(query["split"])
    assert {split for both in splits.values() for split in both} == {"dev", "holdout"}
    assert [family for family, both in splits.items() if len(both) > 1] == []


def test_real_queries_are_half_known_bad_and_half_ordinary():
    real = [query for query in queries().values() if not query["synthetic"]]
    assert all(("known-bad" in query["tags"]) != ("ordinary" in query["tags"]) for query in real)
    assert 0.4 <= len(queries_tagged("known-bad")) / len(real) <= 0.6


def test_every_query_is_either_keyword_or_question():
    assert all(len({"keyword", "question"} & set(query["tags"])) == 1 for query in queries().values())


def test_synthetic_mark_and_tag_go_together():
    assert all(query["synthetic"] == ("synthetic" in query["tags"]) for query in queries().values())
    assert 4 <= len(queries_tagged("synthetic")) <= 6


def test_unanswerable_queries_state_a_behaviour_and_have_no_evidence():
    seen = set()
    for query in queries().values():
        assert query["answerable"] == ("unanswerable" not in query["tags"])
        assert bool(query["relevant_evidence"]) == query["answerable"]
        assert (query["expected_behaviour"] == "") == query["answerable"]
        seen.add(query["expected_behaviour"])
    assert seen == BEHAVIOURS | {""}


def test_forbidden_documents_are_restricted_and_closed_to_the_asker():
    permission = queries_tagged("permission-sensitive")
    assert len(permission) >= 5
    for query in permission:
        assert query["permitted"]
        assert query["forbidden_documents"]
    for query in queries().values():
        for document_id in query["forbidden_documents"]:
            assert handbook()[document_id]["access"]
            assert not may_read(query, document_id)


def test_the_same_question_is_asked_with_and_without_permission():
    by_text = defaultdict(set)
    for query in queries_tagged("permission-sensitive"):
        by_text[query["query"]].add(query["answerable"])
    assert {True, False} in by_text.values()


# The grades


def test_every_query_has_grades_and_every_grade_resolves():
    assert list(load("grades.yaml")) == list(queries())
    rows = [row for rows in load("grades.yaml").values() for row in rows]
    assert [row for row in rows if not exists(row)] == []
    assert {row["grade"] for row in rows} == {1, 2, 3}
    assert len(reference()) == len(rows)


def test_answerable_queries_have_a_relevant_section_and_unanswerable_ones_have_none():
    best = {query_id: max((row["grade"] for row in rows), default=0) for query_id, rows in load("grades.yaml").items()}
    assert all((best[query["id"]] >= 2) == query["answerable"] for query in queries().values())


def test_stated_evidence_exists_and_is_graded_relevant():
    for query in queries().values():
        for row in query["relevant_evidence"]:
            assert exists(row)
            assert reference()[query["id"], row["document_id"], row["section_id"]] >= 2, (query["id"], row)


def test_two_passage_queries_need_at_least_two_relevant_sections():
    for query in queries_tagged("two-passage"):
        assert len(query["relevant_evidence"]) >= 2


def test_documents_closed_to_the_asker_are_no_evidence():
    assert [key for key in reference() if not may_read(queries()[key[0]], key[1])] == []


def test_archived_text_is_stale_unless_the_query_asks_about_the_past():
    for (query_id, document_id, _), grade in reference().items():
        if handbook()[document_id]["lifecycle"] == "archived" and grade > 1:
            assert "effective on 2025" in queries()[query_id]["expected_scope"]


def test_related_sections_are_plentiful():
    counts = Counter(reference().values())
    assert counts[1] > counts[2] + counts[3] > 150


# Each failure pattern is really in the handbook


@cache
def lexical_ranking(query: str) -> list[tuple[str, str]]:
    """All sections of the handbook for a query, best first, by plain BM25 over the section texts."""
    keys = [(doc_id, name) for doc_id, document in handbook().items() for name in document["sections"]]
    texts = [handbook()[doc_id]["sections"][name] for doc_id, name in keys]
    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    tokens = bm25s.tokenize([query], stopwords="en", show_progress=False)
    found, _ = retriever.retrieve(tokens, k=len(keys), show_progress=False)
    return [keys[index] for index in found[0]]


def test_heading_ranks_but_its_details_do_not():
    for query in queries_tagged("pattern-heading-without-details"):
        grades = {key[1:]: grade for key, grade in reference().items() if key[0] == query["id"]}
        ranks = {
            key: rank for rank, key in enumerate(lexical_ranking(query["query"]), start=1) if grades.get(key, 0) >= 2
        }
        details = [rank for (_, section), rank in ranks.items() if section.startswith("procedure-")]
        assert min(details) > 20
        assert min(ranks.values()) <= 10


def test_exact_identifiers_stand_literally_in_the_evidence():
    for query in queries_tagged("pattern-exact-identifier"):
        code = re.search(r"E-\d{4}", query["query"])
        assert code
        evidence = [handbook()[row["document_id"]]["sections"][row["section_id"]] for row in query["relevant_evidence"]]
        assert any(code[0] in text for text in evidence)


def test_table_answers_stand_in_tables():
    for query in queries_tagged("pattern-table"):
        evidence = [handbook()[row["document_id"]]["sections"][row["section_id"]] for row in query["relevant_evidence"]]
        assert any("\n|---" in text for text in evidence)


def test_stale_pattern_has_an_archived_section_among_the_related_ones():
    for query in queries_tagged("pattern-stale-archive"):
        lifecycles = {
            handbook()[document_id]["lifecycle"] for query_id, document_id, _ in reference() if query_id == query["id"]
        }
        assert lifecycles == {"current", "archived"}


def test_one_manual_crowds_out_the_document_with_the_answer():
    for query in queries_tagged("pattern-crowding-manual"):
        ranking = lexical_ranking(query["query"])
        answer = min(ranking.index((row["document_id"], row["section_id"])) for row in query["relevant_evidence"])
        assert sum(document_id == "site-appliance-manual" for document_id, _ in ranking[:10]) >= 4
        assert answer >= 4


# The annotators


def test_deviations_differ_from_the_reference_and_resolve():
    names = {annotator["username"] for annotator in load("annotators.yaml")["annotators"]}
    assert len(names) == 3
    seen = set()
    for row in load("annotators.yaml")["deviations"]:
        key = (row["query"], row["document_id"], row["section_id"])
        assert exists(row)
        assert row["query"] in queries()
        assert row["grade"] in {0, 1, 2, 3}
        assert row["grade"] != reference().get(key, 0)
        assert row["annotator"] in names
        assert (row["annotator"], *key) not in seen
        seen.add((row["annotator"], *key))


def test_many_deviations_carry_a_reason_of_their_own():
    notes = [row["note"] for row in load("annotators.yaml")["deviations"] if row["note"]]
    assert len(notes) >= 60
    assert len(set(notes)) >= len(notes) - 5


def test_strict_annotator_lowers_and_generous_one_raises():
    direction = defaultdict(Counter)
    for row in load("annotators.yaml")["deviations"]:
        key = (row["query"], row["document_id"], row["section_id"])
        direction[row["annotator"]][row["grade"] > reference().get(key, 0)] += 1
    manner = {annotator["manner"]: annotator["username"] for annotator in load("annotators.yaml")["annotators"]}
    assert direction[manner["strict"]][True] == 0
    assert direction[manner["generous"]][False] == 0
    assert set(direction[manner["careful"]]) == {True, False}


def test_cannot_judge_gives_a_reason_and_no_grade():
    deviating = {
        (row["annotator"], row["query"], row["document_id"], row["section_id"])
        for row in load("annotators.yaml")["deviations"]
    }
    rows = load("annotators.yaml")["cannot_judge"]
    assert len(rows) >= 5
    for row in rows:
        assert exists(row)
        assert len(row["reason"]) > 20
        assert (row["annotator"], row["query"], row["document_id"], row["section_id"]) not in deviating


def test_adjudications_decide_noted_disagreements_with_a_grade_that_somebody_gave():
    noted = {
        (row["query"], row["document_id"], row["section_id"]): row["grade"]
        for row in load("annotators.yaml")["deviations"]
        if row["note"]
    }
    cases = load("annotators.yaml")["adjudications"]
    assert {case["reason"] for case in cases} == REASONS
    for case in cases:
        key = (case["query"], case["document_id"], case["section_id"])
        assert case["final_grade"] in {noted[key], reference().get(key, 0)}
        assert case["note"]
    assert any(case["rewrite"] for case in cases)


# The rubric


def test_rubric_defines_each_grade_with_an_example_that_the_grades_agree_with():
    rubric = load("rubric.yaml")
    assert rubric["threshold"] == 2
    assert [entry["grade"] for entry in rubric["grades"]] == [0, 1, 2, 3]
    by_text = {query["query"]: query["id"] for query in queries().values()}
    for entry in rubric["grades"]:
        example = entry["example"]
        key = (by_text[example["query"]], example["document_id"], example["section_id"])
        assert exists(example)
        assert reference().get(key, 0) == entry["grade"]
