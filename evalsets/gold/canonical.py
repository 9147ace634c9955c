"""The canonical content of a gold set version, and its checksum.

Content is one header, a list of queries and a list of labels, all plain JSON values. Its canonical form is JSON lines:
the header first, then the queries by id, then the labels by (query id, document id, section id); each line has sorted
keys, no blanks and no escapes of letters (in the manner of RFC 8785; numbers here are integers or short decimals).
The SHA-256 over those lines identifies the version wherever it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

FORMAT = "plumbline-gold/1"


@dataclass(frozen=True)
class GoldContent:
    """One gold set version.

    header: format, eval_set {slug, name}, version (int), unit, scale, threshold, gain, depth_n, depth_k,
        snapshot {corpus, number, sha256, documents}, rubric {number, guidance, definitions}, pool, double_labels,
        agreement, published_at (ISO 8601, UTC), notes.
    queries: query_id, text, information_need, expected_scope, answerable, expected_behaviour, source, source_family,
        split, tags, synthetic, permitted, forbidden_documents, stated_evidence.
    labels: query_id, doc_id, section_id, grade, provenance, text_sha256, judgments [{annotator, grade, note ...}],
        adjudication {grade, reason_code, reason} or null.
    """

    header: dict[str, Any]
    queries: list[dict[str, Any]] = field(default_factory=list)
    labels: list[dict[str, Any]] = field(default_factory=list)


def to_canonical_json(value: Any) -> str:
    """Write a JSON value in its one canonical form. ValueError for NaN and infinity, which JSON does not have."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def query_key(query: dict[str, Any]) -> str:
    """What canonical order sorts queries by."""
    return str(query["query_id"])


def label_key(label: dict[str, Any]) -> tuple[str, str, str]:
    """What canonical order sorts labels by."""
    return (str(label["query_id"]), str(label["doc_id"]), str(label["section_id"]))


def canonical_lines(content: GoldContent) -> Iterator[str]:
    """Yield the canonical lines, without line ends."""
    yield to_canonical_json({"header": content.header})
    for query in sorted(content.queries, key=query_key):
        yield to_canonical_json({"query": query})
    for label in sorted(content.labels, key=label_key):
        yield to_canonical_json({"label": label})


def checksum(content: GoldContent) -> str:
    """Return the hexadecimal SHA-256 over the canonical lines, each ended by a newline, in UTF-8."""
    digest = hashlib.sha256()
    for line in canonical_lines(content):
        digest.update(line.encode())
        digest.update(b"\n")
    return digest.hexdigest()
