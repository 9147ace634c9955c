"""Numbers with their nouns in sentences."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return "1 label", "2 labels" or, with a plural of its own, "3 queries"."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def named(items: Sequence[str], limit: int = 10) -> str:
    """Return the first items in quotes, and how many more there are."""
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return f"{', '.join(map(repr, items[:limit]))}{more}"
