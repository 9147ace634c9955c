"""A gold set version as one zip file, the same bytes every time, and back.

Inside: `manifest.json` (the header, counts, the content's checksum and the SHA-256 of every other file),
`gold.jsonl` (the canonical lines: everything), `qrels.txt` (TREC), `beir/queries.jsonl` and `beir/qrels.tsv` (BEIR),
and `labels.csv` (for spreadsheets). Only `gold.jsonl` is read back; the others are checked against the manifest.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable
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

# A zip entry needs some time of writing; one fixed time keeps the bytes the same. It is the earliest that zip can say.
EPOCH = (1980, 1, 1, 0, 0, 0)
MANIFEST = "manifest.json"
CONTENT = "gold.jsonl"
LABEL_COLUMNS = ["query_id", "query", "doc_id", "section_id", "grade", "provenance", "judgments", "reason"]


class GoldArchiveError(Exception):
    """The file is not a gold set archive, or not the one that was exported. Its text says what does not match."""


def unit_id(label: dict[str, Any]) -> str:
    """The id of the labelled unit in formats that know only one: the document's, with `#section` where a section is labelled."""
    return f"{label['doc_id']}#{label['section_id']}" if label["section_id"] else str(label["doc_id"])


def write_archive(content: GoldContent) -> bytes:
    """Return the zip of a gold set version. The same content gives the same bytes."""
    files = {
        CONTENT: _lines(canonical_lines(content)),
        "qrels.txt": _lines(_trec_lines(content)),
        "beir/queries.jsonl": _lines(_beir_queries(content)),
        "beir/qrels.tsv": _lines(_beir_lines(content)),
        "labels.csv": _labels_csv(content).encode("utf-8", "surrogatepass"),
    }
    manifest = {
        "format": FORMAT,
        "header": content.header,
        "sha256": checksum(content),
        "queries": len(content.queries),
        "labels": len(content.labels),
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in [(MANIFEST, _lines([to_canonical_json(manifest)])), *sorted(files.items())]:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return buffer.getvalue()


def read_archive(data: bytes) -> GoldContent:
    """Return the content of an exported zip. GoldArchiveError when a file, a byte or the checksum is not as exported."""
    files = _unzip(data)
    manifest = _read_manifest(files)
    named = set(manifest["files"]) | {MANIFEST}
    if set(files) != named:
        wrong = ", ".join(sorted(set(files) ^ named))
        raise GoldArchiveError(f"the archive and its manifest do not name the same files: {wrong}")
    for name, expected in manifest["files"].items():
        found = hashlib.sha256(files[name]).hexdigest()
        if found != expected:
            raise GoldArchiveError(f"{name} was changed: its SHA-256 is {found}, the manifest says {expected}")
    content = read_lines(files[CONTENT])
    found = checksum(content)
    if found != manifest["sha256"]:
        raise GoldArchiveError(f"the content's checksum is {found}, the manifest says {manifest['sha256']}")
    if to_canonical_json(content.header) != to_canonical_json(manifest["header"]):
        raise GoldArchiveError("the manifest's header is not the one in gold.jsonl")
    return content


def read_lines(data: bytes) -> GoldContent:
    """Return the content of canonical lines (`gold.jsonl`). GoldArchiveError with the line that cannot be read."""
    header: dict[str, Any] | None = None
    queries, labels = [], []
    # Split at newlines only: a text may hold other characters that `splitlines` takes for line ends.
    for number, line in enumerate(data.decode("utf-8", "surrogatepass").rstrip("\n").split("\n"), start=1):
        try:
            ((kind, value),) = json.loads(line).items()
        except (ValueError, AttributeError) as error:
            raise GoldArchiveError(f"gold.jsonl line {number} is not one JSON object with one key") from error
        if kind == "header":
            header = value
        elif kind == "query":
            queries.append(value)
        elif kind == "label":
            labels.append(value)
        else:
            raise GoldArchiveError(f"gold.jsonl line {number}: {kind!r} is none of header, query, label")
    if header is None:
        raise GoldArchiveError("gold.jsonl has no header line")
    return GoldContent(header=header, queries=queries, labels=labels)


def _unzip(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if len(names) != len(set(names)):
                raise GoldArchiveError("the archive holds one file twice")
            return {name: archive.read(name) for name in names}
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, OSError, ValueError) as error:
        raise GoldArchiveError(f"this is not a whole zip file: {error}") from error
    except Exception as error:  # zlib.error and its kin: a damaged stream
        raise GoldArchiveError(f"the zip file is damaged: {error}") from error


def _read_manifest(files: dict[str, bytes]) -> dict[str, Any]:
    if MANIFEST not in files or CONTENT not in files:
        raise GoldArchiveError(
            f"a gold set archive holds {MANIFEST} and {CONTENT}; found {', '.join(sorted(files)) or 'nothing'}"
        )
    try:
        manifest = json.loads(files[MANIFEST])
        wrong = manifest["format"] != FORMAT or not isinstance(manifest["files"], dict) or "sha256" not in manifest
    except (ValueError, KeyError, TypeError) as error:
        raise GoldArchiveError(f"{MANIFEST} cannot be read: {error}") from error
    if wrong or CONTENT not in manifest["files"] or "header" not in manifest:
        raise GoldArchiveError(f"{MANIFEST} is not of format {FORMAT}")
    return dict(manifest)


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def _trec_lines(content: GoldContent) -> Iterable[str]:
    """Blanks separate TREC columns, so an id with a blank is written with `%20` there; gold.jsonl has it as it is."""
    for label in sorted(content.labels, key=label_key):
        yield f"{_without_blanks(str(label['query_id']))} 0 {_without_blanks(unit_id(label))} {label['grade']}"


def _beir_lines(content: GoldContent) -> Iterable[str]:
    yield "query-id\tcorpus-id\tscore"
    for label in sorted(content.labels, key=label_key):
        yield f"{_without_blanks(str(label['query_id']))}\t{_without_blanks(unit_id(label))}\t{label['grade']}"


def _without_blanks(identifier: str) -> str:
    return "".join(
        "".join(f"%{byte:02X}" for byte in letter.encode()) if letter.isspace() else letter for letter in identifier
    )


def _beir_queries(content: GoldContent) -> Iterable[str]:
    for query in sorted(content.queries, key=query_key):
        metadata = {name: value for name, value in query.items() if name not in {"query_id", "text"}}
        yield to_canonical_json({"_id": query["query_id"], "text": query["text"], "metadata": metadata})


def _labels_csv(content: GoldContent) -> str:
    texts = {query["query_id"]: query["text"] for query in content.queries}
    rows = []
    for label in sorted(content.labels, key=label_key):
        judged = "; ".join(f"{one['annotator']}: {one['grade']}" for one in label.get("judgments", []))
        reason = (label.get("adjudication") or {}).get("reason", "")
        query_id = label["query_id"]
        place = [query_id, texts.get(query_id, ""), label["doc_id"], label["section_id"]]
        rows.append([*place, label["grade"], label["provenance"], judged, reason])
    return write_csv([dict(zip(LABEL_COLUMNS, row, strict=True)) for row in rows], columns=LABEL_COLUMNS)
