"""From what a file says to a grade: whole numbers 0 to 3, blanks as "unjudged", and everything else only by a stated mapping."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from evalsets.formats.json_text import json_object
from evalsets.formats.problems import Found, Problem

CANNOT_JUDGE = "cannot_judge"
SKIP = "skip"
NEGATIVE = "negative"
BLANK = "blank"
HIGHEST = 3
_WHOLE_GRADE = re.compile(r"([+-]?)0*([0-9]+)(?:\.0*)?")
_TARGETS = {str(grade): grade for grade in range(HIGHEST + 1)}
_EXPECTED = f"a grade from 0 to {HIGHEST}, or a mapping for this value"


@dataclass(frozen=True)
class Graded:
    """What one value means: a grade, "cannot judge" (with the value as its reason), neither (left out), or a complaint."""

    grade: int | None = None
    cannot_judge: str = ""
    skipped: str = ""
    expected: str = ""


class Grading:
    """Reads values as grades under one stated mapping.

    Without a mapping `0` to `3` are grades (also ` 2 ` and `3.0`), a blank is unjudged, and all else is a complaint. The
    mapping's keys are values as they stand in the file (outer blanks do not count), "negative" for any negative number and
    "blank" for an empty value; what it maps to is a grade 0 to 3, "cannot_judge", or "skip" (also None).
    """

    def __init__(self, mapping: Mapping[str, object], found: Found) -> None:
        self.mapping: dict[str, int | str] = {}
        for value, target in mapping.items():
            said = SKIP if target is None or target == "" else str(target).strip()
            if said in _TARGETS:
                self.mapping[str(value).strip()] = _TARGETS[said]
            elif said in (SKIP, CANNOT_JUDGE):
                self.mapping[str(value).strip()] = said
            else:
                expected = f"a mapping of {str(value)!r} to a grade from 0 to {HIGHEST}, {CANNOT_JUDGE} or {SKIP}"
                found.problems.append(Problem(None, "mapping", said, expected))

    def read(self, value: object) -> Graded:
        """Return what `value` (text, a JSON number or None) means."""
        text = "" if value is None else str(value).strip()
        match = _WHOLE_GRADE.fullmatch(text)
        number = f"{match.group(1).replace('+', '')}{match.group(2)}" if match else ""
        for key in (text or BLANK, number, NEGATIVE if number.startswith("-") or _is_negative(text) else ""):
            if key and key in self.mapping:
                return self._mapped(text, self.mapping[key])
        if not text:
            return Graded(skipped="blank grade (unjudged)")
        if number in _TARGETS:
            return Graded(grade=_TARGETS[number])
        if number.startswith("-"):
            return Graded(expected=f"{_EXPECTED} (negative=0 maps all negative ones to 0)")
        return Graded(expected=_EXPECTED)

    def _mapped(self, text: str, target: int | str) -> Graded:
        if isinstance(target, int):
            return Graded(grade=target)
        if target == CANNOT_JUDGE:
            return Graded(cannot_judge=text or BLANK)
        return Graded(skipped=f"{text or BLANK!r} is mapped to nothing")


def _is_negative(text: str) -> bool:
    return re.fullmatch(r"-[0-9]*\.?[0-9]+", text) is not None


def pairs_option(value: Mapping[str, object] | str | None, option: str, found: Found) -> dict[str, object]:
    """Return an option that names pairs: a mapping, or text such as "unrateable=cannot_judge, 4=3" or a JSON object.

    In text, commas and line ends stand between the pairs and the last "=" divides each, so names with commas need JSON.
    """
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {str(key): target for key, target in value.items()}
    if value.lstrip().startswith("{"):
        pairs = json_object(value, found.problems, field=option)
        return {str(key): target for key, target in pairs.items()} if isinstance(pairs, dict) else {}
    pairs = {}
    for part in re.split(r"[,\n]", value):
        name, sign, target = part.rpartition("=")
        if sign and name.strip():
            pairs[name.strip()] = target.strip()
        elif part.strip():
            found.problems.append(Problem(None, option, part, "pairs such as name=value"))
    return pairs
