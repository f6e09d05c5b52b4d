"""NVIDIA Tesla: GeForce 8800 GTX (G80, compute capability 1.0), 9800 GTX (G92, 1.1), GT 240 (GT215, 1.2) and GTX 280 (GT200, 1.3)."""
import attrs

from archdef.hookspecs import hookimpl
from archdef.spec import (Chip, Cite, Clocks, GiB, HostLink, KiB, LinkAccesses, MiB, PartOfUnit, SegmentShrinking, StrictHalfWarp, Unit)
from archdef_tesla.family import (ATOMICS, BASIC, BRIEF, BUS, COSTS, DIVISION, DOUBLES, GUIDE, KANTER, LONG_INTEGERS, MISSING_MUL, MULTIPLIERS, MULTIPLY_SFU,
                                  MULTIPLY_SP, PAIRS_OF_32, SP_SFU, SP_WITH_SFU, SP_WITH_SFU_OR_MUL, TABLE, UNPUBLISHED, VOTES,
                                  ZERO_COPY, tesla)

SHEET = Cite("vendor data sheet", "clocks", "recalled")
NO_OVERLAP = Cite(TABLE.document, "section 3.2.5.2: copies beside kernels from 1.1 on", note=TABLE.note)
SHEET_9800 = Cite("TrustedReviews, Asus EN9800GTX TOP, 2008", "page 2: 128 stream processors, 256 bits, 512 MB; 675, 1688 and 1100 MHz")
SHEET_240 = Cite("amdarea51.de, nVIDIA GeForce GT 240", "technical data: 96 stream processors in 4 clusters, 128 bits, 512 MB; 550, 1340 MHz, GDDR5",
                 note="850 MHz there, four transfers each; device queries print twice as much")
CARRIED = Cite("the GT200 fit", "taken over, no figure of this chip is public", "assumed")
LIKE_G80 = Cite(MISSING_MUL.document, MISSING_MUL.place, "inferred", "measured on the G80, of which the G92 is a smaller edition")
LIKE_GT200 = Cite(BRIEF.document, BRIEF.place, "inferred", "said of the GTX 280 and 260, the GT215 has the same multiprocessors without double precision")
GLOBAL = Cite(GUIDE.document, "global memory takes 400 to 600 cycles", "inferred")
WIDE_PORTS = Cite("not published", "ports of a partition of GDDR5", "assumed",
                  "twice the GT200's, as is the data rate of the memory's pins; a partition gives 27 GB/s, there 18")
ALL_CARRIED = dict.fromkeys("""caches load_store interconnect caches.texture_l1.latency_cycles caches.texture_l2.latency_cycles dram.row_bytes
    dram.extra_latency_ns dram.queue_entries dram.scheduling dram.write_drain_high dram.write_drain_low""".split(), CARRIED)
CARRIED_GDDR3 = {f"dram.{name}": CARRIED for name in """banks t_rcd_ns t_rp_ns t_ras_ns t_rrd_ns t_cl_ns t_wl_ns t_wtr_ns t_rtw_ns
    t_wr_ns t_refi_ns t_rfc_ns""".split()}
GUIDES_LATENCY = {"interconnect.request_latency_ns": GLOBAL, "interconnect.response_latency_ns": GLOBAL}
MAPS = {"host_link.mapped": ZERO_COPY, "host_link.mapped.requests_in_flight": ZERO_COPY,
        **{f"host_link.mapped.{name}": UNPUBLISHED for name in ("latency_ns", "atomics")}}
PCIE_2 = HostLink(name="PCIe 2.0 x16", pinned_h2d_gb_s=5.7, pinned_d2h_gb_s=5.7, pageable_h2d_gb_s=2.7, pageable_d2h_gb_s=2.7,
                  latency_us=8, call_us=2, submit_us=2, dependency_us=4, wakeup_us=5, copy_engines=1, work_queues=1, concurrent_grids=1)
PCIE_2_MAPPED = attrs.evolve(PCIE_2, mapped=LinkAccesses(read_gb_s=7.3, write_gb_s=7.3, granule_bytes=64, header_bytes=36))

G80 = tesla(
    name="g80", title="GeForce 8800 GTX", compute_capability="1.0", aliases=("8800gtx", "geforce_8800_gtx"),
    chip=Chip(multiprocessors=16, multiprocessors_per_cluster=2, block_launch_cycles=10, block_turnover_cycles=300,
              launch_overhead_us=10),
    clocks=Clocks(core_mhz=575, shader_mhz=1350, memory_mhz=900), bus=(6, 768 * MiB), address_bits=32,
    warps=24, registers=8192, coalescing=StrictHalfWarp(), features=BASIC, costs=[COSTS, MULTIPLY_SP, PAIRS_OF_32],
    arithmetic=SP_SFU, pairs=SP_WITH_SFU, latency_ns=(125, 190), reads=32, texture_l2_bytes=32 * KiB,
    link=HostLink(name="PCIe 1.1 x16", pinned_h2d_gb_s=3.1, pinned_d2h_gb_s=3.1, pageable_h2d_gb_s=1.5, pageable_d2h_gb_s=1.5,
                  latency_us=10, call_us=2, submit_us=2, dependency_us=5, wakeup_us=5, copy_engines=0, work_queues=1,
                  concurrent_grids=1),
    evidence=ALL_CARRIED | GUIDES_LATENCY | {"clocks": SHEET, "host_link.copy_engines": NO_OVERLAP,
                                             "schedulers.dual_issue": MISSING_MUL, "isa.operations.fp32_mul": MISSING_MUL})

