"""Page-locked memory of a program: allocated here and shown to it, so that copies reach it at any time; or its own, which it has registered."""
from __future__ import annotations

import contextlib
import mmap
import os
import threading
from typing import TYPE_CHECKING

import attrs
import numpy as np

from archdef.exec.ranges import Ranges
from archdef.host.pinned import pin, unpin
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.exec.wire import Connection


@attrs.frozen(eq=False)
class _Block:
    start: int
    """Address in the program."""
    array: np.ndarray
    """The same bytes here."""


class HostMemory:
    """The page-locked memory of one process."""

    def __init__(self) -> None:
        self._shared: Ranges[_Block] = Ranges()
        self._registered: Ranges[int] = Ranges()
        self._lock = threading.RLock()

    def allocate(self, connection: Connection, nbytes: int) -> int:
        """Allocate bytes that read zero, and give their address in the program. Raises Refusal."""
        room = max(nbytes, 1)
        descriptor = os.memfd_create("archdef", os.MFD_CLOEXEC)
        try:
            os.ftruncate(descriptor, room)
            array = np.frombuffer(mmap.mmap(descriptor, room), "u1")
            address = connection.map(0, room, 0, descriptor)
        except (OSError, OverflowError, ValueError) as error:
            raise Refusal("MemoryAllocation", f"{nbytes} bytes of page-locked memory are not to be had: {error}") from None
        finally:
            os.close(descriptor)
        if not address:
            raise Refusal("MemoryAllocation", f"the program has no room for {nbytes} bytes of page-locked memory")
        with self._lock:
            self._shared.add(address, room, _Block(address, pin(array)))
        return address

    def free(self, connection: Connection, address: int) -> None:
        """Give memory back. Raises Refusal if none starts there."""
        with self._lock:
            block = self._shared.remove(address)
        if block is None:
            raise Refusal("InvalidValue", f"{address:#x} was not given by cudaMallocHost, or was freed")
        unpin(block.array)
        with contextlib.suppress(BufferError):      # a copy in a stream may still hold it
            connection.unmap(address, block.array.nbytes)

    def view(self, address: int, nbytes: int) -> np.ndarray | None:
        """Give bytes that lie in one block; None if they do not."""
        with self._lock:
            block = self._shared.at(address)
        if block is None or address - block.start + nbytes > block.array.nbytes:
            return None
        return block.array[address - block.start:address - block.start + nbytes]

    def register(self, address: int, nbytes: int) -> None:
        """Note that the program has page-locked its own memory. Raises Refusal if part of it is already."""
        with self._lock:
            if self._registered.at(address) is not None:
                raise Refusal("HostMemoryAlreadyRegistered", f"{address:#x} is page-locked already")
            self._registered.add(address, max(1, nbytes), nbytes)

    def unregister(self, address: int) -> None:
        """Forget that. Raises Refusal."""
        with self._lock:
            if self._registered.remove(address) is None:
                raise Refusal("HostMemoryNotRegistered", f"{address:#x} was not page-locked by cudaHostRegister")

    def is_registered(self, address: int) -> bool:
        """Say whether an address lies in such memory."""
        with self._lock:
            return self._registered.at(address) is not None
