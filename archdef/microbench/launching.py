"""Launch overhead."""
from __future__ import annotations

from archdef.microbench.suite import benchmark
from archdef.microbench.machine import Machine


def _sweep(machine):
    p = machine.properties
    return [{"threads": threads, "blocks": blocks} for threads in (32, 128, 256, 512, 1024) if threads <= p.threads_per_block
            for blocks in (1, p.multiprocessors, 8 * p.multiprocessors, 80 * p.multiprocessors) if blocks < 65536]


@benchmark("launch", {"us": "us"}, _sweep)
def launch(machine: Machine, *, blocks: int = 1, threads: int = 32) -> dict[str, float]:
    """Time between two events around a kernel that does nothing, in a stream that was busy before."""
    return {"us": machine.empty_launch_s(blocks, threads) * 1e6}
