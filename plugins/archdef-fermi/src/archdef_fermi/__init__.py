"""NVIDIA Fermi: GeForce GTX 480, Tesla M2070 (GF100) and Tesla M2090 (GF110) of compute capability 2.0, GeForce GTX 460 (GF104) of 2.1."""
from itertools import combinations

from archdef.hookspecs import hookimpl
from archdef.spec import (PartOfUnit, RandomOfKLru, Architecture, Assembler, Cache, Caches, Chip, Cite, Clocks, Coalescing, Dram, ExtraPass, FirstReady,
                          HostLink, Interconnect, Isa, KiB, Limits, Lines, LinkAccesses, LoadStore, LooseRoundRobin, MiB, MulticastBroadcast,
                          RegisterAllocationRules, Replay, Schedulers, SharedMemory, TextureUnits, Unit, Vocabulary, Warp, XorHash, operations)
from archdef_fermi.costs import COSTS, COSTS_2_0, COSTS_2_1, DOMAINS, EVIDENCE, EVIDENCE_2_1, FORMS, NO_ECC, PCIE, QUERY_M2090, SCALED, SHEET

FEATURES = """fp64 fp32_fma atomics_global atomics_global_64 atomics_shared atomics_shared_64 atomics_float_add
    vote vote_ballot barrier_count barrier_reduce bit_operations byte_permute carry_chain unified_addressing device_calls
    indirect_calls device_print device_heap clock clock64 texture texture_objects texture_layered texture_cubemap
    texture_gather surface
    funnel_shift int_dot bit_masks convert_pack minmax_nan minmax_xorsign fp32_tanh"""  # spelled out in several instructions


SINGLE = dict()
TWO_GROUPS = (Unit("sp", 16, "scheduler"), Unit("int", 16), Unit("sfu", 4), Unit("tex", 2))  # four texture units at half the shader clock
DOUBLE = dict(issue_width=2, superscalar=True,
              dual_issue=(frozenset({"sp"}), *map(frozenset, combinations(("sp", "int", "sfu", "lsu", "tex"), 2))))
THREE_GROUPS = (Unit("sp", 16, copies=3), Unit("int", 16, part_of=PartOfUnit(unit="sp")), Unit("sfu", 8), Unit("tex", 4))


