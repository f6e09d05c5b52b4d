"""Memory: allocations of devices and of the host, copies, sets."""
from __future__ import annotations

import struct
from typing import Final

import numpy as np

from archdef.exec.calls import Int, Thread, UInt, answers
from archdef.exec.cuda_runtime.copies import copy_ends
from archdef.exec.guest import GuestCopy
from archdef.run import mapped
from archdef.run.pointer import Pointer
from archdef.runtime import ends
from archdef.runtime.status import Refusal

PIECE_BYTES: Final = 16 << 20
"""Copies from the program's memory to the program's memory are made in pieces."""
_ATTRIBUTES: Final = struct.Struct("<iiQQ")
_ON_DEVICE: Final = 1
_LOCATIONS: Final = range(1, 5)
"""cudaMemLocationType: a device, the host, and nodes of its memory."""
_UNREGISTERED, _HOST, _DEVICE, _MANAGED = range(4)
_MAPPED: Final = 2
_IO: Final = 4
"""A flag of cudaHostRegister."""


@answers("cudaMalloc")
def malloc(thread: Thread, out: int, nbytes: int) -> None:
    """Allocate."""
    thread.memory.put_word(out, thread.session.allocated(thread.runtime.Malloc(nbytes)))


@answers("cudaMallocManaged")
def malloc_managed(thread: Thread, out: int, nbytes: int, flags: UInt) -> None:
    """Allocate memory that the program and the device both use, at one address."""
    thread.memory.put_word(out, thread.session.allocate_managed(thread.connection, nbytes, flags))


@answers("cudaFree")
def free(thread: Thread, address: int) -> None:
    """Give memory back."""
    if address:
        thread.session.free(thread.connection, address)


@answers("cudaMallocHost")
def malloc_host(thread: Thread, out: int, nbytes: int) -> None:
    """Allocate page-locked memory of the host."""
    thread.memory.put_word(out, thread.session.host_allocate(thread.connection, nbytes))


@answers("cudaHostAlloc")
def host_alloc(thread: Thread, out: int, nbytes: int, flags: UInt) -> None:
    """Allocate page-locked memory of the host. Raises Refusal where kernels are to reach it and do not."""
    _check_mapped(thread, flags)
    thread.memory.put_word(out, thread.session.host_allocate(thread.connection, nbytes, flags))


def _check_mapped(thread: Thread, flags: int) -> None:
    if flags & _MAPPED and not thread.runtime.GetDeviceProperties().canMapHostMemory:
        raise Refusal("NotSupported", f"kernels of {thread.runtime.device().architecture.label} do not see memory of the host: it declares "
                                      f"{mapped.NEEDED}")


@answers("cudaFreeHost")
def free_host(thread: Thread, address: int) -> None:
    """Give it back."""
    if address:
        thread.session.host_free(thread.connection, address)


@answers("cudaHostRegister")
def host_register(thread: Thread, address: int, nbytes: int, flags: UInt) -> None:
    """Page-lock memory of the program: its copies then take as long as those of such memory, and still make the call wait."""
    if flags & _IO:
        raise Refusal("NotSupported", "page-locked memory of other devices than this program's (cudaHostRegisterIoMemory)")
    if not address or not nbytes or address + nbytes >= 1 << 47:
        raise Refusal("InvalidValue", f"{nbytes} bytes at {address:#x}, page-locked")
    _check_mapped(thread, flags)
    thread.session.host_register(address, nbytes, flags)


@answers("cudaHostUnregister")
def host_unregister(thread: Thread, address: int) -> None:
    """Make it ordinary memory again."""
    thread.session.host_unregister(thread.connection, address)


@answers("cudaHostGetDevicePointer")
def device_pointer(thread: Thread, out: int, address: int, flags: UInt) -> None:
    """Give the address at which kernels see page-locked memory."""
    thread.memory.put_word(out, thread.session.host_on_devices(thread.connection, address))


