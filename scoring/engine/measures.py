"""A measure is a value: it parses from its name, prints as its name, and says what it means.

Names look like `P@5`, `R(rel=2)@50`, `nDCG(gain='lin')@10`, `RBP(p=0.8)` and `condensed(nDCG@10)`.
"""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from scoring.engine.registry import GAIN_WORDS, GAINS, KINDS, OTHER_NAMES, Kind

DEFAULT_PERSISTENCE = 0.8

_NAME = re.compile(r"(?P<kind>[A-Za-z_]+)\s*(?:\((?P<parameters>[^()]*)\))?\s*(?:@\s*(?P<cutoff>\S+))?")
_CONDENSED = re.compile(r"condensed\s*\((?P<inner>.*)\)", re.DOTALL)
_QUOTED = re.compile(r"""(["'])(?P<text>.*)\1""")


class MeasureError(ValueError):
    """A name or a combination of parameters that is no measure; the message says why and what would be one."""


@dataclass(frozen=True)
class Measure:
    """One measure with its parameters.

    `cutoff` is the k or N of `@k`; `rel` a relevance threshold of its own (otherwise the gold set's); `gain` "exp"
    or "lin" (otherwise the gold set's); `p` the persistence of rank-biased precision; `condensed` takes unjudged
    units out of the list first.
    """

    kind: str
    cutoff: int | None = None
    rel: int | None = None
    gain: str | None = None
    p: float | None = None
    condensed: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise MeasureError(_unknown(self.kind))
        if "p" in self.registered.parameters and self.p is None:
            object.__setattr__(self, "p", DEFAULT_PERSISTENCE)
        self._check_cutoff()
        self._check_parameters()

    def _check_cutoff(self) -> None:
        kind = self.registered
        if kind.cutoff == "required" and self.cutoff is None:
            raise MeasureError(f"{self.kind} needs a cutoff, for example {self.kind}@10")
        if kind.cutoff == "none" and self.cutoff is not None:
            raise MeasureError(f"{self.kind} takes no cutoff: write {self.kind}, not {self.kind}@{self.cutoff}")
        if self.cutoff is not None and self.cutoff < 1:
            raise MeasureError(f"{self.kind}@{self.cutoff}: the cutoff has to be 1 or more")

    def _check_parameters(self) -> None:
        kind = self.registered
        for name in ("rel", "gain", "p"):
            if getattr(self, name) is not None and name not in kind.parameters:
                takes = f"takes {', '.join(sorted(kind.parameters))}" if kind.parameters else "takes no parameters"
                raise MeasureError(f"{self.kind} has no parameter {name}; it {takes}")
        if self.rel is not None and self.rel < 1:
            raise MeasureError(f"{self.kind}(rel={self.rel}): the relevance threshold has to be 1 or more")
        if self.gain is not None and self.gain not in GAINS:
            raise MeasureError(f"{self.kind}(gain={self.gain!r}): the gain is 'exp' or 'lin'")
        if self.p is not None and not 0.0 < self.p < 1.0:
            raise MeasureError(f"{self.kind}(p={self.p}): p lies between 0 and 1, both excluded")
        if self.condensed and not kind.condensable:
            raise MeasureError(f"{self.kind} reads passages, not ranks, so it has no condensed form")

    @property
    def registered(self) -> Kind:
        """The registry's entry for this kind."""
        return KINDS[self.kind]

    def __str__(self) -> str:
        given = [("rel", self.rel), ("gain", self.gain), ("p", self.p)]
        inside = ", ".join(f"{name}={value!r}" for name, value in given if value is not None)
        name = self.kind + (f"({inside})" if inside else "") + (f"@{self.cutoff}" if self.cutoff is not None else "")
        return f"condensed({name})" if self.condensed else name

    @property
    def stage(self) -> str:
        """The stage of a run that this measure reads."""
        return self.registered.stage

    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value that a query can have."""
        return self.registered.low, self.registered.high

    def threshold(self, of_the_set: int) -> int:
        """The grade from which a unit counts as relevant here."""
        return self.rel if self.rel is not None else of_the_set

    def gain_used(self, of_the_set: str) -> str:
        """The gain formula, "exp" or "lin", that this measure uses."""
        return self.gain if self.gain is not None else of_the_set

    def definition(
        self, threshold: int, gain: str, *, unit: str = "document", max_grade: int = 3, depth: int | None = None
    ) -> str:
        """What the number means, for people: formula, cutoff, denominator, threshold and gain in one sentence.

        `depth` is how deep a measure without a cutoff of its own looks (None: the whole list).
        """
        kind, relevant_from = self.registered, self.threshold(threshold)
        reach = self.cutoff if self.cutoff is not None else depth
        words = kind.words.format(
            unit=unit,
            units=f"{unit}s",
            cutoff=self.cutoff,
            within="in the whole list" if reach is None else f"in the top {reach}",
            gain_words=GAIN_WORDS[self.gain_used(gain)],
            p=self.p,
            rbp_gain="1 for a relevant unit and 0 for another" if self.rel else f"(2^grade - 1) / (2^{max_grade} - 1)",
        )
        if "rel" in kind.parameters and not (self.kind.startswith("RBP") and self.rel is None):
            words += f"; relevant means grade {relevant_from} or higher"
        if self.condensed:
            words += "; unjudged results were taken out of the list first"
        return f"{words}."


def parse_measure(name: str) -> Measure:
    """Read one name; raises MeasureError with what is wrong and what would be right."""
    text = name.strip()
    condensed = _CONDENSED.fullmatch(text)
    if condensed:
        inner = parse_measure(condensed["inner"])
        if inner.condensed:
            raise MeasureError(f"{name!r} condenses twice; once is enough")
        return Measure(inner.kind, inner.cutoff, inner.rel, inner.gain, inner.p, condensed=True)
    found = _NAME.fullmatch(text)
    if not found:
        raise MeasureError(f"{name!r} is no measure; one looks like P@5, R(rel=2)@50 or nDCG(gain='lin')@10")
    if found["kind"] not in KINDS:
        raise MeasureError(_unknown(found["kind"]))
    given = _parameters(text, found["parameters"])
    return Measure(
        found["kind"],
        _whole(text, "cutoff", found["cutoff"]),
        _whole(text, "rel", given.get("rel")),
        given.get("gain"),
        _number(text, "p", given.get("p")),
    )


def parse_measures(names: str) -> list[Measure]:
    """Read a list of names parted by commas (those inside brackets do not part); repeated ones are kept once."""
    parts, depth, current = [], 0, ""
    for character in names:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    wanted = [part for part in [*parts, current] if part.strip()]
    if not wanted:
        raise MeasureError("no measure was named; name at least one, for example nDCG@10")
    return list(dict.fromkeys(parse_measure(part) for part in wanted))


def with_companions(measures: Iterable[Measure]) -> list[Measure]:
    """The measures with what may not be shown without: rank-biased precision is followed by its residual."""
    wanted: list[Measure] = []
    for measure in measures:
        wanted.append(measure)
        if measure.kind == "RBP":
            wanted.append(Measure("RBPres", measure.cutoff, measure.rel, None, measure.p, measure.condensed))
    return list(dict.fromkeys(wanted))


def _parameters(name: str, inside: str | None) -> dict[str, str]:
    given: dict[str, str] = {}
    for part in (inside or "").split(","):
        if not part.strip():
            continue
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in ("rel", "gain", "p") or not equals or not value:
            raise MeasureError(f"{name!r}: {part.strip()!r} is no parameter; those are rel=2, gain='lin' and p=0.8")
        if key in given:
            raise MeasureError(f"{name!r} gives {key} twice")
        quoted = _QUOTED.fullmatch(value)
        given[key] = quoted["text"] if quoted else value
    return given


def _whole(name: str, field: str, value: str | None) -> int | None:
    if value is None:
        return None
    if not (value.isascii() and value.isdigit()):
        raise MeasureError(f"{name!r}: the {field} {value!r} is no whole number")
    return int(value)


def _number(name: str, field: str, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except ValueError:
        raise MeasureError(f"{name!r}: {field} {value!r} is no number") from None


def _unknown(kind: str) -> str:
    known = ", ".join(KINDS)
    folded = {name.lower(): name for name in KINDS}
    close = difflib.get_close_matches(kind.lower(), folded, n=1, cutoff=0.75)
    likely = OTHER_NAMES.get(kind.lower()) or (folded[close[0]] if close else None)
    hint = f"did you mean {likely}? " if likely else ""
    return f"{kind!r} is no measure; {hint}The measures are {known}"
