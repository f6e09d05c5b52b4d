"""Where managed memory is wanted: prefetches, advice, and what is asked about them. Reference: cudaMemAdvise and cudaMemRangeGetAttribute."""
from __future__ import annotations

import struct
from typing import Final

import numpy as np

from archdef.exec.calls import Int, Thread, UInt, answers, signed
from archdef.runtime.status import Refusal

PAGE_BYTES: Final = 4096
"""What advice counts for: ranges are widened to pages of the host."""
CPU, NOWHERE = -1, -2
_READ_MOSTLY, _NOT_READ_MOSTLY, _PREFER, _DO_NOT_PREFER, _ACCESSED, _NOT_ACCESSED = range(1, 7)
_IS_READ_MOSTLY, _PREFERRED, _ACCESSED_BY, _PREFETCHED, _PREFERRED_KIND, _PREFERRED_NUMBER, _PREFETCHED_KIND, _PREFETCHED_NUMBER = range(1, 9)
_INVALID, _ON_DEVICE, _ON_HOST = 0, 1, 2
_HOST_NODES: Final = (3, 4)
"""Kinds of places that are parts of the host's memory."""
_MOST_ATTRIBUTES: Final = 64
_MOST_BYTES: Final = 1 << 16


class Advice:
    """What a program has said of the pages of one allocation of managed memory."""

    def __init__(self, nbytes: int, devices: int):
        pages = -(-nbytes // PAGE_BYTES)
        self.read_mostly = np.zeros(pages, bool)
        self.preferred = np.full(pages, NOWHERE, "i4")
        self.prefetched = np.full(pages, NOWHERE, "i4")
        self.accessed = {number: np.zeros(pages, bool) for number in (CPU, *range(devices))}

    def note(self, pages: slice, what: int, where: int) -> None:
        """Note advice."""
        match what:
            case 1 | 2:
                self.read_mostly[pages] = what == _READ_MOSTLY
            case 3 | 4:
                self.preferred[pages] = where if what == _PREFER else NOWHERE
            case 5 | 6:
                self.accessed[where][pages] = what == _ACCESSED

    def attribute(self, pages: slice, attribute: int) -> int:
        """Give an attribute that is one number. Raises Refusal."""
        preferred, prefetched = _one_of(self.preferred[pages]), _one_of(self.prefetched[pages])
        found = {_IS_READ_MOSTLY: int(self.read_mostly[pages].all()), _PREFERRED: preferred, _PREFETCHED: prefetched, _PREFERRED_KIND: _kind(preferred),
                 _PREFERRED_NUMBER: preferred, _PREFETCHED_KIND: _kind(prefetched), _PREFETCHED_NUMBER: prefetched}
        if attribute not in found:
            raise Refusal("InvalidValue", f"managed memory has no attribute {attribute}")
        return found[attribute]

    def accessing(self, pages: slice) -> list[int]:
        """List the places that will access all of some pages."""
        return [number for number, each in self.accessed.items() if each[pages].all()]


def _one_of(places: np.ndarray) -> int:
    return int(places[0]) if (places == places[0]).all() else NOWHERE


def _kind(place: int) -> int:
    return {NOWHERE: _INVALID, CPU: _ON_HOST}.get(place, _ON_DEVICE)


# ---------------------------------------------------------------------------------------------------------------------- advice
@answers("cudaMemPrefetchAsync", "cudaMemPrefetchAsync_ptsz")
def prefetch(thread: Thread, address: int, nbytes: int, where: Int, stream: int) -> None:
    """Note it. The pages stay where they are used: what a program may hope for, and no more. CUDA 13 has `prefetch_to` under this name."""
    thread.session.stream(stream)
    advice, pages = _found(thread, address, nbytes)
    advice.prefetched[pages] = _side(thread, where)


@answers("cudaMemPrefetchAsync_v2", "cudaMemPrefetchAsync_v2_ptsz")
def prefetch_to(thread: Thread, address: int, nbytes: int, location: int, flags: UInt, stream: int) -> None:
    """The same, with a cudaMemLocation by value."""
    prefetch(thread, address, nbytes, _place(location), stream)


@answers("cudaMemAdvise")
def advise(thread: Thread, address: int, nbytes: int, what: Int, where: Int) -> None:
    """Note it, as `prefetch` does. CUDA 13 has `advise_at` under this name."""
    advice, pages = _found(thread, address, nbytes)
    advice.note(pages, what, _side(thread, where) if what in (_PREFER, _ACCESSED, _NOT_ACCESSED) else NOWHERE)


@answers("cudaMemAdvise_v2")
def advise_at(thread: Thread, address: int, nbytes: int, what: Int, location: int) -> None:
    """The same, with a cudaMemLocation by value."""
    advise(thread, address, nbytes, what, _place(location) if what in (_PREFER, _ACCESSED, _NOT_ACCESSED) else CPU)


def _place(location: int) -> int:
    """Give the device that a cudaMemLocation names, or the host. Raises Refusal."""
    kind, number = signed(location), signed(location >> 32)
    if kind not in (_ON_DEVICE, _ON_HOST, *_HOST_NODES):
        raise Refusal("InvalidValue", f"managed memory at a place of the kind {kind}")
    return number if kind == _ON_DEVICE else CPU


def _side(thread: Thread, where: int) -> int:
    if where != CPU:
        thread.runtime.device(where)
    return where


def _found(thread: Thread, address: int, nbytes: int) -> tuple[Advice, slice]:
    """Give what was said of an allocation, and its pages in a range. Raises Refusal unless all of that is managed memory."""
    pointer, base = thread.session.pointer(address), thread.session.allocation(address)
    if pointer is None or base is None or not thread.session.is_managed(address) or nbytes > pointer.left:
        raise Refusal("InvalidValue", f"some of the {nbytes} bytes at {address:#x} are no managed memory")
    with thread.session.lock:
        array = thread.session.managed_at(int(base))
        if array not in thread.session.advice:
            thread.session.advice[array] = Advice(base.left, thread.runtime.GetDeviceCount())
        advice = thread.session.advice[array]
    start = address - int(base)
    return advice, slice(start // PAGE_BYTES, -(-(start + nbytes) // PAGE_BYTES))


# ----------------------------------------------------------------------------------------------------------------- attributes
def _put(thread: Thread, out: int, nbytes: int, attribute: int, address: int, count: int) -> None:
    advice, pages = _found(thread, address, count)
    if not count:
        raise Refusal("InvalidValue", "a range of 0 bytes")
    if attribute == _ACCESSED_BY:
        if not nbytes or nbytes % 4 or nbytes > _MOST_BYTES:
            raise Refusal("InvalidValue", f"{nbytes} bytes for numbers of devices")
        numbers = (advice.accessing(pages) + [NOWHERE] * (nbytes // 4))[:nbytes // 4]
        thread.memory.put(out, struct.pack(f"<{len(numbers)}i", *numbers))
        return
    found = advice.attribute(pages, attribute)
    if nbytes != 4:
        raise Refusal("InvalidValue", f"{nbytes} bytes for attribute {attribute}, which has 4")
    thread.memory.put(out, struct.pack("<i", found))


@answers("cudaMemRangeGetAttribute")
def range_attribute(thread: Thread, out: int, nbytes: int, attribute: Int, address: int, count: int) -> None:
    """Say what was said of a range."""
    _put(thread, out, nbytes, attribute, address, count)


@answers("cudaMemRangeGetAttributes")
def range_attributes(thread: Thread, outs: int, sizes: int, attributes: int, number: int, address: int, count: int) -> None:
    """Say several things."""
    if not 0 < number <= _MOST_ATTRIBUTES:
        raise Refusal("InvalidValue", f"{number} attributes")
    places = struct.unpack(f"<{number}Q", thread.memory.get(outs, 8 * number))
    nbytes = struct.unpack(f"<{number}Q", thread.memory.get(sizes, 8 * number))
    wanted = struct.unpack(f"<{number}i", thread.memory.get(attributes, 4 * number))
    for out, size, attribute in zip(places, nbytes, wanted, strict=True):
        _put(thread, out, size, attribute, address, count)
