import json

import pytest
import pytrec_eval

from evalsets.retrieval import (
    KINDS,
    ConfigError,
    SourceDocument,
    SourceSection,
    build_retriever,
    building_order,
)
from evalsets.retrieval.base import Hit
from tests.shared_data import shared_data

DOCUMENTS = [
    SourceDocument("backup", "Backups", "A backup runs every night. The PB-2041 appliance keeps thirty nights."),
    SourceDocument("restore", "Restoring", "To restore a file, pick a night and press restore."),
    SourceDocument("billing", "Billing", "Invoices are sent on the first of each month."),
    SourceDocument("empty", "Nothing yet", ""),
]
INDEPENDENT = ["bm25", "lsa"]


def built(kind, documents=DOCUMENTS, **config):
    return build_retriever(kind, config, documents, {})


def fused(*, documents=DOCUMENTS, **config):
    members = {"words": built("bm25", documents), "meaning": built("lsa", documents)}
    return build_retriever("rrf", {"members": list(members), **config}, documents, members)


EACH_KIND = [
    pytest.param(lambda: built("bm25"), id="bm25"),
    pytest.param(lambda: built("lsa"), id="lsa"),
    pytest.param(fused, id="rrf"),
]


class Canned:
    """A retriever that gives the same answer to everything."""

    def __init__(self, *hits, chunking="as recorded"):
        self.hits = [Hit(rank, 1 / rank, *ids) for rank, ids in enumerate(hits, start=1)]
        self.versions = {"chunking": chunking, "index": "canned", "embedding": "none"}

    def search(self, query, k):
        return self.hits[:k]


@pytest.mark.parametrize("kind", INDEPENDENT)
def test_the_document_that_speaks_of_the_query_comes_first(kind):
    assert built(kind).search("restore a file", 10)[0].doc_id == "restore"


@pytest.mark.parametrize("query", ["PB-2041", "pb 2041", "2041", "pb\u20112041"])
def test_a_product_code_is_found_however_it_is_written(query):
    assert [hit.doc_id for hit in built("bm25").search(query, 10)] == ["backup"]


def test_a_misspelt_word_is_found_by_parts_of_words():
    assert built("lsa").search("invoizes", 10)[0].doc_id == "billing"
    assert built("lsa", character_grams=False).search("invoizes", 10) == []


@pytest.mark.parametrize("query", ["", "   ", "?!", "zzqqxx"])
@pytest.mark.parametrize("build", EACH_KIND)
def test_a_query_without_a_known_token_gets_an_empty_list(build, query):
    assert build().search(query, 10) == []


def test_a_query_of_stop_words_has_no_token_for_bm25():
    assert built("bm25").search("the of and", 10) == []


@pytest.mark.parametrize("kind", INDEPENDENT)
@pytest.mark.parametrize("documents", [[], DOCUMENTS[3:], DOCUMENTS[:1], [SourceDocument("d", "", "the of")]])
def test_the_smallest_corpora_are_searched_without_an_error(kind, documents):
    hits = built(kind, documents).search("backup", 5)
    assert [hit.doc_id for hit in hits] == [doc.doc_id for doc in documents if "backup" in doc.text]


@pytest.mark.parametrize("kind", INDEPENDENT)
def test_ranks_count_from_one_and_scores_never_rise(kind):
    hits = built(kind).search("night backup restore", 10)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize("kind", INDEPENDENT)
def test_equal_scores_come_in_the_order_of_chunk_ids(kind):
    twins = [SourceDocument(name, "", "the same words here") for name in ("c", "a", "b")]
    hits = built(kind, twins).search("same words", 2)
    assert [hit.doc_id for hit in hits] == ["a", "b"]


@pytest.mark.parametrize("kind", INDEPENDENT)
def test_the_order_of_documents_changes_nothing(kind):
    query = "when does the night backup run"
    assert built(kind).search(query, 10) == built(kind, DOCUMENTS[::-1]).search(query, 10)


@pytest.mark.parametrize("kind", INDEPENDENT)
def test_a_hit_points_at_its_place_in_its_section(kind):
    text = "Intro words.\nLimits\nAt most ten uploads."
    section = SourceSection("limits", "Limits", 13, len(text))
    (hit,) = built(kind, [SourceDocument("doc", "", text, (section,))]).search("uploads", 10)[:1]
    assert (hit.section_id, text[hit.start : hit.end]) == ("limits", "Limits\nAt most ten uploads.")


@pytest.mark.parametrize("kind", INDEPENDENT)
def test_asking_for_fewer_results_gives_the_first_of_them(kind):
    retriever = built(kind, size=2, overlap=1)
    assert retriever.search("night restore", 3) == retriever.search("night restore", 50)[:3]


