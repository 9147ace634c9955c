"""Seeded random numbers that are the same on every machine and in every release of every library.

SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Resampling uses it instead of numpy's
generators because an interval that was published with its seed must come out again years later, and numpy does not promise that.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_MASK = (1 << 64) - 1
_GAMMA = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
_LARGEST_N = 1 << 32


class SplitMix64:
    """A stream of 64-bit numbers from one seed; the scalar and the array methods draw from the same stream."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next number of the stream, from 0 to 2**64 - 1."""
        self._state = (self._state + _GAMMA) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * _FIRST) & _MASK
        z = ((z ^ (z >> 27)) * _SECOND) & _MASK
        return z ^ (z >> 31)

    def numbers(self, size: int) -> NDArray[np.uint64]:
        """Return the next `size` numbers at once: what that many calls of `next` would give."""
        steps = np.arange(1, size + 1, dtype=np.uint64)
        z = steps * np.uint64(_GAMMA) + np.uint64(self._state)
        self._state = (self._state + size * _GAMMA) & _MASK
        z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
        return z ^ (z >> np.uint64(31))

    def index(self, n: int) -> int:
        """Return the next index in 0 .. n - 1, from the upper 53 bits of the next number."""
        _check_range(n)
        return ((self.next() >> 11) * n) >> 53

    def indices(self, n: int, size: int) -> NDArray[np.intp]:
        """Return the next `size` indices in 0 .. n - 1 at once: what that many calls of `index` would give."""
        _check_range(n)
        upper = self.numbers(size) >> np.uint64(11)
        # A product of 53 bits with n would overflow 64 bits, so the 53 bits are multiplied as 27 and 26.
        high, low = upper >> np.uint64(26), upper & np.uint64((1 << 26) - 1)
        chosen = (high * np.uint64(n) + ((low * np.uint64(n)) >> np.uint64(26))) >> np.uint64(27)
        return chosen.astype(np.intp)


def resamples(seed: int, n: int, count: int) -> Iterator[NDArray[np.intp]]:
    """Yield `count` samples of n indices drawn with replacement from 0 .. n - 1, all from one stream."""
    stream = SplitMix64(seed)
    for _ in range(count):
        yield stream.indices(n, n)


def _check_range(n: int) -> None:
    if not 0 < n <= _LARGEST_N:
        raise ValueError(f"an index needs a range of 1 to {_LARGEST_N}, got {n}")
