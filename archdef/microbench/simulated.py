"""An `archdef.Device` as a machine for microbenchmarks."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from archdef.device import Device
from archdef.host import Host
from archdef.microbench.machine import Array, Machine, Properties
from archdef.microbench.ptx import module
from archdef.run.array import DeviceArray
from archdef.run.module import Kernel
from archdef.run.texture import Handle
from archdef.spec import Architecture


STREAM_S = 4e-6
"""That the shorter of two streams lasts at least, at the peak rate."""
BUSY_BYTES = 64 << 20
"""That are set before something is timed that the host launches: longer than its calls take."""


class _Array(Array):
    def __init__(self, held: DeviceArray):
        self.held, self.address = held, held.address

    def read(self) -> np.ndarray:
        return self.held.copy_to_host()

    def write(self, data: np.ndarray) -> None:
        self.held.copy_from_host(data)


class Simulated(Machine):
    """A simulated machine. Its results are exact and the same every time, so everything is measured once."""

    def __init__(self, device: Device):
        self.device = device
        a = self.architecture = device.architecture
        self.label, self.features = a.label, a.isa.features
        self.properties = Properties(
            warp_lanes=a.warp.size, multiprocessors=a.chip.multiprocessors, threads_per_block=a.limits.threads_per_block,
            warps_per_multiprocessor=a.limits.warps_per_multiprocessor, blocks_per_multiprocessor=a.limits.blocks_per_multiprocessor,
            shared_bytes_per_block=a.limits.shared_bytes_per_block, shared_bytes_per_multiprocessor=a.limits.shared_bytes_per_multiprocessor,
            constant_bytes=a.limits.constant_bytes, l2_bytes=a.l2_bytes, clock_mhz=a.clocks.shader_mhz, dram_bytes=a.dram.capacity_bytes)
        self._kernels: dict[str, Kernel] = {}
        self._scratch: dict[str, _Array] = {}

    @property
    def stream_bytes(self) -> int:
        """Refreshes of device memory are a few microseconds apart: a stream is long enough to meet several of them."""
        return max(super().stream_bytes, int(STREAM_S * self.architecture.dram_bandwidth_gb_s * 1e9))

    def compile(self, ptx: str) -> Kernel:
        if ptx not in self._kernels:
            kernel = self.device.compile(ptx)["k"]
            kernel.program  # noqa: B018  lowered here, so that what the machine lacks is refused by compiling
            self._kernels[ptx] = kernel
        return self._kernels[ptx]

    def array(self, shape: int | tuple[int, ...] | np.ndarray, dtype: DTypeLike = "u4") -> _Array:
        return _Array(self.device.to_device(shape) if isinstance(shape, np.ndarray) else self.device.zeros(shape, dtype))

    def scratch(self, name: str, nbytes: int) -> _Array:
        if name not in self._scratch or self._scratch[name].held.nbytes < nbytes:
            self._scratch.pop(name, None)
            self._scratch[name] = _Array(self.device.empty(nbytes // 4, "u4"))
        return self._scratch[name]

    def launch(self, kernel: Kernel, grid: int, block: int, *arguments: Any, shared_bytes: int = 0) -> float:
        given = (a.held if isinstance(a, _Array) else a.item() if isinstance(a, np.generic) else a for a in arguments)
        return kernel[(grid,), (block,), shared_bytes].launch(*given, progress=False).elapsed_s

    def empty_launch_s(self, grid: int, block: int) -> float:
        return self.series_s(module("", ""), 1, grid, block)

    def series_s(self, ptx: str, launches: int, grid: int, block: int, *arguments: Any) -> float:
        device = Device(self.architecture, host=Host())  # of its own: launches elsewhere stay without streams
        kernel = device.compile(ptx)["k"]
        given = [device.empty((a // 4,), "u4") if isinstance(a, int) else a for a in arguments]
        stream = device.stream()
        # what keeps the stream busy, so that the host's calls do not count
        device.empty(BUSY_BYTES // 4, "u4").fill_bytes(0, stream)
        first = stream.record()
        for _ in range(launches):
            kernel[(grid,), (block,), 0, stream](*given)
        last = stream.record()
        device.synchronize()
        return last.elapsed_since(first)

    def texture(self, array: Array) -> Handle:
        assert isinstance(array, _Array), "of this machine"
        return self.device.texture(array.held, layout="linear")

    def write_constants(self, kernel: Kernel, address: int, data: np.ndarray) -> None:
        self.device.memory.write(address, np.ascontiguousarray(data).reshape(-1).view("u1"))

    def flush(self) -> None:
        """Nothing to do: the L2 starts cold at every launch."""

    def describe(self) -> dict[str, str]:
        return {"device": str(self.architecture), "driver": "archdef"}


def as_machine(machine: Device | Architecture | str | Machine) -> Machine:
    """Take a `Machine` as it is; wrap an `archdef.Device`, a description or the name of one."""
    if isinstance(machine, Machine):
        return machine
    return Simulated(machine if isinstance(machine, Device) else Device(machine))
