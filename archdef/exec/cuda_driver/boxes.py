"""Copies of rows and boxes, between the host, devices and arrays. References: CUDA_MEMCPY2D and CUDA_MEMCPY3D of cuda.h."""
from __future__ import annotations

import struct
from typing import Final, NamedTuple

import attrs

from archdef.exec.calls import Thread
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_runtime import copies
from archdef.exec.cuda_runtime.boxes import Place, Side, copy_box
from archdef.runtime import ends
from archdef.runtime.arrays import Array
from archdef.runtime.status import Refusal

_RECTANGLE: Final = struct.Struct("<QQI4x4QQQI4x4QQQ")
"""CUDA_MEMCPY2D: of each end its column in bytes, row, kind, host address, device address, array, bytes from row to row; width in bytes and height."""
BOX: Final = struct.Struct("<4QI4x6Q4QI4x6Q3Q")
"""CUDA_MEMCPY3D: of each end column, row, plane, level of detail, kind, host address, device address, array, 0, bytes from row to row, rows from
plane to plane; width, height and depth. CUDA_MEMCPY3D_PEER has a context in place of 0."""
_HOST, _DEVICE, _ARRAY, _UNIFIED = range(1, 5)
_DIRECTIONS: Final = {(_HOST, _HOST): ends.HOST_TO_HOST, (_HOST, _DEVICE): ends.HOST_TO_DEVICE, (_DEVICE, _HOST): ends.DEVICE_TO_HOST,
                      (_DEVICE, _DEVICE): ends.DEVICE_TO_DEVICE}


class _End(NamedTuple):
    """One end of a copy."""

    x: int
    y: int
    z: int
    kind: int
    host: int
    device: int
    array: int
    pitch: int
    rows: int
    """From plane to plane; 0: one plane."""
    context: int = 0
    """Whose address it is; 0: the current one's, or the host's."""

    @property
    def lies_in(self) -> int:
        """What kind of memory it is, where arrays are a device's."""
        return _DEVICE if self.kind == _ARRAY else self.kind

    def side(self, thread: Thread, width: int, height: int, depth: int) -> Side:
        """Give it as rows at an address, or as a part of an array. Raises Refusal."""
        if self.kind == _ARRAY:
            return thread.session.thing(self.array, Array).region_of_bytes(self.x, self.y, self.z, (width, height, depth))
        place = self.place(width, height, depth)
        if self.context and self.kind != _HOST:
            return attrs.evolve(place, device=thread.session.contexts.known(self.context).device)
        return place

    def place(self, width: int, height: int, depth: int) -> Place:
        """Give it as rows at an address. Raises Refusal."""
        if self.kind not in (_HOST, _DEVICE, _UNIFIED):
            raise Refusal("InvalidValue", f"there is no memory of kind {self.kind}")
        several = depth > 1 or self.z > 0
        pitch = self.pitch if self.pitch or height > 1 or self.y or several else self.x + width
        if self.x + width > pitch:
            raise Refusal("InvalidValue", f"rows of {width} bytes from byte {self.x} on, {pitch} apart")
        if several and self.y + height > self.rows:
            raise Refusal("InvalidValue", f"planes of {height} rows from row {self.y} on, {self.rows} rows apart")
        start = self.host if self.kind == _HOST else self.device
        return Place(start + (self.z * self.rows + self.y) * pitch + self.x, pitch, self.rows * pitch)


def _ends_of_box(data: bytes, peers: bool = False) -> tuple[_End, _End, tuple[int, int, int]]:
    """Read source, destination, and width, height and depth. Raises Refusal.

    peers : whether each end has a context.
    """
    words = BOX.unpack(data)
    if words[3] or words[14]:
        raise Refusal("NotSupported", "levels of detail: textures have one here")
    source, to = (_End(x, y, z, kind, host, device, array, pitch, rows, context if peers else 0)
                  for x, y, z, _, kind, host, device, array, context, pitch, rows in (words[:11], words[11:22]))
    return source, to, (words[22], words[23], words[24])


def rows_of(data: bytes) -> list[tuple[int, int, int, int]]:
    """Give where the rows of a box of plain memory go, where they come from, their bytes, and the direction. Raises Refusal for arrays."""
    source, to, (width, height, depth) = _ends_of_box(data)
    if _ARRAY in (source.kind, to.kind):
        raise Refusal("NotSupported", "a node that copies arrays: graphs copy plain memory here")
    if not width:
        raise Refusal("InvalidValue", f"{depth} planes of {height} rows of {width} bytes")
    there, here = ((0, 0, 0, place.address, place.pitch, 0, end.rows) for end in (to, source) for place in [end.place(width, height, depth)])
    return [(*row, _direction(to, source)) for row in copies.rows_of(here, there, (width, height, depth))]


def _direction(to: _End, source: _End) -> int:
    return _DIRECTIONS.get((source.lies_in, to.lies_in), ends.DEFAULT)


def _copy(thread: Thread, to: _End, source: _End, box: tuple[int, int, int], stream: int, wait: bool) -> None:
    width, height, depth = box
    if not min(box):
        return
    copy_box(thread, to.side(thread, width, height, depth), source.side(thread, width, height, depth), box, _direction(to, source), stream, wait)


def _rectangle(thread: Thread, description: int, stream: int, wait: bool) -> None:
    words = _RECTANGLE.unpack(thread.memory.get(description, _RECTANGLE.size))
    source, to = (_End(x, y, 0, kind, host, device, array, pitch, 0) for x, y, kind, host, device, array, pitch in (words[:7], words[7:14]))
    _copy(thread, to, source, (words[14], words[15], 1), stream, wait)


def _box(thread: Thread, description: int, stream: int, wait: bool, peers: bool = False) -> None:
    source, to, box = _ends_of_box(thread.memory.get(description, BOX.size), peers)
    _copy(thread, to, source, box, stream, wait)


@answers("cuMemcpy2D_v2", "cuMemcpy2DUnaligned_v2")
def copy_rows(thread: Thread, description: int) -> None:
    """Copy rows and wait."""
    _rectangle(thread, description, 0, wait=True)


@answers("cuMemcpy2DAsync_v2")
def copy_rows_async(thread: Thread, description: int, stream: int) -> None:
    """Put a copy of rows into a stream."""
    _rectangle(thread, description, stream, wait=False)


@answers("cuMemcpy3D_v2")
def copy_planes(thread: Thread, description: int) -> None:
    """Copy a box and wait."""
    _box(thread, description, 0, wait=True)


@answers("cuMemcpy3DAsync_v2")
def copy_planes_async(thread: Thread, description: int, stream: int) -> None:
    """Put a copy of a box into a stream."""
    _box(thread, description, stream, wait=False)


@answers("cuMemcpy3DPeer")
def copy_planes_of_peers(thread: Thread, description: int) -> None:
    """Copy a box between devices and wait."""
    _box(thread, description, 0, wait=True, peers=True)


@answers("cuMemcpy3DPeerAsync")
def copy_planes_of_peers_async(thread: Thread, description: int, stream: int) -> None:
    """Put a copy of a box between devices into a stream."""
    _box(thread, description, stream, wait=False, peers=True)
