"""Sobol's sequences, as cuRAND has them: with the direction numbers of Joe and Kuo, which scipy has a table of.

Reference: S. Joe and F. Y. Kuo, Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30, 2008 (new-joe-kuo-6).
"""
from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from typing import Final

import numpy as np

from archdef.errors import MissingExtra
from archdef.exec.libraries.sequences import Sequences, uniform
from archdef.runtime.status import Refusal

_DRAWN_AT_ONCE: Final = 1 << 16
DIMENSIONS: Final = 20000
"""As many as cuRAND has."""
DIGESTS: Final = {
    32: "6f3e7c46da9f98d9bbeec0577360fdd155518ce96cb3873b9b6091dae7756538",
    64: "426cd71aa88cd5bd391c0d69c30b7b415fe7c1c3f9224ba8eb1dfa6a7bd0de11"}
"""Bits of a number → SHA-256 of what curandGetDirectionVectors32 and 64 of cuRAND 10.4.5 give."""


@functools.cache
def directions(bits: int) -> np.ndarray:
    """Give a row for each dimension: the number for each bit of an index, from the lowest on. Raises MissingExtra, Refusal."""
    try:
        import scipy
        from scipy.stats import qmc
    except ImportError:
        raise MissingExtra("the table of Sobol's direction vectors", "scipy", "quasirandom") from None
    # scipy publishes points, not the numbers that they are made of; whether these are still where they were, and the same, the digest says.
    found = np.ascontiguousarray(getattr(qmc.Sobol(DIMENSIONS, scramble=False, bits=bits), "_sv", np.empty(0)), f"<u{bits // 8}")
    if hashlib.sha256(found.tobytes()).hexdigest() != DIGESTS[bits]:
        raise Refusal("NotSupported", f"scipy {scipy.__version__} has other direction vectors than cuRAND")
    found.flags.writeable = False
    return found


class Sobol(Sequences):
    """Quasirandom numbers of so many dimensions: all numbers of the first, then all of the next."""

    name = "sobol"

    def __init__(self, dimensions: int, place: int):
        """place : of the first number of each dimension."""
        self.dimensions, self.turn = dimensions, place & 0xFFFFFFFF
        self.states = directions(32)[:dimensions]

    @property
    def count(self) -> int:  # type: ignore[override]
        """How many dimensions there are."""
        return self.dimensions

    def units(self, what: str, count: int) -> int:
        return count

    def threads(self, units: int) -> int:
        return units

    def take(self, units: int) -> None:
        self.turn = (self.turn + units // self.dimensions) & 0xFFFFFFFF

    def draw(self, what: str, count: int) -> np.ndarray:
        return np.concatenate(list(self.pieces(what, count)))

    def pieces(self, what: str, count: int) -> Iterator[np.ndarray]:
        each = count // self.dimensions
        for vectors in self.states:
            for first in range(0, each, _DRAWN_AT_ONCE):
                places = ((self.turn + first + np.arange(min(_DRAWN_AT_ONCE, each - first), dtype="u8")) & np.uint64(0xFFFFFFFF)).astype("u4")
                gray, bits = places ^ places >> np.uint32(1), np.zeros(len(places), "u4")
                for bit, vector in enumerate(vectors):
                    bits ^= np.where(gray >> np.uint32(bit) & np.uint32(1), vector, np.uint32(0))
                yield bits if what == "bits" else uniform(bits) if what == "uniform" else bits * 2.0 ** -32 + 2.0 ** -32
        self.take(count)
