"""Copies that are made later than they are asked for: the ends of those of graphs, which are reached when the copy runs."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from archdef.exec.calls import Thread
from archdef.exec.guest import GuestBytes
from archdef.host.pinned import HostBytes
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal

MOST_ROWS: Final = 1 << 20
"""Rows of a node of a graph, each of which is a copy of its own."""


def copy_ends(thread: Thread, to: int, source: int, nbytes: int) -> tuple[Pointer | HostBytes, Pointer | HostBytes]:
    """Give the two ends of a copy, where it goes first."""
    return _end(thread, to, nbytes), _end(thread, source, nbytes)


def _end(thread: Thread, address: int, nbytes: int) -> Pointer | HostBytes:
    session = thread.session
    if (pointer := session.pointer(address)) is not None:
        return pointer
    if (view := session.host_view(address, nbytes)) is not None:
        return HostBytes(view)
    return GuestBytes(thread.memory, address, nbytes, session.is_registered(address))


def rows_of(source: Sequence[int], to: Sequence[int], extent: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Give addresses and bytes of the rows of a copy of planes; as one row what has no gaps. Raises Refusal for rows that lie over each other.

    source, to : position of three, pointer, pitch, width and height of what lies there, as in cudaMemcpy3DParms.
    """
    width, height, depth = extent
    height, depth = max(height, 1), max(depth, 1)
    starts, steps = [], []
    for x, y, z, address, pitch, _, rows in (to, source):
        starts.append(address + (z * rows + y) * pitch + x)
        steps.append((pitch, pitch * rows))
    whole = all(pitch == width and (plane == width * height or depth == 1) for pitch, plane in steps)
    if whole or height == depth == 1:
        yield starts[0], starts[1], width * height * depth
        return
    if any(height > 1 and width > pitch or depth > 1 and width + (height - 1) * pitch > plane for pitch, plane in steps):
        apart = " and ".join(str(pitch) for pitch, _ in steps)
        raise Refusal("InvalidPitchValue", f"{depth} planes of {height} rows of {width} bytes, which lie {apart} apart")
    if height * depth > MOST_ROWS:
        raise Refusal("NotSupported", f"a node of a graph that copies {depth} planes of {height} rows: {MOST_ROWS} rows are the most that one copies here")
    for plane in range(depth):
        for row in range(height):
            there, here = (start + plane * by_plane + row * by_row for start, (by_row, by_plane) in zip(starts, steps, strict=True))
            yield there, here, width
