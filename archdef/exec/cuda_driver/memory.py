"""Memory: what the driver's functions have in another way than the runtime's."""
from __future__ import annotations

import struct
from typing import Final, NamedTuple

from archdef.exec.calls import Thread, signed
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_runtime import boxes, memory
from archdef.runtime import ends
from archdef.runtime.status import Refusal

_RECTANGLE: Final = struct.Struct("<QQI4x4QQQI4x4QQQ")
_HOST, _DEVICE, _ARRAY, _UNIFIED = range(1, 5)
_DIRECTIONS: Final = {(_HOST, _HOST): ends.HOST_TO_HOST, (_HOST, _DEVICE): ends.HOST_TO_DEVICE, (_DEVICE, _HOST): ends.DEVICE_TO_HOST,
                      (_DEVICE, _DEVICE): ends.DEVICE_TO_DEVICE}
_MOST_ROWS: Final = 1 << 20
_ELEMENT_BYTES: Final = (4, 8, 16)


# ---------------------------------------------------------------------------------------------------------------- allocations
@answers("cuMemAlloc_v2")
def allocate(thread: Thread, out: int, nbytes: int) -> None:
    """Allocate."""
    if not nbytes:
        raise Refusal("InvalidValue", "an allocation of 0 bytes")
    memory.malloc(thread, out, nbytes)
    _note(thread, out)


@answers("cuMemAllocPitch_v2")
def allocate_rows(thread: Thread, out: int, pitch_out: int, width: int, height: int, element_bytes: int) -> None:
    """Allocate rows."""
    if not width or not height or element_bytes & 0xFFFFFFFF not in _ELEMENT_BYTES:
        raise Refusal("InvalidValue", f"{height} rows of {width} bytes, elements of {element_bytes & 0xFFFFFFFF} (4, 8 or 16)")
    boxes.malloc_pitch(thread, out, pitch_out, width, height)
    _note(thread, out)


@answers("cuMemAllocManaged")
def allocate_managed(thread: Thread, out: int, nbytes: int, flags: int) -> None:
    """Allocate memory that the program and the device both use."""
    memory.malloc_managed(thread, out, nbytes, flags)
    _note(thread, out)


def _note(thread: Thread, out: int) -> None:
    """Let an allocation go with its context."""
    thread.session.contexts.needed(thread).addresses.add(thread.memory.word(out))


@answers("cuMemGetAddressRange_v2")
def address_range(thread: Thread, base_out: int, nbytes_out: int, address: int) -> None:
    """Give start and length of the allocation that an address lies in."""
    base = thread.session.allocation(address)
    found = (int(base), base.left) if base is not None else thread.session.host_range(address)
    if found is None:
        raise Refusal("SymbolNotFound", f"no memory that kernels see was allocated at {address:#x}")
    for out, value in zip((base_out, nbytes_out), found, strict=True):
        if out:
            thread.memory.put_word(out, value)


# --------------------------------------------------------------------------------------------------------------------- copies
def _copy(thread: Thread, to: int, source: int, nbytes: int, kind: int, stream: int = 0, wait: bool = True) -> None:
    memory.copy(thread, to, source, nbytes, kind, stream, wait)


@answers("cuMemcpy")
def copy(thread: Thread, to: int, source: int, nbytes: int) -> None:
    """Copy and wait; where to and from the addresses say."""
    _copy(thread, to, source, nbytes, ends.DEFAULT)


@answers("cuMemcpyAsync")
def copy_async(thread: Thread, to: int, source: int, nbytes: int, stream: int) -> None:
    """Put a copy into a stream."""
    _copy(thread, to, source, nbytes, ends.DEFAULT, stream, wait=False)


@answers("cuMemcpyHtoD_v2")
def to_device(thread: Thread, to: int, source: int, nbytes: int) -> None:
    """Copy to a device and wait."""
    _copy(thread, to, source, nbytes, ends.HOST_TO_DEVICE)


@answers("cuMemcpyHtoDAsync_v2")
def to_device_async(thread: Thread, to: int, source: int, nbytes: int, stream: int) -> None:
    """Put a copy to a device into a stream."""
    _copy(thread, to, source, nbytes, ends.HOST_TO_DEVICE, stream, wait=False)


@answers("cuMemcpyDtoH_v2")
def to_host(thread: Thread, to: int, source: int, nbytes: int) -> None:
    """Copy to the host and wait."""
    _copy(thread, to, source, nbytes, ends.DEVICE_TO_HOST)


@answers("cuMemcpyDtoHAsync_v2")
def to_host_async(thread: Thread, to: int, source: int, nbytes: int, stream: int) -> None:
    """Put a copy to the host into a stream."""
    _copy(thread, to, source, nbytes, ends.DEVICE_TO_HOST, stream, wait=False)


@answers("cuMemcpyDtoD_v2")
def within(thread: Thread, to: int, source: int, nbytes: int) -> None:
    """Copy inside device memory."""
    _copy(thread, to, source, nbytes, ends.DEVICE_TO_DEVICE, wait=False)


@answers("cuMemcpyDtoDAsync_v2")
def within_async(thread: Thread, to: int, source: int, nbytes: int, stream: int) -> None:
    """Put a copy inside device memory into a stream."""
    _copy(thread, to, source, nbytes, ends.DEVICE_TO_DEVICE, stream, wait=False)


@answers("cuMemcpyPeer")
def to_peer(thread: Thread, to: int, to_context: int, source: int, source_context: int, nbytes: int) -> None:
    """Copy between the devices of two contexts."""
    known = thread.session.contexts.known
    memory.memcpy_peer(thread, to, known(to_context).device, source, known(source_context).device, nbytes)


