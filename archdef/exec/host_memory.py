"""Page-locked memory of a program: allocated here and shown to it, so that copies reach it at any time; or its own, which it has registered.

Kernels of machines with unified addressing see what is allocated at the address that the program has it at; those of others see what the program
has allocated for that, at another address. Memory that the program has registered they see from when it asks for its address on a device: its pages
are then replaced by shared ones.
"""
from __future__ import annotations

import contextlib
import mmap
import os
import struct
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import attrs
import numpy as np

from archdef.errors import DeviceMemoryError
from archdef.exec.ranges import Ranges
from archdef.host.pinned import pin, unpin
from archdef.run import mapped
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.exec.guest import GuestMemory
    from archdef.exec.wire import Connection
    from archdef.run.memory import Memory

PAGE_BYTES: Final = mmap.PAGESIZE
MOST_BYTES: Final = PAGE_BYTES * os.sysconf("SC_PHYS_PAGES")
"""Page-locked memory is physical memory, so that a program cannot have more of it than the host has."""
MAPPED: Final = 2
"""cudaHostAllocMapped."""


@attrs.frozen(eq=False)
class _Block:
    start: int
    """Address in the program."""
    array: np.ndarray
    """The same bytes here."""
    flags: int
    """What the program has allocated it with."""
    on_devices: int
    """Address in kernels; 0: they do not see it."""


@attrs.define(eq=False)
class _Registered:
    start: int
    nbytes: int
    flags: int
    first_page: int = 0
    pages_bytes: int = 0
    on_devices: int = 0
    """Address of the first page in kernels, once somebody has asked for it."""


