"""Pitched memory: rows at equal distances, in two and three dimensions. Structures are those of driver_types.h."""
from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, TypeAlias

import attrs
import numpy as np

from archdef.exec.calls import Int, Thread, answers, signed
from archdef.exec.cuda_runtime.memory import check_end, check_kind, device_end
from archdef.exec.guest import GuestRows
from archdef.host.box import reach
from archdef.runtime.arrays import Array
from archdef.runtime.ends import DEFAULT, DEVICE_TO_DEVICE, FROM_A_DEVICE, TO_A_DEVICE, Region, check_reach
from archdef.runtime.pitched import unit_of
from archdef.runtime.status import Refusal
from archdef.runtime.structures import Extent

_PITCHED: Final = struct.Struct("<4Q")
_PARMS: Final = struct.Struct("<Q3Q4QQ3Q4Q3Qi")
"""cudaMemcpy3DParms: array, position and pitched pointer of the source, those of the destination, extent, direction."""
_PEER_PARMS: Final = struct.Struct("<Q3Q4Qi4xQ3Q4Qi4x3Q")
"""cudaMemcpy3DPeerParms: the same with a device behind each end."""
_MOST_BYTES: Final = 1 << 47
"""No process has more."""


@attrs.frozen
class Place:
    """Rows at an address of the program, whatever lies there."""

    address: int
    pitch: int
    plane: int = 0
    device: int | None = None
    """Whose address it is; None: the current device's, or the host's."""


Side: TypeAlias = Place | Region
"""One end of a copy: what the program names by address, or a part of an array."""
Box: TypeAlias = tuple[int, int, int]


# ----------------------------------------------------------------------------------------------------------------------- copies
def copy_box(thread: Thread, to: Side, source: Side, box: Box, kind: int, stream: int, wait: bool) -> None:
    """Copy rows between the program's memory, the devices' and arrays. What is not page-locked makes the call wait, as it does in CUDA."""
    session = thread.session
    _check_direction(thread, to, source, kind)
    if not min(box):
        return
    target, origin = _seen(thread, to, box), _seen(thread, source, box)
    if not wait and thread.runtime.StreamIsCapturing(session.stream(stream)):
        thread.runtime.copy_box(_when_it_runs(thread, target, box), _when_it_runs(thread, origin, box), box, DEFAULT, session.stream(stream), wait=False)
        return
    for side in (target, origin):
        if isinstance(side, Place):     # the rows have to be there before room is made for them
            thread.memory.check_last(side.address, reach(*box, side.pitch, side.plane))
    bounced: tuple[Place, np.ndarray] | None = None
    if isinstance(target, Place):
        bounced = target, np.empty(box[::-1], "u1")
        target = Region(bounced[1], box[0], box[0] * box[1])
    if isinstance(origin, Place):
        rows = np.empty(box[::-1], "u1")
        thread.memory.rows_into(origin.address, origin.pitch, origin.plane, rows)
        wait = wait or session.is_registered(origin.address)
        origin = Region(rows, box[0], box[0] * box[1])
    thread.runtime.copy_box(target, origin, box, DEFAULT, session.stream(stream), wait=False)
    if wait or bounced is not None:
        thread.runtime.StreamSynchronize(session.stream(stream))
    if bounced is not None:
        place, rows = bounced
        thread.memory.rows_out_of(place.address, place.pitch, place.plane, rows)


def _seen(thread: Thread, side: Side, box: Box) -> Side:
    """Give a side as something that copies reach at any time; a place in the program's ordinary memory stays one."""
    if isinstance(side, Region):
        return side
    pointer = thread.session.pointer(side.address, side.device)
    if pointer is not None:
        return Region(pointer, side.pitch, side.plane)
    region = Region(np.empty(0, "u1"), side.pitch, side.plane)
    check_reach(region, box, _MOST_BYTES)
    width, height, depth = box
    view = thread.session.host_view(side.address, (depth - 1) * side.plane + (height - 1) * side.pitch + width)
    return side if view is None else Region(view, side.pitch, side.plane)


