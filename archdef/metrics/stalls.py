"""Where warps spend their cycles."""
from __future__ import annotations

from archdef.metrics.counters import STALLS, Counters
from archdef.metrics.metric import Formula, Measurement, Metric, ratio

_NVPROF = {
    "alu_dependency": ("stall_exec_dependency", "the result of arithmetic"),
    "memory_dependency": ("stall_memory_dependency", "a load or atomic of global or local memory"),
    "shared_dependency": ("stall_shared_dependency", "shared memory"),
    "constant_dependency": ("stall_constant_memory_dependency", "the constant cache"),
    "barrier": ("stall_sync", "the other warps of the block at a barrier"),
    "branch": ("stall_branch", "the next instruction after a branch"),
    "pipe_busy": ("stall_pipe_busy", "an occupied execution unit"),
    "memory_throttle": ("stall_memory_throttle", "room in the memory system's queues"),
    "launch": ("stall_launch", "the launch of other grids, or their end"),
    "fetch": ("stall_inst_fetch", "the next instruction from the instruction caches"),
    "registers": ("stall_registers", "registers that other warps of its block hold"),
    "not_selected": ("stall_not_selected", "a turn, while another warp was issued"),
}


def _share(cause: str) -> Formula:
    def function(m: Measurement) -> float | None:
        stalls = m.counters.stalls
        return ratio(stalls[cause], sum(stalls.values()) - stalls["selected"], 100)
    return function


def cpi_stack(counters: Counters) -> dict[str, float]:
    """Give a warp's cycles per instruction by cause; the sum is the whole, ``selected`` is time spent issuing."""
    return {cause: ratio(cycles, counters.instructions) or 0.0 for cause, cycles in counters.stalls.items()}


METRICS = tuple(
    Metric(name, "%", f"Share of stalled warp cycles in which the warp waited for {what}.",
           f"{cause} cycles / all stall cycles", _share(cause))
    for cause, (name, what) in _NVPROF.items())
WAITS_FOR = {cause: what for cause, (_, what) in _NVPROF.items()}
assert set(_NVPROF) == set(STALLS) - {"selected"}