def words_of(arguments: Iterable[bytes]) -> list[int]:
    """Give what may be an address in the arguments of a launch: any 8 bytes at a multiple of 8."""
    return [word for data in arguments for (word,) in struct.iter_unpack("<Q", data[:len(data) // 8 * 8])]


class HostMemory:
    """The page-locked memory of one process."""

    def __init__(self, memories: Sequence[Memory] = (), unified: bool = True):
        """memories : of the devices whose kernels see it. unified : they all have unified addressing."""
        self._memories, self._unified = memories, unified
        self._shared: Ranges[_Block] = Ranges()
        self._registered: Ranges[_Registered] = Ranges()
        self._allocated = 0
        """Bytes of what was allocated and not freed."""
        self._in_kernels: Ranges[int] = Ranges()
        """Addresses at which kernels see it."""
        self._lock = threading.RLock()

    @property
    def seen_by_kernels(self) -> bool:
        """Whether kernels see any of it."""
        return bool(self._in_kernels)

    def given(self, arguments: Iterable[bytes]) -> bool:
        """Say whether the arguments of a launch have an address of it."""
        words = words_of(arguments)
        with self._lock:
            found = {address for word in words if (address := self._in_kernels.at(word)) is not None}
        for address in found:
            mapped.expect(address, self._memories)
        return bool(found)

    def allocate(self, connection: Connection, nbytes: int, flags: int = 0) -> int:
        """Allocate bytes that read zero, and give their address in the program. Raises Refusal."""
        room = max(nbytes, 1)
        descriptor = -1
        if room > MOST_BYTES - self._allocated:
            raise Refusal("MemoryAllocation", f"{nbytes} bytes of page-locked memory, of which {MOST_BYTES - self._allocated} are left on this host")
        try:
            descriptor = mapped.shared_file(room)
            array = np.frombuffer(mmap.mmap(descriptor, room), "u1")
            wanted = self._memories and (self._unified or flags & MAPPED)
            with self._lock:        # other threads look for a place, too
                on_devices = mapped.show(descriptor, room, self._memories) if wanted else 0
            address = connection.map(on_devices, room, 0, descriptor) if on_devices and self._unified else 0
            address = address or connection.map(0, room, 0, descriptor)     # the program has something else where kernels see it
        except (OSError, OverflowError, ValueError, DeviceMemoryError) as error:
            raise Refusal("MemoryAllocation", f"{nbytes} bytes of page-locked memory are not to be had: {error}") from None
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        if not address:
            if on_devices:
                mapped.hide(on_devices, self._memories)
            raise Refusal("MemoryAllocation", f"the program has no room for {nbytes} bytes of page-locked memory")
        with self._lock:
            self._allocated += room
            self._shared.add(address, room, _Block(address, pin(array), flags, on_devices))
            if on_devices:
                self._in_kernels.add(on_devices, room, on_devices)
                if flags & MAPPED:
                    mapped.expect(on_devices, self._memories)
        return address

    def free(self, connection: Connection, address: int) -> None:
        """Give memory back. Raises Refusal if none starts there."""
        with self._lock:
            block = self._shared.remove(address)
            self._allocated -= 0 if block is None else block.array.nbytes
        if block is None:
            raise Refusal("InvalidValue", f"{address:#x} was not given by cudaMallocHost, or was freed")
        if block.on_devices:
            self._hide(block.on_devices)
        unpin(block.array)
        with contextlib.suppress(BufferError):      # a copy in a stream may still hold it
            connection.unmap(address, block.array.nbytes)

    def close(self) -> None:
        """Give all of it back: the program has ended."""
        with self._lock:
            for block in self._shared:
                unpin(block.array)
            self._shared, self._in_kernels = Ranges(), Ranges()

    def view(self, address: int, nbytes: int) -> np.ndarray | None:
        """Give bytes that lie in one block; None if they do not."""
        with self._lock:
            block = self._shared.at(address)
        if block is None or address - block.start + nbytes > block.array.nbytes:
            return None
        return block.array[address - block.start:address - block.start + nbytes]

    def range_at(self, address: int) -> tuple[int, int] | None:
        """Give start and bytes of what was allocated where kernels see it, by an address in it; None if there is none."""
        with self._lock:
            block = self._shared.at(address)
        return None if block is None or block.on_devices != block.start else (block.start, block.array.nbytes)

    # ------------------------------------------------------------------------------------------------ the program's own memory
    def register(self, address: int, nbytes: int, flags: int = 0) -> None:
        """Note that the program has page-locked its own memory. Raises Refusal if part of it is already, or it is more than the host has."""
        if nbytes > MOST_BYTES:
            raise Refusal("MemoryAllocation", f"{nbytes} bytes of page-locked memory, of which this host has {MOST_BYTES}")
        with self._lock:
            if self._shared.overlap(address, max(1, nbytes)):
                raise Refusal("InvalidValue", f"some of the {nbytes} bytes at {address:#x} was allocated page-locked")
            if self._registered.overlap(address, max(1, nbytes)):
                raise Refusal("HostMemoryAlreadyRegistered", f"some of the {nbytes} bytes at {address:#x} is page-locked already")
            self._registered.add(address, max(1, nbytes), _Registered(address, nbytes, flags))

    def unregister(self, connection: Connection, address: int) -> None:
        """Forget that; pages that were replaced become the program's own again. Raises Refusal."""
        with self._lock:
            found = self._registered.remove(address)
            within = self._shared.at(address) is not None or self._registered.at(address) is not None
        if found is None:
            raise Refusal("InvalidValue" if within else "HostMemoryNotRegistered", f"{address:#x} was not page-locked by cudaHostRegister")
        if found.on_devices:
            self._hide(found.on_devices)
            connection.replace(found.first_page, found.pages_bytes, None)

    def is_seen(self, address: int) -> bool:
        """Say whether kernels see allocated memory at an address of the program."""
        with self._lock:
            block = self._shared.at(address)
        return block is not None and block.on_devices != 0

    def is_registered(self, address: int) -> bool:
        """Say whether an address lies in such memory."""
        with self._lock:
            return self._registered.at(address) is not None

    # ------------------------------------------------------------------------------------------------------------- in kernels
    def on_devices(self, connection: Connection, guest: GuestMemory, address: int) -> int:
        """Give the address at which kernels see page-locked memory. Raises Refusal if they do not, or there is none."""
        if not self._memories:
            raise Refusal("NotSupported", f"kernels of this machine do not see memory of the host: it declares {mapped.NEEDED}")
        with self._lock:
            block, registered = self._shared.at(address), self._registered.at(address)
            if block is not None:
                if not block.on_devices:
                    raise Refusal("InvalidValue", f"{address:#x} was not allocated as mapped memory, and kernels of this machine see no other")
                mapped.expect(block.on_devices, self._memories)
                return block.on_devices + (address - block.start)
            if registered is None:
                raise Refusal("InvalidValue", f"{address:#x} is no page-locked memory")
            if not registered.on_devices:
                self._replace(connection, guest, registered)
            return registered.on_devices + (address - registered.first_page)

    def _replace(self, connection: Connection, guest: GuestMemory, registered: _Registered) -> None:
        first = registered.start // PAGE_BYTES * PAGE_BYTES
        nbytes = -(-(registered.start + max(1, registered.nbytes)) // PAGE_BYTES) * PAGE_BYTES - first
        for page in range(first, first + nbytes, PAGE_BYTES):
            guest.get(page, 1)      # what is not there could not be copied by the program either
        descriptor = -1
        try:
            descriptor = mapped.shared_file(nbytes)
            address = mapped.show(descriptor, nbytes, self._memories)
        except (OSError, OverflowError, ValueError, DeviceMemoryError) as error:
            raise Refusal("MemoryAllocation", f"{nbytes} bytes cannot be shown to kernels: {error}") from None
        else:
            if not connection.replace(first, nbytes, descriptor):
                mapped.hide(address, self._memories)
                raise Refusal("NotSupported", f"the {nbytes} bytes at {first:#x} cannot be shown to kernels: they are on the stack, or are no ordinary memory")
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        self._in_kernels.add(address, nbytes, address)
        mapped.expect(address, self._memories)
        registered.first_page, registered.pages_bytes, registered.on_devices = first, nbytes, address

    def _hide(self, address: int) -> None:
        with self._lock:
            self._in_kernels.remove(address)
        mapped.hide(address, self._memories)

    def flags(self, address: int) -> int | None:
        """Give the flags that page-locked memory was allocated or registered with; None if there is none."""
        with self._lock:
            found = self._shared.at(address) or self._registered.at(address)
        return None if found is None else found.flags
