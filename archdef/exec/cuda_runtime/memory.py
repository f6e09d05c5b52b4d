"""Memory: allocations of devices and of the host, copies, sets."""
from __future__ import annotations

import struct
from typing import Final

import numpy as np

from archdef.exec.calls import Thread, answers, signed
from archdef.run.pointer import Pointer
from archdef.runtime import api
from archdef.runtime.status import Refusal

PITCH_BYTES: Final = 512
"""Rows of pitched memory begin at multiples of it, as on NVIDIA's devices."""
PIECE_BYTES: Final = 16 << 20
"""Copies from the program's memory to the program's memory are made in pieces."""
_ATTRIBUTES: Final = struct.Struct("<iiQQ")
_UNREGISTERED, _HOST, _DEVICE, _MANAGED = range(4)
_EXTENT: Final = struct.Struct("<3Q")
_PITCHED: Final = struct.Struct("<4Q")
_PORTABLE, _MAPPED, _WRITE_COMBINED = 1, 2, 4


@answers("cudaMalloc")
def malloc(thread: Thread, out: int, nbytes: int) -> None:
    """Allocate."""
    thread.memory.put_word(out, thread.session.allocated(thread.runtime.Malloc(nbytes)))


@answers("cudaMallocAsync", "cudaMallocAsync_ptsz")
def malloc_async(thread: Thread, out: int, nbytes: int, stream: int) -> None:
    """Allocate at once, which is in time for the stream."""
    thread.session.stream(stream)
    malloc(thread, out, nbytes)


