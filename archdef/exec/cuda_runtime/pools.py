"""Memory in the order of streams, pools; and sharing memory with other processes, which is refused."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Int, Thread, answers, refuses
from archdef.host.pools import Pool
from archdef.runtime.pools import REUSE
from archdef.runtime.status import Refusal

_PROPERTIES: Final = struct.Struct("<iiiiQQ")
"""cudaMemPoolProps: kind of allocation, kind of handles, kind and number of the place, 0, most bytes (since CUDA 12.2, reserved before)."""
_ACCESS: Final = struct.Struct("<iii")
"""cudaMemAccessDesc: kind and number of the place, flags."""
_PINNED, _ON_DEVICE = 1, 1


def _pool(thread: Thread, handle: int) -> Pool:
    try:
        return thread.session.thing(handle, Pool)
    except Refusal as refusal:
        raise Refusal("InvalidValue", str(refusal)) from None


@answers("cudaMallocAsync", "cudaMallocAsync_ptsz")
def malloc_async(thread: Thread, out: int, nbytes: int, stream: int) -> None:
    """Allocate for what comes next in a stream."""
    thread.memory.put_word(out, thread.session.allocated(thread.runtime.MallocAsync(nbytes, thread.session.stream(stream))))


@answers("cudaMallocFromPoolAsync", "cudaMallocFromPoolAsync_ptsz")
def malloc_from_pool(thread: Thread, out: int, nbytes: int, pool: int, stream: int) -> None:
    """Allocate from a pool."""
    pointer = thread.runtime.MallocFromPoolAsync(nbytes, _pool(thread, pool), thread.session.stream(stream))
    thread.memory.put_word(out, thread.session.allocated(pointer))


@answers("cudaFreeAsync", "cudaFreeAsync_ptsz")
def free_async(thread: Thread, address: int, stream: int) -> None:
    """Give memory back when a stream is there."""
    if address:
        thread.session.free_async(address, thread.session.stream(stream))


@answers("cudaMemPoolCreate")
def create(thread: Thread, out: int, properties: int) -> None:
    """Make a pool."""
    kind, handles, place, number, _, most = _PROPERTIES.unpack(thread.memory.get(properties, _PROPERTIES.size))
    if handles:
        raise Refusal("NotSupported", "pools that other processes can share: every process has devices of its own here")
    if (kind, place) != (_PINNED, _ON_DEVICE):
        raise Refusal("NotSupported" if kind == _PINNED else "InvalidValue", f"a pool of memory of the kind {kind} at a place of the kind {place}")
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.MemPoolCreate(number, most)))


@answers("cudaMemPoolDestroy")
def destroy(thread: Thread, pool: int) -> None:
    """Give one up."""
    found = _pool(thread, pool)
    thread.runtime.MemPoolDestroy(found)
    thread.session.forget_thing(found)


@answers("cudaMemPoolTrimTo")
def trim(thread: Thread, pool: int, keep: int) -> None:
    """Give memory back to the device."""
    thread.runtime.MemPoolTrimTo(_pool(thread, pool), keep)


def _bytes_of(attribute: int) -> int:
    return 4 if attribute in REUSE else 8


@answers("cudaMemPoolGetAttribute")
def get_attribute(thread: Thread, pool: int, attribute: Int, out: int) -> None:
    """Give one."""
    thread.memory.put_word(out, thread.runtime.MemPoolGetAttribute(_pool(thread, pool), attribute), _bytes_of(attribute))


@answers("cudaMemPoolSetAttribute")
def set_attribute(thread: Thread, pool: int, attribute: Int, value: int) -> None:
    """Set one to what lies at an address."""
    number = int.from_bytes(thread.memory.get(value, _bytes_of(attribute)), "little")
    thread.runtime.MemPoolSetAttribute(_pool(thread, pool), attribute, number)


@answers("cudaMemPoolSetAccess")
def set_access(thread: Thread, pool: int, descriptions: int, count: int) -> None:
    """Let devices reach the memory of a pool."""
    for number in range(count):
        kind, device, flags = _ACCESS.unpack(thread.memory.get(descriptions + number * _ACCESS.size, _ACCESS.size))
        if kind != _ON_DEVICE:
            raise Refusal("InvalidValue", f"access of a place of the kind {kind} to a pool")
        thread.runtime.MemPoolSetAccess(_pool(thread, pool), device, flags)


@answers("cudaMemPoolGetAccess")
def get_access(thread: Thread, out: int, pool: int, place: int) -> None:
    """Say how a device may reach it."""
    _, device = struct.unpack("<ii", thread.memory.get(place, 8))
    thread.memory.put_word(out, thread.runtime.MemPoolGetAccess(_pool(thread, pool), device), 4)


@answers("cudaDeviceGetDefaultMemPool")
def default_pool(thread: Thread, out: int, number: Int) -> None:
    """Give the pool that a device has from the start."""
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.DeviceGetDefaultMemPool(number)))


@answers("cudaDeviceGetMemPool")
def current_pool(thread: Thread, out: int, number: Int) -> None:
    """Give the pool that allocations take from."""
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.DeviceGetMemPool(number)))


@answers("cudaDeviceSetMemPool")
def use_pool(thread: Thread, number: Int, pool: int) -> None:
    """Let allocations take from a pool."""
    thread.runtime.DeviceSetMemPool(number, _pool(thread, pool))


refuses("memory and events cannot be shared with another process: every process has devices of its own here",
        "cudaIpcGetMemHandle", "cudaIpcOpenMemHandle", "cudaIpcCloseMemHandle", "cudaIpcGetEventHandle", "cudaIpcOpenEventHandle",
        "cudaMemPoolExportToShareableHandle", "cudaMemPoolImportFromShareableHandle", "cudaMemPoolExportPointer", "cudaMemPoolImportPointer")
