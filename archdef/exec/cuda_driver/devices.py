"""Devices and what is asked about them."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Int, Thread
from archdef.exec.cuda_driver.calls import answers
from archdef.runtime.status import Refusal

_UUID_BYTES: Final = 16
_MOST_32_BITS: Final = (1 << 32) - 1
_MOST_PITCH: Final = (1 << 31) - 1
_TEXTURE_ALIGNMENT: Final = 512
_PERFORMANCE_RANK, _ACCESS, _NATIVE_ATOMICS, _ARRAY_ACCESS = range(1, 5)


@answers("cuDeviceGet", context=False)
def get(thread: Thread, out: int, number: Int) -> None:
    """Give the device of a number: the number itself."""
    thread.runtime.device(number)
    thread.memory.put_word(out, number, 4)


@answers("cuDeviceGetName", context=False)
def name(thread: Thread, out: int, nbytes: Int, number: Int) -> None:
    """Give its name, as far as there is room."""
    if nbytes < 1:
        raise Refusal("InvalidValue", f"a name does not fit into {nbytes} bytes")
    data = str(thread.runtime.GetDeviceProperties(number).name).encode()
    thread.memory.put(out, data[:nbytes - 1] + b"\0")


@answers("cuDeviceGetUuid", "cuDeviceGetUuid_v2", context=False)
def uuid(thread: Thread, out: int, number: Int) -> None:
    """Give bytes that no other device of the process has."""
    thread.runtime.device(number)
    thread.memory.put(out, f"archdef-{number:07}".encode().ljust(_UUID_BYTES, b"\0"))


@answers("cuDeviceTotalMem_v2", context=False)
def total_memory(thread: Thread, out: int, number: Int) -> None:
    """Count its bytes."""
    thread.memory.put_word(out, thread.runtime.GetDeviceProperties(number).totalGlobalMem)


@answers("cuDeviceTotalMem", context=False)
def total_memory_of_32_bits(thread: Thread, out: int, number: Int) -> None:
    """Count its bytes as far as 32 bits reach."""
    thread.memory.put_word(out, min(thread.runtime.GetDeviceProperties(number).totalGlobalMem, _MOST_32_BITS), 4)


@answers("cuDeviceComputeCapability", context=False)
def capability(thread: Thread, major: int, minor: int, number: Int) -> None:
    """Give its compute capability; 0.0 where it has none."""
    found = thread.runtime.GetDeviceProperties(number)
    thread.memory.put_word(major, found.major, 4)
    thread.memory.put_word(minor, found.minor, 4)


@answers("cuDeviceGetProperties", context=False)
def properties(thread: Thread, out: int, number: Int) -> None:
    """Fill a CUdevprop."""
    found = thread.runtime.GetDeviceProperties(number)
    thread.memory.put(out, struct.pack("<14i", found.maxThreadsPerBlock, *found.maxThreadsDim, *found.maxGridSize, found.sharedMemPerBlock, found.totalConstMem,
                                       found.warpSize, _MOST_PITCH, found.regsPerBlock, found.clockRate, _TEXTURE_ALIGNMENT))


@answers("cuDeviceGetP2PAttribute", context=False)
def peer_attribute(thread: Thread, out: int, attribute: Int, number: Int, peer: Int) -> None:
    """Say what a device may do with the memory of another."""
    what = attribute & 0xFFFFFFFF
    if what not in (_PERFORMANCE_RANK, _ACCESS, _NATIVE_ATOMICS, _ARRAY_ACCESS) or number == peer:
        raise Refusal("InvalidValue", f"attribute {what} between devices {number} and {peer}")
    reaches = thread.runtime.DeviceCanAccessPeer(number, peer)
    thread.memory.put_word(out, int(reaches and what in (_ACCESS, _NATIVE_ATOMICS)), 4)
