"""Memory that is allocated and freed in the order of a stream, from pools that keep what was freed for the next who wants as much."""
from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from archdef.errors import DeviceMemoryError, GraphError

if TYPE_CHECKING:
    from archdef.host.context import Context
    from archdef.host.operation import Operation
    from archdef.host.stream import Stream

ROOM_BYTES: Final = 512
"""Blocks are multiples of it, so that allocations that differ by little use each other's."""


@attrs.frozen(eq=False)
class _Block:
    """Memory that was freed in a stream."""

    address: int
    room: int
    stream: Stream
    before: tuple[Operation, ...]
    """What may still use it."""

    def fits(self, room: int, stream: Stream) -> bool:
        """Say whether a stream can have it: it comes behind its last user there, or all its users have ended."""
        return self.room == room and (self.stream is stream or self.idle)

    @property
    def idle(self) -> bool:
        """Whether nobody uses it any more."""
        return all(operation.over for operation in self.before)


class Pool:
    """Memory of one device. What is freed stays with the pool until the host next waits for the device, and up to `threshold` bytes longer."""

    def __init__(self, context: Context, most_bytes: int = 0):
        """most_bytes : what it may take of the device's memory; 0: as much as there is."""
        self.context, self.most_bytes = context, most_bytes
        self.threshold = 0
        """Bytes that it does not give back by itself."""
        self.reuse = {1: 1, 2: 1, 3: 1}
        """The attributes about whose freed memory may be used again; they are kept and change nothing, see `_Block.fits`."""
        self.used = self.used_high = self.reserved = self.reserved_high = 0
        self.destroyed = False
        self._taken: dict[int, int] = {}
        self._free: list[_Block] = []

    def allocate(self, nbytes: int, stream: Stream) -> int:
        """Give the address of memory that work put into a stream from here on may use. Raises DeviceMemoryError, CaptureError."""
        with self.context.host.lock:
            if stream.capture is not None:
                raise stream.capture.spoil(f"memory cannot be allocated by a graph, and {stream.label} is being captured")
            self.context.host.charge("allocate", self.context.call_fs)
            room = -(-max(nbytes, 1) // ROOM_BYTES) * ROOM_BYTES
            block = next((each for each in self._free if each.fits(room, stream)), None)
            if block is not None:
                self._free.remove(block)
                address = block.address
            else:
                address = self._more(room)
            self._taken[address] = room
            self.used += room
            self.used_high = max(self.used_high, self.used)
            return address

    def _more(self, room: int) -> int:
        if self.most_bytes and self.reserved + room > self.most_bytes:
            self._settle()
            if self.reserved + room > self.most_bytes:
                raise DeviceMemoryError(f"a pool of at most {self.most_bytes} bytes has {self.used} in use, and {room} more are asked", "capacity")
        try:
            address: int = self.context.memory.allocate(room)
        except DeviceMemoryError:
            self._settle()
            address = self.context.memory.allocate(room)
        self.reserved += room
        self.reserved_high = max(self.reserved_high, self.reserved)
        return address

    def _settle(self) -> None:
        """Wait for what uses freed memory, and give it all back."""
        self.context.host.run_until([operation for block in self._free for operation in block.before])
        self.trim(0)

    def release(self, address: int, stream: Stream) -> None:
        """Take memory back behind what a stream has so far. Raises GraphError."""
        with self.context.host.lock:
            if stream.capture is not None:
                raise GraphError(f"no graph has allocated this memory, and {stream.label} is being captured")
            self.context.host.charge("free", self.context.call_fs)
            self._put_back(address, stream, tuple(stream.context.before(stream)))

    def release_now(self, address: int) -> None:
        """Take memory back that nobody uses any more."""
        with self.context.host.lock:
            self._put_back(address, self.context.default, ())

    def _put_back(self, address: int, stream: Stream, before: tuple[Operation, ...]) -> None:
        room = self._taken.pop(address)
        self.used -= room
        self._free.append(_Block(address, room, stream, before))

    def trim(self, keep: int) -> None:
        """Give memory back to the device that nobody uses, so that no more than so many bytes stay, if there is so much of it."""
        with self.context.host.lock:
            for block in [each for each in self._free if each.idle]:
                if self.reserved <= keep:
                    return
                self._free.remove(block)
                self.reserved -= block.room
                self.context.memory.free(block.address)

    def __repr__(self) -> str:
        return f"<Pool of {self.context.label}, {self.used} of {self.reserved} bytes in use>"
