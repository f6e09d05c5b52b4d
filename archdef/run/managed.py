"""Arrays that kernels and the host both use (managed memory, ``cudaMallocManaged``)."""
from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from archdef.errors import DeviceMemoryError, HostError
from archdef.host import managed as moving
from archdef.host.pinned import byte_bounds
from archdef.host.context import context_of
from archdef.run import mapped
from archdef.run.array import DeviceArray, dtype_of, host_array, shape_of
from archdef.run.pointer import Pointer
from archdef.values import flag, shown, whole

if TYPE_CHECKING:
    from archdef.host import Stream
    from archdef.run.memory import Memory


class ManagedArray(DeviceArray):
    """An array that kernels take like any other and the host indexes: ``array[3]``, ``array[:n] = data``, ``np.asarray(array)``.

    Where its pages are is kept, and that they move takes time on the host's clock: see docs/explanation/host.md. The host sees what
    kernels have written by now, so it waits for them first, as on hardware.
    """

    def __init__(self, memory: Memory, shape: int | tuple[int, ...], dtype: DTypeLike):
        self.dtype, self.shape, self.memory = dtype_of(dtype).newbyteorder("<"), shape_of(shape), memory
        context = context_of(memory)
        if context.link.managed is None:
            raise HostError(f"{context.label} has no managed memory: it declares no host_link.managed")
        nbytes = max(1, self.nbytes)
        self.address = memory.allocate(nbytes)
        window = memory.engine.window(self.address, nbytes)
        link = context.link.managed
        self._pages = memory.managed[self.address] = moving.Pages(self.address, nbytes, link.page_bytes, on_device=link.fault_us is None)
        self._release = weakref.finalize(window, _give_back, memory, self._pages)   # the last view of the host is the last to hold it
        self._release.atexit = False
        seen = np.frombuffer(window, "u1")  # type: ignore[call-overload]  # numpy's stubs know the buffers of all classes from Python 3.12 on
        self._host: np.ndarray = seen[:self.nbytes].view(self.dtype).reshape(self.shape)

    @property
    def freed(self) -> bool:
        """Whether the memory was given back."""
        return self.memory.managed.get(self.address) is not self._pages

    # ------------------------------------------------------------------------------------------------------------ the host
    def __getitem__(self, index: Any) -> Any:
        """Read elements; the pages that they lie in come to the host."""
        self._touch(index, write=False)
        found = self._host[index]
        return found.copy() if isinstance(found, np.ndarray) else found

    def __setitem__(self, index: Any, value: ArrayLike) -> None:
        """Write elements; the pages that they lie in come to the host."""
        self._touch(index, write=True)
        self._host[index] = value

    @property
    def host(self) -> np.ndarray:
        """All of it as a numpy array in place, as if the host read and wrote every byte now; what it does with it later costs nothing."""
        self._touch(..., write=True)
        return self._host

    def _in_place(self) -> np.ndarray:
        """Show it to another library (`DeviceArray.__dlpack__`) as the host sees it: its pages come."""
        return self.host

    def copy_from_host(self, array: ArrayLike) -> Self:
        """Fill from a numpy array of the same shape and dtype, as the host's own code would."""
        array = host_array(array)
        self._fits(array.astype(array.dtype.newbyteorder("<"), copy=False))
        self[...] = array
        return self

    def copy_to_host(self, out: np.ndarray | None = None) -> np.ndarray:
        """Copy to a new numpy array, or into `out`, as the host's own code would."""
        found: np.ndarray = self[...]
        if out is None:
            return found
        self._fits(out)
        if not out.flags.writeable:
            raise DeviceMemoryError("cannot copy into an array that is read-only")
        out[...] = found
        return out

    to_host = copy_to_host

    # ----------------------------------------------------------------------------------------------------------- placement
    @property
    def bytes_on_device(self) -> int:
        """Bytes of its allocation that are on the device now."""
        return self._pages.bytes_of(np.flatnonzero(self._pages.there))

    def prefetch(self, stream: Stream | None = None, *, to_host: bool = False, nbytes: int | None = None) -> ManagedArray:
        """Move it to the device, or to the host, in a stream and without page faults (``cudaMemPrefetchAsync``).

        nbytes : only the first so many.

        Raises HostError where the device has no page faults.
        """
        self._alive()
        count = self.nbytes if nbytes is None else whole(nbytes, "nbytes", DeviceMemoryError, at_most=self.nbytes)
        moving.prefetch(context_of(self.memory), self._pages, self._where(0, count), to_host, stream)
        return self

    def read_mostly(self, on: bool = True) -> ManagedArray:
        """Let both sides keep a copy of what they only read (``cudaMemAdviseSetReadMostly``); it counts for the whole allocation."""
        self._alive()
        moving.mostly_read(context_of(self.memory), self._pages, flag(on, "read_mostly", DeviceMemoryError))
        return self

    def begin_unseen(self) -> None:
        """Let a program that is not this process touch it, whose accesses nobody sees."""
        self._pages.begin()

    def see(self) -> bool:
        """Note what such a program has touched of it that the device has not; says whether there is anything left that neither has."""
        self._alive()
        if self._pages.there.all():
            return False
        for start, nbytes in mapped.used_ranges(self.memory.engine.share(self.address), self._pages.nbytes):
            self._pages.found(start, nbytes)
        return True

    def view(self, dtype: DTypeLike) -> ManagedArray:
        """See the same memory as another dtype, with one dimension. Raises DeviceMemoryError unless its size is a multiple of that."""
        seen = dtype_of(dtype).newbyteorder("<")
        if self.nbytes % seen.itemsize:
            raise DeviceMemoryError(f"cannot see {self.nbytes} bytes as {shown(dtype)}")
        other = object.__new__(ManagedArray)
        other.__dict__.update(self.__dict__, dtype=seen, shape=(self.nbytes // seen.itemsize,))
        other._host = self._host.reshape(-1).view("u1").view(seen)
        return other

    def pointer(self, offset: int = 0) -> Pointer:
        """Give the device address of a byte of it."""
        self._alive()
        offset = whole(offset, "offset", DeviceMemoryError, at_most=self.nbytes)
        return Pointer(self.address + offset, self.memory, self.nbytes - offset)

    # ------------------------------------------------------------------------------------------------------------- helpers
    def _touch(self, index: Any, write: bool) -> None:
        self._alive()
        if self.nbytes:
            for where in self._pages_of(index):
                moving.touched_by_host(context_of(self.memory), self._pages, where, write)

    def _pages_of(self, index: Any) -> list[slice]:
        """Give the pages of elements, by numpy's own understanding of an index."""
        if not isinstance(index, tuple):
            index = (index,)
        if all(isinstance(i, (int, np.integer, slice, type(...), type(None))) and not isinstance(i, bool) for i in index):
            seen = self._host[index if ... in index else (*index, ...)]     # a view, also of one element
            if not seen.size:
                return []
            low, high = byte_bounds(seen)
            return [self._where(low - self._host.ctypes.data, high - low)]
        places = np.arange(self.size).reshape(self.shape)[index] * self.dtype.itemsize
        size = self._pages.page_bytes
        first, last = np.unique(places // size), np.unique((places + self.dtype.itemsize - 1) // size)
        return [slice(page, page + 1) for page in np.union1d(first, last).tolist()]

    def _where(self, start: int, nbytes: int) -> slice:
        return self._pages.range(start, nbytes)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("managed memory is seen in place by its property host")
        found: np.ndarray = self[...]
        return found if dtype is None else found.astype(dtype, copy=False)


def _give_back(memory: Memory, pages: moving.Pages) -> None:
    """Free an allocation, unless somebody has."""
    if memory.managed.get(pages.address) is pages:
        memory.free(pages.address)