@answers("cudaHostGetFlags")
def host_flags(thread: Thread, out: int, address: int) -> None:
    """Say how page-locked memory was allocated; with unified addressing, it is mapped in any case."""
    flags = thread.session.host_flags(address)
    if flags is None:
        raise Refusal("InvalidValue", f"{address:#x} is no page-locked memory")
    thread.memory.put_word(out, flags | (_MAPPED if thread.runtime.GetDeviceProperties().unifiedAddressing else 0), 4)


@answers("cudaMemGetInfo")
def memory_info(thread: Thread, free_out: int, total_out: int) -> None:
    """Count free and all bytes; a null pointer says that one is not wanted."""
    for out, value in zip((free_out, total_out), thread.runtime.MemGetInfo(), strict=True):
        if out:
            thread.memory.put_word(out, value)


@answers("cudaPointerGetAttributes")
def pointer_attributes(thread: Thread, out: int, address: int) -> None:
    """Say what lies at an address."""
    pointer = thread.session.pointer(address)
    if pointer is not None:
        managed = thread.session.is_managed(address)
        kind, device, host = _MANAGED if managed else _DEVICE, address, address if managed else 0
        number = next(n for n, each in enumerate(thread.runtime.devices.all()) if each.memory is pointer.memory)
    else:
        allocated = thread.session.host_view(address, 1) is not None
        seen = allocated and thread.session.host_seen(address)
        pinned = allocated or thread.session.is_registered(address)
        device = thread.session.host_on_devices(thread.connection, address) if seen else 0
        kind, number, host = _HOST if pinned else _UNREGISTERED, 0 if pinned else -2, address if pinned else 0
    thread.memory.put(out, _ATTRIBUTES.pack(kind, number, device, host))


# --------------------------------------------------------------------------------------------------------------------- copies
def device_end(thread: Thread, address: int, device: int | None = None) -> Pointer:
    """Give the device memory at an address, of a device or of the current one. Raises Refusal if there is none."""
    pointer = thread.session.pointer(address, device)
    if pointer is None:
        raise Refusal("InvalidValue", f"no device memory lies at {address:#x}")
    return pointer


def copy(thread: Thread, to: int, source: int, nbytes: int, kind: int, stream: int, wait: bool) -> None:
    """Copy between the program's memory and the devices'. What is not page-locked makes the call wait, as it does in CUDA."""
    session = thread.session
    check_kind(kind)
    if not nbytes:      # and the addresses may be just past what was allocated
        return
    end, start = session.pointer(to), session.pointer(source)
    check_direction(thread, (to, end), (source, start), kind)
    for pointer in (end, start):
        if pointer is not None and nbytes > pointer.left:
            raise Refusal("InvalidValue", f"{nbytes} bytes asked, {pointer.left} there from {int(pointer):#x} on")
    if not wait and thread.runtime.StreamIsCapturing(session.stream(stream)):
        thread.runtime.capture_work(session.stream(stream), thread.runtime.copy_work(*copy_ends(thread, to, source, nbytes), nbytes))
        return
    if end is None and start is None and nbytes > PIECE_BYTES:
        for last in (to + nbytes - 1, source + nbytes - 1):
            thread.memory.get(last, 1)      # before the first of the pieces: no copy that cannot end is begun
        for done in range(0, nbytes, PIECE_BYTES):
            copy(thread, to + done, source + done, min(PIECE_BYTES, nbytes - done), kind, stream, wait)
        return
    target: ends.End | None = end if end is not None else session.host_view(to, nbytes)
    origin: ends.End | None = start if start is not None else session.host_view(source, nbytes)
    outside: GuestCopy | None = None
    bounced: np.ndarray | None = None
    if end is None and start is None and target is None:
        target = bounced = np.empty(nbytes, "u1")
    elif target is None:
        target = outside = GuestCopy(thread.memory, to, nbytes)
    if origin is None and end is not None:
        origin = outside = GuestCopy(thread.memory, source, nbytes)
    elif origin is None:
        origin = np.empty(nbytes, "u1")
        thread.memory.into(source, origin)
    thread.runtime.MemcpyAsync(target, origin, nbytes, ends.DEFAULT, session.stream(stream))
    if wait or end is None and outside is not None or outside is not None and origin is outside and session.is_registered(source) or bounced is not None:
        thread.runtime.StreamSynchronize(session.stream(stream))
    if outside is not None:
        outside.check()
    if bounced is not None:
        thread.memory.out_of(to, bounced)


