"""Documents: JSON, CSV, Markdown and text, in files, folders and zips."""

import datetime
import io
import json
import zipfile
from pathlib import Path

import pytest

from evalsets.formats.documents import DocumentsFound, SectionRow, read_documents
from evalsets.formats.markdown import slug


def read(text: str, name: str = "corpus.jsonl", **options: object) -> DocumentsFound:
    return read_documents(text.encode(), name=name, **options)


def read_item(**fields: object) -> DocumentsFound:
    return read(json.dumps({"_id": "d", "text": "some text"} | fields))


def test_document_keeps_everything_that_is_known_about_it():
    found = read_item(
        title="T",
        language="en",
        doc_type="guide",
        lifecycle="Archived",
        effective_from="2024-01-01",
        effective_to="2024-12-31T10:00:00Z",
        superseded_by=7,
        access=["ops", "legal"],
        source="wiki",
        metadata={"a": 1},
        owner="me",
    )
    row = found.documents[0]
    assert (row.title, row.language, row.doc_type, row.lifecycle, row.source) == (
        "T",
        "en",
        "guide",
        "archived",
        "wiki",
    )
    assert (row.effective_from, row.effective_to) == (datetime.date(2024, 1, 1), datetime.date(2024, 12, 31))
    assert (row.superseded_by, row.access, row.metadata) == ("7", ("ops", "legal"), {"a": 1, "owner": "me"})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("lifecycle", "old"),
        ("effective_from", "soon"),
        ("effective_from", 20240101),
        ("title", 5),
        ("text", ["a"]),
        ("text", None),
        ("access", 3),
        ("metadata", "x"),
        ("_id", "  "),
        ("_id", 1.0),
        ("sections", {"a": 1}),
    ],
)
def test_wrong_value_is_named(field, value):
    assert [problem.field for problem in read_item(**{field: value}).problems] == [field]


def test_end_before_start_of_effect_is_a_problem():
    assert read_item(effective_from="2024-02-01", effective_to="2024-01-01").problems[0].field == "effective_to"


def test_field_beside_and_inside_metadata_is_a_problem():
    assert read_item(owner="a", metadata={"owner": "b"}).problems[0].field == "owner"


def test_document_without_text_is_accepted_and_said():
    found = read_item(text="")
    assert found.documents[0].text == ""
    assert "1 of 1 documents have no text ('d')" in str(found.warnings[-1])


def test_sections_with_texts_make_the_document_text():
    sections = [{"section_id": "a", "heading": "A", "text": "one"}, {"section_id": "b", "text": "two"}]
    row = read(json.dumps({"_id": "d", "sections": sections})).documents[0]
    assert row.text == "one\n\ntwo"
    assert row.sections == (SectionRow("a", "A", 1, 0, 3), SectionRow("b", "", 0, 5, 8))
    assert [row.text[item.start : item.end] for item in row.sections] == ["one", "two"]
    assert read(json.dumps({"_id": "d", "text": "one\n\ntwo", "sections": sections})).ok
    assert read(json.dumps({"_id": "d", "text": "other", "sections": sections})).problems[0].field == "text"


def test_sections_with_offsets_point_into_the_text():
    assert read_item(sections=[{"section_id": "a", "start": 0, "end": 4}, {"section_id": "b", "start": 5, "end": 9}]).ok
    assert read_item(sections=[{"section_id": "a", "start": 0, "end": 99}]).problems[0].field == "sections"
    overlap = read_item(sections=[{"section_id": "a", "start": 0, "end": 5}, {"section_id": "b", "start": 4, "end": 9}])
    assert overlap.problems[0].field == "sections"
    assert (
        read_item(sections=[{"section_id": "a", "text": "x"}, {"section_id": "a", "text": "y"}], text=None)
        .problems[0]
        .field
        == "section_id"
    )


def test_csv_document_may_carry_sections_and_lists_in_cells():
    text = 'docid,title,access,sections,colour\nd,T,ops;legal,"[{""section_id"": ""a"", ""text"": ""x""}]",red\n'
    row = read(text, name="corpus.csv").documents[0]
    assert (row.doc_id, row.text, row.access, row.metadata) == ("d", "x", ("ops", "legal"), {"colour": "red"})


def test_fields_with_other_names_are_mapped():
    found = read('{"id": 5, "contents": "x"}', mapping="doc_id=id, text=contents")
    assert [(row.doc_id, row.text, row.metadata) for row in found.documents] == [("5", "x", {})]


def test_repeated_document_is_kept_once_and_a_conflict_names_both_lines():
    one, other = json.dumps({"_id": "d", "text": "x"}), json.dumps({"_id": "d", "text": "y"})
    same = read(f"{one}\n{one}\n")
    assert len(same.documents) == 1
    assert "line 2 repeats line 1" in str(same.warnings[0])
    conflict = read(f"{one}\n{other}\n{other}\n")
    assert [problem.line for problem in conflict.problems] == [2, 3]
    assert "line 1 says otherwise" in conflict.problems[0].expected


# --- Markdown

MARKDOWN = """before

# One *two* `three` {#uno}
a | b
--- | ---
1 | # 2
## Größe & Länge!
```
# no heading
```
> # quoted

- # in a list

Setext
heading
===
## Größe & Länge!
"""


