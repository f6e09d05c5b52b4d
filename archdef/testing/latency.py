"""Unloaded latency of global loads on a simulated machine, by a chain of dependent loads, as microbenchmarks measure it."""
from __future__ import annotations

import numpy as np

__all__ = ["declared_latency_cycles", "fresh_rows", "load_latency_cycles"]

_CHASE = """.version 7.0
.target sm_30
.address_size 64
.visible .entry chase(.param .u64 chain, .param .u32 steps)
{{
    .reg .b64 %d<3>; .reg .b32 %r<3>; .reg .pred %p<2>;
    ld.param.u64 %d1, [chain]; ld.param.u32 %r1, [steps]; mov.u32 %r2, 0;
L:  ld.global{operator}.u64 %d1, [%d1];
    add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L;
    st.global.u64 [%d1+8], %d1;
    ret;
}}"""


def load_latency_cycles(device, *, operator: str = "", places: int = 8, stride_bytes: int = 128, warm: bool = True) -> float:
    """Measure the SM cycles from one load to the next that depends on it, in one thread.

    operator     : ``".ca"``, ``".cg"``, ``".nc"`` or nothing.
    places       : int, places that the chain visits in turn; what they take decides which cache holds them.
    stride_bytes : int, distance of two places, a multiple of 16.
    warm         : whether the chain has been round once; else every place is visited for the first time.
    """
    links = np.zeros((places, stride_bytes // 8), np.uint64)
    chain = device.to_device(links)
    links[:, 0] = chain.address + (np.arange(places, dtype=np.uint64) + np.uint64(1)) % np.uint64(places) * np.uint64(stride_bytes)
    chain.copy_from_host(links)
    kernel = device.compile(_CHASE.format(operator=operator)).chase
    first, last = (2 * places, 6 * places) if warm else (places // 4, places)
    cycles = [kernel[(1,), (1,)](chain, steps).cycles for steps in (first, last)]
    return (cycles[1] - cycles[0]) / (last - first)


def fresh_rows(architecture, base: int, count: int) -> tuple[list[int], list[bool]]:
    """Choose places in device memory, of which each lies in a row that none before it has opened.

    base  : int, address from which on they lie.
    count : int, how many.

    Gives their distances from `base` in bytes, and for each whether its bank has another row open by then, which is closed first. The distances
    follow from the description alone: a fixed one would fall into open rows for some numbers of partitions, and some of their maps.
    """
    dram = architecture.dram
    step = 2 * dram.row_bytes + dram.interleave_bytes
    offsets: list[int] = []
    closed: list[bool] = []
    rows: set[tuple[int, int]] = set()
    banks: set[tuple[int, int]] = set()
    offset = -step
    while len(offsets) < count:
        offset += step
        partition = dram.partition_map.partition(base + offset, dram.interleave_bytes, dram.partitions)
        row = (base + offset) // dram.interleave_bytes // dram.partitions * dram.interleave_bytes // dram.row_bytes
        if (partition, row) not in rows:
            offsets.append(offset)
            closed.append(getattr(dram.scheduling, "page_policy", "open") == "open" and (partition, row % dram.banks) in banks)
            rows.add((partition, row))
            banks.add((partition, row % dram.banks))
    return offsets, closed


def declared_latency_cycles(architecture, level: str, *, sector_bytes: int = 32) -> float:
    """Work out from the description the SM cycles of a load that meets nobody.

    level        : ``"l1"``, ``"l2"`` or ``"dram"``: where it is found. In device memory the row is closed.
    sector_bytes : int, bytes that come back.

    Where places of a cluster, or partitions, lie at different distances, it is the mean of them; halfway between the near and the far side.
    """
    clocks, net, dram, caches = architecture.clocks, architecture.interconnect, architecture.dram, architecture.caches
    own = architecture.isa.operations["load_global"].latency_cycles
    if level == "l1":
        return own + caches.l1.latency_cycles
    core = -(-net.header_bytes // net.partition_request_bytes_per_cycle) + (caches.l2.latency_cycles if caches.l2 is not None else 0) \
        + -(-(net.header_bytes + sector_bytes) // net.partition_response_bytes_per_cycle)
    ns = net.request_latency_ns + core * 1000 / clocks.core_mhz + net.response_latency_ns
    if level == "dram":
        bursts = -(-sector_bytes // dram.burst_bytes)
        ns += dram.t_rcd_ns + dram.t_cl_ns + dram.extra_latency_ns \
            + bursts * dram.burst_bytes * dram.ecc_overhead_ratio / (architecture.dram_bandwidth_gb_s / dram.partitions)
        ns += net.l2_partitions.far_latency_ns / 2 if net.l2_partitions else 0
    ns += net.distances.mean_ns(clocks.shader_mhz) if net.distances else 0
    return own + ns * clocks.shader_mhz / 1000
