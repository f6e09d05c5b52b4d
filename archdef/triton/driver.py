"""The driver that Triton asks for its device: what ``triton.runtime.driver.active`` is while a simulated device is in use."""
from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

from archdef.errors import HostError
from archdef.exec.tally import KernelTotal
from archdef.host.link import FS_PER_S
from archdef.run.properties import DeviceProperties
from archdef.triton.benchmark import Benchmarker
from archdef.triton.kernels import WARP, Loaded, TritonLauncher

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.run.result import Run

OLDEST = 50
"""The oldest compute capability that Triton makes code for."""
_numbers = itertools.count(1 << 20)
"""Triton keeps compiled kernels by the number of their device: none of a real device's, and none twice."""


class Driver:
    """One simulated device, under the names that Triton asks for."""

    def __init__(self, device: Device, target: int | None = None):
        self.device, self.number = device, next(_numbers)
        self.target = target or max(OLDEST, _capability(device.architecture.compute_capability))
        self.utils = _Utilities(self)
        self.launches, self.busy_fs = 0, 0
        """How many there were, and the time of their kernels: a whole number, so that equal kernels are equal whatever ran before."""
        self.kernels: dict[str, KernelTotal] = {}
        """What each kernel took in all, by its name."""
        self.benchmarker = Benchmarker(self)

    def ran(self, run: Run) -> None:
        """Count a launch."""
        label = run.architecture.label
        self.launches += 1
        self.busy_fs += round(run.elapsed_s * FS_PER_S)
        self.kernels.setdefault(run.kernel, KernelTotal(run.kernel, label)).add(run)

    @staticmethod
    def is_active() -> bool:
        """Say no: a simulated device is not found, but chosen."""
        return False

    # --------------------------------------------------------------------------------------------------------- the device
    def get_current_target(self) -> Any:
        """Give what to compile for: CUDA, in the machine's compute capability, or the oldest that Triton knows."""
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", self.target, WARP)

    def get_current_device(self) -> int:
        """Give the number of the device."""
        return self.number

    def set_current_device(self, device: int) -> None:
        """Refuse any other device. Raises HostError."""
        if device != self.number:
            raise HostError(f"the simulated device in use is number {self.number}, got {device!r}; archdef.triton.use() changes it")

    def get_current_stream(self, device: int | None = None) -> int:
        """Give the default stream."""
        return 0

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        """Give the compute capability that is compiled for."""
        return divmod(self.target, 10)

    def get_active_torch_device(self) -> Any:
        """Give torch's device for tensors: memory of a simulated device lies in the host's."""
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> _DeviceInterface:
        """Give what stands for ``torch.cuda``."""
        return _DeviceInterface(self)

    # ------------------------------------------------------------------------------------------------------------ launches
    def launcher_cls(self, compiled_from: Any, metadata: Any) -> TritonLauncher:
        """Make what launches a kernel."""
        return _Counting(self, compiled_from, metadata)

    def map_python_to_cpp_type(self, kind: str) -> str:
        """Give the C type of a parameter."""
        from triton.backends.nvidia.driver import ty_to_cpp

        return str(ty_to_cpp(kind))

    def assemble_tensormap_to_arg(self, tensormaps_info: Any, arguments: Any) -> Any:
        """Give the arguments as they are."""
        return arguments

    # ---------------------------------------------------------------------------------------------------------- benchmarks
    def get_benchmarker(self) -> Benchmarker:
        """Give what measures in simulated time."""
        return self.benchmarker

    def get_empty_cache_for_benchmark(self) -> None:
        """Give nothing to clear the L2 with: it is cold at every launch."""
        return

    def clear_cache(self, cache: None) -> None:
        """Do nothing, for the same reason."""


class _Counting(TritonLauncher):
    """A launcher that tells the driver of its launches."""

    def __init__(self, driver: Driver, compiled_from: Any, metadata: Any):
        super().__init__(compiled_from, metadata)
        self.driver = driver

    def launch(self, *arguments: Any) -> Run:
        run = super().launch(*arguments)
        self.driver.ran(run)
        return run


class _Utilities:
    """What Triton's driver calls its utilities."""

    def __init__(self, driver: Driver):
        self.driver = driver
        self._loaded: dict[tuple[str, bytes], Loaded] = {}

    def get_device_properties(self, device: int | None = None) -> dict[str, int]:
        """Give the limits of the machine."""
        has = DeviceProperties(self.driver.device.architecture, {})
        return {"max_shared_mem": has.sharedMemPerBlockOptin, "max_num_regs": has.regsPerBlock, "multiprocessor_count": has.multiProcessorCount,
                "warpSize": has.warpSize, "sm_clock_rate": has.clockRate, "mem_clock_rate": has.memoryClockRate, "mem_bus_width": has.memoryBusWidth,
                "max_threads_per_sm": has.maxThreadsPerMultiProcessor}

    def load_binary(self, name: str, binary: bytes, shared_bytes: int, device: int) -> tuple[None, Loaded, int, int, int]:
        """Load PTX: module, function, registers, spilled registers, most threads of a block.

        There is no module to unload: Triton would do so when its kernel goes, by then with another driver. Raises PtxError, CompileError.
        """
        key = name, binary
        if key not in self._loaded:
            self._loaded[key] = Loaded.of(self.driver.device, name, binary.decode(), shared_bytes)
        loaded = self._loaded[key]
        resources, most = loaded.kernel.resources, self.driver.device.architecture.limits.threads_per_block
        return None, loaded, loaded.kernel.registers, resources.spilled_registers or 0, min(resources.max_threads or most, most)

    def unload_module(self, module: None) -> None:
        """Do nothing: modules go when nobody has them."""

    def get_current_device(self) -> int:
        """Give the number of the device."""
        return self.driver.number

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        """Give the compute capability that is compiled for."""
        return self.driver.get_device_capability()


class _DeviceInterface:
    """What stands for ``torch.cuda`` where Triton asks for it."""

    def __init__(self, driver: Driver):
        self.driver = driver

    def Event(self, enable_timing: bool = True) -> _Event:
        """Make an event."""
        return _Event(self.driver)

    def synchronize(self, device: int | None = None) -> None:
        """Wait for the device."""
        self.driver.device.synchronize()

    def current_device(self) -> int:
        """Give the number of the device."""
        return self.driver.number


class _Event:
    """A point in the time that the device has been busy."""

    def __init__(self, driver: Driver):
        self.driver, self.busy_fs = driver, 0

    def record(self, stream: Any = None) -> None:
        """Note how long the device has been busy by now."""
        self.busy_fs = self.driver.busy_fs

    def elapsed_time(self, later: _Event) -> float:
        """Give the milliseconds that the device was busy between two events."""
        return 1e3 * (later.busy_fs - self.busy_fs) / FS_PER_S


def _capability(text: str) -> int:
    found = re.fullmatch(r"(\d+)\.(\d)", text)
    return 10 * int(found[1]) + int(found[2]) if found else 0
