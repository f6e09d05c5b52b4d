"""Which host memory is page-locked: ranges of addresses, as the driver knows them, so that views of a pinned array are pinned too."""
from __future__ import annotations

import bisect
import threading
import weakref
from typing import Any

import numpy as np

_starts: list[int] = []
_ends: dict[int, int] = {}
_lock = threading.Lock()


def byte_bounds(array: np.ndarray) -> tuple[int, int]:
    """Give the addresses of the first byte of an array, and of the one behind its last."""
    functions: Any = np.lib.array_utils if hasattr(np.lib, "array_utils") else np       # numpy 2, numpy 1
    low, high = functions.byte_bounds(array)
    return low, high


def _forget(start: int) -> None:
    with _lock:
        if _ends.pop(start, None) is not None:
            _starts.remove(start)


def pin(array: np.ndarray) -> np.ndarray:
    """Page-lock the memory of an array until it goes out of scope; a second time does nothing."""
    start, end = byte_bounds(array)
    if is_pinned(array):
        return array
    with _lock:
        bisect.insort(_starts, start)
        _ends[start] = end
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    weakref.finalize(owner, _forget, start).atexit = False
    return array


class HostBytes:
    """Host memory that a copy reaches when it runs; what reaches other memory than numpy's is derived from it."""

    def __init__(self, array: np.ndarray):
        self.array = array

    @property
    def nbytes(self) -> int:
        """How many bytes."""
        return int(self.array.nbytes)

    @property
    def pinned(self) -> bool:
        """Whether it is page-locked."""
        return is_pinned(self.array)

    def first(self, nbytes: int) -> HostBytes:
        """Give the first so many of an array of bytes."""
        return HostBytes(self.array[:nbytes])

    def read(self) -> np.ndarray:
        """Give the bytes."""
        return np.ascontiguousarray(self.array).reshape(-1).view("u1")

    def into(self, out: np.ndarray) -> None:
        """Read them into an array of bytes."""
        out[...] = self.read()

    def write(self, data: np.ndarray) -> None:
        """Set the bytes."""
        self.array[...] = data.view(self.array.dtype).reshape(self.array.shape)


def unpin(array: np.ndarray) -> bool:
    """Make it ordinary memory again; False if it was not pinned by this start."""
    start, _ = byte_bounds(array)
    known = start in _ends
    _forget(start)
    return known


def host_bytes(array: np.ndarray | HostBytes) -> HostBytes:
    """Give an array as memory that a copy reaches when it runs; what is that already stays so."""
    return array if isinstance(array, HostBytes) else HostBytes(array)


def is_pinned(array: np.ndarray | HostBytes) -> bool:
    """Say whether all of an array is page-locked."""
    if isinstance(array, HostBytes):
        return array.pinned
    low, high = byte_bounds(array)
    with _lock:
        place = bisect.bisect_right(_starts, low) - 1
        return place >= 0 and high <= _ends[_starts[place]]
