import json
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsets.splits import (
    REVIEW,
    SplitQuery,
    assign_splits,
    character_jaccard,
    near_duplicates,
    split_bucket,
    split_of,
    straddling_duplicates,
    straddling_families,
    token_jaccard,
)
from tests.shared_data import shared_data

TEXTS = st.lists(
    st.sampled_from(["how", "does", "will", "the", "a", "backup", "run", "restore", "file"]), max_size=7
).map(" ".join)


@pytest.fixture(scope="module")
def oracle():
    return json.loads(shared_data("oracles.json").read_text())["O22_split_and_hash"]


def test_families_hash_into_their_splits(oracle):
    families = {family: [split_bucket(family), split_of(family)] for family in oracle["families"]}
    assert families == oracle["families"]


def test_near_duplicates_are_measured_by_words_and_by_characters(oracle):
    pair = oracle["jaccard_tokens"]
    assert token_jaccard(pair["a"], pair["b"]) == pytest.approx(pair["value"])
    assert character_jaccard(pair["a"], pair["b"]) == pytest.approx(pair["char3"], abs=1e-6)


def test_one_changed_word_goes_to_review(oracle):
    pair = oracle["jaccard_tokens"]
    (found,) = near_duplicates([SplitQuery("1", pair["a"]), SplitQuery("2", pair["b"])])
    assert (found.first, found.second, found.verdict) == ("1", "2", "review")


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ("Run a backup?", "run  a BACKUP", "exact"),
        ("how do I restore one deleted file", "how do I restore a deleted file", "review"),
        ("how do I restore a deleted file today", "how do I restore a deleted file", "same"),
        ("restoring", "restorin", "same"),
    ],
)
def test_the_likeness_of_two_queries_decides_what_becomes_of_them(first, second, verdict):
    (found,) = near_duplicates([SplitQuery("1", first), SplitQuery("2", second)])
    assert found.verdict == verdict


@pytest.mark.parametrize(("first", "second"), [("run a backup", "send an invoice"), ("", ""), ("?", "!")])
def test_queries_that_share_little_are_no_pair(first, second):
    assert near_duplicates([SplitQuery("1", first), SplitQuery("2", second)]) == []


@given(st.lists(TEXTS, max_size=12))
def test_no_near_duplicate_is_missed(texts):
    queries = [SplitQuery(str(at), text) for at, text in enumerate(texts)]
    alike = {
        (first.query_id, second.query_id)
        for first, second in combinations(queries, 2)
        if max(token_jaccard(first.text, second.text), character_jaccard(first.text, second.text)) >= REVIEW
    }
    assert {(pair.first, pair.second) for pair in near_duplicates(queries)} == alike


@given(st.text(), st.text())
def test_likeness_is_symmetric_and_between_zero_and_one(first, second):
    for likeness in (token_jaccard, character_jaccard):
        assert likeness(first, second) == likeness(second, first)
        assert 0 <= likeness(first, second) <= 1


@given(st.text(), st.integers(0, 100))
def test_a_larger_holdout_keeps_what_was_in_it(family, percent):
    if split_of(family, holdout_percent=percent) == "holdout":
        assert split_of(family, holdout_percent=min(100, percent + 1)) == "holdout"


@pytest.mark.parametrize(("percent", "split"), [(0, "dev"), (100, "holdout")])
def test_none_or_all_can_be_held_out(percent, split):
    assert {split_of(f"family {at}", holdout_percent=percent) for at in range(300)} == {split}


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_holdout_that_is_no_percentage_is_refused(percent):
    with pytest.raises(ValueError, match="percentage from 0 to 100"):
        split_of("handbook", holdout_percent=percent)


def test_another_salt_divides_otherwise():
    families = [f"family {at}" for at in range(50)]
    assert [split_of(family, salt="other") for family in families] != [split_of(family) for family in families]


def test_families_in_two_splits_are_listed_with_their_queries():
    queries = [
        SplitQuery("1", "a", "faq", "dev"),
        SplitQuery("2", "b", "faq", "holdout"),
        SplitQuery("3", "c", "pricing", "dev"),
        SplitQuery("4", "d", "", "dev"),
        SplitQuery("5", "e", "", "holdout"),
    ]
    (found,) = straddling_families(queries)
    assert (found.family, found.by_split) == ("faq", {"dev": ["1"], "holdout": ["2"]})


def test_near_duplicates_in_different_splits_are_listed():
    text = "when does the access review expire"
    queries = [
        SplitQuery("1", text, "a", "dev"),
        SplitQuery("2", text, "b", "holdout"),
        SplitQuery("3", text, "c", "dev"),
    ]
    assert [(pair.first, pair.second) for pair in straddling_duplicates(queries)] == [("1", "2"), ("2", "3")]


def test_families_are_split_whole(oracle):
    queries = [
        SplitQuery(f"{family} {at}", f"{family} {at}", family) for family in oracle["families"] for at in range(3)
    ]
    splits = assign_splits(queries, by_documents=False)
    assert straddling_families([SplitQuery(q.query_id, q.text, q.family, splits[q.query_id]) for q in queries]) == []


def test_families_linked_by_a_near_duplicate_go_together():
    # Alone, "handbook" is dev and "pricing" is holdout.
    queries = [
        SplitQuery("1", "what does a restore cost", "pricing"),
        SplitQuery("2", "what does a restore cost", "handbook"),
        SplitQuery("3", "who may see invoices", "pricing"),
    ]
    assert assign_splits(queries) == {"1": "dev", "2": "dev", "3": "dev"}


def test_families_linked_by_a_gold_document_go_together_unless_told_otherwise():
    queries = [
        SplitQuery("1", "price of nights", "pricing", documents=("d1",)),
        SplitQuery("2", "keeping copies", "handbook", documents=("d1", "d2")),
    ]
    assert assign_splits(queries) == {"1": "dev", "2": "dev"}
    assert assign_splits(queries, by_documents=False) == {"1": "holdout", "2": "dev"}


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["", "a", "b", "c"])), max_size=8), st.randoms())
def test_splits_do_not_depend_on_the_order_of_queries(rows, random):
    queries = [SplitQuery(f"q{at}", text, family) for at, (text, family) in enumerate(rows)]
    shuffled = list(queries)
    random.shuffle(shuffled)
    assert assign_splits(shuffled) == assign_splits(queries)