def sections(text: str) -> list[tuple[str, str, int]]:
    row = read(text, name="page.md").documents[0]
    assert "".join(row.text[item.start : item.end] for item in row.sections) == row.text
    return [(item.section_id, item.heading, item.level) for item in row.sections]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_headings_become_sections_that_cover_the_text_verbatim(line_end):
    text = MARKDOWN.replace("\n", line_end)
    assert sections(text) == [
        ("top", "", 0),
        ("uno", "One two three", 1),
        ("größe-länge", "Größe & Länge!", 2),
        ("setext-heading", "Setext heading", 1),
        ("größe-länge-2", "Größe & Länge!", 2),
    ]
    assert read(text, name="page.md").documents[0].text == text


def test_explicit_anchor_wins_over_the_slug_of_an_earlier_heading():
    assert [item[0] for item in sections("# Setup\n# Other {#setup}\n# Top\n")] == ["setup-2", "setup", "top"]
    assert [item[0] for item in sections("text\n# Top\n")] == ["top", "top-2"]


def test_anchor_used_twice_is_a_problem_at_its_line():
    found = read("---\ntitle: T\n---\n# A {#x}\n\n# B {#x}\n", name="page.md")
    assert [(problem.line, problem.value, problem.file) for problem in found.problems] == [(6, "x", "page.md")]


def test_heading_without_letters_gets_an_id():
    assert slug("!!!") == "section"
    assert [item[0] for item in sections("# !\n# ?\n")] == ["section", "section-2"]


def test_front_matter_gives_the_fields_as_written():
    text = "---\nid: 007\ntitle: no\naccess: [ops]\neffective_from: 2024-01-01\nowner: 1.10\n---\n# H\n"
    row = read(text, name="page.md").documents[0]
    assert (row.doc_id, row.title, row.access, row.text) == ("007", "no", ("ops",), "# H\n")
    assert (row.effective_from, row.metadata, row.source) == (datetime.date(2024, 1, 1), {"owner": "1.10"}, "page.md")


def test_broken_front_matter_is_named_with_file_and_line():
    found = read("---\ntitle: [a\n---\ntext\n", name="page.md")
    assert found.problems[0].file == "page.md"
    assert read("---\nlifecycle: odd\n---\n", name="page.md").problems[0].field == "lifecycle"


def test_rule_at_the_start_is_no_front_matter():
    assert read("---\n\ntext without an end\n", name="page.md").documents[0].text.startswith("---")
    assert read("---\n---\ntext\n", name="page.md").documents[0].text == "text\n"


def test_title_is_the_first_heading_or_the_name_of_the_file():
    assert read("text\n## Small\n# Big\n", name="page.md").documents[0].title == "Big"
    assert read("# no heading here", name="notes.txt").documents[0].title == "notes"


def test_text_file_is_one_section():
    row = read("# no heading\n---\n", name="notes.txt").documents[0]
    assert row.sections == (SectionRow("top", "", 0, 0, len(row.text)),)
    assert read("  \n", name="notes.txt").documents[0].sections == ()


FILES = {"a.md": "# A\n", "guides/b.md": "# B\n", "guides/c.txt": "c", "logo.png": "x", ".git/config.md": "x"}


def folder_with(path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return path


def zip_with(files: dict[str, str], around: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(around + name, text)
    return out.getvalue()


def test_folder_and_zip_of_it_give_the_same_documents(tmp_path):
    found = read_documents(folder_with(tmp_path, FILES), name="")
    assert [row.doc_id for row in found.documents] == ["a.md", "guides/b.md", "guides/c.txt"]
    assert found.skipped == {"neither Markdown nor text": 1, "hidden file": 1}
    for around in ("", "handbook/"):
        assert read_documents(zip_with(FILES, around), name="handbook.zip").documents == found.documents
    assert "'handbook/'" in str(read_documents(zip_with(FILES, "handbook/"), name="x").warnings[0])


def test_two_files_with_one_id_are_a_conflict_that_names_both():
    found = read_documents(zip_with({"a.md": "---\nid: x\n---\na", "b.md": "---\nid: x\n---\nb"}), name="x.zip")
    assert found.problems[0].file == "b.md"
    assert "a.md, line 1" in found.problems[0].expected


def test_symbolic_links_are_not_followed(tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("secret")
    inside = folder_with(tmp_path / "in", {"a.md": "a"})
    (inside / "link.md").symlink_to(outside)
    found = read_documents(inside, name="")
    assert [row.doc_id for row in found.documents] == ["a.md"]
    assert found.skipped == {"symbolic link": 1}


def test_zip_path_that_leaves_the_folder_is_a_problem():
    assert read_documents(zip_with({"../a.md": "a", "b.md": "b"}), name="x.zip").problems[0].field == "path"


def test_damaged_zip_is_a_problem():
    assert read_documents(zip_with(FILES)[:-20], name="x.zip").problems[0].field == "file"
    assert read_documents(zip_with(FILES).replace(b"# A\n", b"# X\n"), name="x.zip").problems[0].field == "file"


def test_wrong_encoding_in_a_folder_names_the_file(tmp_path):
    (tmp_path / "a.md").write_bytes(b"gr\xf6\xdfe")
    found = read_documents(tmp_path, name="")
    assert [(problem.file, problem.field) for problem in found.problems] == [("a.md", "encoding")]
    assert read_documents(tmp_path, name="", encoding="windows-1252").documents[0].text == "größe"


def test_path_of_a_file_is_read_by_its_content(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"_id": "d", "text": "x"}\n')
    assert [row.doc_id for row in read_documents(path, name="").documents] == ["d"]
