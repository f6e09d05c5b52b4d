"""What ``GetDeviceProperties`` and ``DeviceGetAttribute`` say of a device, read off its description."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from archdef.engine.texture_table import MOST_EXTENT
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


def _has_l1(arch: Architecture) -> int:
    return int(arch.caches.l1 is not None and arch.caches.l1.enabled)


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


def _extents(*features: str, axes: int, layers: bool = False) -> Callable[[Architecture], object]:
    """Most texels along each axis, and layers, of a kind of texture or surface; 0 where the machine lacks one of the features.

    Memory and the width of descriptions are all that limits them here.
    """
    def read(arch: Architecture) -> object:
        most = min(MOST_EXTENT, arch.dram.capacity_bytes) if arch.isa.features.issuperset(("texture", *features)) else 0
        count = axes + layers
        return most if count == 1 else (most,) * count
    return read


_TEXTURES: dict[str, Callable[[Architecture], object]] = {
    "maxTexture1D": _extents(axes=1), "maxTexture1DLinear": _extents(axes=1), "maxTexture2D": _extents(axes=2),
    "maxTexture2DLinear": _extents(axes=3),         # the third is the bytes from row to row
    "maxTexture2DGather": _extents("texture_gather", axes=2), "maxTexture3D": _extents(axes=3), "maxTexture3DAlt": _extents(axes=3),
    "maxTextureCubemap": _extents("texture_cubemap", axes=1), "maxTexture1DLayered": _extents("texture_layered", axes=1, layers=True),
    "maxTexture2DLayered": _extents("texture_layered", axes=2, layers=True),
    "maxTextureCubemapLayered": _extents("texture_cubemap", "texture_layered", axes=1, layers=True),
    "maxSurface1D": _extents("surface", axes=1), "maxSurface2D": _extents("surface", axes=2), "maxSurface3D": _extents("surface", axes=3),
    "maxSurface1DLayered": _extents("surface", "texture_layered", axes=1, layers=True),
    "maxSurface2DLayered": _extents("surface", "texture_layered", axes=2, layers=True),
    "maxSurfaceCubemap": _extents("surface", "texture_cubemap", axes=1),
    "maxSurfaceCubemapLayered": _extents("surface", "texture_cubemap", "texture_layered", axes=1, layers=True),
}
"""Most texels of a texture or surface. Mipmapped ones are not there, and have 0."""

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
    "globalL1CacheSupported": _has_l1,
    "localL1CacheSupported": _has_l1,
    "hostRegisterSupported": lambda a: 1,
    "clusterLaunch": lambda a: int(a.block_clusters is not None),
    "tensorMapAccessSupported": _has("bulk_copies"),
    "canTex2DGather": _has("texture_gather"),
    "virtualMemoryManagementSupported": _has("unified_addressing"),
    "deviceNumaId": lambda a: -1,
    "hostNumaId": lambda a: -1,
    **_TEXTURES,
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
    "MaxTexture1DWidth": (21, "maxTexture1D"), "MaxTexture2DWidth": (22, ("maxTexture2D", 0)), "MaxTexture2DHeight": (23, ("maxTexture2D", 1)),
    "MaxTexture3DWidth": (24, ("maxTexture3D", 0)), "MaxTexture3DHeight": (25, ("maxTexture3D", 1)), "MaxTexture3DDepth": (26, ("maxTexture3D", 2)),
    "MaxTexture2DLayeredWidth": (27, ("maxTexture2DLayered", 0)), "MaxTexture2DLayeredHeight": (28, ("maxTexture2DLayered", 1)),
    "MaxTexture2DLayeredLayers": (29, ("maxTexture2DLayered", 2)), "MaxTexture1DLayeredWidth": (42, ("maxTexture1DLayered", 0)),
    "MaxTexture1DLayeredLayers": (43, ("maxTexture1DLayered", 1)), "CanTex2DGather": (44, "canTex2DGather"),
    "MaxTexture2DGatherWidth": (45, ("maxTexture2DGather", 0)),
    "MaxTexture2DGatherHeight": (46, ("maxTexture2DGather", 1)), "MaxTexture3DWidthAlt": (47, ("maxTexture3DAlt", 0)),
    "MaxTexture3DHeightAlt": (48, ("maxTexture3DAlt", 1)), "MaxTexture3DDepthAlt": (49, ("maxTexture3DAlt", 2)),
    "MaxTextureCubemapWidth": (52, "maxTextureCubemap"), "MaxTextureCubemapLayeredWidth": (53, ("maxTextureCubemapLayered", 0)),
    "MaxTextureCubemapLayeredLayers": (54, ("maxTextureCubemapLayered", 1)), "MaxSurface1DWidth": (55, "maxSurface1D"),
    "MaxSurface2DWidth": (56, ("maxSurface2D", 0)), "MaxSurface2DHeight": (57, ("maxSurface2D", 1)), "MaxSurface3DWidth": (58, ("maxSurface3D", 0)),
    "MaxSurface3DHeight": (59, ("maxSurface3D", 1)), "MaxSurface3DDepth": (60, ("maxSurface3D", 2)),
    "MaxSurface1DLayeredWidth": (61, ("maxSurface1DLayered", 0)), "MaxSurface1DLayeredLayers": (62, ("maxSurface1DLayered", 1)),
    "MaxSurface2DLayeredWidth": (63, ("maxSurface2DLayered", 0)), "MaxSurface2DLayeredHeight": (64, ("maxSurface2DLayered", 1)),
    "MaxSurface2DLayeredLayers": (65, ("maxSurface2DLayered", 2)), "MaxSurfaceCubemapWidth": (66, "maxSurfaceCubemap"),
    "MaxSurfaceCubemapLayeredWidth": (67, ("maxSurfaceCubemapLayered", 0)), "MaxSurfaceCubemapLayeredLayers": (68, ("maxSurfaceCubemapLayered", 1)),
    "MaxTexture1DLinearWidth": (69, "maxTexture1DLinear"), "MaxTexture2DLinearWidth": (70, ("maxTexture2DLinear", 0)),
    "MaxTexture2DLinearHeight": (71, ("maxTexture2DLinear", 1)), "MaxTexture2DLinearPitch": (72, ("maxTexture2DLinear", 2)),
    "GlobalL1CacheSupported": (79, "globalL1CacheSupported"), "LocalL1CacheSupported": (80, "localL1CacheSupported"),
    "HostRegisterSupported": (99, "hostRegisterSupported"), "ClusterLaunch": (120, "clusterLaunch"),
    "VirtualMemoryManagementSupported": (102, "virtualMemoryManagementSupported"), "TensorMapAccessSupported": (127, "tensorMapAccessSupported"),
    "NumaId": (131, "deviceNumaId"), "HostNumaId": (134, "hostNumaId"),
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
