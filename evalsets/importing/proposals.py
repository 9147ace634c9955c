"""From what is wrong with a file to the choices that would settle it, and to the values that need a stated meaning."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evalsets.formats.catalogue import Format, Option
from evalsets.formats.problems import Problem

_CHOICE = re.compile(r"\b([a-z_]+)=([\w.\-]+)")
_NEEDS_MEANING = "mapping for this value"


@dataclass(frozen=True)
class Proposal:
    """One choice that a problem proposes: the option, its value, and words for both."""

    name: str
    value: str
    label: str
    title: str


def find_proposals(problems: Iterable[Problem], formats: Sequence[Format], options: Iterable[Option]) -> list[Proposal]:
    """Return the choices that the problems name (as `order=rank`), each once, in the order in which they are first named."""
    known = {option.name: option for option in options}
    found: dict[tuple[str, str], Proposal] = {}
    seen: set[str] = set()
    for problem in problems:
        if problem.expected in seen:
            continue
        seen.add(problem.expected)
        for name, value in _CHOICE.findall(problem.expected):
            proposal = _proposal(name, value.rstrip("."), known, formats)
            if proposal:
                found.setdefault((proposal.name, proposal.value), proposal)
    return list(found.values())


def proposed_options(problems: Iterable[Problem]) -> set[str]:
    """Return the names of all options that the problems mention, also those whose value one has to type."""
    texts = {problem.expected for problem in problems}
    names = {name for text in texts for name, _ in _CHOICE.findall(text)}
    return names | {word for text in texts for word in ("mapping", "columns", "encoding") if word in text}


def unmapped_values(problems: Iterable[Problem]) -> list[tuple[str, int]]:
    """Return the values of a grade column that need a stated meaning, with how often each was complained about."""
    counts = Counter(
        item.value.strip() for item in problems if item.field == "grade" and _NEEDS_MEANING in item.expected
    )
    return counts.most_common()


def write_pairs(pairs: Mapping[str, object]) -> str:
    """Return pairs as the text that `pairs_option` reads: "a=1, b=skip", or JSON where a name has a comma or line end in it."""
    if any(sign in name for name in pairs for sign in ",\n") or any(name.startswith("{") for name in pairs):
        return json.dumps(dict(pairs), ensure_ascii=False)
    return ", ".join(f"{name}={meaning}" for name, meaning in pairs.items())


def _proposal(name: str, value: str, known: dict[str, Option], formats: Sequence[Format]) -> Proposal | None:
    if name == "negative" and "mapping" in known:
        return Proposal("mapping", f"{name}={value}", f"negative grades are {value}", known["mapping"].label)
    if name == "format":
        chosen = next((item for item in formats if item.id == value), None)
        return Proposal("format", value, chosen.label, "Format") if chosen else None
    option = known.get(name)
    if option is None:
        return None
    label = dict(option.choices).get(value)
    return Proposal(name, value, label, option.label) if label else None
