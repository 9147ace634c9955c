"""CSV and TSV tables: physical lines, quotes, delimiters, and exports that no spreadsheet executes."""

import csv
import io

import pytest

from evalsets.formats.delimited import GUARD_COLUMN, Table, read_table, write_csv
from evalsets.formats.problems import Found


def table_of(text: str, **options: str) -> tuple[Table, Found]:
    found = Found()
    return read_table(text, found, **options), found


def test_lines_are_physical_lines_even_after_fields_with_line_ends():
    table, found = table_of('a,b\r\n1,"x\r\ny\nz"\r\n2,y\r\n3\r\n')
    assert [(line, row["a"]) for line, row in table.rows] == [(2, "1"), (5, "2")]
    assert table.rows[0][1]["b"] == "x\r\ny\nz"
    assert [(problem.line, problem.value) for problem in found.problems] == [(6, "3")]


def test_blank_lines_are_skipped_and_counted_as_lines():
    table, _ = table_of("a,b\n\n1,2\n   \n3,4")
    assert [line for line, _ in table.rows] == [3, 5]


def test_quote_that_never_closes_is_a_problem_at_its_line():
    _, found = table_of('a,b\n1,2\n3,"open\n4,5\n')
    assert [(problem.line, problem.field) for problem in found.problems] == [(3, "line")]
    assert "closing quote" in found.problems[0].expected


def test_reading_goes_on_after_a_broken_row():
    _, found = table_of('a,b\n"x"y,1\n1\n"p"q,2\n')
    assert [problem.line for problem in found.problems] == [2, 3, 4]


def test_lone_carriage_return_outside_quotes_is_a_problem_and_inside_is_kept():
    table, found = table_of('a,b\n1,"x\ry"\n2,p\rq\n')
    assert table.rows[0][1]["b"] == "x\ry"
    assert [problem.line for problem in found.problems] == [3]


@pytest.mark.parametrize(("sign", "name"), [(",", "comma"), ("\t", "tab"), (";", "semicolon")])
def test_delimiter_is_the_one_of_the_header_or_the_one_chosen(sign, name):
    text = f"a{sign}b\n1{sign}2\n"
    assert table_of(text)[0].rows == table_of(text, delimiter=name)[0].rows == [(2, {"a": "1", "b": "2"})]


def test_quotes_in_tab_separated_files_are_characters_and_said_to_be():
    text = 'a\tb\n1\t"hello"\n2\t5" pipe\n'
    table, found = table_of(text)
    assert [row["b"] for _, row in table.rows] == ['"hello"', '5" pipe']
    assert "line 2" in str(found.warnings[0])
    assert table_of('a\tb\n1\t"hello"\n', quotes="csv")[0].rows[0][1]["b"] == "hello"


def test_repeated_column_name_is_a_problem():
    assert table_of("a,b,a\n1,2,3\n")[1].problems[0].value == "a"


def test_empty_text_has_no_header():
    assert table_of("\n \n")[1].problems[0].field == "header"


def test_field_beyond_the_module_limit_is_read_whole():
    table, found = table_of(f"a,b\n1,{'x' * 300_000}\n")
    assert found.ok
    assert len(table.rows[0][1]["b"]) == 300_000


@pytest.mark.parametrize(
    "text",
    ["=1+2", "+44 20", "-5 degrees", "@here", "\t=2+3", "\r=1", "\n=1", "'already", "''", "\uff1d1", "plain", "", "5'"],
)
def test_export_neutralises_formulas_and_our_reader_gives_the_text_back(text):
    written = write_csv([{"note": text, "other": "x"}])
    cell = next(csv.DictReader(io.StringIO(written, newline="")))["note"]
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"))
    table, found = table_of(written)
    assert found.ok
    assert table.columns == ["note", "other"]
    assert table.rows[0][1] == {"note": text, "other": "x"}


def test_numbers_stay_numbers_and_text_that_looks_like_one_is_neutralised():
    assert write_csv([{"n": -5, "t": "-5"}]) == f"n,t,{GUARD_COLUMN}\r\n-5,'-5,apostrophe\r\n"


def test_foreign_file_that_begins_with_an_apostrophe_is_not_damaged():
    assert table_of("note,x\n'tis,1\n")[0].rows[0][1]["note"] == "'tis"


def test_row_added_by_hand_to_an_export_is_read_as_it_stands():
    written = write_csv([{"note": "=1"}]) + "'tis,\r\n"
    assert [row["note"] for _, row in table_of(written)[0].rows] == ["=1", "'tis"]


def test_values_are_written_as_words_lists_as_json_and_nothing_as_nothing():
    rows = [{"flag": True, "none": None, "list": ("a", "b"), "number": 0.1}]
    assert write_csv(rows, neutralise=False) == 'flag,none,list,number\r\ntrue,,"[""a"", ""b""]",0.1\r\n'
