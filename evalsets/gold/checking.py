"""What makes content a gold set: checked before it is kept, whoever wrote the file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from evalsets.gold.canonical import FORMAT, GoldContent, label_key

PROVENANCES = ("single", "agreed", "lower", "adjudicated", "imported")
GAINS = ("exp", "lin")
UNITS = ("document", "section")
SPLITS = ("dev", "holdout")
TOP_GRADE = {"graded": 3, "binary": 1}
# From here on some databases give a decimal back as another number.
LARGEST_NUMBER = 1e15
LONGEST = {"query_id": 300, "doc_id": 500, "section_id": 300}
SHOWN = 20


class GoldContentError(ValueError):
    """The content is no gold set. `problems` has a sentence for each thing that is wrong."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        more = f"; and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        super().__init__("; ".join(problems[:SHOWN]) + more)


def check_content(content: GoldContent) -> None:
    """Raise GoldContentError, with all that is wrong, unless the content can be kept and scored."""
    problems = [*_header_problems(content.header), *_query_problems(content.queries)]
    # Labels are looked at only on a sound header: their grades depend on its scale.
    if not problems:
        top = TOP_GRADE[content.header["scale"]]
        problems += _label_problems(content.labels, {query["query_id"] for query in content.queries}, top)
    for place, values in (("header", [content.header]), ("query", content.queries), ("label", content.labels)):
        problems += [f"{place} {number}: {what}" for number, v in enumerate(values, 1) for what in _unkept(v)]
    if problems:
        raise GoldContentError(problems)


def _header_problems(header: Any) -> Iterator[str]:
    if not isinstance(header, dict):
        yield "the header is not a JSON object"
        return
    if header.get("format") != FORMAT:
        yield f"the format is {header.get('format')!r}; expected {FORMAT}"
    for key, known in (("unit", UNITS), ("scale", tuple(TOP_GRADE)), ("gain", GAINS)):
        if header.get(key) not in known:
            yield f"{key} is {header.get(key)!r}; expected {' or '.join(known)}"
    for key in ("version", "depth_n", "depth_k"):
        if not _is_whole(header.get(key), 1):
            yield f"{key} is {header.get(key)!r}; expected a whole number from 1"
    top = TOP_GRADE.get(str(header.get("scale")), 3)
    if not _is_whole(header.get("threshold"), 1, top):
        yield f"threshold is {header.get('threshold')!r}; expected a grade from 1 to {top}"
    for key, kind in (("eval_set", dict), ("published_at", str), ("notes", str)):
        if key in header and not isinstance(header[key], kind):
            yield f"{key} is {header[key]!r}; expected {'an object' if kind is dict else 'a text'}"


def _query_problems(queries: list[Any]) -> Iterator[str]:
    seen: set[str] = set()
    for number, query in enumerate(queries, start=1):
        if not isinstance(query, dict) or not _is_id(query.get("query_id"), "query_id"):
            yield f"query {number} has no id of 1 to {LONGEST['query_id']} characters"
            continue
        name = query["query_id"]
        if name in seen:
            yield f"query {name!r} stands there twice"
        seen.add(name)
        if not isinstance(query.get("text"), str):
            yield f"query {name!r} has no text"
        if query.get("split") not in SPLITS:
            yield f"query {name!r}: split is {query.get('split')!r}; expected {' or '.join(SPLITS)}"
        for flag in ("answerable", "synthetic"):
            if not isinstance(query.get(flag), bool):
                yield f"query {name!r}: {flag} is {query.get(flag)!r}; expected true or false"
        tags = query.get("tags")
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            yield f"query {name!r}: tags is not a list of words"


def _label_problems(labels: list[Any], queries: set[str], top: int) -> Iterator[str]:
    seen: set[tuple[str, str, str]] = set()
    for number, label in enumerate(labels, start=1):
        if not isinstance(label, dict) or not _has_ids(label):
            yield f"label {number} has no query_id, doc_id and section_id"
            continue
        key = label_key(label)
        name = " ".join(part for part in key if part)
        if label["query_id"] not in queries:
            yield f"label {name!r} belongs to no query of the gold set"
        if key in seen:
            yield f"label {name!r} stands there twice"
        seen.add(key)
        if not _is_whole(label.get("grade"), 0, top):
            yield f"label {name!r}: grade is {label.get('grade')!r}; expected 0 to {top}"
        if label.get("provenance") not in PROVENANCES:
            yield f"label {name!r}: provenance is {label.get('provenance')!r}; expected {', '.join(PROVENANCES)}"


def _has_ids(label: dict[str, Any]) -> bool:
    section = label.get("section_id")
    return (
        _is_id(label.get("query_id"), "query_id")
        and _is_id(label.get("doc_id"), "doc_id")
        and isinstance(section, str)
        and len(section) <= LONGEST["section_id"]
    )


def _is_id(value: Any, kind: str) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST[kind]


def _is_whole(value: Any, least: int, most: float = math.inf) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _unkept(value: Any) -> Iterator[str]:
    """Yield what a database would refuse or give back changed, and with it the checksum."""
    if isinstance(value, str):
        if "\x00" in value:
            yield "a text holds a NUL character"
        elif not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            yield "a text holds half of a surrogate pair"
    elif isinstance(value, dict):
        for key, inside in value.items():
            yield from _unkept(key)
            yield from _unkept(inside)
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from _unkept(inside)
    elif isinstance(value, int | float) and not _is_kept(value):
        yield f"{value!r} is no number that every database keeps as it is"


def _is_kept(number: float) -> bool:
    return abs(number) < LARGEST_NUMBER and (number != 0 or math.copysign(1, number) > 0)
