"""Ids as formats with fewer letters can hold them: TREC separates columns by blanks, BEIR by tabs, and both know one id for a unit.

`gold.jsonl` has every id as it is. In the other files an id is written as it is wherever that is possible; a letter that would
break the line is written as its UTF-8 bytes, `%20` for a blank; and two ids never come out as the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Unit = tuple[str, str]


def breaks_trec(letter: str) -> bool:
    """Say whether a letter would end a column of a TREC file."""
    return letter.isspace()


def breaks_beir(letter: str) -> bool:
    """Say whether a letter would end a column or a line of a BEIR file, or be taken for a quote around one."""
    return letter in '\t\r\n"'


def name_units(units: Iterable[Unit], breaks: Callable[[str], bool]) -> dict[Unit, str]:
    """Return a name of its own for each (document id, section id): the document's id, with `#section` where there is one."""
    written = {unit: (unit[0] + ("#" + unit[1] if unit[1] else "")) for unit in units}
    names: dict[Unit, str] = {}
    taken: set[str] = set()
    # Ids that stay as they are come first, so that no other takes their name.
    for unit in sorted(written, key=lambda unit: (any(map(breaks, written[unit])), unit[1] != "", unit)):
        name = "".join(_bytes_of(letter) if breaks(letter) else letter for letter in written[unit])
        while name in taken:
            name += "%"
        taken.add(name)
        names[unit] = name
    return names


def name_queries(query_ids: Iterable[str], breaks: Callable[[str], bool]) -> dict[str, str]:
    """Return a name of its own for each query id."""
    return {query_id: name for (query_id, _), name in name_units(((one, "") for one in query_ids), breaks).items()}


def _bytes_of(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode())