def fermi(*, name, title, aliases, multiprocessors, clocks, dp_lanes, latency_ns, dram_latency_ns, capacity_bytes, ecc, timing_ns,
          copy_engines, evidence, peer_gb_s=None, partitions=6, l2_cycles=70, code_cycles=435, compute_capability="2.0", issue=SINGLE, groups=TWO_GROUPS,
          costs=COSTS_2_0) -> Architecture:
    """Describe one board by what the boards differ in."""
    return Architecture(
        name=name, title=title, vendor="NVIDIA", family="Fermi", compute_capability=compute_capability, aliases=aliases,
        vocabulary=Vocabulary(cluster="GPC"), evidence=EVIDENCE | evidence, clocks=clocks, warp=Warp(size=32),
        chip=Chip(multiprocessors=multiprocessors, multiprocessors_per_cluster=4, block_launch_cycles=4, block_turnover_cycles=700, launch_overhead_us=5),
        limits=Limits(
            threads_per_block=1024, threads_per_multiprocessor=1536, warps_per_multiprocessor=48, blocks_per_multiprocessor=8,
            registers_per_multiprocessor=32768, registers_per_block=32768, registers_per_thread=63, registers_reserved_per_thread=1,
            register_allocation_unit=64, register_allocation_scope="warp", warp_allocation_granularity=2,
            register_allocation_rules=RegisterAllocationRules(unit_exceptions=(((21, 22, 29, 30, 37, 38, 45, 46), 128),)),
            shared_bytes_per_multiprocessor=48 * KiB, shared_bytes_per_block=48 * KiB, shared_allocation_unit_bytes=128,
            shared_carveouts=(48 * KiB, 16 * KiB), block_dimensions=(1024, 1024, 64), grid_dimensions=(65535, 65535, 65535),
            kernel_instructions=512_000_000, local_bytes_per_thread=512 * KiB, parameter_bytes=4096, constant_bytes=64 * KiB, address_bits=40),
        schedulers=Schedulers(count=2, policy=LooseRoundRobin(), issue_interval_cycles=2, instruction_gap_cycles=2, **issue),
        units=(*groups, Unit("lsu", 16), Unit("dp", dp_lanes, "exclusive")),
        isa=Isa(features=FEATURES, operations=operations(COSTS, costs), forms=FORMS, pointer_bits=64, fuse_multiply_add=True, float_mad="fused",
                predication_max_instructions=7,
                assembler=Assembler(loads_pass_shared_stores=True, predication_global_load_instructions=2, convergence_instructions=2,
                                    prologue_instructions=1)),
        shared=SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), wide_access=ExtraPass(), latency_cycles=50, pass_cycles=2,
                            pass_latency_cycles=37, conflicts_hold_issue=True),
        coalescing=Coalescing(load=Lines(32, 128, 128), store=Lines(32, 128, 32), load_uncached=Lines(32, 128, 32)),
        caches=Caches(
            l1=Cache(size_bytes=16 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=35, misses_in_flight=32,
                     set_hash_bits=(13, 14, 15, 17, 19), replacement=RandomOfKLru(lines=4), write="evict", scope="multiprocessor"),
            constant=Cache(size_bytes=8 * KiB, line_bytes=64, sector_bytes=64, ways=2, latency_cycles=18, misses_in_flight=8,
                           write="evict", scope="multiprocessor"),
            instruction=Cache(size_bytes=8 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=0, misses_in_flight=8, prefetch_degree=2,
                              write="evict", scope="multiprocessor"),
            instruction_l2=Cache(size_bytes=32 * KiB, line_bytes=128, sector_bytes=128, ways=8, latency_cycles=30, misses_in_flight=8, prefetch_degree=7,
                                 write="evict", scope="cluster"),
            instruction_memory_cycles=code_cycles, instruction_preload_bytes=32 * KiB,
            texture_l1=Cache(size_bytes=12 * KiB, line_bytes=128, sector_bytes=32, ways=24, latency_cycles=200,
                             misses_in_flight=32, write="evict", scope="multiprocessor"),
            l2=Cache(size_bytes=128 * KiB, line_bytes=128, sector_bytes=32, ways=8, latency_cycles=l2_cycles, misses_in_flight=128,
                     set_hash_bits=(13, 14, 15, 16, 17, 18),
                     write="back", scope="partition")),
        texture=TextureUnits(weight_bits=8, coordinate_bits=21, coordinate_extents=(8192, 65536), guard_bits=4),
        load_store=LoadStore(reads_in_flight_per_multiprocessor=44, stores_in_flight_per_multiprocessor=128,
                             transaction_cycles=2, replay=Replay(cycles=36, on_reservation_fail=True), atomic_cycles=1, atomic_sector_cycles=2),
        interconnect=Interconnect(
            request_latency_ns=latency_ns[0], response_latency_ns=latency_ns[1], header_bytes=0, injection_bytes_per_cycle=32,
            injection_scope="multiprocessor", partition_request_bytes_per_cycle=64, partition_response_bytes_per_cycle=64),
        dram=Dram(
            partitions=partitions, interleave_bytes=256, partition_map=XorHash(), capacity_bytes=capacity_bytes, bus_bits=64 * partitions,
            burst_bytes=32, banks=16, row_bytes=4 * KiB, extra_latency_ns=dram_latency_ns, queue_entries=128, scheduling=FirstReady(window=64),
            write_drain_high=32, write_drain_low=8, ecc_overhead_ratio=ecc, **timing_ns),
        host_link=HostLink(name="PCIe 2.0 x16", pinned_h2d_gb_s=6.0, pinned_d2h_gb_s=6.0, pageable_h2d_gb_s=3.3, pageable_d2h_gb_s=3.3,
                           duplex_ratio=0.9, latency_us=8, call_us=2, submit_us=2, dependency_us=4, wakeup_us=5,
                           copy_engines=copy_engines, work_queues=1, late_kernel_signals=True,
                           concurrent_grids=16, peer_gb_s=peer_gb_s,
                           mapped=LinkAccesses(read_gb_s=8, write_gb_s=8, granule_bytes=64, header_bytes=36, requests_in_flight=256),
                           peer_latency_us=10 if peer_gb_s else 0))


