"""Values that are longer than the database keeps: named before anything is written, because PostgreSQL would refuse them late."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models

from evalsets.formats.problems import Found, Problem


def check_lengths(found: Found, rows: Iterable[Any], fields: Mapping[str, tuple[type[models.Model], str]]) -> None:
    """Add a problem for each text of a row that is longer than its column: `fields` names the column of each attribute."""
    limits = {name: longest(model, column) for name, (model, column) in fields.items()}
    for row in rows:
        for name, limit in limits.items():
            value = getattr(row, name)
            if len(value) > limit:
                expected = f"at most {limit} characters, found {len(value)}"
                found.problems.append(Problem(getattr(row, "line", None), name, value, expected))


def longest(model: type[models.Model], column: str) -> int:
    """Return how many characters a column keeps."""
    limit = getattr(model._meta.get_field(column), "max_length", None)
    if limit is None:
        raise LookupError(f"{model.__name__}.{column} has no longest length")
    return int(limit)
