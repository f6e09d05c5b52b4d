"""Where a launch's data lie: the shares of device memory, and what one warp holds of the multiprocessor."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
from rich.console import Group

from archdef.console import text
from archdef.run.footprint_table import contents, render_map
from archdef.spec import Architecture, Vocabulary
from archdef.values import cut

if TYPE_CHECKING:
    from archdef.occupancy import Occupancy

_ROUNDED = 16
"""Private memory of a thread is laid out in steps of so many bytes."""
_REGISTER_BYTES = 4


@attrs.frozen(kw_only=True)
class MemoryMap:
    """Shares of one device's memory. Prints as a small table."""

    architecture: str = attrs.field(repr=lambda label: repr(cut(label)))
    """Name of the machine."""
    capacity_bytes: int
    """Device memory in all."""
    global_bytes: int = 0
    """Arrays that the host has allocated, and global variables of modules."""
    constant_bytes: int = 0
    """Constant variables of modules."""
    parameter_bytes: int = 0
    """Arguments of the launch, in constant memory."""
    private_bytes: int = 0
    """Local memory of all threads that can be resident at once."""
    private_bytes_per_thread: int = 0
    """Local memory of a thread: arrays that are indexed, spilled values, the call stack."""
    resident_threads: int = 0
    """Threads of the chip that have private memory, lanes without a thread included."""
    heap_bytes: int = 0
    """Memory from which the kernel allocates, if it does."""
    vocabulary: Vocabulary = attrs.field(default=Vocabulary(), repr=False)
    """The vendor's words, for printing."""

    @property
    def used_bytes(self) -> int:
        """All shares together."""
        return self.global_bytes + self.constant_bytes + self.parameter_bytes + self.private_bytes + self.heap_bytes

    @property
    def free_bytes(self) -> int:
        """What is left; negative if the private memory of all resident threads does not fit."""
        return self.capacity_bytes - self.used_bytes

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, ready for JSON."""
        return {**attrs.asdict(self, filter=lambda a, _: a.name != "vocabulary"), "used_bytes": self.used_bytes, "free_bytes": self.free_bytes}

    def __rich__(self) -> Group:
        return render_map(self)

    def __str__(self) -> str:
        return text(self.__rich__())


@attrs.frozen(kw_only=True)
class WarpContents:
    """What one warp of a launch holds. Prints in the vendor's words."""

    lanes: int
    program_counters: int
    """One, or one a lane where lanes progress independently."""
    registers_per_lane: int
    """32-bit registers."""
    register_bytes: int
    """Registers of all lanes, as the file hands them out."""
    private_bytes: int
    """Local memory of all lanes, in device memory."""
    shared_bytes: int
    """Shared memory of its block, which it shares with `warps_per_block` - 1 others."""
    warps_per_block: int
    resident: int
    """Warps that one multiprocessor holds at once."""
    vocabulary: Vocabulary = attrs.field(default=Vocabulary(), repr=False)
    """The vendor's words, for printing."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, ready for JSON."""
        return attrs.asdict(self, filter=lambda a, _: a.name != "vocabulary")

    def __str__(self) -> str:
        return contents(self)


def private_bytes(local_bytes: int) -> int:
    """Give the private memory of a thread, as it is laid out."""
    return -(-local_bytes // _ROUNDED) * _ROUNDED


def memory_map(architecture: Architecture, *, resident_warps: int = 0, local_bytes: int = 0, global_bytes: int = 0, constant_bytes: int = 0,
               parameter_bytes: int = 0, heap_bytes: int = 0) -> MemoryMap:
    """Work out the shares of device memory.

    resident_warps : warps that one multiprocessor holds at once.
    local_bytes    : local memory of one thread.
    """
    threads = resident_warps * architecture.warp.size * architecture.chip.multiprocessors if local_bytes else 0
    each = private_bytes(local_bytes)
    return MemoryMap(
        architecture=architecture.label, capacity_bytes=architecture.dram.capacity_bytes, global_bytes=global_bytes,
        constant_bytes=constant_bytes, parameter_bytes=parameter_bytes, private_bytes=threads * each, private_bytes_per_thread=each,
        resident_threads=threads, heap_bytes=heap_bytes, vocabulary=architecture.words)


def warp_contents(architecture: Architecture, occupancy: Occupancy, local_bytes: int = 0) -> WarpContents:
    """Work out what one warp of a launch with this occupancy holds; `local_bytes` are those of one thread."""
    limits, lanes = architecture.limits, architecture.warp.size
    unit = limits.register_allocation_unit if limits.register_allocation_scope == "warp" else 1
    least = 1 if limits.register_allocation_rules is None else limits.register_allocation_rules.minimum_per_thread
    taken = -(-max(occupancy.registers, least) * lanes // unit) * unit
    return WarpContents(
        lanes=lanes, program_counters=lanes if architecture.warp.reconvergence.independent else 1, registers_per_lane=occupancy.registers,
        register_bytes=taken * _REGISTER_BYTES, private_bytes=private_bytes(local_bytes) * lanes, shared_bytes=occupancy.shared_bytes,
        warps_per_block=occupancy.warps_per_block, resident=occupancy.active_warps, vocabulary=architecture.words)
