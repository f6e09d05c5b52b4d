"""Arrays in device memory."""
from __future__ import annotations

import math
import weakref

import numpy as np

from archdef.errors import DeviceMemoryError


class DeviceArray:
    """A C-contiguous array in the memory of one device; freed when the last reference goes, or by `free`."""

    def __init__(self, memory, shape: int | tuple[int, ...], dtype):
        self.dtype = np.dtype(dtype)
        if self.dtype.hasobject:
            raise DeviceMemoryError(f"device memory cannot hold Python objects (dtype {self.dtype})")
        self.shape = (int(shape),) if np.ndim(shape) == 0 else tuple(int(n) for n in shape)
        if any(n < 0 for n in self.shape):
            raise DeviceMemoryError(f"shape must not be negative, got {self.shape}")
        self.memory = memory
        self.address: int = memory.allocate(max(1, self.nbytes))
        """Device address of the first element."""
        self._release = weakref.finalize(self, memory.free, self.address)
        self._release.atexit = False

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def freed(self) -> bool:
        """Whether the memory was given back."""
        return not self._release.alive

    def copy_from_host(self, array) -> DeviceArray:
        """Fill from a numpy array of the same shape and dtype.

        Raises DeviceMemoryError if shape or dtype differ.
        """
        array = np.asarray(array)
        if array.shape != self.shape or array.dtype != self.dtype:
            raise DeviceMemoryError(f"cannot copy {_kind(array)} into {_kind(self)}: shape and dtype must be the same")
        self._alive()
        if self.nbytes:
            self.memory.write(self.address, np.ascontiguousarray(array).reshape(-1).view("u1"))
        return self

    def copy_to_host(self, out: np.ndarray | None = None) -> np.ndarray:
        """Copy to a new numpy array, or into `out` of the same shape and dtype."""
        self._alive()
        if out is not None and (out.shape != self.shape or out.dtype != self.dtype):
            raise DeviceMemoryError(f"cannot copy {_kind(self)} into {_kind(out)}: shape and dtype must be the same")
        host = np.empty(self.shape, self.dtype)
        if self.nbytes:
            self.memory.read(self.address, host.reshape(-1).view("u1"))
        if out is None:
            return host
        out[...] = host
        return out

    to_host = copy_to_host

    def zero(self) -> DeviceArray:
        """Set every byte to zero."""
        self._alive()
        if self.nbytes:
            self.memory.fill(self.address, self.nbytes, 0)
        return self

    def free(self) -> None:
        """Give the memory back; a second call does nothing."""
        self._release()

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        if copy is False:
            raise ValueError("device memory cannot be seen as a numpy array without a copy")
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype, copy=False)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __repr__(self) -> str:
        state = "freed" if self.freed else f"at {self.address:#x}"
        return f"<DeviceArray {self.dtype} {self.shape} {state}>"

    def _alive(self) -> None:
        if self.freed:
            raise DeviceMemoryError(f"the device array of {_kind(self)} was freed")


def _kind(array) -> str:
    return f"{array.dtype}[{', '.join(map(str, array.shape))}]"
