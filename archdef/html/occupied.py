"""How many warps would be resident if one resource of a launch were another."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from archdef.occupancy import blocks_allowed

if TYPE_CHECKING:
    from archdef.occupancy import Occupancy
    from archdef.run.result import Run
    from archdef.spec import Architecture

POINTS = 64
"""Of a curve, at most, beside those at which it steps."""


def curves(run: Run) -> dict[str, Any]:
    """Give resident warps over threads per block, registers per thread and shared memory per block, the other two as in this launch."""
    return {"now": run.occupancy.to_dict(), "own": _own(run.occupancy), "curves": resident(run.architecture, run.occupancy)}


def _own(now: Occupancy) -> dict[str, int]:
    return {"threads": now.threads, "registers": now.registers, "shared_bytes": now.shared_bytes}


def resident(machine: Architecture, now: Occupancy) -> dict[str, list[list[int]]]:
    """Give, for each resource, its values with the resident warps, the other resources as they are now."""
    limits, size, own = machine.limits, machine.warp.size, _own(now)
    ranges = {"threads": range(size, limits.threads_per_block + 1, size), "registers": range(1, limits.registers_per_thread + 1),
              "shared_bytes": _steps(limits.shared_bytes_per_block, limits.shared_allocation_unit_bytes)}
    found = {}
    for resource, values in ranges.items():
        points = [[value, _warps(machine, own | {resource: value})] for value in sorted({*values, own[resource]})]
        found[resource] = _corners(points, own[resource])
    return found


def _steps(most: int, unit: int) -> Iterable[int]:
    return range(0, most + 1, max(unit, most // POINTS // unit * unit))


def _warps(machine: Architecture, resources: dict[str, int]) -> int:
    """Count resident warps; 0 where not even one block can run."""
    limits, size = machine.limits, machine.warp.size
    block_warps = -(-resources["threads"] // size)
    if resources["registers"] * size * block_warps > limits.registers_per_block:
        return 0
    return min(blocks_allowed(limits, size, **resources).values()) * block_warps


def _corners(points: list[list[int]], own: int) -> list[list[int]]:
    """Leave out points that lie on a level line between their neighbours."""
    kept = []
    for k, point in enumerate(points):
        if 0 < k < len(points) - 1 and point[0] != own and points[k - 1][1] == point[1] == points[k + 1][1]:
            continue
        kept.append(point)
    return kept
