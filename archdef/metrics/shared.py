"""Shared memory: bank passes and what conflicts add to them."""
from __future__ import annotations

from archdef.metrics.metric import Measurement, metric, ratio


@metric("count", "shared loads", "shared_load", "smsp__inst_executed_op_shared_ld.sum")
def shared_load_requests(m: Measurement) -> float | None:
    """Loads of shared memory that warps executed, whether or not their guard held for any lane."""
    return m.counters.shared_loads


@metric("count", "shared stores", "shared_store", "smsp__inst_executed_op_shared_st.sum")
def shared_store_requests(m: Measurement) -> float | None:
    """Stores to shared memory that warps executed, whether or not their guard held for any lane."""
    return m.counters.shared_stores


@metric("count", "shared load passes", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")
def shared_load_transactions(m: Measurement) -> float | None:
    """Passes over the banks made for shared loads."""
    return m.counters.shared_load_passes


@metric("count", "shared store passes", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")
def shared_store_transactions(m: Measurement) -> float | None:
    """Passes over the banks made for shared stores."""
    return m.counters.shared_store_passes


@metric("count", "shared load passes + shared store passes", "memory_l1_wavefronts_shared")
def shared_transactions(m: Measurement) -> float | None:
    """Passes over the banks made for shared loads and stores."""
    return m.counters.shared_load_passes + m.counters.shared_store_passes


@metric("ratio", "shared load passes / shared loads")
def shared_load_transactions_per_request(m: Measurement) -> float | None:
    """Passes that the average shared load of a warp takes."""
    return ratio(m.counters.shared_load_passes, m.counters.shared_loads)


@metric("ratio", "shared store passes / shared stores")
def shared_store_transactions_per_request(m: Measurement) -> float | None:
    """Passes that the average shared store of a warp takes."""
    return ratio(m.counters.shared_store_passes, m.counters.shared_stores)


@metric("count", "shared load passes - conflict groups", "l1_shared_load_bank_conflict",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")
def shared_ld_bank_conflict(m: Measurement) -> float | None:
    """Passes that shared loads would not need without bank conflicts."""
    return m.counters.shared_load_passes - m.counters.shared_load_groups


@metric("count", "shared store passes - conflict groups", "l1_shared_store_bank_conflict",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")
def shared_st_bank_conflict(m: Measurement) -> float | None:
    """Passes that shared stores would not need without bank conflicts."""
    return m.counters.shared_store_passes - m.counters.shared_store_groups


@metric("count", "shared passes - conflict groups", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")
def shared_bank_conflicts(m: Measurement) -> float | None:
    """Passes that shared loads and stores would not need without bank conflicts."""
    c = m.counters
    return c.shared_load_passes - c.shared_load_groups + c.shared_store_passes - c.shared_store_groups


@metric("ratio", "(shared passes - conflict groups) / instructions")
def shared_replay_overhead(m: Measurement) -> float | None:
    """Bank-conflict passes for every warp instruction of the kernel."""
    c = m.counters
    return ratio(c.shared_load_passes - c.shared_load_groups + c.shared_store_passes - c.shared_store_groups,
                 c.instructions)


@metric("%", "conflict groups / shared passes", "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct")
def shared_efficiency(m: Measurement) -> float | None:
    """Share of the passes over the banks that are not owed to conflicts."""
    c = m.counters
    return ratio(c.shared_load_groups + c.shared_store_groups, c.shared_load_passes + c.shared_store_passes, 100)


METRICS = (shared_load_requests, shared_store_requests, shared_load_transactions, shared_store_transactions, shared_transactions,
           shared_load_transactions_per_request, shared_store_transactions_per_request, shared_ld_bank_conflict,
           shared_st_bank_conflict, shared_bank_conflicts, shared_replay_overhead, shared_efficiency)