@pytest.mark.parametrize("build", EACH_KIND)
def test_asking_for_no_result_is_an_error(build):
    with pytest.raises(ValueError, match="at least one"):
        build().search("night", 0)


@pytest.mark.parametrize("build", EACH_KIND)
def test_versions_name_chunking_index_and_embedding(build):
    versions = build().versions
    assert set(versions) == {"chunking", "index", "embedding"}
    assert "size 200, overlap 40" in versions["chunking"]


@pytest.mark.parametrize(
    "change", [{"size": 100}, {"k1": 1.2}, {"b": 0.5}, {"language": "any"}, {"with_headings": False}]
)
def test_every_setting_that_changes_results_changes_the_versions(change):
    assert built("bm25", **change).versions != built("bm25").versions


@pytest.mark.parametrize("change", [{"dimensions": 10}, {"seed": 7}, {"character_grams": False}, {"language": "any"}])
def test_every_setting_of_the_dense_retriever_changes_the_versions(change):
    assert built("lsa", **change).versions != built("lsa").versions


def test_fusion_adds_reciprocal_ranks():
    members = {
        "one": Canned(("a", "", "a1"), ("b", "", "b1")),
        "two": Canned(("b", "", "b1"), ("c", "", "c1")),
    }
    hits = build_retriever("rrf", {"members": ["one", "two"]}, [], members).search("anything", 10)
    assert [(hit.doc_id, hit.score) for hit in hits] == [
        ("b", pytest.approx(1 / 61 + 1 / 62)),
        ("a", pytest.approx(1 / 61)),
        ("c", pytest.approx(1 / 62)),
    ]
    assert [hit.rank for hit in hits] == [1, 2, 3]


def test_fusion_gives_equal_scores_in_the_order_of_ids_whatever_the_order_of_members():
    members = {"one": Canned(("b", "", "b1")), "two": Canned(("a", "", "a1"))}
    for order in (["one", "two"], ["two", "one"]):
        hits = build_retriever("rrf", {"members": order}, [], members).search("anything", 10)
        assert [hit.doc_id for hit in hits] == ["a", "b"]


def test_fusion_by_section_counts_a_section_once_for_each_member():
    members = {
        "one": Canned(("a", "s", "a1"), ("a", "s", "a2"), ("b", "s", "b1"), chunking="small"),
        "two": Canned(("b", "s", "B"), ("a", "t", "A"), chunking="large"),
    }
    hits = build_retriever("rrf", {"members": ["one", "two"], "by": "section"}, [], members).search("anything", 10)
    assert [(hit.doc_id, hit.section_id, hit.chunk_id) for hit in hits] == [
        ("b", "s", "B"),
        ("a", "s", "a1"),
        ("a", "t", "A"),
    ]


def test_fusion_reads_each_member_to_its_depth():
    members = {"one": Canned(("a", "", "a1"), ("b", "", "b1")), "two": Canned(("a", "", "a1"), ("c", "", "c1"))}
    hits = build_retriever("rrf", {"members": ["one", "two"], "depth": 1}, [], members).search("anything", 10)
    assert [hit.doc_id for hit in hits] == ["a"]


def test_fusion_by_chunk_of_different_chunks_is_refused():
    members = {"one": Canned(chunking="small"), "two": Canned(chunking="large")}
    with pytest.raises(ConfigError, match=r"by: chunk - expected section or document.*one: small; two: large"):
        build_retriever("rrf", {"members": ["one", "two"]}, [], members)


def test_fusion_of_a_retriever_that_is_not_built_is_refused():
    with pytest.raises(ConfigError, match="members: gone - expected retrievers that are built: one"):
        build_retriever("rrf", {"members": ["one", "gone"]}, [], {"one": Canned()})


@pytest.mark.parametrize("kind", INDEPENDENT)
def test_the_default_configuration_has_no_problem(kind):
    assert KINDS[kind].problems({}) == KINDS[kind].problems(KINDS[kind].default_config) == []


def test_every_family_has_a_kind():
    assert {kind.family for kind in KINDS.values()} == {"lexical", "dense", "hybrid"}


