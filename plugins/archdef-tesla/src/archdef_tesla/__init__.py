"""NVIDIA Tesla: GeForce 8800 GTX (G80, compute capability 1.0) and GeForce GTX 280 (GT200, 1.3)."""
from archdef.hookspecs import hookimpl
from archdef.spec import Chip, Cite, Clocks, GiB, HostLink, KiB, MiB, SegmentShrinking, StrictHalfWarp, Unit
from archdef_tesla.family import (BASIC, BRIEF, COSTS, COSTS_1_3, GUIDE, KANTER, LONG_INTEGERS, MISSING_MUL, MULTIPLIERS, MULTIPLY_SFU, MULTIPLY_SP,
                                  PAIRS_OF_32, SP_SFU, SP_WITH_SFU, SP_WITH_SFU_OR_MUL, tesla)

SHEET = Cite("vendor data sheet", "clocks", note="quoted from memory")
CARRIED = Cite("the GT200 fit", "taken over, no G80 figure is public", "assumed")

G80 = tesla(
    name="g80", title="GeForce 8800 GTX", compute_capability="1.0", aliases=("8800gtx", "geforce_8800_gtx"),
    chip=Chip(multiprocessors=16, multiprocessors_per_cluster=2, block_launch_cycles=10, block_turnover_cycles=300,
              launch_overhead_us=10),
    clocks=Clocks(core_mhz=575, shader_mhz=1350, memory_mhz=900), bus=(6, 768 * MiB),
    warps=24, registers=8192, coalescing=StrictHalfWarp(), features=BASIC, costs=[COSTS, MULTIPLY_SP, PAIRS_OF_32],
    arithmetic=SP_SFU, pairs=SP_WITH_SFU,
    latency_ns=(125, 190), reads=32, texture_l2_bytes=32 * KiB,
    link=HostLink(name="PCIe 1.1 x16", pinned_h2d_gb_s=3.1, pinned_d2h_gb_s=3.1, pageable_h2d_gb_s=1.5, pageable_d2h_gb_s=1.5,
                  latency_us=10, call_us=2, submit_us=2, dependency_us=5, wakeup_us=5, copy_engines=0, work_queues=1,
                  concurrent_grids=1),
    evidence={"clocks": SHEET, "caches": CARRIED, "load_store": CARRIED, "interconnect": CARRIED, "schedulers.dual_issue": MISSING_MUL, "isa.operations.fp32_mul": MISSING_MUL,
              "interconnect.request_latency_ns": Cite(GUIDE.document, "global memory takes 400 to 600 cycles", "inferred"),
              "interconnect.response_latency_ns": Cite(GUIDE.document, "global memory takes 400 to 600 cycles", "inferred"),
              **{f"dram.{name}": CARRIED for name in """banks row_bytes t_rcd_ns t_rp_ns t_ras_ns t_rrd_ns t_cl_ns
                  t_wl_ns
                 t_wtr_ns t_rtw_ns t_wr_ns extra_latency_ns queue_entries scheduling write_drain_high write_drain_low
                 burst_bytes""".split()}})

GT200 = tesla(
    name="gt200", title="GeForce GTX 280", compute_capability="1.3", aliases=("gtx280", "geforce_gtx_280"),
    chip=Chip(multiprocessors=30, multiprocessors_per_cluster=3, block_launch_cycles=10, block_turnover_cycles=300,
              launch_overhead_us=7),
    clocks=Clocks(core_mhz=602, shader_mhz=1296, memory_mhz=1107), bus=(8, 1 * GiB),
    warps=32, registers=16384, coalescing=SegmentShrinking(),
    features=BASIC + " vote fp64 atomics_global atomics_global_64 atomics_shared", costs=[COSTS, MULTIPLY_SFU, COSTS_1_3],
    arithmetic=(*MULTIPLIERS, Unit("dp", 1, within="mul")),     # in place of the SPs
    pairs=SP_WITH_SFU_OR_MUL, latency_ns=(110, 170), reads=17, texture_l2_bytes=32 * KiB,
    link=HostLink(name="PCIe 2.0 x16", pinned_h2d_gb_s=5.7, pinned_d2h_gb_s=5.7, pageable_h2d_gb_s=2.7, pageable_d2h_gb_s=2.7,
                  latency_us=8, call_us=2, submit_us=2, dependency_us=4, wakeup_us=5, copy_engines=1, work_queues=1,
                  concurrent_grids=1),
    evidence={"schedulers.dual_issue": BRIEF, "isa.operations.fp32_mul": BRIEF, "units.mul": BRIEF, "units.dp.first_copy": KANTER,
              **{f"isa.operations.{name}": LONG_INTEGERS for name in "int64_add int64_compare int64_minmax int64_mul".split()}})


@hookimpl
def archdef_architectures():
    return [G80, GT200]
