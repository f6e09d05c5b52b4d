"""Memory in the order of streams, and its pools, in the runtime's way."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from archdef import values
from archdef.errors import ArchdefError
from archdef.host.pools import Pool
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.host import Stream
    from archdef.host.context import Context
    from archdef.device import Device
    from archdef.runtime.devices import Devices

THRESHOLD, RESERVED, RESERVED_HIGH, USED, USED_HIGH = 4, 5, 6, 7, 8
REUSE: Final = (1, 2, 3)
READ_WRITE: Final = 3
_READ: Final[dict[int, Callable[[Pool], int]]] = {
    THRESHOLD: lambda pool: pool.threshold, RESERVED: lambda pool: pool.reserved, RESERVED_HIGH: lambda pool: pool.reserved_high,
    USED: lambda pool: pool.used, USED_HIGH: lambda pool: pool.used_high}


class PoolCalls:
    """The part of a runtime that allocates in the order of streams."""

    if TYPE_CHECKING:
        devices: Devices

        def _stream(self, stream: Stream | int | None, context: Context | None = None) -> Stream: ...
        def device(self, number: int | None = None) -> Device: ...
        def _capture_allocation(self, size: int, stream: Stream, context: Context) -> Pointer: ...
        def _in_graph(self, pointer: object) -> bool: ...
        def _free_of_graph(self, pointer: object, stream: Stream | None) -> None: ...

    def __init__(self) -> None:
        self._pooled: dict[tuple[int, int], Pool] = {}
        super().__init__()

    def MallocAsync(self, size: int, stream: Stream | int | None = None) -> Pointer:
        """Allocate from the pool of a stream's device; what is put into the stream from here on may use it. In a stream that is captured, the graph
        allocates at each launch."""
        found = self._stream(stream)
        if found.capture is not None:
            return self._capture_allocation(size, found, found.context)
        return self._from_pool(found.context.pool, size, found)

    def MallocFromPoolAsync(self, size: int, pool: Pool, stream: Stream | int | None = None) -> Pointer:
        """Allocate from a pool."""
        found = self._stream(stream, self._pool(pool).context)
        if found.context is not pool.context:
            raise Refusal("InvalidValue", f"{pool!r} is not of the device of {found.label}")
        if found.capture is not None:
            return self._capture_allocation(size, found, found.context)
        return self._from_pool(pool, size, found)

    def FreeAsync(self, pointer: Pointer, stream: Stream | int | None = None) -> None:
        """Give memory back to its pool behind what a stream has so far."""
        memory: Any = getattr(pointer, "memory", None)
        if self._in_graph(pointer):
            self._free_of_graph(pointer, self._stream(stream, memory.context))
            return
        place = id(memory), int(pointer) if isinstance(pointer, int) else -1
        pool = self._pooled.get(place)
        if pool is None:
            raise Refusal("InvalidValue", f"{values.shown(pointer)} was not given by MallocAsync, or was freed")
        into = self._stream(stream, memory.context)
        self._pooled.pop(place, None)       # before another thread is given it
        try:
            pool.release(int(pointer), into)
        except ArchdefError:
            self._pooled[place] = pool
            raise

    def _from_pool(self, pool: Pool, size: int, stream: Stream) -> Pointer:
        if size < 0:
            raise Refusal("InvalidValue", f"{size} bytes")
        memory, address = pool.context.memory, pool.allocate(size, stream)
        self._pooled[id(memory), address] = pool
        return Pointer(address, memory, size)

    def _free_pooled(self, memory: Any, address: int) -> bool:
        """Give back what Free was asked to, if it is of a pool."""
        pool = self._pooled.pop((id(memory), address), None)
        if pool is None:
            return False
        pool.context.host.wait("free", list(pool.context.holding), [])
        pool.release_now(address)
        return True

    def _forget_pools(self, memory: Any) -> None:
        """Let a device have new pools, after a reset."""
        for number, address in [key for key in self._pooled if key[0] == id(memory)]:
            self._pooled.pop((number, address)).release_now(address)
        if memory.context is not None:
            for pool in memory.context.pools:
                pool.trim(0)
            memory.context.forget_pools()
            memory.context.graph_memory.reset()

    # -------------------------------------------------------------------------------------------------------------- pools
    def MemPoolCreate(self, device: int | None = None, size: int = 0) -> Pool:
        """Make a pool on a device; `size` is the most that it may take, 0: no bound."""
        if size < 0:
            raise Refusal("InvalidValue", f"a pool of at most {size} bytes")
        return self.device(device).context.new_pool(size)

    def MemPoolDestroy(self, pool: Pool) -> None:
        """Give a pool up; allocations of it stay until they are freed."""
        context = self._pool(pool).context
        if pool is context.default_pool:
            raise Refusal("InvalidValue", "the default pool of a device cannot be destroyed")
        pool.destroyed = True
        pool.threshold = 0
        pool.trim(0)
        if context.pool is pool:
            context.pool = context.default_pool

    def MemPoolTrimTo(self, pool: Pool, size: int) -> None:
        """Let a pool give back to the device what nobody uses, down to so many bytes."""
        if size < 0:
            raise Refusal("InvalidValue", f"{size} bytes")
        self._pool(pool).context.host.catch_up()
        pool.trim(size)

    def MemPoolGetAttribute(self, pool: Pool, attribute: int) -> int:
        """Give an attribute: 1 to 3 rules of reuse, 4 release threshold, 5 and 6 bytes reserved now and at most, 7 and 8 bytes used."""
        if attribute in REUSE:
            return self._pool(pool).reuse[attribute]
        if attribute not in _READ:
            raise Refusal("InvalidValue" if not 0 < attribute < 16 else "NotSupported", f"attribute {attribute} of a pool")
        return _READ[attribute](self._pool(pool))

    def MemPoolSetAttribute(self, pool: Pool, attribute: int, value: int) -> None:
        """Set an attribute: rules of reuse, the release threshold, or a maximum, which can be set to 0 only."""
        self._pool(pool)
        if attribute in REUSE and value in (0, 1):
            pool.reuse[attribute] = value
        elif attribute == THRESHOLD and value >= 0:
            pool.threshold = value
        elif attribute == RESERVED_HIGH and not value:
            pool.reserved_high = pool.reserved
        elif attribute == USED_HIGH and not value:
            pool.used_high = pool.used
        else:
            raise Refusal("InvalidValue", f"attribute {attribute} of a pool cannot be {value}")

    def MemPoolSetAccess(self, pool: Pool, device: int, flags: int) -> None:
        """Let a device reach a pool's memory. Its own always does; kernels of others reach no memory of it here."""
        if self.device(device).context is self._pool(pool).context:
            if flags != READ_WRITE:
                raise Refusal("InvalidValue", "a device's access to its own pools cannot be taken away")
        elif flags:
            raise Refusal("NotSupported", "kernels reach the memory of their own device only: copy between devices instead")

    def MemPoolGetAccess(self, pool: Pool, device: int) -> int:
        """Say how a device may reach a pool's memory: 0 not, 3 to read and write."""
        return READ_WRITE if self.device(device).context is self._pool(pool).context else 0

    def DeviceGetDefaultMemPool(self, device: int | None = None) -> Pool:
        """Give the pool that a device has from the start."""
        return self.device(device).context.default_pool

    def DeviceGetMemPool(self, device: int | None = None) -> Pool:
        """Give the pool that MallocAsync takes memory from."""
        return self.device(device).context.pool

    def DeviceSetMemPool(self, device: int, pool: Pool) -> None:
        """Let MallocAsync take memory from a pool of the device."""
        context = self.device(device).context
        if self._pool(pool).context is not context:
            raise Refusal("InvalidValue", f"{pool!r} is of another device")
        context.pool = pool

    @staticmethod
    def _pool(pool: object) -> Pool:
        if not isinstance(pool, Pool) or pool.destroyed:
            raise Refusal("InvalidValue", f"{values.shown(pool)} is no pool of memory, or was destroyed")
        return pool
