"""Streams that wait for values in memory, and write them. References: CUstreamWaitValue_flags, CUstreamWriteValue_flags, CUstreamBatchMemOpParams of cuda.h."""
from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

import numpy as np

from archdef.exec.calls import Thread, UInt
from archdef.exec.cuda_driver.calls import answers
from archdef.runtime.status import Refusal

_GREATER, _EQUAL, _AND, _NOR = range(4)
_FLUSH: Final = 1 << 30
"""Of a wait: other devices' writes are to be seen, which needs CAN_FLUSH_REMOTE_WRITES."""
_NO_BARRIER: Final = 1
"""Of a write: it may come before what kernels of the stream have written, which here it does not."""
_WAIT_32, _WRITE_32, _FLUSH_WRITES, _WAIT_64, _WRITE_64, _BARRIER = range(1, 7)
_VALUE: Final = struct.Struct("<I4xQQI")
"""Kind, address, value and flags of an operation."""
_OPERATION_BYTES: Final = 48
_MOST: Final = 256

_Added = Callable[[int], None]
"""Puts it into a stream, by its handle."""


def _place(thread: Thread, address: int, nbytes: int) -> Callable[[], np.ndarray]:
    """Give what gives the bytes at an address, on a device or page-locked in the program. Raises Refusal."""
    if address % nbytes:
        raise Refusal("InvalidValue", f"{address:#x} is no address of {nbytes} bytes: it is no multiple of them")
    if thread.session.is_managed(address):
        raise Refusal("InvalidValue", f"{address:#x} is managed memory, whose values no stream waits for, here as on a card")
    pointer = thread.session.pointer(address)
    if pointer is not None and pointer.left >= nbytes:
        return lambda: pointer.memory.view(address, nbytes)
    view = thread.session.host_view(address, nbytes)
    if view is None:
        raise Refusal("InvalidValue", f"no memory that devices see was allocated at {address:#x}")
    return lambda: view


def _wait(thread: Thread, address: int, value: int, flags: int, nbytes: int) -> _Added:
    if flags & _FLUSH:
        raise Refusal("NotSupported", "waits that flush the writes of other devices: attribute 98 says that there are none")
    if flags > _NOR:
        raise Refusal("InvalidValue", f"the flags {flags:#x} of a wait")
    place, mask = _place(thread, address, nbytes), (1 << 8 * nbytes) - 1
    wanted = value & mask

    def holds() -> bool:
        there = int.from_bytes(place().tobytes(), "little")
        match flags:
            case 0:         # a distance that may run over
                return (there - wanted) & mask <= mask >> 1
            case 1:
                return there == wanted
            case 2:
                return bool(there & wanted)
            case _:
                return bool(~(there | wanted) & mask)
    return lambda stream: thread.runtime.wait_value(thread.session.stream(stream), holds)


def _write(thread: Thread, address: int, value: int, flags: int, nbytes: int) -> _Added:
    if flags & ~_NO_BARRIER:
        raise Refusal("InvalidValue", f"the flags {flags:#x} of a write")
    place, data = _place(thread, address, nbytes), np.frombuffer((value & (1 << 8 * nbytes) - 1).to_bytes(nbytes, "little"), "u1")

    def write() -> None:
        place()[...] = data
    return lambda stream: thread.runtime.write_value(thread.session.stream(stream), write)


@answers("cuStreamWaitValue32", "cuStreamWaitValue32_v2")
def wait_32(thread: Thread, stream: int, address: int, value: int, flags: UInt) -> None:
    """Let a stream wait for a value of 32 bits."""
    _wait(thread, address, value, flags, 4)(stream)


@answers("cuStreamWaitValue64", "cuStreamWaitValue64_v2")
def wait_64(thread: Thread, stream: int, address: int, value: int, flags: UInt) -> None:
    """Let it wait for one of 64 bits."""
    _wait(thread, address, value, flags, 8)(stream)


@answers("cuStreamWriteValue32", "cuStreamWriteValue32_v2")
def write_32(thread: Thread, stream: int, address: int, value: int, flags: UInt) -> None:
    """Let a stream write a value of 32 bits."""
    _write(thread, address, value, flags, 4)(stream)


@answers("cuStreamWriteValue64", "cuStreamWriteValue64_v2")
def write_64(thread: Thread, stream: int, address: int, value: int, flags: UInt) -> None:
    """Let it write one of 64 bits."""
    _write(thread, address, value, flags, 8)(stream)


@answers("cuStreamBatchMemOp", "cuStreamBatchMemOp_v2")
def batch(thread: Thread, stream: int, count: UInt, operations: int, flags: UInt) -> None:
    """Put several of them into a stream, in their order; one that is wrong keeps all of them out."""
    if flags or count > _MOST:
        raise Refusal("InvalidValue", f"{count} operations, flags {flags:#x}")
    added = []
    for number in range(count):
        kind, address, value, how = _VALUE.unpack(thread.memory.get(operations + number * _OPERATION_BYTES, _VALUE.size))
        if kind in (_WAIT_32, _WAIT_64):
            added.append(_wait(thread, address, value, how, 4 if kind == _WAIT_32 else 8))
        elif kind in (_WRITE_32, _WRITE_64):
            added.append(_write(thread, address, value, how, 4 if kind == _WRITE_32 else 8))
        elif kind == _FLUSH_WRITES:
            raise Refusal("NotSupported", "flushes of other devices' writes: attribute 98 says that there are none")
        elif kind != _BARRIER:      # operations of a stream are in order here
            raise Refusal("InvalidValue", f"operation {number} is of the kind {kind}")
    for add in added:
        add(stream)
