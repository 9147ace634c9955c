"""What an annotator may be shown of a candidate: the one place that decides it.

Everything shown while grading goes through `shown_to_annotator`. It copies what is named here and nothing else, so whatever is added to a
candidate later (another score, another label) stays hidden until somebody adds it to this list on purpose. Row numbers are not on it
either: candidates are stored in the order in which they were pooled, so a number tells the rank.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class BlindCandidate:
    """A candidate as an annotator sees it.

    `scope` is what the query's author says the answer is to be looked for in (a field, a date); it names no passage.
    `before` and `after` are the neighbouring text; `mark` is the retrieved part as (start, end) offsets into `passage`, None for all of it.
    Dates and life cycle are the document's own, needed to judge questions about what holds now.
    """

    query: str
    information_need: str
    passage: str
    title: str = ""
    section: str = ""
    scope: str = ""
    before: str = ""
    after: str = ""
    mark: tuple[int, int] | None = None
    language: str = ""
    lifecycle: str = ""
    effective_from: str = ""
    effective_to: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "mark":
                _check_mark(value, len(self.passage))
            elif type(value) is not str:
                # A mapping or an object could carry anything along, so only plain text passes.
                raise TypeError(f"{field.name} of a blind candidate must be plain text, got {type(value).__name__}")


def shown_to_annotator(candidate: Any) -> BlindCandidate:
    """Return only what an annotator may see of a full candidate, given as a mapping or as an object with attributes.

    Raises TypeError where something that may be seen is not plain text or the mark is not a pair of whole numbers, ValueError where the
    mark lies outside the passage, and LookupError where the query, its information need or the passage is missing.
    """
    return BlindCandidate(**{field.name: _taken(candidate, field) for field in fields(BlindCandidate)})


def _taken(candidate: Any, field: Field[Any]) -> Any:
    name, default = field.name, field.default
    value = candidate.get(name, default) if isinstance(candidate, Mapping) else getattr(candidate, name, default)
    if value is MISSING:
        raise LookupError(f"a candidate cannot be shown without its {name}")
    return tuple(value) if name == "mark" and isinstance(value, list) else value


def _check_mark(mark: Any, length: int) -> None:
    if mark is None:
        return
    if type(mark) is not tuple or len(mark) != 2 or any(type(offset) is not int for offset in mark):
        raise TypeError("the mark of a blind candidate must be a pair of whole numbers, start and end")
    start, end = mark
    if not 0 <= start <= end <= length:
        raise ValueError(f"the mark {start}-{end} lies outside the passage of {length} characters")
