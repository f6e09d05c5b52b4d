"""Arrays in device memory."""
from __future__ import annotations

import functools
import math
import weakref
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from archdef import values
from archdef.errors import DeviceMemoryError, HostError
from archdef.host.context import context_of
from archdef.run import dlpack

if TYPE_CHECKING:
    from archdef.host import Stream
    from archdef.host.context import Context
    from archdef.run.memory import Memory

MOST_BYTES = (1 << 63) - 1
"""Largest number that an address can be."""


class DeviceArray:
    """A C-contiguous array in the memory of one device; freed when the last reference goes, or by `free`.

    Devices are little-endian: so is every `dtype`, and what is copied from and to arrays of the other byte order is converted.
    """

    def __init__(self, memory: Memory, shape: int | tuple[int, ...], dtype: DTypeLike):
        self.dtype = dtype_of(dtype).newbyteorder("<")
        self.shape = shape_of(shape)
        self.memory = memory
        self.address: int = memory.allocate(max(1, self.nbytes))
        """Device address of the first element."""
        self._release: weakref.finalize[..., Any] = weakref.finalize(self, memory.free, self.address)
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

    def copy_from_host(self, array: ArrayLike) -> Self:
        """Fill from a numpy array of the same shape and dtype.

        Raises DeviceMemoryError if shape or dtype differ.
        """
        array = host_array(array)
        if array.shape != self.shape or array.dtype.newbyteorder("<") != self.dtype:
            raise DeviceMemoryError(f"cannot copy {_kind(array)} into {_kind(self)}: shape and dtype must be the same")
        array = array.astype(self.dtype, copy=False)
        self._alive()
        if self.nbytes:
            if self.memory.context is not None:
                self.memory.context.to_device(self.address, array, None, wait=True)
            else:
                self.memory.write(self.address, np.ascontiguousarray(array).reshape(-1).view("u1"))
        return self

    def copy_to_host(self, out: np.ndarray | None = None) -> np.ndarray:
        """Copy to a new numpy array, or into `out` of the same shape and dtype."""
        self._alive()
        if out is not None:
            if not isinstance(out, np.ndarray) or out.shape != self.shape or out.dtype.newbyteorder("<") != self.dtype:
                raise DeviceMemoryError(f"cannot copy {_kind(self)} into {_kind(out)}: shape and dtype must be the same")
            _writable(out)
        host = np.empty(self.shape, self.dtype)
        if self.nbytes:
            if self.memory.context is not None:
                self.memory.context.to_host(host, self.address, None, wait=True)
            else:
                self.memory.read(self.address, host.reshape(-1).view("u1"))
        if out is None:
            return host
        out[...] = host
        return out

    to_host = copy_to_host

    def zero(self, stream: Stream | None = None) -> DeviceArray:
        """Set every byte to zero: at once, or in a stream."""
        return self.fill_bytes(0, stream)

    def fill_bytes(self, byte: int, stream: Stream | None = None) -> DeviceArray:
        """Set every byte to one value, as ``cudaMemset`` does: at once, or in a stream."""
        self._alive()
        byte = values.whole(byte, "the value of fill_bytes", DeviceMemoryError, at_most=255)
        context = self._side(stream)
        if context is not None:
            operation = context.fill(self.address, self.nbytes, byte, stream)
            if stream is None and operation is not None:
                context.host.wait("memset", [operation], [context])
        elif self.nbytes:
            self.memory.fill(self.address, self.nbytes, byte)
        return self

    # ----------------------------------------------------------------------------------------------------------- streams
    def copy_from(self, source: np.ndarray | DeviceArray, stream: Stream | None = None) -> Self:
        """Fill from a numpy array, or from an array of this or another device, of the same shape and dtype.

        stream : put the copy there and go on. From page-locked memory (`Device.pinned`) the bytes are read when the copy ends, so
                 leave them alone until then; from ordinary memory the call waits, unless the copy is small enough to be staged.

        Raises DeviceMemoryError if shape or dtype differ.
        """
        if not isinstance(source, DeviceArray):
            if stream is None:
                return self.copy_from_host(source)
            source = host_array(source)
        self._fits(source)
        self._alive()
        context = self._side(stream, getattr(source, "memory", None))
        if not isinstance(source, DeviceArray):
            context_of(self.memory).to_device(self.address, source, stream)
            return self
        source._alive()
        if context is None and source.memory.context is None:
            if self.nbytes:
                self.copy_from_host(source.copy_to_host())
        elif source.memory is self.memory:
            context = context_of(self.memory)
            operation = context.within(self.address, source.address, self.nbytes, stream)
            if stream is None and operation is not None:
                context.host.wait("copy within device", [operation], [context])
        else:
            context_of(self.memory).from_peer(self.address, context_of(source.memory), source.address, self.nbytes, stream)
            if stream is None:
                context_of(self.memory).default.synchronize()
        return self

    def copy_to(self, out: np.ndarray | DeviceArray, stream: Stream | None = None) -> np.ndarray | DeviceArray:
        """Copy into a numpy array, or an array of this or another device, of the same shape and dtype.

        stream : put the copy there and go on; page-locked memory is filled when the copy ends, ordinary memory makes the call wait.
        """
        if isinstance(out, DeviceArray):
            return out.copy_from(self, stream)
        if stream is None:
            return self.copy_to_host(out)
        self._fits(out)
        _writable(out)
        self._alive()
        self._side(stream)
        context_of(self.memory).to_host(out, self.address, stream)
        return out

    def _fits(self, other: object) -> None:
        if not isinstance(other, (np.ndarray, DeviceArray)) or other.shape != self.shape or other.dtype != self.dtype:
            raise DeviceMemoryError(f"cannot copy between {_kind(other)} and {_kind(self)}: shape and dtype must be the same")

    def _side(self, stream: Stream | None, also: Memory | None = None) -> Context | None:
        """Give the host model of the device; None if it is not in use. A stream must be of this device, or that of the memory `also`."""
        if stream is None:
            return self.memory.context
        if getattr(getattr(stream, "context", None), "memory", None) is None:
            raise HostError(f"a stream is made by Device.stream(), got {values.shown(stream)}")
        if stream.context.memory not in (self.memory, also):
            raise HostError(f"{stream!r} is of another device than the array")
        return self.memory.context

    def free(self) -> None:
        """Give the memory back; a second call does nothing. Raises DeviceMemoryError while an array of another library shows it."""
        if len(self._shown):
            raise DeviceMemoryError(f"cannot free the device array of {_kind(self)} while it is shown by {len(self._shown)} "
                                    f"array{'s' * (len(self._shown) > 1)} of the host, which DLPack made")
        self._release()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("device memory cannot be seen as a numpy array without a copy")
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype, copy=False)

    # -------------------------------------------------------------------------------------------------- other libraries
    @functools.cached_property
    def _shown(self) -> weakref.WeakSet[Any]:
        """Windows through which the host sees the memory."""
        return weakref.WeakSet()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Where it lies, version 3: a device address, to be passed on to kernels of this device; what streams had to do is done."""
        self._alive()
        if self.memory.context is not None:
            self.memory.context.synchronize()
        record = {"descr": self.dtype.descr} if self.dtype.names else {}
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (int(self.address), False), "strides": None, "version": 3, "stream": None, **record}

    def __dlpack_device__(self) -> tuple[int, int]:
        """Memory of a simulated device is memory of this process: ``kDLCPU``."""
        return dlpack.CPU, 0

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None,
                   copy: bool | None = None) -> Any:
        """Show the memory in place to numpy, torch and others, as memory of the host: ``numpy.from_dlpack(array)``.

        Neither side copies: what the one writes the other reads. What streams had to do by now is done; before you look at what later launches into
        streams wrote, synchronize. The memory stays the array's as long as anyone sees it.

        Raises BufferError for another device than the CPU: nothing there could read it.
        """
        if dl_device is not None and tuple(map(int, dl_device)) != self.__dlpack_device__():
            raise BufferError(f"the memory of a simulated device lies in this process, on DLPack's device (1, 0), and cannot be had on {tuple(dl_device)}")
        given = {"stream": stream, "max_version": max_version, "copy": copy}
        return self._in_place().__dlpack__(**{name: value for name, value in given.items() if value is not None})

    def _in_place(self) -> np.ndarray:
        """See the memory as a numpy array that keeps it."""
        self._alive()
        if self.memory.context is not None:
            self.memory.context.synchronize()
        if not self.nbytes:
            return np.empty(self.shape, self.dtype)
        window = self.memory.engine.window(self.address, self.nbytes)
        self._shown.add(window)
        weakref.finalize(window, DeviceArray._unseen, self).atexit = False      # holds the array until then
        seen: np.ndarray = np.frombuffer(window, "u1").view(self.dtype).reshape(self.shape)  # type: ignore[call-overload]
        return seen

    def _unseen(self) -> None:
        """Do nothing: being called at the end is why it is held until then."""

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


def shape_of(shape: object) -> tuple[int, ...]:
    """Complete a shape: one number, or a list of them. Raises DeviceMemoryError."""
    sizes = shape if isinstance(shape, (tuple, list)) or isinstance(shape, np.ndarray) and shape.ndim == 1 else (shape,)
    return tuple(values.whole(n, "shape: each of its sizes", DeviceMemoryError, at_most=MOST_BYTES) for n in sizes)


def dtype_of(dtype: DTypeLike) -> np.dtype:
    """Give a numpy type that memory can hold. Raises DeviceMemoryError."""
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError, OverflowError) as error:  # numpy's own ways to say that it is none
        raise DeviceMemoryError(f"dtype must be a numpy type such as 'f4', got {values.shown(dtype)}") from error
    if found.hasobject or not found.itemsize:
        what = "Python objects" if found.hasobject else "elements without a size"
        raise DeviceMemoryError(f"device memory cannot hold {what} (dtype {found})")
    return found


def host_array(given: ArrayLike) -> np.ndarray:
    """Give what makes a numpy array as one. Raises DeviceMemoryError."""
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise DeviceMemoryError("device memory has no masked elements; fill them first: array.filled(value)")
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, OverflowError) as error:  # lists of uneven lengths, or of what numpy takes no arrays of
        raise DeviceMemoryError(f"{values.shown(given)} makes no numpy array: {error}") from error
    dtype_of(array.dtype)
    return array


def _writable(out: np.ndarray) -> None:
    if not out.flags.writeable:
        raise DeviceMemoryError(f"cannot copy into {_kind(out)}: the array is read-only")


def _kind(array: object) -> str:
    if not hasattr(array, "dtype") or not hasattr(array, "shape"):
        return f"a {type(array).__name__}"
    return f"{array.dtype}[{', '.join(map(str, array.shape))}]"
