"""Global memory as the SMs ask for it, and the caches."""
from __future__ import annotations

import math

from archdef.metrics.metric import Measurement, metric, ratio

GIGA = 1e9


@metric("count", "global loads", "gld_request", "smsp__inst_executed_op_global_ld.sum")
def global_load_requests(m: Measurement) -> float | None:
    """Loads of global memory, by warps."""
    return m.counters.global_loads


@metric("count", "global stores", "gst_request", "smsp__inst_executed_op_global_st.sum")
def global_store_requests(m: Measurement) -> float | None:
    """Stores to global memory, by warps."""
    return m.counters.global_stores


@metric("count", "global load transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
def gld_transactions(m: Measurement) -> float | None:
    """Transactions that global loads became."""
    return m.counters.global_load_transactions


@metric("count", "global store transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")
def gst_transactions(m: Measurement) -> float | None:
    """Transactions that global stores became."""
    return m.counters.global_store_transactions


@metric("ratio", "global load transactions / global loads",
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio")
def gld_transactions_per_request(m: Measurement) -> float | None:
    """Transactions that the average global load of a warp becomes."""
    return ratio(m.counters.global_load_transactions, m.counters.global_loads)


@metric("ratio", "global store transactions / global stores",
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio")
def gst_transactions_per_request(m: Measurement) -> float | None:
    """Transactions that the average global store of a warp becomes."""
    return ratio(m.counters.global_store_transactions, m.counters.global_stores)


@metric("%", "bytes asked by loads / bytes moved for them",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", most=math.inf)
def gld_efficiency(m: Measurement) -> float | None:
    """Share of the bytes moved for global loads that threads asked for; broadcasts can take it past 100."""
    return ratio(m.counters.global_load_bytes_asked, m.counters.global_load_bytes_moved, 100)


@metric("%", "bytes asked by stores / bytes moved for them",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", most=math.inf)
def gst_efficiency(m: Measurement) -> float | None:
    """Share of the bytes moved for global stores that threads asked for; lanes that store to one address can take it past 100."""
    return ratio(m.counters.global_store_bytes_asked, m.counters.global_store_bytes_moved, 100)


@metric("GB/s", "bytes moved for loads / time", "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second")
def gld_throughput(m: Measurement) -> float | None:
    """Bytes moved for global loads, over time."""
    return ratio(m.counters.global_load_bytes_moved, m.counters.elapsed_s * GIGA)


@metric("GB/s", "bytes moved for stores / time", "l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second")
def gst_throughput(m: Measurement) -> float | None:
    """Bytes moved for global stores, over time."""
    return ratio(m.counters.global_store_bytes_moved, m.counters.elapsed_s * GIGA)


@metric("GB/s", "bytes asked by loads / time")
def gld_requested_throughput(m: Measurement) -> float | None:
    """Bytes that threads asked global loads for, over time."""
    return ratio(m.counters.global_load_bytes_asked, m.counters.elapsed_s * GIGA)


@metric("GB/s", "bytes asked by stores / time")
def gst_requested_throughput(m: Measurement) -> float | None:
    """Bytes that threads gave global stores, over time."""
    return ratio(m.counters.global_store_bytes_asked, m.counters.elapsed_s * GIGA)


@metric("count", "local loads", "smsp__inst_executed_op_local_ld.sum")
def local_load_requests(m: Measurement) -> float | None:
    """Loads of spilled or indexed thread-local data, by warps."""
    return m.counters.local_loads


@metric("count", "local stores", "smsp__inst_executed_op_local_st.sum")
def local_store_requests(m: Measurement) -> float | None:
    """Stores of spilled or indexed thread-local data, by warps."""
    return m.counters.local_stores


@metric("count", "atomics", "smsp__inst_executed_op_global_atom.sum")
def global_atomic_requests(m: Measurement) -> float | None:
    """Atomic operations and reductions on global memory, by warps."""
    return m.counters.atomics


@metric("count", "atomic transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum")
def atomic_transactions(m: Measurement) -> float | None:
    """Transactions that global atomics became."""
    return m.counters.atomic_transactions


@metric("ratio", "atomic transactions / atomics",
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_atom.ratio")
def atomic_transactions_per_request(m: Measurement) -> float | None:
    """Transactions that the average global atomic of a warp becomes."""
    return ratio(m.counters.atomic_transactions, m.counters.atomics)


@metric("%", "L1 hits / (L1 hits + misses)", "l1_cache_global_hit_rate", "l1tex__t_sector_hit_rate.pct")
def l1_hit_rate(m: Measurement) -> float | None:
    """Share of transactions that the SM's first-level cache answers."""
    return ratio(m.counters.l1_hits, m.counters.l1_hits + m.counters.l1_misses, 100)


@metric("%", "L2 hits / (L2 hits + misses)", "lts__t_sector_hit_rate.pct")
def l2_hit_rate(m: Measurement) -> float | None:
    """Share of the requests that reach a partition which its cache answers."""
    hits, misses = int(m.counters.partition["l2_hits"].sum()), int(m.counters.partition["l2_misses"].sum())
    return ratio(hits, hits + misses, 100)


@metric("bytes", "bytes that came over links")
def link_read_bytes(m: Measurement) -> int:
    """Bytes that accesses to memory of the host and of other devices brought over the links to them, in whole pieces."""
    return m.counters.link_bytes_read


@metric("bytes", "bytes that left over links")
def link_write_bytes(m: Measurement) -> int:
    """Bytes that such accesses sent over the links."""
    return m.counters.link_bytes_written


def _of_translation(m: Measurement, counter: str) -> int:
    """Sum a counter of `AddressTranslation`, 0 on machines without it."""
    return int(m.counters.components["translation"][counter].sum()) if "translation" in m.counters.components else 0


@metric("%", "L1 TLB hits / (L1 TLB hits + misses)")
def l1_tlb_hit_rate(m: Measurement) -> float | None:
    """Share of the requests of multiprocessors whose page their own TLB has."""
    return ratio(_of_translation(m, "l1_hits"), _of_translation(m, "l1_hits") + _of_translation(m, "l1_misses"), 100)


@metric("%", "L2 TLB hits / (L2 TLB hits + misses)")
def l2_tlb_hit_rate(m: Measurement) -> float | None:
    """Share of the misses of multiprocessors' TLBs that the one which they share answers; those that join a miss under way are not asked for again."""
    if "translation" not in m.counters.components or (tlb := m.architecture.caches.tlb) is None or tlb.l2 is None:
        return None
    return ratio(_of_translation(m, "l2_hits"), _of_translation(m, "l2_hits") + _of_translation(m, "l2_misses"), 100)


@metric("count", "page walks")
def page_walks(m: Measurement) -> int | None:
    """Walks over the page table."""
    return _of_translation(m, "walks") if "translation" in m.counters.components else None


@metric("ratio", "time of walks / walks, in SM cycles")
def page_walk_cycles(m: Measurement) -> float | None:
    """SM cycles that the average walk takes a walker, without the time for which it waits for one."""
    return ratio(_of_translation(m, "walk_fs") / 1e15, _of_translation(m, "walks") * m.counters.elapsed_s, m.counters.cycles)


@metric("ratio", "waits of requests for their addresses / requests translated, in SM cycles")
def translation_latency(m: Measurement) -> float | None:
    """SM cycles by which translation delays the average request of a multiprocessor."""
    requests = _of_translation(m, "l1_hits") + _of_translation(m, "l1_misses")
    return ratio(_of_translation(m, "wait_fs") / 1e15, requests * m.counters.elapsed_s, m.counters.cycles)


@metric("ratio", "constant passes / constant loads")
def constant_passes_per_request(m: Measurement) -> float | None:
    """Distinct addresses that the average constant load of a warp takes one after the other."""
    return ratio(m.counters.constant_passes, m.counters.constant_loads)


@metric("ratio", "transactions of loads and stores * share of their bytes that nobody asked for / instructions")
def global_replay_overhead(m: Measurement) -> float | None:
    """Transactions of global loads and stores that well-ordered accesses to as many bytes would save, per warp instruction."""
    c = m.counters
    return ratio(_wasted(c.global_load_transactions, c.global_load_bytes_asked, c.global_load_bytes_moved)
                 + _wasted(c.global_store_transactions, c.global_store_bytes_asked, c.global_store_bytes_moved), c.instructions)


@metric("ratio", "(atomic transactions - atomics) / instructions")
def atomic_replay_overhead(m: Measurement) -> float | None:
    """Transactions of global atomics beyond one for each, per warp instruction."""
    return ratio(max(0, m.counters.atomic_transactions - m.counters.atomics), m.counters.instructions)


@metric("ratio", "(constant passes - constant loads) / instructions")
def constant_replay_overhead(m: Measurement) -> float | None:
    """Distinct addresses of constant loads beyond one for each, per warp instruction."""
    return ratio(max(0, m.counters.constant_passes - m.counters.constant_loads), m.counters.instructions)


def _wasted(transactions: int, asked: int, moved: int) -> float:
    return transactions * max(0.0, 1 - asked / moved) if moved else 0.0


METRICS = (global_load_requests, global_store_requests, gld_transactions, gst_transactions, gld_transactions_per_request,
           gst_transactions_per_request, gld_efficiency, gst_efficiency, gld_throughput, gst_throughput,
           gld_requested_throughput, gst_requested_throughput, local_load_requests, local_store_requests,
           global_atomic_requests, atomic_transactions, atomic_transactions_per_request, l1_hit_rate, l2_hit_rate,
           link_read_bytes, link_write_bytes, l1_tlb_hit_rate, l2_tlb_hit_rate, page_walks, page_walk_cycles, translation_latency,
           constant_passes_per_request, global_replay_overhead, atomic_replay_overhead, constant_replay_overhead)
