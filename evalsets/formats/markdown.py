"""Markdown and plain text documents: front matter, and sections from headings, with the text itself left verbatim.

A section reaches from its heading line to the next heading of any level; text before the first heading is the section "top".
A section's id is its explicit `{#anchor}`, else the slug of its heading, made unique with -2, -3. Headings inside quotes, lists
and code are no sections. Headings are found by markdown-it, offsets are those of the text as it stands in the file.
"""

import io
import lzma
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from markdown_it import MarkdownIt

from evalsets.formats.decoding import MAX_UNPACKED_BYTES, DecodingError, decode
from evalsets.formats.document_rows import SectionRow
from evalsets.formats.problems import Found, Problem
from evalsets.formats.yaml_text import yaml_mapping

MARKDOWN_ENDINGS = (".md", ".markdown")
TEXT_ENDINGS = (".txt", ".text")
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
TOP = "top"
_LINE_END = re.compile(r"\r\n?|\n")
_ANCHOR = re.compile(r"[ \t]*\{#([^}\s]+)[^}]*\}[ \t]*$")
_FRONT_MATTER = re.compile(r"---[ \t]*(?:\r\n?|\n)(?:(.*?)(?:\r\n?|\n))??---[ \t]*(?:\r\n?|\n|$)", re.DOTALL)


def split_front_matter(text: str, found: Found, *, file: str = "") -> tuple[dict[str, Any], str]:
    """Return (fields, body): the YAML between the `---` lines at the very start, and what follows, verbatim."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    return yaml_mapping(match.group(1) or "", found.problems, first_line=2, file=file), text[match.end() :]


def sections_of(
    text: str, found: Found, *, file: str = "", markdown: bool = True, first_line: int = 1
) -> tuple[SectionRow, ...]:
    """Return the sections of a text; without `markdown`, or without headings, all of it is the section "top".

    An anchor that a file uses twice is a problem; `first_line` is the line of the file that the text starts on.
    """
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    headings = list(_headings(text)) if markdown else []
    names = _Names()
    for line, _, _, anchor in headings:
        if anchor and not names.reserve(anchor):
            found.problems.append(
                Problem(first_line + line, "anchor", anchor, "each {#anchor} once in a file", file=file)
            )
    begins = [starts[line] for line, _, _, _ in headings]
    sections = []
    preamble = text[: begins[0]] if begins else text
    if preamble.strip():
        sections.append(SectionRow(names.unique(TOP), "", 0, 0, len(preamble)))
    for (_, level, heading, anchor), start, end in zip(headings, begins, [*begins, len(text)][1:], strict=True):
        sections.append(SectionRow(anchor or names.unique(slug(heading)), heading, level, start, end))
    return tuple(sections)


def slug(heading: str) -> str:
    """Return a heading as an anchor: lower case, letters, digits, "_" and "-" of any script, blanks as "-"."""
    kept = "".join(
        character
        if character.isalnum() or character in "_-" or unicodedata.combining(character)
        else " "
        if character.isspace()
        else ""
        for character in unicodedata.normalize("NFC", heading).lower()
    )
    return "-".join(kept.split()) or "section"


def files_in_folder(folder: Path, found: Found) -> Iterator[tuple[str, bytes]]:
    """Yield (path inside the folder with "/", content) of its Markdown and text files in order; the rest is counted."""
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found.skip("symbolic link")
        elif path.is_file() and _is_wanted(inside, found):
            yield inside, path.read_bytes()


def files_in_zip(data: bytes, found: Found, *, limit: int = MAX_UNPACKED_BYTES) -> Iterator[tuple[str, bytes]]:
    """Yield the same from a zip of a folder. One folder around everything is no part of the paths, and a warning says so."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = sorted(
                (entry for entry in archive.infolist() if not entry.is_dir()), key=lambda entry: entry.filename
            )
            around = _folder_around([entry.filename for entry in entries], found)
            for entry in entries:
                inside = entry.filename.removeprefix(around)
                if not _is_wanted(inside, found):
                    continue
                if ".." in PurePosixPath(inside).parts or inside.startswith("/"):
                    found.problems.append(
                        Problem(None, "path", entry.filename, "a path inside the folder", file=entry.filename)
                    )
                    continue
                with archive.open(entry) as member:
                    content = member.read(limit + 1)
                limit -= len(content)
                if limit < 0:
                    found.problems.append(
                        Problem(None, "file", entry.filename, f"at most {MAX_UNPACKED_BYTES} bytes after unpacking")
                    )
                    return
                yield inside, content
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        zlib.error,
        lzma.LZMAError,
        OSError,
        RuntimeError,
        ValueError,
        EOFError,
    ) as error:
        # A password and an unknown compression are RuntimeErrors there.
        found.problems.append(Problem(None, "file", str(error), "an undamaged zip file without a password"))


def decoded_file(content: bytes, encoding: str | None, found: Found, *, file: str) -> str | None:
    """Return the text of one file of a folder, or None after naming the problem with the file's name."""
    try:
        return decode(content, encoding)
    except DecodingError as error:
        found.problems.append(replace(error.problem, file=file))
        return None


def _is_wanted(inside: str, found: Found) -> bool:
    parts = inside.split("/")
    if any(part.startswith(".") and part != ".." for part in parts) or parts[0] == "__MACOSX":
        found.skip("hidden file")
    elif not inside.lower().endswith((*MARKDOWN_ENDINGS, *TEXT_ENDINGS)):
        found.skip("neither Markdown nor text")
    else:
        return True
    return False


def _folder_around(names: list[str], found: Found) -> str:
    first = {name.split("/", 1)[0] for name in names if not name.startswith("__MACOSX/")}
    if len(first) != 1 or any("/" not in name for name in names):
        return ""
    around = f"{first.pop()}/"
    if around in ("/", "../"):
        return ""
    found.warnings.append(f"the folder {around!r} around all files of the zip is no part of the document ids")
    return around


def _headings(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield (line from 0, level, heading as plain text, anchor or "") of each heading at the top level of a Markdown text."""
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    environment: dict[str, Any] = {}
    tokens = parser.parse(text, environment)
    parser.core.ruler.enableOnly(["normalize", "block", "inline"])
    for at, token in enumerate(tokens):
        if token.type != "heading_open" or token.level != 0 or token.map is None:
            continue
        written = tokens[at + 1].content
        anchor = _ANCHOR.search(written)
        inline = parser.parseInline(_ANCHOR.sub("", written), environment)
        heading = " ".join(_plain(inline[0].children if inline else None).split())
        yield token.map[0], int(token.tag[1]), heading, anchor.group(1) if anchor else ""


def _plain(tokens: Any) -> str:
    """Return what a reader sees of inline tokens."""
    parts = []
    for token in tokens or []:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts.append(_plain(token.children))
        elif token.type != "html_inline":
            parts.append(token.content)
    return "".join(parts)


class _Names:
    """Section ids of one document: explicit ones first, the others made unique around them."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def reserve(self, name: str) -> bool:
        new = name not in self.taken
        self.taken.add(name)
        return new

    def unique(self, name: str) -> str:
        number, candidate = 1, name
        while not self.reserve(candidate):
            number += 1
            candidate = f"{name}-{number}"
        return candidate