def _when_it_runs(thread: Thread, side: Side, box: Box) -> Region:
    """Give a side that a copy of a graph reads or writes at each launch."""
    if isinstance(side, Region):
        return side
    rows = GuestRows(thread.memory, side.address, side.pitch, side.plane, box, thread.session.is_registered(side.address))
    return Region(rows, box[0], box[0] * box[1])


def _check_direction(thread: Thread, to: Side, source: Side, kind: int) -> None:
    check_kind(kind)
    if kind == DEFAULT:
        return
    for side, on_device in ((to, kind in TO_A_DEVICE), (source, kind in FROM_A_DEVICE)):
        if isinstance(side, Place):
            check_end(thread, side.address, thread.session.pointer(side.address, side.device), on_device, kind)
        elif not on_device:
            raise Refusal("InvalidMemcpyDirection", f"an array is a device's memory: a copy in direction {kind} wants it otherwise")


@answers("cudaMemcpy2D", "cudaMemcpy2D_ptds")
def memcpy_2d(thread: Thread, to: int, to_pitch: int, source: int, pitch: int, width: int, height: int, kind: Int) -> None:
    """Copy rows and wait."""
    copy_box(thread, Place(to, to_pitch), Place(source, pitch), _rows(width, height, to_pitch, pitch), kind, 0, wait=True)


@answers("cudaMemcpy2DAsync", "cudaMemcpy2DAsync_ptsz")
def memcpy_2d_async(thread: Thread, to: int, to_pitch: int, source: int, pitch: int, width: int, height: int, kind: Int, stream: int) -> None:
    """Put a copy of rows into a stream."""
    copy_box(thread, Place(to, to_pitch), Place(source, pitch), _rows(width, height, to_pitch, pitch), kind, stream, wait=False)


def _rows(width: int, height: int, *pitches: int) -> Box:
    if width > min(pitches):
        raise Refusal("InvalidPitchValue", f"rows of {width} bytes, {' and '.join(map(str, pitches))} apart")
    return width, height, 1


@answers("cudaMemcpy3D", "cudaMemcpy3D_ptds")
def memcpy_3d(thread: Thread, parms: int) -> None:
    """Copy a box and wait."""
    *ends, kind = _PARMS.unpack(thread.memory.get(parms, _PARMS.size))
    _copy_3d(thread, ends[8:16], ends[:8], ends[16:], kind & 0xFFFFFFFF, 0, wait=True)


@answers("cudaMemcpy3DAsync", "cudaMemcpy3DAsync_ptsz")
def memcpy_3d_async(thread: Thread, parms: int, stream: int) -> None:
    """Put a copy of a box into a stream."""
    *ends, kind = _PARMS.unpack(thread.memory.get(parms, _PARMS.size))
    _copy_3d(thread, ends[8:16], ends[:8], ends[16:], kind & 0xFFFFFFFF, stream, wait=False)


@answers("cudaMemcpy3DPeer", "cudaMemcpy3DPeer_ptds")
def memcpy_3d_peer(thread: Thread, parms: int) -> None:
    """Copy a box between devices and wait."""
    _copy_3d_peer(thread, parms, 0, wait=True)


@answers("cudaMemcpy3DPeerAsync", "cudaMemcpy3DPeerAsync_ptsz")
def memcpy_3d_peer_async(thread: Thread, parms: int, stream: int) -> None:
    """Put a copy of a box between devices into a stream."""
    _copy_3d_peer(thread, parms, stream, wait=False)


