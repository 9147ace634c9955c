"""What a retriever's configuration may say: its settings, their bounds, and every problem found in one."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evalsets.retrieval.base import Retriever, SourceDocument

Family = Literal["lexical", "dense", "hybrid"]
Config = dict[str, Any]


@dataclass(frozen=True)
class ConfigProblem:
    """One setting that cannot be used: its name, the value given, and what was expected."""

    field: str
    value: str
    expected: str

    def __str__(self) -> str:
        return f"{self.field}: {self.value} - expected {self.expected}"


class ConfigError(ValueError):
    """A configuration that cannot be built; `problems` has one entry for each setting at fault."""

    def __init__(self, problems: Sequence[ConfigProblem]) -> None:
        self.problems = list(problems)
        super().__init__("; ".join(str(problem) for problem in self.problems))


@dataclass(frozen=True)
class Setting:
    """One setting of a configuration. `kind` says how it is read and shown; the bounds are inclusive."""

    name: str
    label: str
    kind: Literal["whole number", "number", "yes or no", "choice", "retrievers"]
    default: Any
    minimum: float = -math.inf
    maximum: float = math.inf
    choices: tuple[str, ...] = ()
    help: str = ""

    @property
    def expected(self) -> str:
        """What a value has to be, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind == "retrievers":
            return "a list of at least two different retriever names"
        if self.kind == "yes or no":
            return "true or false"
        return f"a {self.kind} from {self.minimum:.10g} to {self.maximum:.10g}"

    def accepts(self, value: Any) -> bool:
        """Say whether the value is of the right type and inside the bounds."""
        if self.kind == "choice":
            return isinstance(value, str) and value in self.choices
        if self.kind == "retrievers":
            names = list(value) if isinstance(value, (list, tuple)) else []
            return len(names) >= 2 and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        if self.kind == "yes or no":
            return isinstance(value, bool)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        if self.kind == "whole number" and not isinstance(value, int):
            return False
        return self.minimum <= value <= self.maximum


Build = Callable[[Config, Sequence[SourceDocument], Mapping[str, Retriever]], Retriever]
Check = Callable[[Config], list[ConfigProblem]]


@dataclass(frozen=True)
class Kind:
    """One kind of retriever: what it is called, its family, its settings, and how one is built."""

    name: str
    label: str
    family: Family
    settings: tuple[Setting, ...]
    build: Build
    check: Check

    @property
    def default_config(self) -> Config:
        """A configuration with every setting at its default."""
        return {
            setting.name: list(setting.default) if setting.kind == "retrievers" else setting.default
            for setting in self.settings
        }

    def problems(self, config: Mapping[str, Any]) -> list[ConfigProblem]:
        """Give every problem of a configuration, one a setting; an empty list means that it can be built.

        Settings left out take their default. A setting this kind does not have is a problem.
        """
        known = {setting.name: setting for setting in self.settings}
        expected = "one of the settings " + ", ".join(known)
        found = [ConfigProblem(str(name), "not a setting", expected) for name in config if name not in known]
        full = self.default_config | dict(config)
        for name, setting in known.items():
            if not setting.accepts(full[name]):
                found.append(ConfigProblem(name, shown(full[name]), setting.expected))
        return found or self.check(full)

    def complete(self, config: Mapping[str, Any]) -> Config:
        """Give the configuration with all defaults filled in. Raises ConfigError with every problem."""
        problems = self.problems(config)
        if problems:
            raise ConfigError(problems)
        return self.default_config | dict(config)


def shown(value: object) -> str:
    """Write a value for a message, at most 80 characters."""
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "\u2026"


CHUNK_SETTINGS = (
    Setting("size", "Words in a chunk", "whole number", 200, 1, 100_000),
    Setting("overlap", "Words shared by neighbouring chunks", "whole number", 40, 0, 99_999),
    Setting("with_headings", "Index the title and heading with each chunk", "yes or no", True),
    Setting("language", "Language of the words", "choice", "english", choices=("english", "any")),
)


def check_overlap(config: Config) -> list[ConfigProblem]:
    """Give the problem of an overlap that is not less than the chunk size."""
    if config["overlap"] < config["size"]:
        return []
    return [ConfigProblem("overlap", str(config["overlap"]), f"less than the size of a chunk, {config['size']} words")]
