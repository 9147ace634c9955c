"""YAML with line numbers, every scalar exactly as written: 007 stays "007", `no` stays "no", a date stays its text.

Only plain null and "~" become None. Aliases are refused (they can make a small file huge), so are repeated keys.
"""

from collections.abc import Iterator
from typing import Any

import yaml

from evalsets.formats.problems import Problem
from evalsets.formats.records import UnquotedDecimal

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def yaml_items(text: str, problems: list[Problem], *, key: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) for each element of the list that a YAML text is, or has under `key`; errors go to `problems`."""
    root = _compose(text, problems, 0, "")
    if isinstance(root, yaml.MappingNode):
        root = next((value for name, value in root.value if name.value == key), root)
    if root is None:
        return
    if not isinstance(root, yaml.SequenceNode):
        problems.append(
            Problem(root.start_mark.line + 1, "line", str(root.value)[:80], f"a list, or {key!r}: with a list under it")
        )
        return
    reader = _Values(problems, 0, "")
    for node in root.value:
        yield node.start_mark.line + 1, reader.value(node)


def yaml_mapping(text: str, problems: list[Problem], *, first_line: int = 1, file: str = "") -> dict[str, Any]:
    """Return the mapping that a YAML text holds ({} where empty or wrong); `first_line` is the line that it starts on."""
    root = _compose(text, problems, first_line - 1, file)
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        problems.append(Problem(first_line, "front matter", str(root.value)[:80], "names and values", file=file))
        return {}
    values = _Values(problems, first_line - 1, file).value(root)
    return values if isinstance(values, dict) else {}


def _compose(text: str, problems: list[Problem], offset: int, file: str) -> Any:
    try:
        if "*" in text and _has_aliases(text, problems, offset, file):
            return None
        return yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1 + offset, mark.column + 1) if mark else (None, None)
        said = " ".join(part for part in (error.context, error.problem) if part)
        problems.append(Problem(line, "line", _line(text, mark), f"YAML ({said})", column, file=file))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        problems.append(Problem(None, "file", text[:80], f"YAML ({' '.join(str(error).split())[:200]})", file=file))
    return None


def _has_aliases(text: str, problems: list[Problem], offset: int, file: str) -> bool:
    """Report each alias; the nodes that `compose` makes no longer know where an alias stood."""
    aliases: list[Any] = [event for event in yaml.parse(text, Loader=_Loader) if isinstance(event, yaml.AliasEvent)]
    for event in aliases:
        expected = "the value itself; YAML aliases (*name) are not read"
        problems.append(Problem(event.start_mark.line + 1 + offset, "line", f"*{event.anchor}", expected, file=file))
    return bool(aliases)


def _line(text: str, mark: Any) -> str:
    lines = text.split("\n")
    return lines[mark.line].strip() if mark and mark.line < len(lines) else ""


class _Values:
    """Turns nodes into values and complains about what it refuses."""

    def __init__(self, problems: list[Problem], offset: int, file: str) -> None:
        self.problems, self.offset, self.file = problems, offset, file

    def value(self, node: Any) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item) for item in node.value]
        return self._mapping(node)

    def _scalar(self, node: Any) -> str | None:
        text: str = node.value
        if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
            self._complain(node, text, "text without NUL characters and lone surrogates")
        if not node.style and node.tag == "tag:yaml.org,2002:null":
            return None
        return UnquotedDecimal(text) if not node.style and node.tag == "tag:yaml.org,2002:float" else text

    def _mapping(self, node: Any) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, value in node.value:
            if not isinstance(name, yaml.ScalarNode):
                self._complain(name, str(name.value)[:80], "a plain name before the colon")
            elif name.value in values:
                self._complain(name, name.value, "each name once")
            else:
                values[name.value] = self.value(value)
        return values

    def _complain(self, node: Any, value: str, expected: str) -> None:
        self.problems.append(Problem(node.start_mark.line + 1 + self.offset, "line", value, expected, file=self.file))