@pytest.mark.parametrize(
    ("kind", "config", "message"),
    [
        ("bm25", {"size": 0}, "size: 0 - expected a whole number from 1 to 100000"),
        ("bm25", {"size": "200"}, "size: '200' - expected a whole number from 1 to 100000"),
        ("bm25", {"size": True}, "size: True - expected a whole number from 1 to 100000"),
        ("bm25", {"size": 10, "overlap": 10}, "overlap: 10 - expected less than the size of a chunk, 10 words"),
        ("bm25", {"b": 1.5}, "b: 1.5 - expected a number from 0 to 1"),
        ("bm25", {"k1": float("nan")}, "k1: nan - expected a number from 0 to 10"),
        ("bm25", {"with_headings": 1}, "with_headings: 1 - expected true or false"),
        ("bm25", {"language": "latin"}, "language: 'latin' - expected one of english, any"),
        ("bm25", {"dimensions": 5}, "dimensions: not a setting - expected one of the settings size, overlap"),
        ("lsa", {"seed": -1}, "seed: -1 - expected a whole number from 0 to 4294967295"),
        ("rrf", {"members": ["one"]}, "members: ['one'] - expected a list of at least two different retriever names"),
        ("rrf", {"members": ["one", "one"]}, "members: ['one', 'one'] - expected a list of at least two"),
        ("rrf", {}, "members: [] - expected a list of at least two different retriever names"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_with_what_was_expected(kind, config, message):
    (problem,) = KINDS[kind].problems(config)
    assert str(problem).startswith(message)
    with pytest.raises(ConfigError):
        build_retriever(kind, config, DOCUMENTS, {})


def test_every_problem_of_a_configuration_is_told_at_once():
    with pytest.raises(ConfigError) as caught:
        built("bm25", size=0, b=2, colour="red")
    assert {problem.field for problem in caught.value.problems} == {"size", "b", "colour"}


def test_an_unknown_kind_is_refused_with_those_there_are():
    with pytest.raises(ConfigError, match="'magic' - expected one of bm25, lsa, rrf"):
        built("magic")


def test_members_are_built_before_what_fuses_them():
    configurations = {
        "all": ("rrf", {"members": ["some", "c"]}),
        "some": ("rrf", {"members": ["a", "b"]}),
        **{name: ("bm25", {}) for name in "cba"},
    }
    order = building_order(configurations)
    assert sorted(order) == sorted(configurations)
    assert order.index("a") < order.index("some") < order.index("all")


@pytest.mark.parametrize(
    ("members", "message"), [(["a", "loop"], "loop > loop"), (["a", "gone"], "'gone' - expected one of loop, a")]
)
def test_a_fusion_of_itself_or_of_the_unknown_has_no_order(members, message):
    with pytest.raises(ConfigError, match=message):
        building_order({"loop": ("rrf", {"members": members}), "a": ("bm25", {})})


@pytest.fixture(scope="module")
def cranfield():
    folder = shared_data("cranfield")
    lines = (folder / "corpus.jsonl").read_text().splitlines()
    documents = [SourceDocument(doc["_id"], doc["title"], doc["text"]) for doc in map(json.loads, lines)]
    queries = {row["_id"]: row["text"] for row in map(json.loads, (folder / "queries.jsonl").read_text().splitlines())}
    qrels = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query_id, doc_id, grade = line.split("\t")
        qrels.setdefault(query_id, {})[doc_id] = int(grade)
    return documents, queries, qrels


def mean_ndcg_at_10(retriever, queries, qrels):
    run = {}
    for query_id, text in queries.items():
        found = run[query_id] = {}
        for hit in retriever.search(text, 100):
            found.setdefault(hit.doc_id, 1000.0 - hit.rank)
    scores = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run)
    return sum(row["ndcg_cut_10"] for row in scores.values()) / len(queries)


@pytest.mark.slow_data
def test_retrievers_find_what_cranfields_judges_found(cranfield):
    documents, queries, qrels = cranfield
    members = {kind: built(kind, documents) for kind in INDEPENDENT}
    fusion = build_retriever("rrf", {"members": INDEPENDENT}, documents, members)
    scores = {name: mean_ndcg_at_10(one, queries, qrels) for name, one in {**members, "rrf": fusion}.items()}
    # Seen: 0.355, 0.399 and 0.390.
    assert scores["bm25"] > 0.35
    assert scores["lsa"] > 0.38
    assert scores["rrf"] >= min(scores["bm25"], scores["lsa"])


@pytest.mark.slow_data
@pytest.mark.parametrize("kind", INDEPENDENT)
def test_building_twice_gives_the_same_results_to_the_last_digit(cranfield, kind):
    documents, queries, _ = cranfield
    some = list(queries.values())[:20]
    first, second = built(kind, documents), built(kind, documents)
    assert [first.search(text, 50) for text in some] == [second.search(text, 50) for text in some]


@pytest.mark.parametrize("build", EACH_KIND)
def test_building_and_searching_print_and_log_nothing(build, capfd, caplog):
    with caplog.at_level("DEBUG"):
        build().search("night backup", 5)
    assert capfd.readouterr() == ("", "")
    assert [record.message for record in caplog.records] == []
