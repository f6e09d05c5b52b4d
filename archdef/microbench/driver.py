"""The few calls of the CUDA driver that measuring needs, by ctypes: memory, modules, launches, events, arrays, textures, surfaces."""
from __future__ import annotations

import ctypes
import datetime
from collections.abc import Sequence
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

from archdef.errors import ArchdefError, CompileError

FORMATS = {"u1": 1, "u2": 2, "u4": 3, "i1": 8, "i2": 9, "i4": 10, "f2": 0x10, "f4": 0x20}
"""Element type → CUarray_format."""
ADDRESSES = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}
LAYERED, SURFACE, CUBE, GATHER = 1, 2, 4, 8
"""Flags of CUDA_ARRAY3D_DESCRIPTOR."""


class _ArrayDescriptor(ctypes.Structure):
    _fields_ = [("width", c_size_t), ("height", c_size_t), ("depth", c_size_t), ("format", c_int), ("channels", c_uint), ("flags", c_uint)]


def _end(name: str) -> list[tuple[str, Any]]:
    return [(f"{name}_x", c_size_t), (f"{name}_y", c_size_t), (f"{name}_z", c_size_t), (f"{name}_level", c_size_t),
            (f"{name}_type", c_int), (f"{name}_host", c_void_p), (f"{name}_device", c_uint64), (f"{name}_array", c_void_p),
            (f"{name}_reserved", c_void_p), (f"{name}_pitch", c_size_t), (f"{name}_height", c_size_t)]


class _Copy(ctypes.Structure):
    _fields_ = [*_end("src"), *_end("dst"), ("width", c_size_t), ("height", c_size_t), ("depth", c_size_t)]


class _Resource(ctypes.Structure):
    class _Union(ctypes.Union):
        class _Linear(ctypes.Structure):
            _fields_ = [("pointer", c_uint64), ("format", c_int), ("channels", c_uint), ("size", c_size_t)]

        class _Pitch(ctypes.Structure):
            _fields_ = [("pointer", c_uint64), ("format", c_int), ("channels", c_uint), ("width", c_size_t), ("height", c_size_t),
                        ("pitch", c_size_t)]

        _fields_ = [("array", c_void_p), ("linear", _Linear), ("pitch", _Pitch), ("reserved", c_int * 32)]

    _fields_ = [("kind", c_int), ("of", _Union), ("flags", c_uint)]


class _Sampling(ctypes.Structure):
    _fields_ = [("address", c_int * 3), ("filter", c_int), ("flags", c_uint), ("anisotropy", c_uint), ("mip_filter", c_int),
                ("bias", c_float), ("least", c_float), ("most", c_float), ("border", c_float * 4), ("reserved", c_int * 12)]


class NoGpu(ArchdefError):
    """There is no NVIDIA driver here, or no GPU that it can use."""


class DriverError(RuntimeError):
    """A call of the driver failed: its name, the code, and what the driver says of it."""

    def __init__(self, call: str, code: int, text: str):
        self.call, self.code = call, code
        super().__init__(f"{call} gave {code}: {text}")