@answers("cudaMallocPitch")
def malloc_pitch(thread: Thread, out: int, pitch_out: int, width: int, height: int) -> None:
    """Allocate rows."""
    pitch = -(-max(width, 1) // PITCH_BYTES) * PITCH_BYTES
    malloc(thread, out, pitch * height)
    thread.memory.put_word(pitch_out, pitch)


@answers("cudaMalloc3D")
def malloc_3d(thread: Thread, out: int) -> None:
    """Allocate planes of rows; the extent is a structure of 24 bytes, which is passed on the stack."""
    width, height, depth = thread.stack[:3]
    pitch = -(-max(width, 1) // PITCH_BYTES) * PITCH_BYTES
    address = thread.session.allocated(thread.runtime.Malloc(pitch * height * depth))
    thread.memory.put(out, _PITCHED.pack(address, pitch, width, height))


@answers("cudaMallocManaged")
def malloc_managed(thread: Thread, out: int, nbytes: int, flags: int) -> None:
    """Allocate memory that the program and the device both use, at one address."""
    array = thread.runtime.MallocManaged(nbytes, flags & 0xFFFFFFFF)
    try:
        thread.session.map_managed(thread.connection, array)
    except Refusal:
        thread.runtime.Free(array)
        raise
    thread.memory.put_word(out, array.address)


@answers("cudaFree")
def free(thread: Thread, address: int) -> None:
    """Give memory back."""
    if address:
        thread.session.free(thread.connection, address)


@answers("cudaFreeAsync", "cudaFreeAsync_ptsz")
def free_async(thread: Thread, address: int, stream: int) -> None:
    """Give memory back when the stream is there: here the call waits for it."""
    thread.runtime.StreamSynchronize(thread.session.stream(stream))
    free(thread, address)


@answers("cudaMallocHost")
def malloc_host(thread: Thread, out: int, nbytes: int) -> None:
    """Allocate page-locked memory of the host."""
    thread.memory.put_word(out, thread.session.host_allocate(thread.connection, nbytes))


@answers("cudaHostAlloc")
def host_alloc(thread: Thread, out: int, nbytes: int, flags: int) -> None:
    """Allocate page-locked memory of the host. Raises Refusal where kernels are to reach it."""
    if flags & _MAPPED:
        raise Refusal("NotSupported", "kernels cannot reach page-locked memory of the host here (cudaHostAllocMapped); cudaMallocManaged can be shared")
    malloc_host(thread, out, nbytes)


@answers("cudaFreeHost")
def free_host(thread: Thread, address: int) -> None:
    """Give it back."""
    if address:
        thread.session.host_free(thread.connection, address)


@answers("cudaHostRegister")
def host_register(thread: Thread, address: int, nbytes: int, flags: int) -> None:
    """Page-lock memory of the program: its copies then take as long as those of such memory, and still make the call wait."""
    if flags & _MAPPED:
        raise Refusal("NotSupported", "kernels cannot reach page-locked memory of the host here (cudaHostRegisterMapped)")
    thread.session.host_register(address, nbytes)


@answers("cudaHostUnregister")
def host_unregister(thread: Thread, address: int) -> None:
    """Make it ordinary memory again."""
    thread.session.host_unregister(address)


@answers("cudaHostGetDevicePointer")
def device_pointer(thread: Thread, out: int, address: int, flags: int) -> None:
    """Refuse: kernels cannot reach memory of the host."""
    raise Refusal("NotSupported", "kernels cannot reach page-locked memory of the host here; cudaMallocManaged can be shared")


@answers("cudaMemGetInfo")
def memory_info(thread: Thread, free_out: int, total_out: int) -> None:
    """Count free and all bytes."""
    for out, value in zip((free_out, total_out), thread.runtime.MemGetInfo(), strict=True):
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
        pinned = thread.session.host_view(address, 1) is not None
        kind, number, device, host = _HOST if pinned else _UNREGISTERED, 0 if pinned else -2, 0, address if pinned else 0
    thread.memory.put(out, _ATTRIBUTES.pack(kind, number, device, host))


# --------------------------------------------------------------------------------------------------------------------- copies
def device_end(thread: Thread, address: int) -> Pointer:
    """Give the device memory at an address. Raises Refusal if there is none."""
    pointer = thread.session.pointer(address)
    if pointer is None:
        raise Refusal("InvalidValue", f"no device memory lies at {address:#x}")
    return pointer


def copy(thread: Thread, to: int, source: int, nbytes: int, kind: int, stream: int, wait: bool) -> None:
    """Copy between the program's memory and the devices'. What is not page-locked makes the call wait, as it does in CUDA."""
    session = thread.session
    if not nbytes and kind <= api.DEFAULT:
        return
    end, start = session.pointer(to), session.pointer(source)
    _check_direction(thread, (to, end), (source, start), kind)
    for pointer in (end, start):
        if pointer is not None and nbytes > pointer.left:
            raise Refusal("InvalidValue", f"{nbytes} bytes asked, {pointer.left} there from {int(pointer):#x} on")
    if end is None and start is None and nbytes > PIECE_BYTES:
        for done in range(0, nbytes, PIECE_BYTES):
            copy(thread, to + done, source + done, min(PIECE_BYTES, nbytes - done), kind, stream, wait)
        return
    target = end if end is not None else session.host_view(to, nbytes)
    origin = start if start is not None else session.host_view(source, nbytes)
    bounced = None
    if target is None:
        target = bounced = np.empty(nbytes, "u1")
    if origin is None:
        origin = np.empty(nbytes, "u1")
        thread.memory.into(source, origin)
        wait = wait or session.is_registered(source)
    if wait or bounced is not None:
        thread.runtime.MemcpyAsync(target, origin, nbytes, api.DEFAULT, session.stream(stream))
        thread.runtime.StreamSynchronize(session.stream(stream))
    else:
        thread.runtime.MemcpyAsync(target, origin, nbytes, api.DEFAULT, session.stream(stream))
    if bounced is not None:
        thread.memory.out_of(to, bounced)


def _check_direction(thread: Thread, to: tuple[int, Pointer | None], source: tuple[int, Pointer | None], kind: int) -> None:
    if kind > api.DEFAULT:
        raise Refusal("InvalidMemcpyDirection", f"there is no direction {kind}")
    if kind == api.DEFAULT:
        return
    ends = (*to, kind in (api.HOST_TO_DEVICE, api.DEVICE_TO_DEVICE)), (*source, kind in (api.DEVICE_TO_HOST, api.DEVICE_TO_DEVICE))
    for address, pointer, on_device in ends:
        if on_device != (pointer is not None) and not (pointer is not None and thread.session.is_managed(address)):
            raise Refusal("InvalidValue", f"{address:#x} is {'no' if pointer is None else 'a'} device's memory: a copy in direction {kind} wants it otherwise")


@answers("cudaMemcpy", "cudaMemcpy_ptds")
def memcpy(thread: Thread, to: int, source: int, nbytes: int, kind: int) -> None:
    """Copy and wait."""
    copy(thread, to, source, nbytes, kind, 0, wait=True)


@answers("cudaMemcpyAsync", "cudaMemcpyAsync_ptsz")
def memcpy_async(thread: Thread, to: int, source: int, nbytes: int, kind: int, stream: int) -> None:
    """Put a copy into a stream."""
    copy(thread, to, source, nbytes, kind, stream, wait=False)


@answers("cudaMemcpyPeer")
def memcpy_peer(thread: Thread, to: int, to_device: int, source: int, source_device: int, nbytes: int) -> None:
    """Copy between devices."""
    thread.runtime.MemcpyPeer(device_end(thread, to), signed(to_device), device_end(thread, source), signed(source_device), nbytes)


@answers("cudaMemcpyPeerAsync")
def memcpy_peer_async(thread: Thread, to: int, to_device: int, source: int, source_device: int, nbytes: int, stream: int) -> None:
    """Put a copy between devices into a stream."""
    thread.runtime.MemcpyPeerAsync(device_end(thread, to), signed(to_device), device_end(thread, source), signed(source_device), nbytes,
                                   thread.session.stream(stream))


@answers("cudaMemcpy2D")
def memcpy_2d(thread: Thread, to: int, to_pitch: int, source: int, pitch: int, width: int, height: int, kind: int) -> None:
    """Copy rows."""
    memcpy_2d_async(thread, to, to_pitch, source, pitch, width, height, kind, 0)


@answers("cudaMemcpy2DAsync")
def memcpy_2d_async(thread: Thread, to: int, to_pitch: int, source: int, pitch: int, width: int, height: int, kind: int, stream: int) -> None:
    """Copy rows, one after the other: as many copies as rows, but for rows without gaps."""
    if width > min(to_pitch, pitch):
        raise Refusal("InvalidPitchValue", f"rows of {width} bytes, {to_pitch} and {pitch} apart")
    if width == to_pitch == pitch:
        copy(thread, to, source, width * height, kind, stream, wait=False)
        return
    for row in range(height):
        copy(thread, to + row * to_pitch, source + row * pitch, width, kind, stream, wait=False)


@answers("cudaMemset", "cudaMemset_ptds")
def memset(thread: Thread, address: int, value: int, nbytes: int) -> None:
    """Set bytes."""
    memset_async(thread, address, value, nbytes, 0)


@answers("cudaMemsetAsync", "cudaMemsetAsync_ptsz")
def memset_async(thread: Thread, address: int, value: int, nbytes: int, stream: int) -> None:
    """Set bytes in a stream."""
    if nbytes:
        thread.runtime.MemsetAsync(device_end(thread, address), signed(value), nbytes, thread.session.stream(stream))


@answers("cudaMemset2D")
def memset_2d(thread: Thread, address: int, pitch: int, value: int, width: int, height: int) -> None:
    """Set rows."""
    if width > pitch:
        raise Refusal("InvalidPitchValue", f"rows of {width} bytes, {pitch} apart")
    for row in range(height):
        memset_async(thread, address + row * pitch, value, width, 0)


@answers("cudaMemPrefetchAsync", "cudaMemAdvise")
def hint(thread: Thread, address: int, nbytes: int, what: int, where: int) -> None:
    """Check the address. The pages stay where they are used: what a program may hope for, and no more."""
    if not thread.session.is_managed(address):
        raise Refusal("InvalidValue", f"{address:#x} is no managed memory")
