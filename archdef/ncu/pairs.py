"""Which metric of Nsight Compute is which figure of archdef, and why the two may differ where they are near."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import attrs

from archdef.ncu.launch import Measured

if TYPE_CHECKING:
    from archdef.run.result import Run

Figure: TypeAlias = "Callable[[Run], float | None]"
SECTOR = 32
"""Bytes of what Nsight Compute calls a sector."""


@attrs.frozen
class Pair:
    """A metric of Nsight Compute, and the figure of archdef that it is laid beside."""

    measured: str
    """Name of the metric; several with + between are added up."""
    modelled: str
    """What it is compared with: a metric of archdef, counters, or words."""
    unit: str
    """Of both, without prefix."""
    figure: Figure = attrs.field(repr=False)
    """Gives the model's value; None where it has none."""
    why: str
    """Why they may differ although the model is right, or what the model leaves out."""

    def of(self, metrics: Mapping[str, Measured]) -> float | None:
        """Give what was measured; None if a part of it is missing."""
        values = [metrics[name].value if name in metrics else None for name in self.names]
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics that are added up."""
        return tuple(self.measured.split(" + "))


CODE = "the driver's assembler made other instructions than archdef's lowering: moves, addresses, loops unrolled; another compiler of the source made other PTX"
CLOCK = "ncu locks clocks to the base by default (--clock-control none does not), the model has those that its description says"
TIME = "the interval of hardware has more before the first block and behind the last than the model's"
STATES = "hardware has other states: of warps that wait for one thing, it is counted which one was found first"
L2 = ("hardware looks sectors up, and what crosses from one part of an L2 to another is looked up twice (srcunit_ltcfabric); with it come codes of ECC and "
      "what other units read; the model counts requests once")
WRITES = ("what is written stays in the L2 until its line is needed, on hardware longer than the launch; what ncu itself, or an earlier launch, left there "
          "may be written within it")
READS = ("hardware may also read page tables and codes of ECC; both begin with empty caches, unless ncu had --cache-control none and found what an earlier "
         "launch left")
SASS = "counted by instrumented code on hardware, so without what other units add: only other instructions make a difference"
GUARDED = "instrumented code counts only instructions whose guard holds for a lane, the model all that are executed"
BRANCHED = ("where one assembler branches around an access and the other puts a guard on it, warps that skip it have not executed it, or have; "
            "another compiler of the source may make other accesses")
DISTINCT = "hardware counts bytes that several lanes ask for once, the model for each lane"
CONFLICTS = "hardware counts wavefronts that were put off by other traffic of the L1, too"
RULE = "the same rule on the same numbers: other registers, or shared memory set to another size"


def _metric(name: str, scale: float = 1.0) -> Figure:
    def figure(run: Run) -> float | None:
        value = run.metrics[name]
        return None if value is None else value * scale
    return figure


def _counter(*names: str) -> Figure:
    return lambda run: float(sum(getattr(run.counters, name) for name in names))


def _sectors(*names: str) -> Figure:
    return lambda run: sum(getattr(run.counters, name) for name in names) / SECTOR


def _partition(name: str, over: float = 1.0) -> Figure:
    return lambda run: float(run.partition[name].sum()) / over if run.counters.launches == 1 else None


def _without_atomics(figure: Figure) -> Figure:
    """Give a figure of launches without atomic operations on global memory: the model counts what these ask for with the rest."""
    return lambda run: None if run.counters.atomics else figure(run)


def _share(part: str, whole: str, scale: float = 1.0) -> Figure:
    def figure(run: Run) -> float | None:
        all_of_it = getattr(run.counters, whole)
        return scale * getattr(run.counters, part) / all_of_it if all_of_it else None
    return figure


def _stall(*causes: str) -> Figure:
    return lambda run: sum(run.cpi_stack[cause] for cause in causes) if run.counters.instructions else None


def _read_bytes(run: Run) -> float | None:
    return float(run.partition["bytes_read"].sum()) + run.launch_bytes_read if run.counters.launches == 1 else None


def _per_second(figure: Figure) -> Figure:
    def over_time(run: Run) -> float | None:
        value = figure(run)
        return None if value is None or not run.elapsed_s else value / run.elapsed_s
    return over_time


def _active_lanes(run: Run) -> float | None:
    c = run.counters
    return (c.thread_instructions + c.predicated_off) / c.instructions if c.instructions else None


def _limit(resource: str) -> Figure:
    return lambda run: float(run.occupancy.limits[resource])


_TIMES = (
    Pair("gpu__time_duration.sum", "time of the launch", "s", lambda run: run.elapsed_s, f"{TIME}; {CLOCK}"),
    Pair("gpc__cycles_elapsed.max", "cycles of the launch", "cycle", lambda run: float(run.cycles), TIME),
    Pair("gpc__cycles_elapsed.avg.per_second", "clock of a multiprocessor", "hz", lambda run: run.architecture.clocks.shader_mhz * 1e6, CLOCK),
    Pair("sm__cycles_active.avg", "active_cycles / multiprocessors", "cycle", lambda run: float(run.counters.multiprocessor["active_cycles"].mean()),
         "cycles in which the average multiprocessor holds a warp: without what comes before and behind"),
    Pair("sm__cycles_active.sum", "active_cycles", "cycle", _metric("active_cycles"),
         "cycles in which a multiprocessor holds a warp: without what comes before and behind"),
)
_INSTRUCTIONS = (
    Pair("smsp__inst_executed.sum", "inst_executed", "inst", _metric("inst_executed"), CODE),
    Pair("smsp__inst_issued.sum", "inst_executed", "inst", _metric("inst_executed"), f"hardware issues some again; {CODE}"),
    Pair("smsp__thread_inst_executed.sum", "thread_instructions + predicated_off", "inst", _counter("thread_instructions", "predicated_off"), CODE),
    Pair("smsp__thread_inst_executed_pred_on.sum", "thread_inst_executed", "inst", _metric("thread_inst_executed"), CODE),
    Pair("smsp__thread_inst_executed_per_inst_executed.ratio", "active lanes of an instruction", "", _active_lanes, CODE),
    Pair("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "thread_instructions / instructions", "",
         _share("thread_instructions", "instructions"), CODE),
    Pair("smsp__inst_executed_op_branch.sum", "branch", "inst", _metric("branch"),
         "hardware counts more than branches: one for each warp of a kernel that has none"),
    Pair("smsp__sass_branch_targets.sum", "branch", "branch", _metric("branch"),
         "what became predicated code is none on either; other code has other branches"),
    Pair("smsp__sass_branch_targets_threads_divergent.sum", "divergent_branch", "branch", _metric("divergent_branch"), SASS),
    Pair("smsp__sass_inst_executed_op_global_ld.sum", "global_load_requests", "inst", _metric("global_load_requests"), GUARDED),
    Pair("smsp__sass_inst_executed_op_global_st.sum", "global_store_requests", "inst", _metric("global_store_requests"), GUARDED),
    Pair("smsp__sass_inst_executed_op_local_ld.sum", "local_load_requests", "inst", _metric("local_load_requests"),
         "registers are spilled by another assembler"),
    Pair("smsp__sass_inst_executed_op_local_st.sum", "local_store_requests", "inst", _metric("local_store_requests"),
         "registers are spilled by another assembler"),
    Pair("smsp__sass_inst_executed_op_shared_ld.sum", "shared_load_requests", "inst", _metric("shared_load_requests"), GUARDED),
    Pair("smsp__sass_inst_executed_op_shared_st.sum", "shared_store_requests", "inst", _metric("shared_store_requests"), GUARDED),
    Pair("smsp__inst_executed_op_global_ld.sum", "global_load_requests", "inst", _metric("global_load_requests"), BRANCHED),
    Pair("smsp__inst_executed_op_global_st.sum", "global_store_requests", "inst", _metric("global_store_requests"), BRANCHED),
    Pair("smsp__inst_executed_op_shared_ld.sum", "shared_load_requests", "inst", _metric("shared_load_requests"), BRANCHED),
    Pair("smsp__inst_executed_op_shared_st.sum", "shared_store_requests", "inst", _metric("shared_store_requests"), BRANCHED),
    Pair("smsp__inst_executed_op_shared_atom.sum", "shared_atomics", "inst", _counter("shared_atomics"),
         "an atomic operation that becomes a loop of compare and swap is executed as often as the loop turns"),
    Pair("sm__inst_executed.avg.per_cycle_active", "ipc", "inst/cycle", _metric("ipc"), "both parts of it differ: instructions, and cycles"),
    Pair("smsp__issue_active.avg.pct_of_peak_sustained_active", "issue_slot_utilization", "%", _metric("issue_slot_utilization"),
         "both parts of it differ: instructions, and cycles"),
)
_L1 = (
    Pair("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global_load_requests", "", _metric("global_load_requests"),
         "instructions whose guard holds for no lane are none on hardware; wide accesses of some machines are several"),
    Pair("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global_store_requests", "", _metric("global_store_requests"),
         "instructions whose guard holds for no lane are none on hardware; wide accesses of some machines are several"),
    Pair("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum + l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "global_atomic_requests", "",
         _metric("global_atomic_requests"), CODE),
    Pair("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global_load_bytes_moved / 32", "sector", _sectors("global_load_bytes_moved"),
         "the model counts what a request asks for, hardware what its tags look up"),
    Pair("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global_store_bytes_moved / 32", "sector", _sectors("global_store_bytes_moved"),
         "hardware looks up what its L1 takes, and passes some on without; lts__t_sectors_srcunit_tex_op_write.sum has all"),
    Pair("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum + l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "atomic_transactions", "sector",
         _metric("atomic_transactions"), "hardware counts sectors that the L1 passes on, the model transactions"),
    Pair("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "l1_hits", "sector", _counter("l1_hits"),
         "blocks are placed, and warps issue, in another order; a sector on its way is a hit on both"),
    Pair("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "l1_misses", "sector", _counter("l1_misses"),
         "blocks are placed, and warps issue, in another order; a sector on its way is a hit on both"),
    Pair("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "l1_hit_rate", "%", _metric("l1_hit_rate"),
         "blocks are placed, and warps issue, in another order"),
    Pair("l1tex__t_sector_hit_rate.pct", "l1_hit_rate", "%", _metric("l1_hit_rate"),
         "hardware's is of stores and atomics, too, which may find their sectors; the model's of loads"),
    Pair("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", "gld_efficiency * 32 bytes", "byte/sector",
         _metric("gld_efficiency", SECTOR / 100), DISTINCT),
    Pair("smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", "gst_efficiency * 32 bytes", "byte/sector",
         _metric("gst_efficiency", SECTOR / 100), DISTINCT),
    Pair("memory_l2_theoretical_sectors_global", "(global_load_bytes_moved + global_store_bytes_moved) / 32", "sector",
         _without_atomics(_sectors("global_load_bytes_moved", "global_store_bytes_moved")), SASS),
    Pair("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared_load_transactions", "", _metric("shared_load_transactions"), CONFLICTS),
    Pair("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared_store_transactions", "", _metric("shared_store_transactions"), CONFLICTS),
    Pair("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "shared_atomic_passes", "", _counter("shared_atomic_passes"), CONFLICTS),
    Pair("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "shared_ld_bank_conflict", "", _metric("shared_ld_bank_conflict"), CONFLICTS),
    Pair("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "shared_st_bank_conflict", "", _metric("shared_st_bank_conflict"), CONFLICTS),
    Pair("memory_l1_wavefronts_shared", "shared_load_passes + shared_store_passes + shared_atomic_passes", "sector",
         _counter("shared_load_passes", "shared_store_passes", "shared_atomic_passes"), SASS),
    Pair("memory_l1_wavefronts_shared_ideal", "shared_load_groups + shared_store_groups + shared_atomics", "sector",
         _counter("shared_load_groups", "shared_store_groups", "shared_atomics"), SASS),
)
_L2 = (
    Pair("lts__t_sectors_srcunit_tex_op_read.sum", "bytes_asked of partitions / 32", "sector", _without_atomics(_partition("bytes_asked", SECTOR)),
         "what the L1 does not have: the same reasons as for its misses"),
    Pair("lts__t_sectors_srcunit_tex_op_write.sum", "bytes_given of partitions / 32", "sector", _partition("bytes_given", SECTOR),
         "whole sectors on hardware, bytes in the model"),
    Pair("lts__t_sector_hit_rate.pct", "l2_hit_rate", "%", _metric("l2_hit_rate"), L2),
)
_DRAM = (
    Pair("dram__bytes_read.sum", "bytes_read of partitions + launch_bytes_read", "byte", _read_bytes, READS),
    Pair("dram__bytes_write.sum", "bytes_written of partitions", "byte", _partition("bytes_written"), WRITES),
    Pair("dram__sectors_read.sum", "(bytes_read of partitions + launch_bytes_read) / 32", "sector",
         lambda run: None if (read := _read_bytes(run)) is None else read / SECTOR, READS),
    Pair("dram__sectors_write.sum", "bytes_written of partitions / 32", "sector", _partition("bytes_written", SECTOR), WRITES),
    Pair("dram__bytes_read.sum.per_second", "the same bytes, over time", "byte/s", _per_second(_read_bytes), f"both parts of it differ; {READS}"),
    Pair("dram__bytes_write.sum.per_second", "the same bytes, over time", "byte/s", _per_second(_partition("bytes_written")),
         f"both parts of it differ; {WRITES}"),
    Pair("dram__cycles_active.avg.pct_of_peak_sustained_elapsed", "dram_utilization", "%", _metric("dram_utilization"), "bytes and time differ, as above"),
)
_OCCUPANCY = (
    Pair("sm__warps_active.avg.pct_of_peak_sustained_active", "achieved_occupancy", "%", _metric("achieved_occupancy", 100),
         "blocks end and follow each other at other times"),
    Pair("sm__maximum_warps_per_active_cycle_pct", "theoretical_occupancy", "%", _metric("theoretical_occupancy", 100), RULE),
    Pair("launch__registers_per_thread", "registers", "register/thread", lambda run: float(run.registers),
         "counted by another assembler; archdef counts by liveness, or asks ptxas (--registers ptxas)"),
    Pair("launch__occupancy_limit_blocks", "occupancy.limits: blocks", "block", _limit("blocks"), RULE),
    Pair("launch__occupancy_limit_registers", "occupancy.limits: registers", "block", _limit("registers"), RULE),
    Pair("launch__occupancy_limit_shared_mem", "occupancy.limits: shared", "block", _limit("shared"),
         "ncu takes the size to which shared memory was set for the launch, the model the most that it can be set to"),
    Pair("launch__occupancy_limit_warps", "occupancy.limits: warps", "block", _limit("warps"), RULE),
    Pair("launch__shared_mem_per_block_static + launch__shared_mem_per_block_dynamic", "shared memory of a block", "byte/block",
         lambda run: float(run.shared_bytes),
         "the same declarations: another compiler may leave out, or pad"),
    Pair("launch__waves_per_multiprocessor", "blocks / blocks that are resident", "",
         lambda run: float(run.counters.multiprocessor["blocks"].sum()) / (run.occupancy.active_blocks * run.architecture.chip.multiprocessors), RULE),
)
_STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
_WARPS = (
    Pair("smsp__average_warp_latency_per_inst_issued.ratio", "cycles of a warp for each instruction", "cycle",
         lambda run: sum(run.cpi_stack.values()) if run.counters.instructions else None, "instructions and cycles differ, as above"),
    Pair("smsp__warps_eligible.avg.per_cycle_active", "eligible_warps_per_cycle / schedulers", "warp",
         lambda run: None if (value := run.metrics["eligible_warps_per_cycle"]) is None else value / run.architecture.schedulers.count, STATES),
    Pair(_STALL.format("selected"), "CPI stack: selected", "inst", _stall("selected"), STATES),
    Pair(_STALL.format("long_scoreboard"), "CPI stack: memory_dependency", "inst", _stall("memory_dependency"), STATES),
    Pair(_STALL.format("short_scoreboard"), "CPI stack: shared_dependency", "inst", _stall("shared_dependency"),
         f"{STATES}; hardware's has special functions and what is read of special registers, too"),
    Pair(_STALL.format("wait"), "CPI stack: alu_dependency", "inst", _stall("alu_dependency"), STATES),
    Pair(_STALL.format("barrier"), "CPI stack: barrier", "inst", _stall("barrier"), STATES),
    Pair(_STALL.format("branch_resolving"), "CPI stack: branch", "inst", _stall("branch"), STATES),
    Pair(_STALL.format("math_pipe_throttle"), "CPI stack: pipe_busy", "inst", _stall("pipe_busy"), STATES),
    Pair(" + ".join(_STALL.format(queue) for queue in ("lg_throttle", "mio_throttle", "tex_throttle")), "CPI stack: memory_throttle", "inst",
         _stall("memory_throttle"), STATES),
    Pair(_STALL.format("not_selected"), "CPI stack: not_selected", "inst", _stall("not_selected"), STATES),
    Pair(_STALL.format("no_instruction"), "CPI stack: fetch", "inst", _stall("fetch"), STATES),
    Pair(_STALL.format("imc_miss"), "CPI stack: constant_dependency", "inst", _stall("constant_dependency"),
         f"{STATES}; hardware reads parameters through that cache"),
)
PAIRS: tuple[Pair, ...] = (*_TIMES, *_INSTRUCTIONS, *_L1, *_L2, *_DRAM, *_OCCUPANCY, *_WARPS)
"""All of them, in the order of tables."""
