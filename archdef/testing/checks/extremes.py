"""Do extreme but legal machines, made of the architecture by `evolve`, still finish with the right results?"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from archdef.testing.checks.check import Broken, Subject, check, roomy, run_of
from archdef.testing.checks.samples import samples

if TYPE_CHECKING:
    from archdef.spec import Architecture

EXTREMES: dict[str, dict[str, Any]] = {
    "one multiprocessor": {"chip.multiprocessors": 1, "chip.multiprocessors_per_cluster": 1},
    "one lane": {"warp.size": 1}, "seven lanes": {"warp.size": 7}, "64 lanes": {"warp.size": 64},
    "one bank": {"shared.banks": 1},
    "no caches": {f"caches.{name}": None for name in ("l1", "constant", "constant_l2", "constant_l3", "constant_uniform", "l2")},
    "one partition": {"interconnect.l2_partitions": None, "dram.partitions": 1},
    "seven partitions": {"interconnect.l2_partitions": None, "dram.partitions": 7},
    "one read in flight": {"load_store.reads_in_flight_per_multiprocessor": 1},
    "one store in flight": {"load_store.stores_in_flight_per_multiprocessor": 1},
    "bytes of one store in flight": {"load_store.store_buffer.size_bytes": 1},
    "one queue entry": {"dram.queue_entries": 1, "dram.scheduling.window": 1, "dram.write_drain_high": 1, "dram.write_drain_low": 0},
    "one DRAM bank": {"dram.banks": 1, "dram.refresh_banks": None, "dram.t_refi_ns": None},
    "instant responses": {"interconnect.response_latency_ns": 2.0, "interconnect.request_latency_ns": 0.001},
    "huge latencies": {"interconnect.response_latency_ns": 1e6, "interconnect.request_latency_ns": 1e6, "shared.latency_cycles": 10**5,
                       "dram.extra_latency_ns": 1e6},
    "no turnover": {"chip.block_turnover_cycles": 0, "chip.block_launch_cycles": 0},
    "slow turnover": {"chip.block_turnover_cycles": 10**7},
    "one block resident": {"limits.blocks_per_multiprocessor": 1},
    "narrow ports": {"interconnect.injection_bytes_per_cycle": 1, "interconnect.partition_request_bytes_per_cycle": 1,
                     "interconnect.partition_response_bytes_per_cycle": 1, "interconnect.cluster_ports.response_bytes_per_cycle": 1,
                     "interconnect.l2_partitions.link_bytes_per_cycle": 1},
    "greedy": {"schedulers.policy": "gto"}, "oldest": {"schedulers.policy": "oldest"},
    "two level": {"schedulers.policy": "two_level"}, "weighted": {"schedulers.policy": "weighted"},
    "hashed partitions": {"dram.partition_map": "xor_hash"},
    "stacks": {"warp.reconvergence": "ipdom"}, "independent lanes": {"warp.reconvergence": "convergence_barriers"},
}
"""Name → what is changed."""


def extreme(architecture: Architecture, name: str) -> Architecture:
    """Give an extreme form of an architecture; with other warps, room for as many as blocks need."""
    changes, parts = EXTREMES[name], architecture.interconnect.l2_partitions
    changed = architecture.evolve({path: value for path, value in changes.items() if parts or not path.startswith("interconnect.l2_partitions.")})
    return roomy(changed) if "warp.size" in EXTREMES[name] else changed


@check(cases=lambda subject: list(EXTREMES), quick=2)
def extreme_machines_finish_with_the_right_results(subject: Subject, case: str) -> None:
    """With one multiprocessor, lane, bank, partition or request, 64 lanes, no caches, huge latencies, kernels end and give the same."""
    changed = extreme(subject.architecture, case)
    for name, launch in samples(changed).items():
        run, (has, *_) = run_of(subject.device(changed), launch)
        wants = subject.expected(name, launch)
        if (has != wants).any():
            raise Broken(f"{changed.label}: kernel {name} leaves {int((has != wants).sum())} of {len(has)} words wrong")
        stalls, cycles = sum(run.counters.stalls.values()), int(run.counters.multiprocessor["warp_cycles"].sum())
        if stalls != cycles:
            raise Broken(f"{changed.label}: kernel {name} accounts for {stalls} of {cycles} warp cycles")
