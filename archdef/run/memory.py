"""Device memory as arrays and modules use it."""
from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

import numpy as np

from archdef.engine import core
from archdef.errors import DeviceMemoryError
from archdef.host.box import Box

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from archdef.host import Host
    from archdef.host.managed import Pages
    from archdef.host.context import Context
    from archdef.run.images import Images
    from archdef.run.multicast import Multicast
    from archdef.run.texture import Handles
    from archdef.spec import Architecture


class Memory:
    """The memory of one device. What is freed while a kernel runs is given back afterwards."""

    def __init__(self, capacity_bytes: int, architecture: Architecture | None = None, host: Host | None = None):
        """Make it; `architecture` and `host` are those of its device, for the host model."""
        self.engine = core.DeviceMemory(capacity_bytes, None if host is None else host.addresses)
        """The engine's own object."""
        self.architecture, self.host = architecture, host
        self.context: Context | None = None
        """The device's half of the host model, once streams are used: what it still has to do keeps memory from being freed."""
        self.images: weakref.WeakSet[Images] = weakref.WeakSet()
        """The variables of modules that lie in it; see `archdef.run.images.Images`."""
        self.multicasts: weakref.WeakSet[Multicast] = weakref.WeakSet()
        """Arrays of it that are mapped at multicast addresses; see `archdef.run.multicast`."""
        self.handles: Handles | None = None
        """Textures, samplers and surfaces of what lies in it, once there are any or one launch has asked; see `archdef.run.texture`."""
        self.managed: dict[int, Pages] = {}
        """Allocations that the host and the device both use, by their addresses."""
        self.shared_with_host: set[int] = set()
        """Addresses of memory of the host that kernels may be given: what they wait for there may come from outside."""
        self._late: list[int] = []
        self._arena: int | None = None
        """What the addresses of this process are above those of the device."""
        self._bytes: dict[int, tuple[int, str]] = {}
        self._taken: dict[str, int] = {}
        """Bytes of each share: every launch asks for them, however many allocations there are."""
        self._lock = threading.RLock()
        self._closed = False

    def allocate(self, nbytes: int, share: str = "global") -> int:
        """Reserve memory that reads zero, and give its address. Raises DeviceMemoryError past the capacity.

        share : what it is for, ``global`` or ``constant``; see `taken`.
        """
        self._catch_up()
        if not 0 <= nbytes < 1 << 63:
            raise DeviceMemoryError(f"out of device memory: {nbytes} bytes asked", "capacity")
        address = self.engine.allocate(nbytes)
        with self._lock:
            self._bytes[address] = nbytes, share
            self._taken[share] = self._taken.get(share, 0) + nbytes
        return address

    def taken(self, share: str) -> int:
        """Give the bytes that are allocated for something."""
        return self._taken.get(share, 0)

    def free(self, address: int) -> None:
        """Give memory back: now, or once no kernel runs, since arrays can also go out of scope during a launch."""
        with self._lock:
            if self._closed:
                return
            self.managed.pop(address, None)
            if (known := self._bytes.pop(address, None)) is not None:
                self._taken[known[1]] -= known[0]
            self._late.append(address)
        self._catch_up()

    def close(self) -> None:
        """Give all of it back while no kernel runs: nobody uses it any more. What was made of it may outlive that, such as what launches gave."""
        with self._lock:
            self._closed = True
            self._late.clear()
            self._bytes.clear()
            for start, _ in self.engine.allocations:
                self.engine.free(start)

    def write(self, address: int | Box, data: Buffer | np.ndarray) -> None:
        """Copy a buffer of bytes to the device; where a `Box` is meant, an array of its bytes, row after row."""
        if isinstance(address, Box):
            rows = address.rows(self)
            rows[...] = np.asarray(data).reshape(rows.shape)
            return
        self.engine.write(_whole(address), data)

    def read(self, address: int | Box, out: Buffer | np.ndarray) -> None:
        """Copy from the device into a buffer of bytes; from a `Box` into an array, row after row."""
        if isinstance(address, Box):
            rows = address.rows(self)
            np.asarray(out).reshape(rows.shape)[...] = rows
            return
        self.engine.read(_whole(address), out)

    def view(self, address: int, nbytes: int) -> np.ndarray:
        """Show bytes, at least one, in place."""
        shown: np.ndarray = np.frombuffer(self.engine.window(_whole(address), nbytes), "u1")    # type: ignore[call-overload]
        return shown

    def fill(self, address: int | Box, nbytes: int, byte: int) -> None:
        """Set bytes; all of a `Box`."""
        if isinstance(address, Box):
            address.rows(self)[...] = byte
            return
        self.engine.fill(_whole(address), nbytes, byte)

    def of_host(self, address: int) -> int | None:
        """Give the device address of a byte that this process sees in place (see ``DeviceArray.__dlpack__``); None for all other memory."""
        with self._lock:
            if self._arena is None:
                first = next((start for start, _ in self.engine.allocations), None)
                if first is None:
                    return None
                self._arena = np.frombuffer(self.engine.window(first, 1), "u1").ctypes.data - first  # type: ignore[call-overload]
        found = address - self._arena
        return found if any(start <= found < end for start, end in self.engine.allocations) else None

    def _catch_up(self) -> None:
        with self._lock:
            while self._late and not self.engine.running and not (self.context is not None and self.context.holding):
                self.engine.free(self._late.pop())


def _whole(address: int) -> int:
    """Check that a number can be an address: arithmetic on pointers may lead anywhere. Raises DeviceMemoryError."""
    if not 0 <= address < 1 << 64:
        raise DeviceMemoryError(f"{address:#x} is no device address")
    return address
