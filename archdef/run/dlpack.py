"""What a DLPack capsule says: the memory of another library's array, without a copy and without that library.

Numbers that numpy has no type for (bfloat16, floats of eight bits) come as unsigned integers of their size. The layout is that of ``dlpack.h``, 1.0.
"""
from __future__ import annotations

import ctypes
import math
from typing import Any

import attrs
import numpy as np

from archdef.errors import LaunchError

CPU = 1
"""``kDLCPU``: memory of this process."""
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
"""Code of a type → numpy's letter; all others are bits."""
_READ_ONLY = 1


class _Tensor(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64))


class _Versioned(ctypes.Structure):
    _fields_ = (("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", _Tensor))


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, (ctypes.py_object, ctypes.c_char_p)


@attrs.frozen(eq=False)
class Strided:
    """Memory with a shape."""

    address: int
    """Of the first element, in this process."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """Bytes from an element to the next."""
    dtype: np.dtype
    read_only: bool
    keep: Any
    """What has to live as long as the memory is used."""

    @property
    def bounds(self) -> tuple[int, int]:
        """Addresses of the lowest byte, and of the one behind the highest."""
        if 0 in self.shape:
            return self.address, self.address
        reach = [(n - 1) * stride for n, stride in zip(self.shape, self.strides, strict=True)]
        return self.address + sum(r for r in reach if r < 0), self.address + sum(r for r in reach if r > 0) + self.dtype.itemsize


def read(array: Any) -> Strided:
    """Ask an object for its capsule and read it. Raises LaunchError where its memory is none of this process's."""
    try:
        kind, _ = array.__dlpack_device__()
    except (BufferError, RuntimeError, ValueError) as error:
        raise LaunchError(f"has no memory that DLPack knows: {error}") from error
    if int(kind) != CPU:
        raise LaunchError(f"lies in memory of a device that is not simulated (DLPack device type {int(kind)}); copy it to the host")
    try:
        try:
            capsule = array.__dlpack__(max_version=(1, 0))
        except TypeError:                   # older than version 1.0
            capsule = array.__dlpack__()
    except (BufferError, RuntimeError, ValueError) as error:
        raise LaunchError(f"gives no DLPack capsule: {error}") from error
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = ctypes.cast(_pointer_of(capsule, b"dltensor_versioned"), ctypes.POINTER(_Versioned)).contents
        if versioned.major != 1:
            raise LaunchError(f"gives a DLPack capsule of version {versioned.major}.{versioned.minor}; 1 is known")
        return _strided(versioned.tensor, bool(versioned.flags & _READ_ONLY), capsule)
    return _strided(ctypes.cast(_pointer_of(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents, False, capsule)


def _strided(tensor: _Tensor, read_only: bool, capsule: Any) -> Strided:
    if tensor.lanes != 1 or tensor.bits % 8:
        raise LaunchError(f"has elements of {tensor.lanes} times {tensor.bits} bits, which no numpy type has")
    size = tensor.bits // 8
    dtype = np.dtype("?" if _KINDS.get(tensor.code) == "b" else f"{_KINDS.get(tensor.code, 'u')}{size}")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    if tensor.strides:
        strides = tuple(tensor.strides[i] * size for i in range(tensor.ndim))
    else:
        strides = contiguous(shape, size)
    return Strided((tensor.data or 0) + tensor.byte_offset, shape, strides, dtype, read_only, capsule)


def contiguous(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Give the strides of an array in C order."""
    return tuple(math.prod(shape[i + 1:]) * itemsize for i in range(len(shape)))
