"""What ``GetDeviceProperties`` and ``DeviceGetAttribute`` say of a device, read off its description."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from archdef.host.link import link_of
from archdef.run.mapped import can_map
from archdef.spec import Architecture, KiB

UNOPTED_SHARED_BYTES = 48 * KiB
"""What a block may have in CUDA without asking for more."""


def _capability(arch: Architecture) -> tuple[int, int]:
    """Split the compute capability; machines that count otherwise say 0.0."""
    parts = arch.compute_capability.split(".")
    return (int(parts[0]), int(parts[1])) if len(parts) == 2 and all(p.isdigit() for p in parts) else (0, 0)


def _has(feature: str) -> Callable[[Architecture], int]:
    return lambda arch: int(feature in arch.isa.features)


def _warp_cycles(arch: Architecture, operation: str) -> float:
    """Count the cycles of a multiprocessor that a warp's instruction of a class takes, if nothing but its unit limits it; 0 where it has none."""
    cost = arch.isa.operations.get(operation)
    if cost is None or not cost.issues:
        return 0
    unit = arch.unit(cost.unit)
    return arch.interval_cycles(cost) * cost.issues / (unit.copies * (arch.schedulers.count if unit.scope == "scheduler" else 1))


def _double_ratio(arch: Architecture) -> int:
    """How many times as fast single precision is as double precision; 0 where there is none."""
    single, double = _warp_cycles(arch, "fp32_fma"), _warp_cycles(arch, "fp64_fma") if "fp64" in arch.isa.features else 0
    return round(double / single) if single else 0


PROPERTIES: dict[str, Callable[[Architecture], object]] = {
    "name": lambda a: a.title,
    "totalGlobalMem": lambda a: a.dram.capacity_bytes,
    "sharedMemPerBlock": lambda a: min(a.limits.shared_bytes_per_block, UNOPTED_SHARED_BYTES),
    "sharedMemPerBlockOptin": lambda a: a.limits.shared_bytes_per_block,
    "sharedMemPerMultiprocessor": lambda a: a.limits.shared_bytes_per_multiprocessor,
    "reservedSharedMemPerBlock": lambda a: a.limits.shared_reserved_bytes_per_block,
    "regsPerBlock": lambda a: a.limits.registers_per_block,
    "regsPerMultiprocessor": lambda a: a.limits.registers_per_multiprocessor,
    "warpSize": lambda a: a.warp.size,
    "maxThreadsPerBlock": lambda a: a.limits.threads_per_block,
    "maxThreadsDim": lambda a: a.limits.block_dimensions,
    "maxGridSize": lambda a: a.limits.grid_dimensions,
    "maxThreadsPerMultiProcessor": lambda a: a.limits.threads_per_multiprocessor,
    "maxBlocksPerMultiProcessor": lambda a: a.limits.blocks_per_multiprocessor,
    "multiProcessorCount": lambda a: a.chip.multiprocessors,
    "clockRate": lambda a: round(a.clocks.shader_mhz * 1000),
    "memoryClockRate": lambda a: round(a.clocks.memory_mhz * 1000),
    "memoryBusWidth": lambda a: a.dram.bus_bits,
    "l2CacheSize": lambda a: a.l2_bytes,
    "totalConstMem": lambda a: a.limits.constant_bytes,
    "major": lambda a: _capability(a)[0],
    "minor": lambda a: _capability(a)[1],
    "asyncEngineCount": lambda a: link_of(a).copy_engines,
    "deviceOverlap": lambda a: int(link_of(a).copy_engines > 0),
    "concurrentKernels": lambda a: int(link_of(a).concurrent_grids > 1),
    "cooperativeLaunch": _has("cooperative_launch"),
    "cooperativeMultiDeviceLaunch": _has("cooperative_launch"),
    "unifiedAddressing": _has("unified_addressing"),
    "ECCEnabled": lambda a: int(a.dram.ecc_overhead_ratio > 1),
    "integrated": lambda a: int(a.host_link is None),
    "canMapHostMemory": lambda a: int(can_map(a)),
    "managedMemory": lambda a: int(link_of(a).managed is not None),
    "concurrentManagedAccess": lambda a: int((managed := link_of(a).managed) is not None and managed.fault_us is not None),
    "singleToDoublePrecisionPerfRatio": _double_ratio,
    "memoryPoolsSupported": lambda a: 1,        # the runtime's own work, which asks nothing of the machine
    "memoryPoolSupportedHandleTypes": lambda a: 0,
    "streamPrioritiesSupported": lambda a: 0,
    "computeMode": lambda a: 0,
    "kernelExecTimeoutEnabled": lambda a: 0,
}
"""Field of the properties → its value. What archdef does not simulate says 0."""