TIMING_NS = dict(t_rcd_ns=13, t_rp_ns=13, t_ras_ns=30, t_rrd_ns=6.5, t_cl_ns=13, t_wl_ns=4.3, t_wtr_ns=5.4, t_rtw_ns=4, t_wr_ns=13, t_refi_ns=3900,
                 t_rfc_ns=65)
LARGE_CHIPS_NS = dict(TIMING_NS, t_refi_ns=1900)
"""Of chips of 2 Gb."""

GF100 = fermi(
    name="gf100", title="GeForce GTX 480", aliases=("gtx480", "geforce_gtx_480"), multiprocessors=15,
    clocks=Clocks(core_mhz=700, shader_mhz=1401, memory_mhz=924), dp_lanes=4, latency_ns=(98, 106), dram_latency_ns=225,
    capacity_bytes=1536 * MiB, ecc=1.0, timing_ns=dict(TIMING_NS, transfers_per_clock=4), copy_engines=1,
    evidence={"clocks": SHEET, "clocks.core_mhz": DOMAINS, "clocks.memory_mhz": DOMAINS, "interconnect.request_latency_ns": SCALED,
              "interconnect.response_latency_ns": SCALED, "dram.extra_latency_ns": SCALED, "dram.ecc_overhead_ratio": NO_ECC})

M2070 = fermi(
    name="m2070", title="Tesla M2070", aliases=("tesla_m2070",), multiprocessors=14,
    clocks=Clocks(core_mhz=573.5, shader_mhz=1147, memory_mhz=1566), dp_lanes=16, latency_ns=(120, 130), dram_latency_ns=280,
    capacity_bytes=5_636_554_752, ecc=1.25, timing_ns=dict(LARGE_CHIPS_NS, transfers_per_clock=2), copy_engines=2, peer_gb_s=5,
    evidence={"clocks": SHEET, "host_link.peer_gb_s": PCIE,
              "dram.capacity_bytes": Cite("Professional CUDA C Programming", "deviceQuery of chapter 2",
                                          "recalled", note="6 GiB less error correction")})

M2090 = fermi(
    name="m2090", title="Tesla M2090", aliases=("tesla_m2090",), multiprocessors=16,
    clocks=Clocks(core_mhz=650, shader_mhz=1301, memory_mhz=1848), dp_lanes=16, latency_ns=(106, 115), dram_latency_ns=245,
    capacity_bytes=5_636_554_752, ecc=1.25, timing_ns=dict(LARGE_CHIPS_NS, transfers_per_clock=2), copy_engines=2, peer_gb_s=5,
    evidence={"clocks": QUERY_M2090, "clocks.core_mhz": SHEET, "host_link.peer_gb_s": PCIE, "interconnect.request_latency_ns": SCALED,
              "interconnect.response_latency_ns": SCALED, "dram.extra_latency_ns": SCALED, "dram.capacity_bytes": QUERY_M2090})

GF104 = fermi(
    name="gf104", title="GeForce GTX 460", aliases=("gtx460", "geforce_gtx_460"), multiprocessors=7, compute_capability="2.1",
    clocks=Clocks(core_mhz=675, shader_mhz=1350, memory_mhz=900), dp_lanes=4, partitions=4, issue=DOUBLE, groups=THREE_GROUPS,
    costs=COSTS_2_1, latency_ns=(73.5, 80.5), l2_cycles=44, code_cycles=300, dram_latency_ns=247, capacity_bytes=1024 * MiB, ecc=1.0,
    timing_ns=dict(TIMING_NS, transfers_per_clock=4), copy_engines=1, evidence=EVIDENCE_2_1)


@hookimpl
def archdef_architectures():
    return [GF100, M2070, M2090, GF104]
