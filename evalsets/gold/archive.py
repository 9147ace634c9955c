"""A gold set version as one zip file, the same bytes every time, and back.

Inside: `manifest.json` (the header, counts, the content's checksum and the SHA-256 of every other file),
`gold.jsonl` (the canonical lines: everything), `qrels.txt` (TREC), `beir/queries.jsonl` and `beir/qrels/SPLIT.tsv` (BEIR, to which
one adds the corpus), and `labels.csv` (for spreadsheets). Only `gold.jsonl` is read back; the others are checked against the manifest.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable
from typing import Any

from evalsets.formats.delimited import write_csv
from evalsets.gold.canonical import (
    FORMAT,
    GoldContent,
    canonical_lines,
    checksum,
    label_key,
    query_key,
    to_canonical_json,
)
from evalsets.gold.checking import GoldContentError, check_content
from evalsets.gold.container import is_as_packed, pack
from evalsets.gold.naming import breaks_beir, breaks_trec, name_queries, name_units

MANIFEST = "manifest.json"
CONTENT = "gold.jsonl"
# More than any gold set has; a crafted file could unpack to fill the memory.
LARGEST = 1024**3
MOST_FILES = 20
LABEL_COLUMNS = ["query_id", "query", "doc_id", "section_id", "grade", "provenance", "judgments", "note", "reason"]


class GoldArchiveError(Exception):
    """The file is not a gold set archive, or not the one that was exported. Its text says what does not match.

    `changed`: it is an archive, but something in it is not as it was exported (a checksum does not match).
    """

    def __init__(self, message: str, *, changed: bool = False) -> None:
        super().__init__(message)
        self.changed = changed


def write_archive(content: GoldContent) -> bytes:
    """Return the zip of a gold set version. The same content gives the same bytes. GoldContentError for what is no gold set."""
    check_content(content)
    files = {
        CONTENT: _lines(canonical_lines(content)),
        "qrels.txt": _lines(_trec_lines(content)),
        "beir/queries.jsonl": _lines(_beir_queries(content)),
        "labels.csv": _labels_csv(content).encode(),
    }
    for split in sorted({query["split"] for query in content.queries}):
        files[f"beir/qrels/{split}.tsv"] = _lines(_beir_lines(content, split))
    manifest = _describe(content, {name: hashlib.sha256(data).hexdigest() for name, data in files.items()})
    return pack([(MANIFEST, _lines([to_canonical_json(manifest)])), *sorted(files.items())])


def read_archive(data: bytes) -> GoldContent:
    """Return the content of an exported zip. GoldArchiveError when a file, a byte or the checksum is not as exported."""
    files = _unzip(data)
    manifest = _read_manifest(files)
    named = set(manifest["files"]) | {MANIFEST}
    if set(files) != named:
        wrong = ", ".join(sorted(set(files) ^ named))
        raise GoldArchiveError(f"the archive and its manifest do not name the same files: {wrong}", changed=True)
    for name, expected in manifest["files"].items():
        found = hashlib.sha256(files[name]).hexdigest()
        if found != expected:
            raise GoldArchiveError(
                f"{name} was changed: its SHA-256 is {found}, the manifest says {expected}", changed=True
            )
    content = read_lines(files[CONTENT])
    try:
        check_content(content)
    except GoldContentError as error:
        raise GoldArchiveError(f"{CONTENT}: {error}") from error
    _compare(content, manifest)
    if not is_as_packed(data):
        raise GoldArchiveError("the zip around the files is not as it was exported", changed=True)
    return content


def read_lines(data: bytes) -> GoldContent:
    """Return the content of canonical lines (`gold.jsonl`). GoldArchiveError with the line that cannot be read."""
    headers: list[dict[str, Any]] = []
    queries: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    kinds = {"header": headers, "query": queries, "label": labels}
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise GoldArchiveError(f"{CONTENT} is not UTF-8 text (byte {error.start})") from error
    # Split at newlines only: a text may hold other characters that `splitlines` takes for line ends.
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        try:
            ((kind, value),) = json.loads(line).items()
        except (ValueError, AttributeError, RecursionError) as error:
            raise GoldArchiveError(f"{CONTENT} line {number} is not one JSON object with one key") from error
        if kind not in kinds:
            raise GoldArchiveError(f"{CONTENT} line {number}: {kind!r} is none of header, query, label")
        kinds[kind].append(value)
    if len(headers) != 1:
        raise GoldArchiveError(f"{CONTENT} has {len(headers)} header lines; expected one")
    return GoldContent(header=headers[0], queries=queries, labels=labels)


def _compare(content: GoldContent, manifest: dict[str, Any]) -> None:
    found = checksum(content)
    if found != manifest["sha256"]:
        raise GoldArchiveError(
            f"the content's checksum is {found}, the manifest says {manifest['sha256']}", changed=True
        )
    if manifest != _describe(content, manifest["files"]):
        raise GoldArchiveError(f"{MANIFEST} does not say what is in {CONTENT}", changed=True)


def _describe(content: GoldContent, hashes: dict[str, str]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "header": content.header,
        "sha256": checksum(content),
        "queries": len(content.queries),
        "labels": len(content.labels),
        "files": hashes,
    }


def _unzip(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            size = sum(entry.file_size for entry in archive.infolist())
            if len(names) != len(set(names)):
                raise GoldArchiveError("the archive holds one file twice", changed=True)
            if len(names) > MOST_FILES or size > LARGEST:
                raise GoldArchiveError(
                    f"unpacked it would be {len(names)} files of {size:,} bytes; that is no gold set"
                )
            return {name: archive.read(name) for name in names}
    except (zipfile.BadZipFile, zlib.error) as error:
        raise GoldArchiveError(
            f"this is not a whole zip file: {error}", changed=zipfile.is_zipfile(io.BytesIO(data))
        ) from error
    # A damaged directory makes zipfile stumble in many ways: over its length, an unknown packing, a password, a name.
    except (EOFError, NotImplementedError, OSError, RuntimeError, ValueError, struct.error, OverflowError) as error:
        raise GoldArchiveError(f"the zip file is damaged: {error}", changed=True) from error


def _read_manifest(files: dict[str, bytes]) -> dict[str, Any]:
    if MANIFEST not in files or CONTENT not in files:
        found = ", ".join(sorted(files)) or "nothing"
        raise GoldArchiveError(f"a gold set archive holds {MANIFEST} and {CONTENT}; found {found}")
    try:
        manifest = json.loads(files[MANIFEST])
        canonical = _lines([to_canonical_json(manifest)]) == files[MANIFEST]
    except (ValueError, RecursionError) as error:
        raise GoldArchiveError(f"{MANIFEST} cannot be read: {error}", changed=True) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise GoldArchiveError(f"{MANIFEST} is not of format {FORMAT}")
    hashes = manifest.get("files")
    if not canonical or not isinstance(hashes, dict) or CONTENT not in hashes or "sha256" not in manifest:
        raise GoldArchiveError(f"{MANIFEST} was changed: it is not as it was written", changed=True)
    return manifest


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _named_labels(content: GoldContent, breaks: Callable[[str], bool]) -> Iterable[tuple[str, str, dict[str, Any]]]:
    """Yield query, unit (under names that the format can hold) and label in canonical order."""
    queries = name_queries((query["query_id"] for query in content.queries), breaks)
    units = name_units(((label["doc_id"], label["section_id"]) for label in content.labels), breaks)
    for label in sorted(content.labels, key=label_key):
        yield queries[label["query_id"]], units[label["doc_id"], label["section_id"]], label


def _trec_lines(content: GoldContent) -> Iterable[str]:
    for query, unit, label in _named_labels(content, breaks_trec):
        yield f"{query} 0 {unit} {label['grade']}"


def _beir_lines(content: GoldContent, split: str) -> Iterable[str]:
    splits = {query["query_id"]: query["split"] for query in content.queries}
    yield "query-id\tcorpus-id\tscore"
    for query, unit, label in _named_labels(content, breaks_beir):
        if splits[label["query_id"]] == split:
            yield f"{query}\t{unit}\t{label['grade']}"


def _beir_queries(content: GoldContent) -> Iterable[str]:
    names = name_queries((query["query_id"] for query in content.queries), breaks_beir)
    for query in sorted(content.queries, key=query_key):
        metadata = {name: value for name, value in query.items() if name not in {"query_id", "text"}}
        yield to_canonical_json({"_id": names[query["query_id"]], "text": query["text"], "metadata": metadata})


def _labels_csv(content: GoldContent) -> str:
    texts = {query["query_id"]: query["text"] for query in content.queries}
    rows = [
        {column: label[column] for column in ("query_id", "doc_id", "section_id", "grade", "provenance")}
        | {
            "query": texts[label["query_id"]],
            "judgments": "; ".join(_in_words(one) for one in label.get("judgments", [])),
            "note": "\n".join(note for one in label.get("judgments", []) if (note := one.get("note", ""))),
            "reason": (label.get("adjudication") or {}).get("reason", ""),
        }
        for label in sorted(content.labels, key=label_key)
    ]
    return write_csv(rows, columns=LABEL_COLUMNS)


def _in_words(judgment: dict[str, Any]) -> str:
    grade = judgment.get("grade")
    return f"{judgment.get('annotator')}: {'cannot judge' if grade is None else grade}"
