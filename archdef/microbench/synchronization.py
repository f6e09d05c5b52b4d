"""Barriers and fences."""
from __future__ import annotations

from typing import Any

from archdef.microbench.suite import benchmark
from archdef.microbench.machine import Machine
from archdef.microbench.ptx import module, slope


def _warps(machine: Machine) -> list[dict[str, Any]]:
    return [{"warps": warps} for warps in (1, 2, 4, 8, 16, 32) if warps <= machine.properties.warps_per_block]


@benchmark("barrier", {"cycles": "cycles"}, _warps)
def barrier(machine: Machine, *, warps: int = 1) -> dict[str, float]:
    """Cycles from one barrier of a block to the next."""
    threads = warps * machine.properties.warp_lanes
    return machine.median(lambda: {"cycles": slope(machine, module, lambda n: "    bar.sync 0;\n" * n, (16, 48),
                                                  lambda kernel, clocks: machine.launch(kernel, 1, threads, clocks), threads=threads)})


FENCES = {"block": "membar.cta;", "device": "membar.gl;"}


@benchmark("fence", {"cycles": "cycles"}, lambda machine: [{"scope": scope} for scope in FENCES], choices={"scope": FENCES})
def fence(machine: Machine, *, scope: str = "block") -> dict[str, float]:
    """Cycles of a memory fence when nothing is under way, in one warp."""
    threads = machine.properties.warp_lanes
    return machine.median(lambda: {"cycles": slope(machine, module, lambda n: f"    {FENCES[scope]}\n" * n, (16, 48),
                                                  lambda kernel, clocks: machine.launch(kernel, 1, threads, clocks), threads=threads)})
