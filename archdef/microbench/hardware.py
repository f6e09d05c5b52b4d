"""A real NVIDIA GPU as a machine for microbenchmarks. Needs the driver, which compiles the PTX; no toolkit, no compiler."""
from __future__ import annotations

import datetime
import functools
import re
import statistics
from ctypes import byref, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from archdef.errors import LaunchError
from archdef.microbench.bandwidth import stream
from archdef.microbench.driver import DriverError, Gpu
from archdef.microbench.machine import Array, Machine, Properties
from archdef.microbench.ptx import module as ptx_module
from archdef.spec.isa import FEATURES

SPIN_CYCLES = 60_000
"""About 30 us: longer than the host needs to put a launch between two events behind it."""
_SPIN = """.version 6.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 cycles)
{
    .reg .u64 %p, %first, %now, %last; .reg .u32 %n; .reg .pred %c;
    ld.param.u64 %p, [out]; ld.param.u32 %n, [cycles];
    mov.u64 %first, %clock64; cvt.u64.u32 %last, %n; add.u64 %last, %last, %first;
AGAIN:
    mov.u64 %now, %clock64; setp.lt.u64 %c, %now, %last; @%c bra AGAIN;
    sub.u64 %now, %now, %first; st.global.u64 [%p], %now;
    ret;
}
"""
OUT_OF_RESOURCES = 701
"""CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"""
MAX_DYNAMIC_SHARED = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"""


class _Array(Array):
    def __init__(self, gpu: Gpu, data: np.ndarray | None = None, size: int = 0):
        """Copy an array to the GPU; without one, take so many bytes as they are."""
        self.gpu, self.nbytes = gpu, size if data is None else data.nbytes
        self.shape: tuple[int, ...] = (size,) if data is None else data.shape
        self.dtype: np.dtype = np.dtype("u1") if data is None else data.dtype
        self.pointer = gpu.allocate(size) if data is None else gpu.send(data)
        self.address = self.pointer.value

    def read(self) -> np.ndarray:
        return self.gpu.fetch(self.pointer, np.empty(self.shape, self.dtype))

    def write(self, data: np.ndarray) -> None:
        data = np.ascontiguousarray(data, self.dtype)
        self.gpu("cuMemcpyHtoD_v2", self.pointer, c_void_p(data.ctypes.data), c_size_t(data.nbytes))

    def __del__(self) -> None:
        try:  # noqa: SIM105  contextlib may be gone
            self.gpu("cuMemFree_v2", self.pointer)
        except (DriverError, AttributeError, TypeError):  # the interpreter ends, or the context is lost
            pass


class Hardware(Machine):
    """The first GPU of this computer."""

    repeats = 9
    trips = 8, 40
    effort = 32

    def __init__(self) -> None:
        """Raises NoGpu, where there is none."""
        gpu = self.gpu = Gpu()
        self.label = gpu.name()
        self.capability = gpu.attribute(75), gpu.attribute(76)
        self.features = features_of(self.capability)
        sms, lanes = gpu.attribute(16), gpu.attribute(10)
        total = c_size_t()
        gpu("cuDeviceTotalMem_v2", byref(total), gpu.device)
        self._kernels: dict[str, c_void_p] = {}
        self._modules: dict[int | None, c_void_p] = {}
        self._scratch: dict[str, _Array] = {}
        self._first, self._last = gpu.event(), gpu.event()
        self._spun = self.array(2, "u8")
        self.properties = Properties(
            warp_lanes=lanes, multiprocessors=sms, threads_per_block=gpu.attribute(1), warps_per_multiprocessor=gpu.attribute(39) // lanes,
            blocks_per_multiprocessor=gpu.attribute(106), shared_bytes_per_block=gpu.attribute(97),
            shared_bytes_per_multiprocessor=gpu.attribute(81), constant_bytes=gpu.attribute(9), l2_bytes=gpu.attribute(38),
            clock_mhz=self._clock_mhz(), dram_bytes=total.value)

    def _clock_mhz(self) -> float:
        """Measure the multiprocessors' clock under load: cycles that a kernel counts against the time between events."""
        times = [(n, statistics.median(self._spin_s(n) for _ in range(5))) for n in (10_000_000, 110_000_000)]
        return round((times[1][0] - times[0][0]) / (times[1][1] - times[0][1]) / 1e6, 1)

    def _spin_s(self, cycles: int) -> float:
        kernel = self.compile(_SPIN)
        self.gpu.record(self._first)
        self.gpu.start(kernel, 1, 1, c_uint64(self._spun.address), c_uint32(cycles))
        self.gpu.record(self._last)
        return self.gpu.seconds(self._first, self._last)

    def compile(self, ptx: str) -> c_void_p:
        if ptx not in self._kernels:
            module = self.gpu.assemble(ptx)
            kernel = self._kernels[ptx] = self.gpu.function(module, "k")
            self._modules[kernel.value] = module
        return self._kernels[ptx]

    def array(self, shape: int | tuple[int, ...] | np.ndarray, dtype: DTypeLike = "u4") -> _Array:
        return _Array(self.gpu, shape if isinstance(shape, np.ndarray) else np.zeros(shape, dtype))

    def scratch(self, name: str, nbytes: int) -> _Array:
        size = 1 << (nbytes - 1).bit_length()
        if name not in self._scratch or self._scratch[name].nbytes < nbytes:
            self._scratch.pop(name, None)
            self._scratch[name] = _Array(self.gpu, size=size)
        return self._scratch[name]

    def launch(self, kernel: c_void_p, grid: int, block: int, *arguments: Any, shared_bytes: int = 0) -> float:
        given = [c_uint64(a.address) if isinstance(a, _Array) else np.ctypeslib.as_ctypes_type(a.dtype)(a.item()) for a in arguments]
        try:
            if shared_bytes:
                self.gpu("cuFuncSetAttribute", kernel, MAX_DYNAMIC_SHARED, c_int(shared_bytes))
            # a kernel in front, so that the launch is in the queue before the first event is reached
            self.gpu.start(self.compile(_SPIN), 1, 1, c_uint64(self._spun.address), c_uint32(SPIN_CYCLES))
            self.gpu.record(self._first)
            self.gpu.start(kernel, grid, block, *given, shared_bytes=shared_bytes)
            self.gpu.record(self._last)
            return self.gpu.seconds(self._first, self._last)
        except DriverError as error:
            raise LaunchError(str(error), "resources" if error.code == OUT_OF_RESOURCES else "") from None

    def empty_launch_s(self, grid: int, block: int) -> float:
        kernel = self.compile(ptx_module("", ""))
        return statistics.median(self.launch(kernel, grid, block) for _ in range(15))

    def series_s(self, ptx: str, launches: int, grid: int, block: int, *arguments: Any) -> float:
        kernel = self.compile(ptx)
        given = [c_uint64(self.scratch(f"series {k}", a).address) if isinstance(a, int) else np.ctypeslib.as_ctypes_type(a.dtype)(a.item())
                 for k, a in enumerate(arguments)]

        def once() -> float:
            self.gpu.start(self.compile(_SPIN), 1, 1, c_uint64(self._spun.address), c_uint32(SPIN_CYCLES))
            self.gpu.record(self._first)
            for _ in range(launches):
                self.gpu.start(kernel, grid, block, *given)
            self.gpu.record(self._last)
            return self.gpu.seconds(self._first, self._last)
        return statistics.median(once() for _ in range(15))

    def texture(self, array: Array) -> np.uint64:
        assert isinstance(array, _Array), "of this machine"
        texels = np.empty(array.shape, array.dtype).reshape(-1, 1)
        handle = self.gpu.texture(self.gpu.of_bytes(array.pointer, texels), filter="point", address=("clamp",) * 3, normalized=False, read="element")
        return np.uint64(handle.value)

    def write_constants(self, kernel: c_void_p, address: int, data: np.ndarray) -> None:
        place, data = self.gpu.variable(self._modules[kernel.value], "constants"), np.ascontiguousarray(data)
        self.gpu("cuMemcpyHtoD_v2", place, c_void_p(data.ctypes.data), c_size_t(data.nbytes))

    def flush(self) -> None:
        """Read something else, four times as large: what was written goes to memory, and nothing new waits to be written."""
        blocks, threads, size = 2 * self.properties.multiprocessors, 512, 4 * self.properties.l2_bytes
        other = self.scratch("flush", size)
        trips = size // (blocks * threads * 16)
        self.gpu.start(self.compile(stream("read", 16, 1, ".cg")), blocks, threads, c_uint64(other.address), c_uint64(other.address),
                       c_uint64(2 ** 62 - 1), c_uint32(trips))

    def describe(self) -> dict[str, str]:
        return {"device": self.gpu.name(), "driver": self.gpu.driver(), "date": str(datetime.date.today()),  # noqa: DTZ011  where it is measured
                "clock_mhz": str(self.properties.clock_mhz)}


@functools.cache
def features_of(capability: tuple[int, int]) -> frozenset[str]:
    """Give the features of a compute capability, out of what each feature says brought it."""
    found = {name: re.search(r"\((?:compute capability )?(\d+)\.(\d+)\)", text) for name, text in FEATURES.items()}
    return frozenset(name for name, number in found.items() if number and (int(number[1]), int(number[2])) <= capability)