def _copy_3d_peer(thread: Thread, parms: int, stream: int, wait: bool) -> None:
    found = _PEER_PARMS.unpack(thread.memory.get(parms, _PEER_PARMS.size))
    for number in (found[8], found[17]):
        thread.runtime.device(number)       # raises Refusal for one that there is not
    for end, number in ((found[:8], found[8]), (found[9:17], found[17])):
        pointer = device_end(thread, end[4], number) if not end[0] else None
        memory = thread.session.thing(end[0], Array).data.memory if pointer is None else pointer.memory
        if memory is not thread.runtime.device(number).memory:
            raise Refusal("InvalidValue", f"one end of the copy is not on device {number}")
    _copy_3d(thread, found[9:17], found[:8], found[18:], DEVICE_TO_DEVICE, stream, wait, devices=(found[17], found[8]))


def _copy_3d(thread: Thread, to: Sequence[int], source: Sequence[int], extent: Sequence[int], kind: int, stream: int, wait: bool,
             devices: tuple[int | None, int | None] = (None, None)) -> None:
    arrays = [thread.session.thing(end[0], Array) if end[0] else None for end in (to, source)]
    width, height, depth = extent
    box = width * unit_of(*arrays), height, depth
    copy_box(thread, _side(to, arrays[0], box, devices[0]), _side(source, arrays[1], box, devices[1]), box, kind, stream, wait)


def _side(end: Sequence[int], array: Array | None, box: Box, device: int | None) -> Side:
    """Read array, position and pitched pointer of one end. Raises Refusal unless one of them is given."""
    _, x, y, z, pointer, pitch, _, rows = end
    if (array is None) == (pointer == 0):
        raise Refusal("InvalidValue", "each end of a copy is an array or a pointer, and not both")
    if array is not None:
        return array.region(x, y, z, box)
    address = pointer + x + y * pitch + z * pitch * rows
    if address >= _MOST_BYTES:
        raise Refusal("InvalidValue", f"{address:#x} is no address")
    return Place(address, pitch, pitch * rows, device)


# ------------------------------------------------------------------------------------------------------- allocations and sets
@answers("cudaMallocPitch")
def malloc_pitch(thread: Thread, out: int, pitch_out: int, width: int, height: int) -> None:
    """Allocate rows."""
    pointer, pitch = thread.runtime.MallocPitch(width, height)
    thread.memory.put_word(out, thread.session.allocated(pointer))
    thread.memory.put_word(pitch_out, pitch)


@answers("cudaMalloc3D")
def malloc_3d(thread: Thread, out: int) -> None:
    """Allocate planes of rows; the extent is a structure of 24 bytes, which is passed on the stack."""
    made = thread.runtime.Malloc3D(Extent(*thread.stack[:3]))
    thread.memory.put(out, _PITCHED.pack(thread.session.allocated(made.ptr), made.pitch, made.xsize, made.ysize))


@answers("cudaMemset2D", "cudaMemset2D_ptds")
def memset_2d(thread: Thread, address: int, pitch: int, value: Int, width: int, height: int) -> None:
    """Set rows."""
    memset_2d_async(thread, address, pitch, value, width, height, 0)


@answers("cudaMemset2DAsync", "cudaMemset2DAsync_ptsz")
def memset_2d_async(thread: Thread, address: int, pitch: int, value: Int, width: int, height: int, stream: int) -> None:
    """Set rows in a stream."""
    box = _rows(width, height, pitch)
    if min(box):
        thread.runtime.set_box(Region(device_end(thread, address), pitch), value, box, thread.session.stream(stream))


@answers("cudaMemset3D", "cudaMemset3D_ptds")
def memset_3d(thread: Thread, value: int) -> None:
    """Set a box; the pitched pointer and the extent are structures, which are passed on the stack."""
    memset_3d_async(thread, value, 0)


@answers("cudaMemset3DAsync", "cudaMemset3DAsync_ptsz")
def memset_3d_async(thread: Thread, value: int, stream: int) -> None:
    """Set a box in a stream."""
    address, pitch, _, rows, *extent = thread.stack[:7]
    width, height, depth = extent
    if width and height and depth:
        region = Region(device_end(thread, address), pitch, pitch * rows)
        thread.runtime.set_box(region, signed(value), (width, height, depth), thread.session.stream(stream))
