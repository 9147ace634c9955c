"""JSON Lines, JSON arrays and YAML: every error with its line, and values as they are written."""

import pytest

from evalsets.formats.json_text import json_items
from evalsets.formats.yaml_text import yaml_items, yaml_mapping


def items_of(text: str, **options: str):
    problems = []
    return list(json_items(text, problems, **options)), problems


def test_every_broken_line_is_named_with_its_column():
    items, problems = items_of('{"a": 1},\n\n{"a": 2}\n  {"b": }\n{"c": 1')
    assert items == [(3, {"a": 2})]
    assert [(problem.line, problem.column) for problem in problems] == [(1, 9), (4, 9), (5, 8)]


def test_array_gives_the_line_of_each_element():
    items, problems = items_of('\n[\n {"a": 1},\n\n {"a":\n 2}, 3\n]\n')
    assert [line for line, _ in items] == [3, 5, 6]
    assert problems == []


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [('[\n{"a": 1},\n]', 3, 1), ('[{"a": 1}\n{"a": 2}]', 2, 1), ("[1]\n]", 2, 1), ("[1", 1, 3), ("[1,\n'a']", 2, 1)],
)
def test_broken_array_is_named_with_line_and_column(text, line, column):
    _, problems = items_of(text)
    assert [(problem.line, problem.column) for problem in problems] == [(line, column)]


def test_empty_array_has_no_items():
    assert items_of(" [ ] ") == ([], [])


def test_array_under_a_key_gives_lines_too():
    items, problems = items_of(
        '{"other": [1, {"pairs": []}],\n "pairs": [\n {"x": 1},\n {"x": 2}]\n, "z": 1}', key="pairs"
    )
    assert items == [(3, {"x": 1}), (4, {"x": 2})]
    assert problems == []


def test_missing_array_under_a_key_is_a_problem():
    assert items_of('{"other": 1}', key="pairs")[1][0].field == "pairs"


@pytest.mark.parametrize(
    ("text", "field"), [('{"score": NaN}', "score"), ('{"score":-Infinity}', "score"), ('{"score": 1e999}', "score")]
)
def test_numbers_that_no_table_can_keep_are_refused_by_name(text, field):
    assert [problem.field for problem in items_of(text)[1]] == [field]


@pytest.mark.parametrize("text", ['{"a": "\\u0000"}', '{"a": ["\\ud800"]}', '{"\\udfff": 1}', '[["\\u0000"]]'])
def test_escaped_nul_and_lone_surrogates_are_refused(text):
    assert len(items_of(text)[1]) == 1


def test_escaped_pair_of_surrogates_is_one_character():
    assert items_of('{"a": "\\ud83d\\ude00"}') == ([(1, {"a": "😀"})], [])


def test_key_that_comes_twice_in_an_object_is_a_problem():
    assert "once" in items_of('{"_id": "1", "_id": "2"}')[1][0].expected


def test_one_object_over_many_lines_is_one_problem_and_not_one_a_line():
    _, problems = items_of('{\n "a": 1,\n "b": 2\n}')
    assert len(problems) == 1
    assert "one JSON object a line" in problems[0].expected


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "9" * 10_000])
def test_nesting_and_digits_without_end_are_problems(text):
    assert len(items_of(text)[1]) == 1


def yaml_of(text: str):
    problems = []
    return list(yaml_items(text, problems, key="queries")), problems


def test_yaml_scalars_stay_as_written():
    items, problems = yaml_of("- {id: 007, a: no, b: 2024-01-01, c: null, d: ~, e: 'null', f: 0x1F}\n")
    assert items == [(1, {"id": "007", "a": "no", "b": "2024-01-01", "c": None, "d": None, "e": "null", "f": "0x1F"})]
    assert problems == []


def test_yaml_items_stand_under_a_key_or_alone_with_their_lines():
    assert yaml_of("queries:\n- a: 1\n\n- a: 2\n")[0] == [(2, {"a": "1"}), (4, {"a": "2"})]
    assert yaml_of("- a\n- b\n")[0] == [(1, "a"), (2, "b")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("- a: [1\n- b: 2\n", 2),
        ("- a: 1\n- a: 1\n  a: 2\n", 3),
        ("a: 1\n", 1),
        ("- &x {a: 1}\n- *x\n", 2),
        ("- &x [*x]\n", 1),
        ('- "\\0"\n', 1),
    ],
)
def test_yaml_that_cannot_be_kept_is_named_with_its_line(text, line):
    assert line in [problem.line for problem in yaml_of(text)[1]]


def test_yaml_nesting_without_end_is_a_problem():
    assert len(yaml_of("[" * 50_000)[1]) == 1


def test_front_matter_lines_count_from_the_file():
    problems = []
    yaml_mapping("a: 1\na: 2\n", problems, first_line=2, file="x.md")
    assert [(problem.line, problem.file) for problem in problems] == [(3, "x.md")]
