"""Seeded random numbers that stay the same in every version of every library.

SplitMix64 (Steele, Lea and Flood 2014): the n-th number depends on seed and n alone, so a whole block is computed at
once. A uniform index below n is ((number >> 11) * n) >> 53.
"""

import numpy as np
import numpy.typing as npt

from scoring.engine.arrays import Ints

Words = npt.NDArray[np.uint64]

_STEP = 0x9E3779B97F4A7C15
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def words(seed: int, count: int, *, skip: int = 0) -> Words:
    """The numbers skip+1 .. skip+count of the generator started at `seed`."""
    number = np.arange(skip + 1, skip + count + 1, dtype=np.uint64)
    state = number * np.uint64(_STEP) + np.uint64(seed % 2**64)
    state = (state ^ (state >> np.uint64(30))) * _MIX_1
    state = (state ^ (state >> np.uint64(27))) * _MIX_2
    return state ^ (state >> np.uint64(31))


def indices(seed: int, count: int, below: int, *, skip: int = 0) -> Ints:
    """`count` uniform whole numbers from 0 to below - 1; below is at most 2^36."""
    fraction = words(seed, count, skip=skip) >> np.uint64(11)
    # fraction * below needs up to 89 bits, so the product is taken in two halves; the result is exact.
    high, low = fraction >> np.uint64(26), fraction & np.uint64(2**26 - 1)
    n = np.uint64(below)
    return ((high * n + ((low * n) >> np.uint64(26))) >> np.uint64(27)).astype(np.int64)


def random_bytes(seed: int, count: int, *, skip: int = 0) -> npt.NDArray[np.uint8]:
    """`count` random bytes, taken from the numbers in little-endian order; `skip` counts numbers of 8 bytes."""
    return words(seed, -(-count // 8), skip=skip).astype("<u8").view(np.uint8)[:count]
