"""What somebody may have meant by an id that is not there, and what a problem proposes."""

from __future__ import annotations

import pytest

from evalsets.formats.catalogue import FORMATS
from evalsets.formats.problems import Problem
from evalsets.importing.nearness import Nearness
from evalsets.importing.proposals import find_proposals, unmapped_values, write_pairs


@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        ("101", ["101.1"]),
        ("q-7", ["Q7"]),
        ("0042", ["42"]),
        ("42 ", ["42"]),
        ("handbok/backup.md", ["handbook/backup.md"]),
        ("nothing like it", []),
        ("", []),
    ],
)
def test_near_ids(wanted: str, near: list[str]) -> None:
    assert Nearness(["101.1", "Q7", "42", "handbook/backup.md"]).near(wanted) == near


def test_each_choice_is_proposed_once() -> None:
    problems = [Problem(n, "score", "1", "agreement: choose order=rank or order=score") for n in range(3)]
    trec = FORMATS["runs"][0]

    proposals = find_proposals(problems, [trec], trec.options)

    assert [(item.name, item.value) for item in proposals] == [("order", "rank"), ("order", "score")]


def test_words_that_are_no_choice_are_not_proposed() -> None:
    problems = [Problem(1, "x", "", "choose order=sideways or secret=yes, as in doc_id=NAME")]
    trec = FORMATS["runs"][0]

    assert find_proposals(problems, [trec], trec.options) == []


def test_values_that_need_a_meaning_are_counted() -> None:
    problems = [Problem(n, "grade", "good", "a grade from 0 to 3, or a mapping for this value") for n in range(2)]

    assert unmapped_values([*problems, Problem(9, "rank", "x", "a number")]) == [("good", 2)]


def test_pairs_with_commas_are_written_as_json() -> None:
    assert write_pairs({"a": "1", "b": "skip"}) == "a=1, b=skip"
    assert write_pairs({"a, b": "1"}) == '{"a, b": "1"}'