@answers("cuMemcpyPeerAsync")
def to_peer_async(thread: Thread, to: int, to_context: int, source: int, source_context: int, nbytes: int, stream: int) -> None:
    """Put a copy between the devices of two contexts into a stream."""
    known = thread.session.contexts.known
    memory.memcpy_peer_async(thread, to, known(to_context).device, source, known(source_context).device, nbytes, stream)


class _End(NamedTuple):
    """One side of a copy of rows."""

    x: int
    y: int
    kind: int
    host: int
    device: int
    array: int
    pitch: int

    def start(self, width: int, height: int) -> tuple[int, int]:
        """Give the address of the first byte, and the bytes from row to row. Raises Refusal."""
        if self.kind == _ARRAY:
            raise Refusal("NotSupported", "copies to and from arrays")
        if self.kind not in (_HOST, _DEVICE, _UNIFIED):
            raise Refusal("InvalidValue", f"there is no memory of kind {self.kind}")
        pitch = self.pitch if self.pitch or height > 1 or self.y else self.x + width
        if self.x + width > pitch:
            raise Refusal("InvalidValue", f"rows of {width} bytes from byte {self.x} on, {pitch} apart")
        return (self.host if self.kind == _HOST else self.device) + self.y * pitch + self.x, pitch


def _copy_rows(thread: Thread, description: int, stream: int) -> None:
    words = _RECTANGLE.unpack(thread.memory.get(description, _RECTANGLE.size))
    source, to, (width, height) = _End(*words[:7]), _End(*words[7:14]), words[14:]
    if not width or not height:
        return
    if height > _MOST_ROWS:
        raise Refusal("InvalidValue", f"{height} rows")
    start, pitch = source.start(width, height)
    end, to_pitch = to.start(width, height)
    boxes.memcpy_2d_async(thread, end, to_pitch, start, pitch, width, height, _DIRECTIONS.get((source.kind, to.kind), ends.DEFAULT), stream)


@answers("cuMemcpy2D_v2", "cuMemcpy2DUnaligned_v2")
def copy_rows(thread: Thread, description: int) -> None:
    """Copy rows and wait."""
    _copy_rows(thread, description, 0)
    thread.runtime.StreamSynchronize(thread.session.stream(0))


@answers("cuMemcpy2DAsync_v2")
def copy_rows_async(thread: Thread, description: int, stream: int) -> None:
    """Put a copy of rows into a stream."""
    _copy_rows(thread, description, stream)


# ----------------------------------------------------------------------------------------------------------------------- sets
def _fill(thread: Thread, address: int, value: int, count: int, width: int, stream: int) -> None:
    if count >> 60:
        raise Refusal("InvalidValue", f"{count} elements of {width} bytes")
    if address % width:
        raise Refusal("InvalidValue", f"{address:#x} is no multiple of {width}")
    if count:
        memory.fill(thread, address, value & (1 << 8 * width) - 1, count * width, stream, width)


def _fill_rows(thread: Thread, address: int, pitch: int, value: int, columns: int, rows: int, width: int, stream: int) -> None:
    if columns * width > pitch and rows > 1 or rows > _MOST_ROWS:
        raise Refusal("InvalidValue", f"{rows} rows of {columns} elements, {pitch} bytes apart")
    if columns * width == pitch:
        columns, rows = columns * rows, min(rows, 1)
    for row in range(rows):
        _fill(thread, address + row * pitch, value, columns, width, stream)


def _answer_sets(width: int) -> None:
    """Answer the four functions that set elements of a width: in a row or in rows, at once or in a stream."""
    bits = 8 * width

    @answers(f"cuMemsetD{bits}_v2")
    def fill(thread: Thread, address: int, value: int, count: int) -> None:
        _fill(thread, address, value, count, width, 0)

    @answers(f"cuMemsetD{bits}Async")
    def fill_async(thread: Thread, address: int, value: int, count: int, stream: int) -> None:
        _fill(thread, address, value, count, width, stream)

    @answers(f"cuMemsetD2D{bits}_v2")
    def fill_rows(thread: Thread, address: int, pitch: int, value: int, columns: int, rows: int) -> None:
        _fill_rows(thread, address, pitch, value, columns, rows, width, 0)

    @answers(f"cuMemsetD2D{bits}Async")
    def fill_rows_async(thread: Thread, address: int, pitch: int, value: int, columns: int, rows: int, stream: int) -> None:
        _fill_rows(thread, address, pitch, value, columns, rows, width, stream)


for _width in (1, 2, 4):
    _answer_sets(_width)


@answers("cuMemHostGetFlags")
def host_flags(thread: Thread, out: int, address: int) -> None:
    """Give the flags of page-locked memory: none that kernels could tell."""
    if thread.session.host_view(address, 1) is None and not thread.session.is_registered(address):
        raise Refusal("InvalidValue", f"{address:#x} is no page-locked memory")
    thread.memory.put_word(out, 0, 4)


@answers("cuStreamAttachMemAsync")
def attach(thread: Thread, stream: int, address: int, nbytes: int, flags: int) -> None:
    """Check the address: managed memory is seen by all streams and by the host."""
    thread.session.stream(stream)
    if not thread.session.is_managed(address) or signed(flags) not in (1, 2, 4):
        raise Refusal("InvalidValue", f"{address:#x} is no managed memory, or there is no way {signed(flags)} to attach it")
