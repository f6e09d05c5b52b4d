"""Which host memory is page-locked: ranges of addresses, as the driver knows them, so that views of a pinned array are pinned too."""
from __future__ import annotations

import bisect
import threading
import weakref
from typing import Any

import numpy as np

from archdef.host.outside import Outside

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


def unpin(array: np.ndarray) -> bool:
    """Make it ordinary memory again; False if it was not pinned by this start."""
    start, _ = byte_bounds(array)
    known = start in _ends
    _forget(start)
    return known


def is_pinned(array: np.ndarray | Outside) -> bool:
    """Say whether all of an array is page-locked."""
    if isinstance(array, Outside):
        return False
    low, high = byte_bounds(array)
    with _lock:
        place = bisect.bisect_right(_starts, low) - 1
        return place >= 0 and high <= _ends[_starts[place]]
