"""Rows of bytes at equal distances, as pitched memory and arrays of two and three dimensions have them."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np


@attrs.frozen
class Box:
    """Bytes of device memory: rows `pitch` bytes apart, in planes `plane` bytes apart. One of them stands for an address wherever bytes are moved."""

    address: int
    width: int
    """Bytes of a row."""
    height: int
    """Rows of a plane."""
    depth: int
    """Planes."""
    pitch: int
    plane: int

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return self.width * self.height * self.depth

    @property
    def reach(self) -> int:
        """Bytes from the first to behind the last, what lies between the rows included."""
        return reach(self.width, self.height, self.depth, self.pitch, self.plane)

    def rows(self, memory: Any) -> np.ndarray:
        """Show the bytes where they lie, as planes, rows, columns. Raises DeviceMemoryError unless all lie in one allocation."""
        return rows(np.frombuffer(memory.engine.window(self.address, self.reach), "u1"), (self.width, self.height, self.depth), self.pitch, self.plane)

    def pieces(self, most_bytes: int) -> Iterator[Box]:
        """Cut it into boxes of whole rows of at most so many bytes, or of one longer row."""
        count = max(1, most_bytes // self.width)
        for plane in range(self.depth):
            for row in range(0, self.height, count):
                address = self.address + plane * self.plane + row * self.pitch
                yield Box(address, self.width, min(count, self.height - row), 1, self.pitch, self.plane)


def reach(width: int, height: int, depth: int, pitch: int, plane: int) -> int:
    """Count the bytes from the first to behind the last of rows at equal distances."""
    return (depth - 1) * plane + (height - 1) * pitch + width


def rows(data: np.ndarray, extent: tuple[int, int, int], pitch: int, plane: int) -> np.ndarray:
    """Show rows at equal distances in an array of bytes that holds them all, as planes, rows, columns."""
    width, height, depth = extent
    assert data.ndim == 1, "an array of bytes on end"
    assert data.nbytes >= reach(width, height, depth, pitch, plane), "rows outside of what holds them"
    strides = plane if depth > 1 else 0, pitch if height > 1 else 0, 1
    return np.lib.stride_tricks.as_strided(data, (depth, height, width), strides)


def span(place: int | Box, nbytes: int) -> tuple[int, int]:
    """Give the address and the bytes of what holds a piece of memory: the piece itself, or all from the first to the last row."""
    return (place.address, place.reach) if isinstance(place, Box) else (place, nbytes)
