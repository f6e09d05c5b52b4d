"""Memory: what the driver's functions have in another way than the runtime's."""
from __future__ import annotations

from typing import Final

from archdef.exec.calls import Thread, UInt
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_runtime import boxes, memory
from archdef.runtime import ends
from archdef.runtime.status import Refusal

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
def allocate_rows(thread: Thread, out: int, pitch_out: int, width: int, height: int, element_bytes: UInt) -> None:
    """Allocate rows."""
    if not width or not height or element_bytes not in _ELEMENT_BYTES:
        raise Refusal("InvalidValue", f"{height} rows of {width} bytes, elements of {element_bytes} (4, 8 or 16)")
    boxes.malloc_pitch(thread, out, pitch_out, width, height)
    _note(thread, out)


@answers("cuMemAllocManaged")
def allocate_managed(thread: Thread, out: int, nbytes: int, flags: UInt) -> None:
    """Allocate memory that the program and the device both use."""
    memory.malloc_managed(thread, out, nbytes, flags)
    _note(thread, out)


def _note(thread: Thread, out: int) -> None:
    """Let an allocation go with its context."""
    address = thread.memory.word(out)
    pointer = thread.session.allocation(address)
    if pointer is not None:
        thread.session.contexts.needed(thread).allocations[address] = pointer


@answers("cuMemGetAddressRange_v2")
def address_range(thread: Thread, base_out: int, nbytes_out: int, address: int) -> None:
    """Give start and length of the allocation that an address lies in."""
    base = thread.runtime.mapping_at(address) or thread.session.allocation(address)
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


# ----------------------------------------------------------------------------------------------------------------------- sets
def _fill(thread: Thread, address: int, value: int, count: int, width: int, stream: int) -> None:
    if count >> 60:
        raise Refusal("InvalidValue", f"{count} elements of {width} bytes")
    if address % width:
        raise Refusal("InvalidValue", f"{address:#x} is no multiple of {width}")
    if count:
        memory.fill(thread, address, value & (1 << 8 * width) - 1, count * width, stream, width)


def _fill_rows(thread: Thread, address: int, pitch: int, value: int, columns: int, rows: int, width: int, stream: int) -> None:
    if rows > 1 and (columns * width > pitch or pitch % width):
        raise Refusal("InvalidValue", f"{rows} rows of {columns} elements of {width} bytes, {pitch} bytes apart")
    if rows <= 1 or columns * width == pitch:
        _fill(thread, address, value, columns * rows, width, stream)
        return
    if address % width:
        raise Refusal("InvalidValue", f"{address:#x} is no multiple of {width}")
    if columns:
        region = ends.Region(memory.device_end(thread, address), pitch)
        thread.runtime.set_box(region, value, (columns * width, rows, 1), thread.session.stream(stream), width)


def _answer_sets(width: int) -> None:
    """Answer the four functions that set elements of a width: in a row or in rows, at once or in a stream."""
    bits = 8 * width

    @answers(f"cuMemsetD{bits}_v2")
    def fill(thread: Thread, address: int, value: UInt, count: int) -> None:
        _fill(thread, address, value, count, width, 0)

    @answers(f"cuMemsetD{bits}Async")
    def fill_async(thread: Thread, address: int, value: UInt, count: int, stream: int) -> None:
        _fill(thread, address, value, count, width, stream)

    @answers(f"cuMemsetD2D{bits}_v2")
    def fill_rows(thread: Thread, address: int, pitch: int, value: UInt, columns: int, rows: int) -> None:
        _fill_rows(thread, address, pitch, value, columns, rows, width, 0)

    @answers(f"cuMemsetD2D{bits}Async")
    def fill_rows_async(thread: Thread, address: int, pitch: int, value: UInt, columns: int, rows: int, stream: int) -> None:
        _fill_rows(thread, address, pitch, value, columns, rows, width, stream)


for _width in (1, 2, 4):
    _answer_sets(_width)
