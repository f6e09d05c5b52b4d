"""Launches with attributes, and what is asked of kernels beyond that, in the runtime's way."""
from __future__ import annotations

import bisect
import math
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from archdef import values
from archdef.host import Launched, Node
from archdef.run.launch import Launcher
from archdef.run.limits import active_clusters
from archdef.run.properties import UNOPTED_SHARED_BYTES
from archdef.occupancy import occupancy
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.host import Stream
    from archdef.host.context import Context
    from archdef.run.module import Kernel
    from archdef.runtime.devices import Devices

COOPERATIVE, CLUSTER = 2, 4
LAUNCH_ATTRIBUTES: Final = {
    0: "Ignore", 1: "AccessPolicyWindow", 2: "Cooperative", 3: "SynchronizationPolicy", 4: "ClusterDimension", 5: "ClusterSchedulingPolicyPreference",
    6: "ProgrammaticStreamSerialization", 7: "ProgrammaticEvent", 8: "Priority", 9: "MemSyncDomainMap", 10: "MemSyncDomain", 11: "PreferredClusterDimension",
    12: "LaunchCompletionEvent", 13: "DeviceUpdatableKernelNode", 14: "PreferredSharedMemoryCarveout", 16: "NvlinkUtilCentricScheduling",
    17: "PortableClusterSizeMode", 18: "SharedMemoryMode"}
"""Number of an attribute of a launch → its name, as driver_types.h of CUDA 13 has them."""
LAUNCH_HINTS: Final = frozenset({0, 1, 3, 5, 6, 8, 9, 10, 14})
"""Attributes that let hardware do something sooner or elsewhere and never change what a kernel computes: they are accepted and have no effect here."""
MOST_DYNAMIC, PREFERRED_CARVEOUT, CLUSTER_MUST_BE_SET, NONPORTABLE, KERNEL_CLUSTER_POLICY = 8, 9, 10, 14, 15
KERNEL_ATTRIBUTES: Final = {8: "MaxDynamicSharedMemorySize", 9: "PreferredSharedMemoryCarveout", 10: "ClusterDimMustBeSet", 11: "RequiredClusterWidth",
                            12: "RequiredClusterHeight", 13: "RequiredClusterDepth", 14: "NonPortableClusterSizeAllowed",
                            15: "ClusterSchedulingPolicyPreference", 16: "SharedMemoryMode"}
"""Number of an attribute of a kernel → its name."""


