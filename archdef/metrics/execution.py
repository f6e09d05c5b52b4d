"""Instructions, lanes, branches, residency."""
from __future__ import annotations

from archdef.metrics.memory import atomic_replay_overhead, constant_replay_overhead, global_replay_overhead
from archdef.metrics.metric import Measurement, metric, ratio
from archdef.metrics.shared import shared_replay_overhead


@metric("count", "instructions", "smsp__inst_executed.sum")
def inst_executed(m: Measurement) -> float | None:
    """Warp instructions issued."""
    return m.counters.instructions


@metric("count", "thread_instructions", "smsp__thread_inst_executed_pred_on.sum")
def thread_inst_executed(m: Measurement) -> float | None:
    """Instructions executed by threads: warp instructions times lanes that are active and whose guard holds."""
    return m.counters.thread_instructions


@metric("ratio", "shared_ + global_ + atomic_ + constant_replay_overhead")
def inst_replay_overhead(m: Measurement) -> float | None:
    """Passes and transactions, beyond what well-ordered accesses need, per warp instruction: what some machines issue again."""
    parts = [part(m) for part in (shared_replay_overhead, global_replay_overhead, atomic_replay_overhead, constant_replay_overhead)]
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


@metric("count", "instructions / warps", "smsp__average_inst_executed_per_warp.ratio")
def inst_per_warp(m: Measurement) -> float | None:
    """Warp instructions issued by the average warp."""
    return ratio(m.counters.instructions, m.counters.warps)


@metric("ratio", "instructions / active SM cycles", "sm__inst_executed.avg.per_cycle_active",
        most=lambda m: m.architecture.schedulers.count * m.architecture.schedulers.issue_width)
def ipc(m: Measurement) -> float | None:
    """Warp instructions per cycle and SM, while the SM holds a warp."""
    return ratio(m.counters.instructions, int(m.counters.multiprocessor["active_cycles"].sum()))


@metric("%", "issue cycles of all schedulers / (active SM cycles * schedulers)")
def issue_slot_utilization(m: Measurement) -> float | None:
    """Share of an active SM's cycles for which the average scheduler is issuing."""
    sm = m.counters.multiprocessor
    return ratio(int(sm["issue_cycles"].sum()), int(sm["active_cycles"].sum()) * m.architecture.schedulers.count, 100)


@metric("%", "active SM cycles / (SMs * cycles)", "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed")
def sm_efficiency(m: Measurement) -> float | None:
    """Share of the launch for which the average SM holds a warp."""
    sm = m.counters.multiprocessor
    return ratio(int(sm["active_cycles"].sum()), len(sm) * m.counters.cycles, 100)


@metric("count", "active SM cycles", "sm__cycles_active.sum")
def active_cycles(m: Measurement) -> float | None:
    """Cycles in which an SM holds a warp, summed over SMs."""
    return int(m.counters.multiprocessor["active_cycles"].sum())


@metric("count", "resident warp cycles", "sm__warps_active.sum")
def active_warps(m: Measurement) -> float | None:
    """Warps that an SM holds, summed over its cycles and over SMs; over `active_cycles` it is the mean of resident warps."""
    return int(m.counters.multiprocessor["warp_cycles"].sum())


@metric("count", "warps", "smsp__warps_launched.sum")
def warps_launched(m: Measurement) -> float | None:
    """Warps launched."""
    return m.counters.warps


@metric("count", "threads", "smsp__threads_launched.sum")
def threads_launched(m: Measurement) -> float | None:
    """Threads launched."""
    return m.counters.threads


@metric("count", "blocks", "cta_launched", "sm__ctas_launched.sum")
def sm_cta_launched(m: Measurement) -> float | None:
    """Blocks launched."""
    return int(m.counters.multiprocessor["blocks"].sum())


@metric("ratio", "resident warp cycles / active SM cycles / most warps per SM", most=1)
def achieved_occupancy(m: Measurement) -> float | None:
    """Warps resident on an active SM, over the most that it can hold."""
    sm, most = m.counters.multiprocessor, m.architecture.limits.warps_per_multiprocessor
    return ratio(int(sm["warp_cycles"].sum()), int(sm["active_cycles"].sum()) * most)


@metric("ratio", "occupancy rule", most=1)
def theoretical_occupancy(m: Measurement) -> float | None:
    """Warps that the limits let stay resident, over the most that an SM can hold."""
    return m.occupancy.occupancy


@metric("ratio", "(selected + not selected) warp cycles / active SM cycles",
        "smsp__warps_eligible.avg.per_cycle_active", most=lambda m: m.architecture.limits.warps_per_multiprocessor)
def eligible_warps_per_cycle(m: Measurement) -> float | None:
    """Warps per active SM cycle that could issue, whether or not they were chosen."""
    stalls = m.counters.stalls
    return ratio(stalls["selected"] + stalls["not_selected"], int(m.counters.multiprocessor["active_cycles"].sum()))


@metric("%", "(branches - divergent branches) / branches", "smsp__sass_average_branch_targets_threads_uniform.pct")
def branch_efficiency(m: Measurement) -> float | None:
    """Share of executed branches that did not split their warp; 100 if there are none."""
    c = m.counters
    return 100.0 * (c.branches - c.divergent_branches) / c.branches if c.branches else 100.0


@metric("count", "branches", "smsp__sass_branch_targets.sum")
def branch(m: Measurement) -> float | None:
    """Branch instructions executed by warps, taken or not, conditional or not; what became predicated code is none."""
    return m.counters.branches


@metric("count", "divergent branches", "smsp__sass_branch_targets_threads_divergent.sum")
def divergent_branch(m: Measurement) -> float | None:
    """Branch instructions that split their warp: some active lanes went one way, some another."""
    return m.counters.divergent_branches


@metric("%", "(thread instructions + predicated off) / (instructions * warp size)")
def warp_execution_efficiency(m: Measurement) -> float | None:
    """Share of a warp's lanes that the average instruction finds active."""
    c = m.counters
    return ratio(c.thread_instructions + c.predicated_off, c.instructions * m.architecture.warp.size, 100)


@metric("%", "thread instructions / (instructions * warp size)")
def warp_nonpred_execution_efficiency(m: Measurement) -> float | None:
    """Share of a warp's lanes that the average instruction finds active, with a guard that holds."""
    return ratio(m.counters.thread_instructions, m.counters.instructions * m.architecture.warp.size, 100)


@metric("%", "threads / lanes launched")
def lane_utilization(m: Measurement) -> float | None:
    """Share of the lanes of launched warps that hold a thread; the rest is the tail of each block."""
    return ratio(m.counters.threads, m.counters.lanes_launched, 100)


METRICS = (warps_launched, threads_launched, sm_cta_launched, active_cycles, active_warps, inst_executed, thread_inst_executed,
           inst_per_warp, inst_replay_overhead, ipc, issue_slot_utilization, sm_efficiency, achieved_occupancy,
           theoretical_occupancy, eligible_warps_per_cycle, branch_efficiency, branch, divergent_branch,
           warp_execution_efficiency, warp_nonpred_execution_efficiency, lane_utilization)
