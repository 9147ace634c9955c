"""The kinds of files that can be imported. Each kind says how it is read, checked against the database, shown and written.

`labelling` registers its own kinds from its AppConfig, because this app does not import it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsets.formats import catalogue
from evalsets.formats.catalogue import Format, Option
from evalsets.formats.problems import Found
from evalsets.jobs import Progress
from evalsets.models import Corpus, EvalSet, Job
from evalsets.permissions import Action

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@dataclass(frozen=True)
class Target:
    """Where a file goes and what was chosen for it. `options` holds text by name; what is not chosen is absent or "".

    `job` is the background job that imports it; what is written carries it, so that a second attempt knows what a first one left.
    """

    corpus: Corpus
    eval_set: EvalSet | None
    source: str
    options: Mapping[str, str] = field(default_factory=dict)
    by: User | None = None
    job: Job | None = None

    @property
    def set(self) -> EvalSet:
        """The eval set; only documents can go to a corpus without one."""
        if self.eval_set is None:
            raise LookupError(f"{self.source}: this kind of file goes into an eval set")
        return self.eval_set

    def option(self, name: str) -> str:
        """Return what was chosen, or "" for the default."""
        return str(self.options.get(name) or "")

    def choosing(self, **options: str) -> Target:
        """Return the same target with other choices on top."""
        return replace(self, options={**self.options, **options})


@dataclass(frozen=True)
class Shown:
    """What a preview shows of a file that was read: numbers with their names, and the first rows under their columns."""

    counts: Sequence[tuple[str, int]]
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    total: int


@dataclass(frozen=True)
class Applied:
    """What an import did: one sentence, the numbers behind it, and the page that shows it (a url name and its arguments)."""

    said: str
    counts: dict[str, int]
    page: tuple[str, list[Any]] | None = None


def no_guess(data: bytes | Path, name: str) -> str:
    """Let the content tell the format."""
    return ""


@dataclass(frozen=True)
class ImportKind:
    """One kind of import.

    `check(found, target)` adds to `found` what contradicts the database; `apply(found, target, progress)` writes and is only
    called where there is no problem. With `at_once`, both happen in one transaction that holds the eval set; otherwise `apply`
    keeps what it writes invisible until it is complete. `settings(target)` are choices of the kind itself, beside those of the
    format. `formats` are catalogue ids; without a chosen one, `guess` may name the one that a file is in, else the content tells.
    """

    kind: str
    label: str
    noun: str
    catalogue: str
    formats: Sequence[str]
    check: Callable[[Any, Target], None]
    apply: Callable[[Any, Target, Progress], Applied]
    show: Callable[[Any, Target], Shown]
    settings: Callable[[Target], Sequence[Option]] = lambda target: ()
    guess: Callable[[bytes | Path, str], str] = no_guess
    action: Action = Action.IMPORT
    at_once: bool = False
    help: str = ""

    def known_formats(self) -> list[Format]:
        """The formats of the kind in order."""
        return [item for item in catalogue.FORMATS[self.catalogue] if item.id in self.formats]

    def format(self, format_id: str) -> Format | None:
        """Return the format of that id if it is one of this kind's."""
        return next((item for item in self.known_formats() if item.id == format_id), None)

    def read(self, data: bytes | Path, target: Target) -> Found:
        """Read the file as its format and options say; nothing raises, all problems are in the result."""
        own = {setting.name for setting in self.settings(target)} | {"format"}
        options = {name: value for name, value in target.options.items() if name not in own and value}
        chosen = target.option("format") or self.guess(data, target.source)
        if not chosen and len(self.formats) == 1:
            chosen = self.formats[0]
        found: Found = catalogue.read(self.catalogue, data, name=target.source, format=chosen or None, **options)
        return found


_KINDS: dict[str, ImportKind] = {}


def register_import(kind: ImportKind) -> ImportKind:
    """Make a kind known under its name; a later registration replaces an earlier one."""
    _KINDS[kind.kind] = kind
    return kind


def get_kind(name: str) -> ImportKind | None:
    """Return the kind of that name, or None."""
    return _KINDS.get(name)


def list_kinds() -> list[ImportKind]:
    """All kinds, in the order in which they were registered."""
    return list(_KINDS.values())
