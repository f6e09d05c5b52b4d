"""Managed memory: which pages of it are where, and what it costs that they move.

The bytes themselves lie in device memory, where both sides see them; what moves is only told. The device touches all of an allocation
that a grid can reach from its arguments or the module's variables, the host what it indexes.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs
import numpy as np

from archdef.errors import DeviceMemoryError, HostError
from archdef.host.box import Box, span
from archdef.host.link import FS_PER_US, fs, transfer_fs
from archdef.host.operation import Operation
from archdef.host.timeline import Span

if TYPE_CHECKING:
    from archdef.host.context import Context
    from archdef.host.stream import Stream
    from archdef.spec.machine import ManagedMemory

_PIECE: Final = 1 << 15
"""Words that are looked at at a time."""


@attrs.frozen
class Moved:
    """Managed memory that moved to the device for a launch, before its grid could start."""

    nbytes: int
    """Bytes that came over the host link."""
    pages: int
    """Pages that were not on the device, those that nobody had touched before included."""
    fault_groups: int
    """Groups of page faults; 0 where all moves before the grid starts, without any."""
    duration_us: float
    """Time for it if nothing else is on the link."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return attrs.asdict(self)


class Pages:
    """One managed allocation: which of its pages the host has, and which the device."""

    def __init__(self, address: int, nbytes: int, page_bytes: int, on_device: bool):
        self.address, self.nbytes, self.page_bytes = address, nbytes, page_bytes
        count = -(-nbytes // page_bytes)
        self.here, self.there = np.zeros(count, bool), np.full(count, on_device)
        self.copies: np.ndarray | None = None
        """What the host's copies of read-mostly pages hold; None: pages are on one side only."""

    def range(self, start: int, nbytes: int) -> slice:
        """Give the pages of some bytes."""
        if not 0 <= start <= self.nbytes or not 0 <= nbytes <= self.nbytes - start:
            raise DeviceMemoryError(f"{nbytes} bytes from byte {start} on are not inside the {self.nbytes} bytes of managed memory")
        return slice(start // self.page_bytes, -(-(start + nbytes) // self.page_bytes) if nbytes else start // self.page_bytes)

    def begin(self) -> None:
        """Let nobody have any: who touches one first gets it, and on the host that is seen by `found`."""
        self.here[:] = self.there[:] = False

    def found(self, start: int, nbytes: int) -> None:
        """Note that the host has touched some bytes; pages that the device has stay there."""
        where = self.range(start, nbytes)
        self.here[where] |= ~self.there[where]

    def bytes_of(self, pages: np.ndarray) -> int:
        """Count the bytes of pages, by their numbers; the last may be shorter than the others."""
        return int(np.minimum(self.nbytes - pages * self.page_bytes, self.page_bytes).sum())

    def missing(self, there: bool, where: slice) -> tuple[np.ndarray, int]:
        """Give the numbers of the pages that one side lacks, and the bytes of those that the other has."""
        mine, other = (self.there, self.here) if there else (self.here, self.there)
        absent = np.flatnonzero(~mine[where]) + where.start
        return absent, self.bytes_of(absent[other[absent]])

    def settle(self, there: bool, where: slice, keep: bool) -> None:
        """Note that one side has pages now; the other keeps them only if it may."""
        mine, other = (self.there, self.here) if there else (self.here, self.there)
        mine[where] = True
        if not keep:
            other[where] = False


# ------------------------------------------------------------------------------------------------------------- the device
def before_launch(context: Context, grid, stream: Stream) -> Moved | None:
    """Move to the device what a grid can touch of managed memory; None: it is there already, or there is none."""
    memory, managed = context.memory, context.link.managed
    if managed is None or not memory.managed:
        return None
    lacking = [pages for pages in memory.managed.values() if not pages.there.all()]
    fault_us = managed.fault_us
    on_demand = fault_us is not None
    if lacking and on_demand:
        lacking = _reached(memory, grid, lacking)
    nbytes = count = groups = 0
    for pages in lacking:
        absent, moved = pages.missing(True, slice(0, len(pages.there)))
        nbytes, count = nbytes + moved, count + len(absent)
        if on_demand:
            groups += _groups(absent, managed.fault_bytes // pages.page_bytes)
        _arrive(memory, pages, slice(0, len(pages.there)))
    if not count:
        return None
    latency = groups * fs(fault_us) if fault_us is not None else fs(context.link.latency_us) if nbytes else 0
    transfer = transfer_fs(nbytes, context.link.pinned_h2d_gb_s)
    if latency or transfer:
        context.move(stream, True, nbytes, latency, transfer)
    return Moved(nbytes, count, groups, (latency + transfer) / FS_PER_US)


def note_launch(context: Context, operation: Operation) -> None:
    """Where the device has no page faults: the host may touch nothing until it knows that the grid has ended."""
    if context.link.managed is not None and context.link.managed.fault_us is None:
        context.unseen.append(operation)


def _arrive(memory, pages: Pages, where: slice) -> None:
    """Let the device have pages. The host keeps read-mostly ones: its copies are compared when it next looks."""
    if pages.copies is not None:
        _forget_changed(memory, pages, pages.copies)
        fresh = np.flatnonzero(pages.here[where] & ~pages.there[where]) + where.start
        for page in fresh:
            start = int(page) * pages.page_bytes
            pages.copies[start:start + pages.page_bytes] = _bytes(memory, pages)[start:start + pages.page_bytes]
    pages.settle(True, where, keep=pages.copies is not None)


def _forget_changed(memory, pages: Pages, copies: np.ndarray) -> None:
    """Take from the host the copies of pages that a kernel has written to since."""
    both = np.flatnonzero(pages.here & pages.there)
    now = _bytes(memory, pages)
    for page in both:
        start = int(page) * pages.page_bytes
        if not np.array_equal(now[start:start + pages.page_bytes], copies[start:start + pages.page_bytes]):
            pages.here[page] = False


def _managed(context: Context) -> ManagedMemory:
    """Give what a device that has pages declares of them."""
    assert context.link.managed is not None, "ManagedArray refuses a device without"
    return context.link.managed


def _bytes(memory, pages: Pages) -> np.ndarray:
    return np.frombuffer(memory.engine.window(pages.address, pages.nbytes), "u1")


def _groups(absent: np.ndarray, pages_per_group: int) -> int:
    """Count groups of faults: each brings neighbouring pages, up to so many."""
    if not len(absent):
        return 0
    runs = np.diff(np.flatnonzero(np.concatenate(([True], np.diff(absent) != 1, [True]))))
    return int((-(-runs // pages_per_group)).sum())


def _between(words: np.ndarray, first: np.uint64, end: np.uint64) -> np.ndarray:
    """Pick the words from one number on and below another; piece by piece, each of which stays in this computer's caches."""
    pieces = (words[at:at + _PIECE] for at in range(0, len(words), _PIECE))
    return np.concatenate([words[:0], *(piece[(piece >= first) & (piece < end)] for piece in pieces)])


def _reached(memory, grid, wanted: list[Pages]) -> list[Pages]:
    """Pick the allocations to which a pointer leads from a grid's arguments or its module's variables, through any memory that it may access.

    Any 8 bytes at a multiple of 8 that could be such a pointer count as one.
    """
    spans = memory.engine.accessible
    starts, ends = (np.array([span[k] for span in spans], np.uint64) for k in (0, 1))
    left, found = {pages.address: pages for pages in wanted}, []
    todo = [np.frombuffer(grid.parameters[:len(grid.parameters) // 8 * 8], "<u8")]
    seen = {base for base in (grid.variables.global_base, grid.variables.const_base) if base}
    ahead = list(seen)
    while left and (todo or ahead):
        if todo:
            words = todo.pop()
            words = _between(words, starts[0], ends[-1])    # most are data
            place = np.searchsorted(starts, words, "right")
            inside = (place > 0) & (words < ends[np.maximum(place, 1) - 1])
            new = {spans[k - 1][0] for k in np.unique(place[inside]).tolist()} - seen
            found += [left.pop(start) for start in new if start in left]
            seen |= new
            ahead += new
        else:
            start = ahead.pop()
            end = next((e for s, e in spans if s == start), start)
            if end - start >= 8:
                todo.append(np.frombuffer(memory.engine.window(start, (end - start) // 8 * 8), "<u8"))
    return found


# --------------------------------------------------------------------------------------------------------------- the host
def touched_by_host(context: Context, pages: Pages, where: slice, write: bool) -> None:
    """The host reads or writes pages: those that it lacks come to it first, and it waits for each. Raises HostError where it must not."""
    host, managed = context.host, _managed(context)
    with host.lock:
        if not host.in_function:
            host.catch_up()
        if context.unseen and not host.in_function:
            raise HostError(f"the host touches managed memory of {context.label} while {context.unseen[0].name} may be running there, which is an error on a "
                            "machine whose device has no page faults (host_link.managed.fault_us); synchronize first")
        if pages.copies is not None:
            _forget_changed(context.memory, pages, pages.copies)
        absent, nbytes = pages.missing(False, where)
        came = int(pages.there[absent].sum())
        pages.settle(False, where, keep=not write and pages.copies is not None)
        if pages.copies is not None and not write:      # from here on a difference means that a kernel wrote
            low, high = where.start * pages.page_bytes, where.stop * pages.page_bytes
            pages.copies[low:high] = _bytes(context.memory, pages)[low:high]
        if came and not host.in_function:       # a stream's host function takes the time that it was given
            start = host.now
            host.charge("managed memory", came * fs(managed.host_fault_us) + transfer_fs(nbytes, context.link.pinned_d2h_gb_s))
            host.note(Span(context.label, context.engines["d2h"].name, "copy to host (managed)", "", start, host.now, nbytes, "copy"))


def prefetch(context: Context, pages: Pages, where: slice, to_host: bool, stream: Stream | None) -> int:
    """Move pages in a stream, without faults; give the bytes that move. Raises HostError where hardware does not prefetch."""
    managed = _managed(context)
    with context.host.lock:
        if managed.fault_us is None:
            raise HostError(f"{context.label} does not prefetch managed memory: its device has no page faults (host_link.managed.fault_us)")
        stream = context.own(stream)
        if pages.copies is not None:
            _forget_changed(context.memory, pages, pages.copies)
        _, nbytes = pages.missing(not to_host, where)
        context.host.charge("prefetch", context.call_fs)
        link = context.link
        rate = link.pinned_d2h_gb_s if to_host else link.pinned_h2d_gb_s
        context.move(stream, not to_host, nbytes, fs(link.latency_us) if nbytes else 0, transfer_fs(nbytes, rate))
        if to_host:
            pages.settle(False, where, keep=pages.copies is not None)
        else:
            _arrive(context.memory, pages, where)
        return nbytes


def written_by_device(memory, place: int | Box, nbytes: int) -> None:
    """A copy or memset has put bytes into device memory: managed pages among them are there now, those between rows too."""
    address, nbytes = span(place, nbytes)
    for pages in memory.managed.values():
        low, high = max(address, pages.address), min(address + nbytes, pages.address + pages.nbytes)
        if low < high:
            pages.settle(True, pages.range(low - pages.address, high - low), keep=False)


def mostly_read(context: Context, pages: Pages, on: bool) -> None:
    """Let both sides keep pages that are only read, or no longer."""
    with context.host.lock:
        context.host.charge("advise", context.call_fs)
        if on and pages.copies is None:
            pages.copies = np.zeros(pages.nbytes, "u1")      # filled where both sides come to have a page
        elif not on and pages.copies is not None:
            _forget_changed(context.memory, pages, pages.copies)
            pages.copies = None
            pages.there &= ~pages.here


def moving(context: Context, stream: Stream, to_device: bool, nbytes: int, latency: int, transfer: int) -> Operation:
    """Make the operation that moves pages."""
    way, name = ("h2d", "copy to device (managed)") if to_device else ("d2h", "copy to host (managed)")
    return Operation("copy", name, context, stream, duration=latency, nbytes=nbytes, direction=way, left=transfer)
