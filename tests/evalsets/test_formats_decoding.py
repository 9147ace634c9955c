"""Bytes to text, and the words of a problem."""

import gzip

import pytest

from evalsets.formats.decoding import DecodingError, decode, unpack
from evalsets.formats.problems import Problem, name_lines


def problem_of(data: bytes | str, encoding: str | None = None) -> Problem:
    with pytest.raises(DecodingError) as caught:
        decode(data, encoding)
    return caught.value.problem


def test_byte_order_mark_of_utf8_is_taken_off_and_line_ends_stay():
    assert decode(b"\xef\xbb\xbfa\r\nb\n") == "a\r\nb\n"


def test_utf16_is_refused_by_its_mark_and_read_when_chosen():
    data = "élagage d\u2019un pommier".encode("utf-16")
    problem = problem_of(data)
    assert (problem.line, problem.field) == (1, "encoding")
    assert "choose encoding=utf-16" in problem.expected
    assert decode(data, "utf-16") == "élagage d\u2019un pommier"


def test_utf32_is_not_taken_for_utf16():
    assert "UTF-32" in problem_of("a".encode("utf-32")).expected


def test_invalid_byte_is_named_with_line_and_position():
    problem = problem_of(b"good\nb\xe4d\n")
    assert problem.line == 2
    assert problem.value == "byte E4 at position 6"
    assert decode(b"good\nb\xe4d\n", "windows-1252") == "good\nbäd\n"


def test_utf16_without_a_mark_is_suspected_by_its_nul_characters():
    assert "UTF-16" in problem_of("ab".encode("utf-16-le")).expected


def test_unknown_encoding_is_refused_with_the_choices():
    assert "windows-1252" in problem_of(b"a", "rot13").expected


def test_lone_surrogate_in_given_text_is_refused():
    assert problem_of("ok\n\ud800").line == 2


def test_gzip_is_known_by_its_first_bytes_and_all_members_are_read():
    assert decode(gzip.compress(b"one\n") + gzip.compress("zwölf\n".encode())) == "one\nzwölf\n"


@pytest.mark.parametrize(
    "damage", [lambda packed: packed[:-6], lambda packed: packed[:12] + b"\xff" * 9, lambda packed: packed + b"junk"]
)
def test_damaged_gzip_is_a_problem(damage):
    assert problem_of(damage(gzip.compress(b"some text that is long enough" * 9))).field == "file"


def test_gzip_that_unpacks_beyond_the_limit_is_refused():
    with pytest.raises(DecodingError, match="at most 1000 bytes"):
        unpack(gzip.compress(bytes(5000)), limit=1000)


def test_problem_says_line_field_value_and_what_was_expected():
    assert str(Problem(3, "rank", "abc", "a whole number")) == "line 3, rank: 'abc' - expected a whole number"
    assert str(Problem(2, "line", "x", "JSON", 7, "a.md")) == "a.md, line 2, column 7, line: 'x' - expected JSON"


def test_long_value_is_shortened_for_showing_only():
    problem = Problem(1, "text", "g" * 5000, "less")
    assert len(str(problem)) < 130
    assert len(problem.value) == 5000
    assert len(str(problem.as_dict()["value"])) == 80


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([4], "line 4"),
        ([1, 4], "lines 1 and 4"),
        ([1, 2, 3], "lines 1, 2 and 3"),
        (list(range(1, 101)), "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 90 more"),
    ],
)
def test_lines_are_named_in_words(lines, said):
    assert name_lines(lines) == said
