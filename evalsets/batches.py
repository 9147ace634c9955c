"""Cutting a long row of things into batches (itertools.batched, which Python 3.11 does not have)."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """Yield the items in order, `size` at a time; the last batch may be shorter."""
    iterator = iter(items)
    while batch := tuple(islice(iterator, size)):
        yield batch