ATTRIBUTES: dict[str, tuple[int, str | tuple[str, int]]] = {
    "MaxThreadsPerBlock": (1, "maxThreadsPerBlock"), "MaxBlockDimX": (2, ("maxThreadsDim", 0)), "MaxBlockDimY": (3, ("maxThreadsDim", 1)),
    "MaxBlockDimZ": (4, ("maxThreadsDim", 2)), "MaxGridDimX": (5, ("maxGridSize", 0)), "MaxGridDimY": (6, ("maxGridSize", 1)),
    "MaxGridDimZ": (7, ("maxGridSize", 2)), "MaxSharedMemoryPerBlock": (8, "sharedMemPerBlock"),
    "TotalConstantMemory": (9, "totalConstMem"),
    "WarpSize": (10, "warpSize"), "MaxRegistersPerBlock": (12, "regsPerBlock"), "ClockRate": (13, "clockRate"),
    "GpuOverlap": (15, "deviceOverlap"), "MultiProcessorCount": (16, "multiProcessorCount"),
    "KernelExecTimeout": (17, "kernelExecTimeoutEnabled"), "Integrated": (18, "integrated"), "CanMapHostMemory": (19, "canMapHostMemory"),
    "ComputeMode": (20, "computeMode"), "ConcurrentKernels": (31, "concurrentKernels"), "EccEnabled": (32, "ECCEnabled"),
    "MemoryClockRate": (36, "memoryClockRate"), "GlobalMemoryBusWidth": (37, "memoryBusWidth"), "L2CacheSize": (38, "l2CacheSize"),
    "MaxThreadsPerMultiProcessor": (39, "maxThreadsPerMultiProcessor"), "AsyncEngineCount": (40, "asyncEngineCount"),
    "UnifiedAddressing": (41, "unifiedAddressing"), "ComputeCapabilityMajor": (75, "major"), "ComputeCapabilityMinor": (76, "minor"),
    "StreamPrioritiesSupported": (78, "streamPrioritiesSupported"),
    "MaxSharedMemoryPerMultiprocessor": (81, "sharedMemPerMultiprocessor"), "MaxRegistersPerMultiprocessor": (82, "regsPerMultiprocessor"),
    "ManagedMemory": (83, "managedMemory"), "ConcurrentManagedAccess": (89, "concurrentManagedAccess"),
    "SingleToDoublePrecisionPerfRatio": (87, "singleToDoublePrecisionPerfRatio"),
    "MemoryPoolsSupported": (115, "memoryPoolsSupported"), "MemoryPoolSupportedHandleTypes": (119, "memoryPoolSupportedHandleTypes"),
    "CooperativeLaunch": (95, "cooperativeLaunch"),
    "CooperativeMultiDeviceLaunch": (96, "cooperativeMultiDeviceLaunch"), "MaxSharedMemoryPerBlockOptin": (97, "sharedMemPerBlockOptin"),
    "MaxBlocksPerMultiprocessor": (106, "maxBlocksPerMultiProcessor"), "ReservedSharedMemoryPerBlock": (111, "reservedSharedMemPerBlock"),
}
"""``DevAttr`` name without prefix → the runtime's number, the property (and its axis) that it reads."""


class DeviceProperties:
    """The properties of one device, as attributes under the runtime's names."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, architecture: Architecture, also: dict[str, str], whole_shared: bool = False):
        """Read them; `also` are more names: of the field → the property it repeats."""
        for name, read in PROPERTIES.items():
            setattr(self, name, read(architecture))
        if whole_shared:
            self.sharedMemPerBlock = self.sharedMemPerBlockOptin
        for name, same in also.items():
            setattr(self, name, getattr(self, same))

    def attribute(self, name: str) -> int:
        """Give a device attribute by its name without prefix."""
        _, where = ATTRIBUTES[name]
        value: int = getattr(self, where) if isinstance(where, str) else getattr(self, where[0])[where[1]]
        return value

    def __repr__(self) -> str:
        rows = (f"  {name:28} {value}" for name, value in vars(self).items() if name != "name")
        return "\n".join([f"<properties of {self.name}", *rows]) + ">"