class Gpu:
    """The first GPU of this machine."""

    def __init__(self) -> None:
        """Take the GPU's primary context. Raises NoGpu."""
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise NoGpu(f"no NVIDIA driver is installed here: {error}") from None
        device, context = c_int(), c_void_p()
        try:
            self("cuInit", 0)
            self("cuDeviceGet", byref(device), 0)
            self("cuDevicePrimaryCtxRetain", byref(context), device)
        except DriverError as error:
            raise NoGpu(f"the NVIDIA driver offers no GPU: {error}") from None
        self("cuCtxSetCurrent", context)
        self.device = device

    def __call__(self, name: str, *arguments: Any) -> None:
        code = getattr(self.library, name)(*arguments)
        if code:
            said = ctypes.c_char_p()
            self.library.cuGetErrorString(code, byref(said))
            raise DriverError(name, code, (said.value or b"unknown error").decode())

    def name(self) -> str:
        """The product's name."""
        name = ctypes.create_string_buffer(100)
        self("cuDeviceGetName", name, 100, self.device)
        return name.value.decode()

    def driver(self) -> str:
        """Versions of CUDA and of the kernel's module."""
        version = c_int()
        self("cuDriverGetVersion", byref(version))
        module = Path("/proc/driver/nvidia/version")
        return f"CUDA {version.value}; {module.read_text().splitlines()[0] if module.exists() else ''}"

    def describe(self) -> str:
        """Name, versions and today's date."""
        return f"{self.name()}; {self.driver()}; {datetime.date.today()}"  # noqa: DTZ011  where it is measured

    def attribute(self, number: int) -> int:
        """A CUdevice_attribute."""
        value = c_int()
        self("cuDeviceGetAttribute", byref(value), number, self.device)
        return value.value

    # --------------------------------------------------------------------------------------------------- memory and launches
    def allocate(self, nbytes: int) -> c_uint64:
        """Global memory."""
        pointer = c_uint64()
        self("cuMemAlloc_v2", byref(pointer), c_size_t(nbytes))
        return pointer

    def send(self, data: np.ndarray) -> c_uint64:
        """A copy in global memory."""
        data = np.ascontiguousarray(data)
        pointer = self.allocate(data.nbytes)
        self("cuMemcpyHtoD_v2", pointer, c_void_p(data.ctypes.data), c_size_t(data.nbytes))
        return pointer

    def fetch(self, pointer: c_uint64, data: np.ndarray) -> np.ndarray:
        """Fill an array from global memory."""
        self("cuMemcpyDtoH_v2", c_void_p(data.ctypes.data), pointer, c_size_t(data.nbytes))
        return data

    def load(self, image: bytes) -> c_void_p:
        """A module of a cubin or of PTX."""
        module = c_void_p()
        self("cuModuleLoadData", byref(module), image)
        return module

    def assemble(self, ptx: str) -> c_void_p:
        """A module of PTX, which the driver compiles. Raises CompileError with the driver's log."""
        module, log = c_void_p(), ctypes.create_string_buffer(4096)
        options, values = (c_int * 2)(5, 6), (c_void_p * 2)(ctypes.addressof(log), len(log))  # CU_JIT_ERROR_LOG_BUFFER and its size
        try:
            self("cuModuleLoadDataEx", byref(module), ptx.encode() + b"\0", 2, options, values)
        except DriverError as error:
            raise CompileError(f"{error}\n{log.value.decode(errors='replace')}".strip()) from None
        return module

    def function(self, module: c_void_p, name: str) -> c_void_p:
        """A kernel of a module."""
        kernel = c_void_p()
        self("cuModuleGetFunction", byref(kernel), module, name.encode())
        return kernel

    def variable(self, module: c_void_p, name: str) -> c_uint64:
        """Where a variable of a module lies."""
        pointer, size = c_uint64(), c_size_t()
        self("cuModuleGetGlobal_v2", byref(pointer), byref(size), module, name.encode())
        return pointer

    def launch(self, module: c_void_p, name: str, grid: int | tuple[int, ...], block: int | tuple[int, ...], *arguments: Any, shared_bytes: int = 0) -> None:
        """Run a kernel with ctypes values and wait for it."""
        self.start(self.function(module, name), grid, block, *arguments, shared_bytes=shared_bytes)
        self("cuCtxSynchronize")

    def start(self, kernel: c_void_p, grid: int | tuple[int, ...], block: int | tuple[int, ...], *arguments: Any, shared_bytes: int = 0) -> None:
        """Put a kernel with ctypes values into the default stream."""
        pointers = (c_void_p * len(arguments))(*(ctypes.addressof(a) for a in arguments))
        sizes = [n for size in (grid, block) for n in (*(size if isinstance(size, tuple) else (size,)), 1, 1)[:3]]
        self("cuLaunchKernel", kernel, *sizes, shared_bytes, None, pointers, None)

    def event(self) -> c_void_p:
        """An event, to be recorded in the default stream."""
        event = c_void_p()
        self("cuEventCreate", byref(event), 0)
        return event

    def record(self, event: c_void_p) -> None:
        """Record an event behind all work so far."""
        self("cuEventRecord", event, None)

    def seconds(self, first: c_void_p, last: c_void_p) -> float:
        """Wait for the later of two events; give the time between them."""
        ms = c_float()
        self("cuEventSynchronize", last)
        self("cuEventElapsedTime", byref(ms), first, last)
        return ms.value / 1000

    # -------------------------------------------------------------------------------------------------- textures and surfaces
    def array(self, texels: np.ndarray, *, axes: int, flags: int = 0) -> c_void_p:
        """A CUDA array. Texels have the axes slices (or layers, or faces), rows, columns, channels."""
        slices, rows, columns, channels = texels.shape
        deep = axes > 2 or flags & (LAYERED | CUBE)
        about = _ArrayDescriptor(columns, rows if axes > 1 else 0, slices if deep else 0, FORMATS[texels.dtype.str[1:]], channels, flags)
        handle = c_void_p()
        self("cuArray3DCreate_v2", byref(handle), byref(about))
        self._copy(np.ascontiguousarray(texels), handle, "src", "dst")
        return handle

    def read_array(self, array: c_void_p, texels: np.ndarray) -> np.ndarray:
        """Fill texels from a CUDA array."""
        self._copy(texels, array, "dst", "src")
        return texels

    def _copy(self, texels: np.ndarray, array: c_void_p, host: str, device: str) -> None:
        slices, rows, columns, channels = texels.shape
        row = columns * channels * texels.itemsize
        copy = _Copy(width=row, height=rows, depth=slices)
        for name, value in {f"{host}_type": 1, f"{host}_host": texels.ctypes.data, f"{host}_pitch": row, f"{host}_height": rows,
                            f"{device}_type": 3, f"{device}_array": array.value}.items():
            setattr(copy, name, value)
        self("cuMemcpy3D_v2", byref(copy))

    def texture(self, resource: _Resource, *, filter: str, address: Sequence[str], normalized: bool, read: str) -> c_uint64:
        """A texture object of a `Resource` that `of_array`, `of_rows` or `of_bytes` made."""
        flags = 2 * normalized | (1 if read == "element" else 0)
        sampling = _Sampling(address=(c_int * 3)(*(ADDRESSES[a] for a in address)), filter=int(filter == "linear"), flags=flags)
        handle = c_uint64()
        self("cuTexObjectCreate", byref(handle), byref(resource), byref(sampling), None)
        return handle

    def surface(self, resource: _Resource) -> c_uint64:
        """A surface object."""
        handle = c_uint64()
        self("cuSurfObjectCreate", byref(handle), byref(resource))
        return handle

    @staticmethod
    def of_array(array: c_void_p) -> _Resource:
        """A CUDA array as a resource."""
        resource = _Resource(kind=0)
        resource.of.array = array.value
        return resource

    @staticmethod
    def of_bytes(pointer: c_uint64, texels: np.ndarray) -> _Resource:
        """Linear memory as a resource."""
        resource = _Resource(kind=2)
        resource.of.linear.pointer, resource.of.linear.format = pointer.value, FORMATS[texels.dtype.str[1:]]
        resource.of.linear.channels, resource.of.linear.size = texels.shape[-1], texels.nbytes
        return resource

    @staticmethod
    def of_rows(pointer: c_uint64, texels: np.ndarray, pitch: int) -> _Resource:
        """Rows in memory as a resource."""
        resource = _Resource(kind=3)
        p = resource.of.pitch
        p.pointer, p.format, p.channels = pointer.value, FORMATS[texels.dtype.str[1:]], texels.shape[-1]
        p.width, p.height, p.pitch = texels.shape[2], texels.shape[1], pitch
        return resource