def check_kind(kind: int) -> None:
    """Check that a number means a direction. Raises Refusal."""
    if not 0 <= kind <= ends.DEFAULT:
        raise Refusal("InvalidMemcpyDirection", f"there is no direction {kind}")


def check_direction(thread: Thread, to: tuple[int, Pointer | None], source: tuple[int, Pointer | None], kind: int) -> None:
    """Check that the ends of a copy lie where its direction says. Raises Refusal."""
    check_kind(kind)
    if kind != ends.DEFAULT:
        check_end(thread, *to, kind in ends.TO_A_DEVICE, kind)
        check_end(thread, *source, kind in ends.FROM_A_DEVICE, kind)


def check_end(thread: Thread, address: int, pointer: Pointer | None, on_device: bool, kind: int) -> None:
    """Check that one end lies where a direction says: what kernels and program have at one address is on both sides. Raises Refusal."""
    if on_device != (pointer is not None) and not (thread.session.is_managed(address) if pointer is not None else thread.session.host_range(address)):
        raise Refusal("InvalidValue", f"{address:#x} is {'no' if pointer is None else 'a'} device's memory: a copy in direction {kind} wants it otherwise")


@answers("cudaMemcpy", "cudaMemcpy_ptds")
def memcpy(thread: Thread, to: int, source: int, nbytes: int, kind: Int) -> None:
    """Copy and wait."""
    copy(thread, to, source, nbytes, kind, 0, wait=True)


@answers("cudaMemcpyAsync", "cudaMemcpyAsync_ptsz")
def memcpy_async(thread: Thread, to: int, source: int, nbytes: int, kind: Int, stream: int) -> None:
    """Put a copy into a stream."""
    copy(thread, to, source, nbytes, kind, stream, wait=False)


@answers("cudaMemcpyPeer")
def memcpy_peer(thread: Thread, to: int, to_device: Int, source: int, source_device: Int, nbytes: int) -> None:
    """Copy between devices."""
    end, start = device_end(thread, to, to_device), device_end(thread, source, source_device)
    thread.runtime.MemcpyPeer(end, to_device, start, source_device, nbytes)


@answers("cudaMemcpyPeerAsync")
def memcpy_peer_async(thread: Thread, to: int, to_device: Int, source: int, source_device: Int, nbytes: int, stream: int) -> None:
    """Put a copy between devices into a stream."""
    end, start = device_end(thread, to, to_device), device_end(thread, source, source_device)
    thread.runtime.MemcpyPeerAsync(end, to_device, start, source_device, nbytes, thread.session.stream(stream))


@answers("cudaMemset", "cudaMemset_ptds")
def memset(thread: Thread, address: int, value: Int, nbytes: int) -> None:
    """Set bytes."""
    memset_async(thread, address, value, nbytes, 0)


@answers("cudaMemsetAsync", "cudaMemsetAsync_ptsz")
def memset_async(thread: Thread, address: int, value: Int, nbytes: int, stream: int) -> None:
    """Set bytes in a stream."""
    if nbytes:
        fill(thread, address, value, nbytes, stream)


def fill(thread: Thread, address: int, value: int, nbytes: int, stream: int, width: int = 1) -> None:
    """Set elements of a width in a stream: of device memory, or of page-locked memory that kernels see at the same address. Raises Refusal."""
    where = thread.session.stream(stream)
    if thread.session.host_range(address) is None:
        thread.runtime.MemsetAsync(device_end(thread, address), value, nbytes, where, width)
        return
    view = thread.session.host_view(address, nbytes)
    if view is None or nbytes % width:
        raise Refusal("InvalidValue", f"{nbytes} bytes of elements of {width} from {address:#x} on, where fewer are")
    element = (value & (1 << 8 * width) - 1).to_bytes(width, "little")
    thread.runtime.MemcpyAsync(view, np.frombuffer(element * (nbytes // width), "u1"), nbytes, ends.DEFAULT, where)
