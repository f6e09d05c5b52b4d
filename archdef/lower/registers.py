"""Registers that warps give back and take again (``setmaxnreg``): how many a kernel starts with, and how many its values may take.

As ptxas has it (13.0, sm_90a): where the kernel says how many registers it starts with, it starts with just so many, whatever its values
need, or with the most that it ever takes if those are fewer. Elsewhere the instruction has no effect.
"""
from __future__ import annotations

from collections.abc import Iterable

import attrs

from archdef.occupancy import blocks_allowed
from archdef.ptx import ir

LEAST, MOST, STEP = 24, 256, 8
"""What ``setmaxnreg`` takes."""

_BOUNDS = frozenset(("maxnreg", "maxntid", "minnctapersm"))
"""Directives of a kernel that come before such a limit. Reference: CUDA C++ Programming Guide, launch bounds and maximum number of registers."""


@attrs.frozen
class Registers:
    """Registers of a thread."""

    start: int | None
    """With which a warp starts; None: as many as its values need."""
    most: int
    """That values may take."""


def budget(directives: dict[str, tuple[int, ...]], architecture) -> int | None:
    """Give the registers per thread that the author asked for, by ``.maxnreg`` or by blocks that shall be resident at once; None if
    nobody did.
    """
    found = list(directives.get("maxnreg", ()))
    threads = directives.get("reqntid") or directives.get("maxntid")
    blocks = directives.get("minnctapersm", (0,))[0]
    if threads and blocks:
        limits, product = architecture.limits, 1
        for n in threads:
            product *= max(1, n)
        fitting = [r for r in range(1, limits.registers_per_thread + 1)
                   if blocks_allowed(limits, architecture.warp.size, threads=product, registers=r, shared_bytes=0)["registers"] >= blocks]
        if fitting:
            found.append(fitting[-1])
    return max(1, min(found)) if found else None


def limited(module: ir.Module, most: int) -> ir.Module:
    """Give a module whose kernels may use at most so many registers, where they do not say themselves how many: a limit of the compiler's command line."""
    def one(function: ir.Function) -> ir.Function:
        says = not function.entry or function.directives.keys() & _BOUNDS
        return function if says else attrs.evolve(function, directives={**function.directives, "maxnreg": (most,)})
    return attrs.evolve(module, functions={name: one(function) for name, function in module.functions.items()})


def registers_of(functions: Iterable[ir.Function], asked: int | None, architecture) -> Registers:
    """Say what a kernel starts with and may use; `asked`: its `budget`."""
    limit = architecture.limits.registers_per_thread
    changes = [i for f in functions for i in f.body if i.opcode == "setmaxnreg"]
    taken = [i.operands[0].value for i in changes if "inc" in i.modifiers and isinstance(i.operands[0], ir.Immediate)]
    if asked is None or not changes:
        return Registers(None, min(asked or limit, limit))
    start = min([asked, limit, max(taken, default=limit)])
    return Registers(start, min(max([start, *taken]), limit))


def register_unit(limits, warp_size: int) -> int:
    """Give the step in which registers of a thread are handed out to a warp."""
    return max(1, limits.register_allocation_unit // warp_size) if limits.register_allocation_scope == "warp" else 1
