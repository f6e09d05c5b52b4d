"""What all launches of a kernel have in common, and those with blocks of one shape and as much shared memory: found once, kept with the kernel."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import attrs

from archdef.errors import LaunchError
from archdef.lower.encoding import Kind, Space, SystemCall
from archdef.occupancy import Occupancy, carveout, occupancy
from archdef.parameters import shape_of
from archdef.run import limits

if TYPE_CHECKING:
    from archdef.lower.program import Program
    from archdef.run.module import Kernel
    from archdef.spec import Architecture

MOST_PLANS = 256
"""Plans that a kernel keeps; a program that asks for more shapes of blocks than that has them made anew."""


@attrs.frozen
class Uses:
    """What a kernel, and those that it launches, ask of the device."""

    calls: frozenset[int]
    """System calls."""
    reads_constants: bool
    """Whether they read constant variables."""
    allocates: bool
    """Whether the kernel itself takes memory from the device heap."""

    @classmethod
    def of(cls, kernel: Kernel) -> Uses:
        """Look at a kernel's code."""
        program, children, machine = kernel.program, kernel.children, kernel.module.device.architecture
        programs = [program] if children is None else children.programs
        calls = frozenset(number for each in programs for number in _calls(each))
        reads = any(bool((each.ops["space"][each.ops["kind"] == Kind.LOAD] == Space.CONST).any()) for each in programs)
        virtualised = bool(program.launches and machine.device_launches and machine.device_launches.pool == "virtualised")
        return cls(calls, reads, virtualised or SystemCall.ALLOCATE in _calls(program))


def _calls(program: Program) -> set[int]:
    return set(program.ops["fn"][program.ops["kind"] == Kind.SYSTEM].tolist())


@attrs.frozen
class Plan:
    """How blocks of one shape, with so much shared memory, run on the multiprocessors of the kernel's device."""

    resident: Occupancy
    allowed: tuple[int, int, int, int]
    """Blocks that a multiprocessor could hold by its warps, its block slots, its registers, its shared memory alone."""
    shared_bytes: int
    """Of a block, as the kernel sees it."""
    l1: dict[str, int]
    """Sets and ways of L1 beside that shared memory; empty: those of the description."""

    @classmethod
    def of(cls, kernel: Kernel, block: tuple[int, int, int], dynamic_shared_bytes: int) -> Plan:
        """Work it out. Raises LaunchError if such a block cannot run."""
        architecture, program = kernel.module.device.architecture, kernel.program
        limits.check_kernel(kernel.name, architecture, program, block)
        shared = program.shared_bytes + dynamic_shared_bytes
        threads, registers = math.prod(block), max(1, program.registers)
        try:
            resident = occupancy(architecture, threads=threads, registers=registers, shared_bytes=shared + program.launch_shared_bytes)
        except LaunchError as error:
            raise LaunchError(f"cannot launch {kernel.name} on {error}", error.kind) from None
        warps, blocks, of_registers, of_shared = (resident.limits[each] for each in ("warps", "blocks", "registers", "shared"))
        return cls(resident, (warps, blocks, of_registers, of_shared), shared, _l1_shape(architecture, threads, registers, resident.shared_bytes))


def _l1_shape(architecture: Architecture, threads: int, registers: int, shared_bytes: int) -> dict[str, int]:
    l1 = architecture.caches.l1
    if l1 is None or not architecture.caches.unified_l1_shared:
        return {}
    taken = carveout(architecture.limits, architecture.warp.size, threads=threads, registers=registers, shared_bytes=shared_bytes)
    sets, ways = shape_of(l1, l1.size_bytes - taken, architecture.caches.carveout_takes)
    return {"l1_sets": sets, "l1_ways": ways}
