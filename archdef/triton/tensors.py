"""Arrays that are no tensors, as Triton takes them."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from archdef.errors import LaunchError
from archdef.run.array import DeviceArray
from archdef.values import shown


class Tensor:
    """A numpy array or a device array under the names that Triton asks for; the memory stays the array's."""

    def __init__(self, array: np.ndarray | DeviceArray):
        self.array = array
        """What it was made of."""

    @property
    def dtype(self) -> np.dtype:
        """Type of an element."""
        return self.array.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each dimension."""
        return self.array.shape

    def data_ptr(self) -> int:
        """Give the address of the first element: Triton asks whether it is a multiple of 16."""
        return self.array.address if isinstance(self.array, DeviceArray) else self.array.ctypes.data

    def element_size(self) -> int:
        """Give the bytes of an element."""
        return self.dtype.itemsize

    def numel(self) -> int:
        """Give the number of elements."""
        return math.prod(self.shape)

    def stride(self, dimension: int | None = None) -> Any:
        """Give the elements from one to the next, along one dimension or along all."""
        strides = getattr(self.array, "strides", None)
        if strides is None:
            strides = [math.prod(self.shape[k + 1:]) * self.element_size() for k in range(len(self.shape))]
        elements = tuple(n // self.element_size() for n in strides)
        return elements if dimension is None else elements[dimension]

    def zero_(self) -> Tensor:
        """Set all elements to zero, as ``reset_to_zero`` of ``triton.autotune`` asks."""
        return self.copy_(Tensor(np.zeros(self.shape, self.dtype)))

    def clone(self) -> Tensor:
        """Copy to a new numpy array, as ``restore_value`` of ``triton.autotune`` asks."""
        return Tensor(self.array.copy_to_host() if isinstance(self.array, DeviceArray) else self.array.copy())

    def copy_(self, other: Tensor) -> Tensor:
        """Fill from another one of the same shape and dtype."""
        source = np.asarray(other.array)
        if isinstance(self.array, DeviceArray):
            self.array.copy_from_host(source)
        else:
            self.array[...] = source
        return self

    def __repr__(self) -> str:
        return f"<Tensor of {shown(self.array)}>"


def tensor(array: ArrayLike | DeviceArray) -> Tensor:
    """Let Triton take an array: a numpy array, whose memory is used in place, or a device array.

    Raises LaunchError for anything else; torch's tensors need no wrapper.
    """
    if not isinstance(array, (np.ndarray, DeviceArray)):
        raise LaunchError(f"tensor takes a numpy array or a device array, got {shown(array)}")
    return Tensor(array)
