"""A passage is found in its document, and the section that holds it."""

import pytest

from evalsets.pooling.locating import find_passage, section_at

TEXT = "One two three.\n\nFour  five\tsix. One two."


@pytest.mark.parametrize(
    ("passage", "found"),
    [
        ("Four  five", "Four  five"),
        ("three. Four five six.", "three.\n\nFour  five\tsix."),
        ("  two three.\n", "two three."),
        ("One two", "One two"),
    ],
)
def test_passage_is_found_whatever_its_blanks(passage: str, found: str) -> None:
    start, end = find_passage(TEXT, passage)

    assert TEXT[start:end] == found


@pytest.mark.parametrize("passage", ["", "  ", "seven", "One two four", "(.*)"])
def test_what_is_not_there_is_not_found(passage: str) -> None:
    assert find_passage(TEXT, passage) is None


def test_passage_of_many_words_is_found_by_its_first_ones() -> None:
    text = "start " + "word " * 1000 + "end"

    assert find_passage(text, " ".join(["word"] * 900)) == (6, 6 + 900 * 5 - 1)


def test_section_that_holds_most_of_the_passage_is_chosen() -> None:
    sections = [("a", 0, 10), ("b", 10, 30)]

    assert section_at(sections, 2, 9) == "a"
    assert section_at(sections, 8, 20) == "b"
    assert section_at(sections, 40, 50) == ""