G92 = tesla(
    name="g92", title="GeForce 9800 GTX", compute_capability="1.1", aliases=("9800gtx", "geforce_9800_gtx"),
    chip=Chip(multiprocessors=16, multiprocessors_per_cluster=2, block_launch_cycles=10, block_turnover_cycles=300,
              launch_overhead_us=10),
    clocks=Clocks(core_mhz=675, shader_mhz=1688, memory_mhz=1100), bus=(4, 512 * MiB), address_bits=32,
    warps=24, registers=8192, coalescing=StrictHalfWarp(), features=BASIC + " atomics_global", costs=[COSTS, MULTIPLY_SP, PAIRS_OF_32, ATOMICS],
    arithmetic=SP_SFU, pairs=SP_WITH_SFU, latency_ns=(90, 150), reads=32, texture_l2_bytes=32 * KiB, link=PCIE_2,
    evidence=ALL_CARRIED | GUIDES_LATENCY | {
        "clocks": SHEET_9800, "chip.multiprocessors": SHEET_9800, "dram": SHEET_9800, "dram.partitions": BUS, "schedulers.dual_issue": LIKE_G80,
        "isa.operations.fp32_mul": LIKE_G80})

GT215 = tesla(
    name="gt215", title="GeForce GT 240", compute_capability="1.2", aliases=("gt_240", "geforce_gt_240"),
    chip=Chip(multiprocessors=12, multiprocessors_per_cluster=3, block_launch_cycles=10, block_turnover_cycles=300,
              launch_overhead_us=7),
    clocks=Clocks(core_mhz=550, shader_mhz=1340, memory_mhz=1700), bus=(2, 512 * MiB), port_bytes=(32, 64), address_bits=40,
    warps=32, registers=16384, coalescing=SegmentShrinking(),
    features=BASIC + " vote atomics_global atomics_global_64 atomics_shared", costs=[COSTS, MULTIPLY_SFU, PAIRS_OF_32, ATOMICS, VOTES],
    arithmetic=MULTIPLIERS, pairs=SP_WITH_SFU_OR_MUL, latency_ns=(110, 170), dram_ns=16, reads=18, texture_l2_bytes=32 * KiB, link=PCIE_2_MAPPED,
    evidence=ALL_CARRIED | CARRIED_GDDR3 | MAPS | {
        "clocks": SHEET_240, "chip.multiprocessors": SHEET_240, "chip.multiprocessors_per_cluster": SHEET_240, "dram": SHEET_240, "dram.partitions": BUS,
        "interconnect.partition_request_bytes_per_cycle": WIDE_PORTS, "interconnect.partition_response_bytes_per_cycle": WIDE_PORTS,
        "schedulers.dual_issue": LIKE_GT200, "isa.operations.fp32_mul.issues": LIKE_GT200, "units.mul": LIKE_GT200})

GT200 = tesla(
    name="gt200", title="GeForce GTX 280", compute_capability="1.3", aliases=("gtx280", "geforce_gtx_280"),
    chip=Chip(multiprocessors=30, multiprocessors_per_cluster=3, block_launch_cycles=10, block_turnover_cycles=300,
              launch_overhead_us=7),
    clocks=Clocks(core_mhz=602, shader_mhz=1296, memory_mhz=1107), bus=(8, 1 * GiB), address_bits=40,
    warps=32, registers=16384, coalescing=SegmentShrinking(),
    features=BASIC + " vote fp64 atomics_global atomics_global_64 atomics_shared", costs=[COSTS, MULTIPLY_SFU, ATOMICS, VOTES, DOUBLES],
    arithmetic=(*MULTIPLIERS, Unit("dp", 1, part_of=PartOfUnit(unit="mul"))),     # in place of the SPs
    pairs=SP_WITH_SFU_OR_MUL, latency_ns=(110, 170), dram_ns=16, reads=18, texture_l2_bytes=32 * KiB, texture_cycles=237, link=PCIE_2_MAPPED,
    evidence=MAPS | {"isa.operations.fp64_div": DIVISION, "schedulers.dual_issue": BRIEF, "isa.operations.fp32_mul.issues": BRIEF, "units.mul": BRIEF,
              "units.dp": KANTER,
              **{f"isa.operations.{name}": LONG_INTEGERS for name in "int64_add int64_compare int64_minmax int64_mul".split()}})


@hookimpl
def archdef_architectures():
    return [G80, G92, GT215, GT200]
