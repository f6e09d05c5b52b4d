"""Page-locked memory of the host, and that part of it which kernels see."""
from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING

import attrs
import numpy as np

from archdef import values
from archdef.errors import DeviceMemoryError
from archdef.host.pinned import byte_bounds, is_pinned, pin, unpin
from archdef.run import mapped
from archdef.run.pointer import Pointer
from archdef.runtime.base import Part
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.run.memory import Memory

PORTABLE, MAPPED, WRITE_COMBINED = 1, 2, 4


@attrs.frozen(eq=False)
class _Block:
    array: np.ndarray
    flags: int
    places: dict[Memory, int]
    """Memory of a device → the address at which its kernels see the array."""


class PageLocked(Part):
    """Page-locked memory: arrays of bytes."""

    def __init__(self) -> None:
        self._blocks: dict[int, _Block] = {}
        super().__init__()

    def MallocHost(self, size: int) -> np.ndarray:
        """Allocate page-locked host memory: an array of bytes; ``.view(dtype)`` reads it as something else."""
        if size < 0:
            raise Refusal("InvalidValue", f"{size} bytes")
        try:
            return pin(np.zeros(size, "u1"))
        except (MemoryError, ValueError):       # more than there is, or than numpy's arrays can be
            raise Refusal("MemoryAllocation", f"{size} bytes of host memory are not to be had") from None

    def HostAlloc(self, size: int, flags: int = 0) -> np.ndarray:
        """Allocate page-locked host memory; with the flag 2 kernels see it at the address that HostGetDevicePointer gives."""
        if size < 0 or flags & ~(PORTABLE | MAPPED | WRITE_COMBINED):
            raise Refusal("InvalidValue", f"{size} bytes with the flags {flags}")
        if not flags & MAPPED or not size:
            return self.MallocHost(size)
        self._check_can_map()
        memories = [self._memory(device) for device in self.devices.all() if mapped.can_map(device.architecture)]
        places: dict[Memory, int] = {}
        try:
            descriptor = mapped.shared_file(size)
            try:
                array = np.frombuffer(mmap.mmap(descriptor, size), "u1")
                for memory in memories:
                    places[memory] = mapped.show(descriptor, size, [memory])
                    mapped.expect(places[memory], [memory])
            finally:
                os.close(descriptor)
        except (OSError, OverflowError, ValueError, DeviceMemoryError) as error:
            self._hide(places)
            raise Refusal("MemoryAllocation", f"{size} bytes of mapped host memory are not to be had: {error}") from None
        self._blocks[byte_bounds(array)[0]] = _Block(array, flags, places)
        return pin(array)

    def HostGetDevicePointer(self, array: np.ndarray, flags: int = 0) -> Pointer:
        """Give a pointer by which kernels of the current device see mapped memory, or a part of it."""
        if flags:
            raise Refusal("InvalidValue", f"the flags {flags}")
        block, start = self._block(array)
        memory = self._memory(self.devices.current)
        if memory not in block.places:
            self._check_can_map()
            raise Refusal("InvalidValue", "the memory was allocated before the device was in use")
        return Pointer(block.places[memory] + start, memory, block.array.nbytes - start)

    def HostGetFlags(self, array: np.ndarray) -> int:
        """Give the flags with which mapped memory was allocated."""
        return self._block(array)[0].flags

    def FreeHost(self, array: np.ndarray) -> None:
        """Make what MallocHost gave ordinary memory; Python frees it when nobody holds it. Mapped memory waits for kernels that may use it."""
        _check_array(array)
        if not unpin(array):
            raise Refusal("InvalidValue", "the array was not given by MallocHost")
        block = self._blocks.pop(byte_bounds(array)[0], None)
        if block is not None:
            self._hide(block.places)

    def HostRegister(self, array: np.ndarray, flags: int = 0) -> None:
        """Page-lock an array. That kernels see it (flag 2) is refused: its memory is not the runtime's; HostAlloc gives some that they see."""
        _check_array(array)
        if flags & MAPPED:
            raise Refusal("NotSupported", "kernels do not see arrays that numpy has allocated; HostAlloc gives mapped memory")
        if is_pinned(array):
            raise Refusal("HostMemoryAlreadyRegistered", "the array is page-locked already")
        pin(array)

    def HostUnregister(self, array: np.ndarray) -> None:
        """Make an array ordinary memory again."""
        _check_array(array)
        if not unpin(array):
            raise Refusal("HostMemoryNotRegistered", "the array is not page-locked")

    # ------------------------------------------------------------------------------------------------------------- helpers
    def _check_can_map(self) -> None:
        architecture = self.devices.current.architecture
        if not mapped.can_map(architecture):
            raise Refusal("NotSupported", f"kernels of {architecture.label} do not see memory of the host: it declares {mapped.NEEDED}")

    def _block(self, array: object) -> tuple[_Block, int]:
        """Give the mapped memory that an array lies in, and from which byte on."""
        low, high = byte_bounds(_check_array(array))
        for start, block in self._blocks.items():
            if start <= low and high <= start + block.array.nbytes:
                return block, low - start
        raise Refusal("InvalidValue", "the array is no mapped memory; HostAlloc gives some with the flag 2")

    @staticmethod
    def _hide(places: dict[Memory, int]) -> None:
        for memory, address in places.items():
            mapped.hide(address, [memory])


def _check_array(array: object) -> np.ndarray:
    if not isinstance(array, np.ndarray):
        raise Refusal("InvalidValue", f"host memory is a numpy array, got {values.shown(array)}")
    return array