class LaunchCalls:
    """The part of a runtime that launches with attributes and sets those of kernels."""

    if TYPE_CHECKING:
        devices: Devices
        _whole_shared: bool

        def _stream(self, stream: Stream | int | None, context: Context | None = None) -> Stream: ...
        def _for(self, kernel: Kernel, device: Device) -> Kernel: ...
        def _launch(self, kernel: Kernel, grid: Any, block: Any, arguments: Sequence[Any], shared_bytes: int, stream: Stream | int | None,
                    **options: Any) -> Launched | Node: ...
        @staticmethod
        def _active_blocks(kernel: Kernel, threads: int, dynamic_shared_bytes: int) -> int: ...

    def __init__(self) -> None:
        self._kernel_attributes: weakref.WeakKeyDictionary[Kernel, dict[int, int]] = weakref.WeakKeyDictionary()
        super().__init__()

    def LaunchKernelExC(self, kernel: Kernel, grid: Any, block: Any, arguments: Sequence[Any] = (), shared_bytes: int = 0,
                        stream: Stream | int | None = None, attributes: Sequence[tuple[int, Any]] = ()) -> Launched | Node:
        """Put a kernel into a stream; attributes are pairs of a number and a value: ``(2, 1)`` cooperative, ``(4, (2, 1, 1))`` the blocks of a cluster."""
        return self._launch(kernel, grid, block, arguments, shared_bytes, stream, **self.launch_options(kernel, attributes))

    def launch_options(self, kernel: Kernel, attributes: Sequence[tuple[int, Any]]) -> dict[str, Any]:
        """Read attributes of a launch as the options of `Launcher.launch`. Raises Refusal for those that mean something that is not simulated."""
        options: dict[str, Any] = {}
        if not isinstance(attributes, Sequence) or not all(isinstance(each, Sequence) and len(each) == 2 for each in attributes):
            raise Refusal("InvalidValue", f"attributes of a launch are pairs of a number and a value, got {values.shown(attributes)}")
        for number, value in attributes:
            if number == COOPERATIVE:
                options["cooperative"] = bool(value)
            elif number == CLUSTER:
                if not isinstance(value, Sequence):
                    raise Refusal("InvalidValue", f"the blocks of a cluster are three numbers, got {values.shown(value)}")
                options["cluster"] = tuple(value)
                options["nonportable_cluster"] = bool(self._attributes(kernel).get(NONPORTABLE, 0))
            elif number not in LAUNCH_HINTS:
                name = LAUNCH_ATTRIBUTES.get(number)
                raise Refusal("InvalidValue" if name is None else "NotSupported", f"the attribute {name or number} of a launch")
        return options

    def FuncSetAttribute(self, kernel: Kernel, attribute: int, value: int) -> None:
        """Set an attribute of a kernel: 8 the most dynamic shared memory, which must fit; 9 the carveout, a hint; 14 whether clusters may be larger
        than all machines of the kind allow."""
        kernel = self._for(kernel, self.devices.current)
        limits = kernel.module.device.architecture.limits
        if attribute == MOST_DYNAMIC:
            right = 0 <= value <= limits.shared_bytes_per_block - self._static_bytes(kernel)
        elif attribute == PREFERRED_CARVEOUT:
            right = -1 <= value <= 100
        elif attribute == NONPORTABLE:
            right = value in (0, 1)
        else:
            right = attribute == KERNEL_CLUSTER_POLICY and value == 0
            if not right and attribute in KERNEL_ATTRIBUTES:
                raise Refusal("NotSupported", f"the attribute {KERNEL_ATTRIBUTES[attribute]} of a kernel")
        if not right:
            raise Refusal("InvalidValue", f"the attribute {KERNEL_ATTRIBUTES.get(attribute, attribute)} of {kernel.name} cannot be {value}: it "
                                          f"has {self._static_bytes(kernel)} bytes of static shared memory, a block at most {limits.shared_bytes_per_block}")
        self._attributes(kernel)[attribute] = value

    def most_dynamic_bytes(self, kernel: Kernel) -> int:
        """Give the most dynamic shared memory with which a kernel may be launched on its device: what was set for it, or what a block may have that did
        not ask for more."""
        most_of_block = kernel.module.device.architecture.limits.shared_bytes_per_block
        unasked = (most_of_block if self._whole_shared else min(most_of_block, UNOPTED_SHARED_BYTES)) - self._static_bytes(kernel)
        return self._kernel_attributes.get(kernel, {}).get(MOST_DYNAMIC, max(0, unasked))

    @staticmethod
    def _static_bytes(kernel: Kernel) -> int:
        found: int = kernel.shared_bytes + kernel.program.launch_shared_bytes
        return found

    def check_dynamic_bytes(self, kernel: Kernel, shared_bytes: int) -> None:
        """Raise Refusal if a kernel may not be launched on its device with so much dynamic shared memory."""
        if shared_bytes and shared_bytes > (most := self.most_dynamic_bytes(kernel)):
            raise Refusal("InvalidValue", f"{kernel.name} may have at most {most} bytes of dynamic shared memory, got {shared_bytes}: the attribute "
                                          f"MaxDynamicSharedMemorySize of a kernel allows more, where the machine has it")

    def _attributes(self, kernel: Kernel) -> dict[int, int]:
        return self._kernel_attributes.setdefault(self._for(kernel, self.devices.current), {})

    def FuncGetName(self, kernel: Kernel) -> str:
        """Give a kernel's name as it is in PTX."""
        return self._for(kernel, self.devices.current).symbol

    def OccupancyAvailableDynamicSMemPerBlock(self, kernel: Kernel, blocks: int, block_size: int) -> int:
        """Give the most dynamic shared memory with which a multiprocessor still holds so many blocks: what a kernel may have unasked, or has asked for."""
        kernel = self._for(kernel, self.devices.current)
        most = self.most_dynamic_bytes(kernel)
        if blocks < 1 or block_size < 1 or self._active_blocks(kernel, block_size, 0) < blocks:
            raise Refusal("InvalidValue", f"{blocks} blocks of {block_size} threads of {kernel.name} do not fit on a multiprocessor")
        return bisect.bisect_left(range(1, most + 1), True, key=lambda nbytes: self._active_blocks(kernel, block_size, nbytes) < blocks)

    def OccupancyMaxActiveClusters(self, kernel: Kernel, grid: Any, block: Any, shared_bytes: int = 0, attributes: Sequence[tuple[int, Any]] = ()) -> int:
        """Count the clusters of a launch that the device holds at once: none of blocks that may not have as much dynamic shared memory."""
        options = self.launch_options(kernel, attributes)
        if shared_bytes > self.most_dynamic_bytes(self._for(kernel, self.devices.current)):
            return 0
        return self._clusters(kernel, grid, block, shared_bytes, options.get("cluster"), options.get("nonportable_cluster", False))

    def OccupancyMaxPotentialClusterSize(self, kernel: Kernel, grid: Any, block: Any, shared_bytes: int = 0, attributes: Sequence[tuple[int, Any]] = ()) -> int:
        """Give the most blocks of a cluster that the device can hold."""
        self.launch_options(kernel, attributes)
        architecture = self.devices.current.architecture
        if (clusters := architecture.block_clusters) is None:
            raise Refusal("NotSupported", f"{architecture.label} has no clusters of blocks")
        most = clusters.most_blocks_nonportable if self._attributes(kernel).get(NONPORTABLE) else clusters.most_blocks
        resident = self._resident(kernel, grid, block, shared_bytes)
        return max((blocks for blocks in range(1, most + 1) if active_clusters(architecture, resident, blocks)), default=0)

    def _resident(self, kernel: Kernel, grid: Any, block: Any, shared_bytes: int) -> Any:
        launcher: Launcher[Launched] = Launcher(self._for(kernel, self.devices.current), grid, block, shared_bytes)
        self.check_dynamic_bytes(launcher.kernel, shared_bytes)
        x, y, z = launcher.block
        kernel = launcher.kernel
        return occupancy(self.devices.current.architecture, threads=x * y * z, registers=max(1, kernel.registers),
                         shared_bytes=kernel.shared_bytes + kernel.program.launch_shared_bytes + launcher.shared_bytes)

    def _clusters(self, kernel: Kernel, grid: Any, block: Any, shared_bytes: int, cluster: Any, nonportable: bool) -> int:
        architecture = self.devices.current.architecture
        if architecture.block_clusters is None:
            raise Refusal("NotSupported", f"{architecture.label} has no clusters of blocks")
        most = architecture.block_clusters.most_blocks_nonportable if nonportable else architecture.block_clusters.most_blocks
        blocks = 1 if cluster is None else math.prod(cluster)       # as cuda.core's tests ask
        if not 0 < blocks <= most:
            raise Refusal("InvalidClusterSize", f"a cluster of {blocks} blocks; {architecture.label} has at most {most}")
        found: int = active_clusters(architecture, self._resident(kernel, grid, block, shared_bytes), blocks)
        return found
