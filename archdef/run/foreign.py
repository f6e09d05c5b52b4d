"""Arrays of other libraries as arguments of launches: numpy's, torch's, whatever speaks DLPack or one of the array interfaces.

What lies in host memory is copied to the device for the launch and back behind it, as Numba does with numpy arrays; see `archdef.run.loan`.
What shows memory of this very device (``torch.from_dlpack(device_array)``) is used in place.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from archdef.errors import DeviceMemoryError, LaunchError
from archdef.host.pinned import byte_bounds
from archdef.run import dlpack
from archdef.run.array import DeviceArray, dtype_of
from archdef.run.dlpack import Strided
from archdef.run.memory import Memory

_NUMBERS = (int, float, bytes, np.generic, DeviceArray)
"""What is looked at no further: it is most of all arguments, and numpy's numbers call themselves arrays."""


class Foreign(DeviceArray):
    """Memory of another library as a launch sees it: an array at a device address, which belongs to somebody else."""

    def __init__(self, memory: Memory, address: int, shape: tuple[int, ...], dtype: np.dtype, strides: tuple[int, ...], keep: Any = None):
        self.memory, self.address, self.shape, self.dtype, self.keep = memory, address, shape, dtype, keep
        self.strides = strides
        """Bytes from an element to the next, in each dimension."""

    @property
    def freed(self) -> bool:
        """Never: it lasts as long as the launch."""
        return False

    def free(self) -> None:
        """Do nothing: the memory belongs to somebody else."""


def is_foreign(argument: Any) -> bool:
    """Whether an argument is an array of another library."""
    if isinstance(argument, _NUMBERS):
        return False
    if isinstance(argument, (np.ndarray, Strided)):
        return isinstance(argument, Strided) or bool(argument.ndim)
    return hasattr(argument, "__dlpack__") or hasattr(argument, "__cuda_array_interface__") or hasattr(argument, "__array_interface__")


def seen(argument: Any, memory: Memory) -> Strided | Foreign:
    """Say where the memory of an argument lies: in this process, or already on the device. Raises LaunchError."""
    if isinstance(argument, Strided):
        return argument
    if isinstance(argument, np.ndarray):
        return _of_numpy(argument)
    if (interface := getattr(argument, "__cuda_array_interface__", None)) is not None:
        return _on_device(interface, memory, argument)
    if hasattr(argument, "__dlpack__"):
        return dlpack.read(argument.detach() if hasattr(argument, "detach") else argument)      # torch exports nothing that wants a gradient
    return _of_numpy(np.asarray(argument))


def whole(strided: Strided, argument: Any) -> tuple[int, int]:
    """Give the bounds of the allocation that an array is a view of, as far as its library tells."""
    low, high = strided.bounds
    if hasattr(argument, "untyped_storage"):
        storage = argument.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    while isinstance(argument, np.ndarray):
        low, high = byte_bounds(argument)
        argument = argument.base
    return low, high


def _of_numpy(array: np.ndarray) -> Strided:
    if array.dtype.byteorder == ">" or array.dtype.hasobject or not array.dtype.itemsize:
        raise LaunchError(f"got an array of {array.dtype}, which is nothing that a kernel can read in place")
    return Strided(array.ctypes.data, array.shape, array.strides, array.dtype, not array.flags.writeable, array)


def _on_device(interface: Any, memory: Memory, argument: Any) -> Foreign:
    """Check what an object says of device memory: it must be of this device, all of it."""
    try:
        shape, dtype, address = tuple(map(int, interface["shape"])), dtype_of(interface["typestr"]), int(interface["data"][0])
        strides = interface.get("strides")
    except (KeyError, TypeError, ValueError, DeviceMemoryError) as error:
        raise LaunchError(f"has a __cuda_array_interface__ that cannot be read: {error}") from error
    strides = tuple(strides or dlpack.contiguous(shape, dtype.itemsize))
    low, high = Strided(address, shape, strides, dtype, False, None).bounds
    if high > low:
        try:
            memory.engine.window(low, high - low)
        except (DeviceMemoryError, OverflowError):
            raise LaunchError(f"points to {address:#x}, where this device has no array of {high - low} bytes") from None
    return Foreign(memory, address, shape, dtype, strides, argument)
