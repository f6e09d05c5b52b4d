"""NVIDIA Ampere GA100 (compute capability 8.0): A100, SXM4, 40 GB."""
import attrs

from archdef.hookspecs import hookimpl
from archdef.spec import (FEATURES, AlignedSum, Architecture, BlockLaunch, Cache, Caches, ChainedSum, Chip, Clocks, Coalescing, ConvergenceBarriers,
                          DeviceLaunches, Dram, FirstReady, forms, GreedyThenRoundRobin, HostLink, LinkAccesses, Interconnect, Isa, KiB, L2Partitions,
                          Limits, Lines, LoadStore, ManagedMemory,
                          MatrixArithmetic, MergedLanes, MulticastBroadcast, PairedSum, Schedulers, SharedMemory, TextureUnits, Unit,
                          Vocabulary, Warp, XorHash, operations)
from archdef_ampere.costs import COSTS, EVIDENCE, FORMS
from archdef_sass import SM_70

MISSING = set("""lane_masks_64 read_only_loads minmax_xorsign int16x2 atomics_bfloat_add atomics_vector elect mbarrier_tx bulk_copies clusters
    matrix_f64_tall matrix_tiles_store matrix_warpgroup matrix_fp8 fp8 fp4_fp6 register_reallocation multimem
    multimem_fp8""".split())
"""Warps have 32 lanes; L1 serves read-only loads like all others; the rest came with 8.6, 8.9, 9.0 and 10.0. Every other feature that archdef knows
came with 8.0 or before."""

A100 = Architecture(
    name="a100", title="A100 SXM4 40GB", vendor="NVIDIA", family="Ampere", compute_capability="8.0",
    aliases=("a100_sxm4", "ga100"), vocabulary=Vocabulary(), evidence=EVIDENCE,
    clocks=Clocks(core_mhz=1410, shader_mhz=1410, memory_mhz=1215), warp=Warp(size=32, reconvergence=ConvergenceBarriers()),
    chip=Chip(multiprocessors=108, block_launch_cycles=1, block_turnover_cycles=340, launch_overhead_us=3,
              block_launch=BlockLaunch(setup_cycles=17, warp_cycles=3.5)),
    limits=Limits(
        threads_per_block=1024, threads_per_multiprocessor=2048, warps_per_multiprocessor=64, blocks_per_multiprocessor=32,
        registers_per_multiprocessor=65536, registers_per_block=65536, registers_per_thread=255, registers_reserved_per_thread=1,
        register_allocation_unit=256,
        register_allocation_scope="warp", warp_allocation_granularity=4, shared_bytes_per_multiprocessor=164 * KiB,
        shared_bytes_per_block=163 * KiB, shared_allocation_unit_bytes=128, shared_reserved_bytes_per_block=1024,
        shared_carveouts=tuple(k * KiB for k in (0, 8, 16, 32, 64, 100, 132, 164)), block_dimensions=(1024, 1024, 64),
        grid_dimensions=(2**31 - 1, 65535, 65535), kernel_instructions=512_000_000, local_bytes_per_thread=512 * KiB,
        parameter_bytes=32_764, constant_bytes=64 * KiB),
    schedulers=Schedulers(count=4, policy=GreedyThenRoundRobin(), issue_interval_cycles=1, instruction_gap_cycles=1),
    units=(Unit("fma", 16, "scheduler"), Unit("alu", 16, "scheduler"), Unit("xu", 4, "scheduler"), Unit("dp", 8, "scheduler"),
           Unit("half", 32, "scheduler"), Unit("tensor", 32, "scheduler"), Unit("bar", 16), Unit("lsu", 32), Unit("tex", 4)),
    isa=Isa(features=frozenset(set(FEATURES) - MISSING), operations=operations(COSTS), forms=forms(FORMS), pointer_bits=64, instruction_bytes=16,
            fuse_multiply_add=True, float_mad="fused", predication_max_instructions=8,
            assembler=attrs.evolve(SM_70, constant_load_bytes=8, global_access_instructions=1, predication_with_copies_instructions=20, loads_before_copies=3),
            matrix=MatrixArithmetic(f16=AlignedSum(8, 24), bf16=AlignedSum(8, 24), tf32=AlignedSum(4, 24), groups=ChainedSum(),
                                    groups_f16=PairedSum())),
    shared=SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), wide_access=MergedLanes(), latency_cycles=26, pass_cycles=1,
                        pass_latency_cycles=2),
    coalescing=Coalescing(load=Lines(32, 128, 32), store=Lines(32, 128, 32), load_uncached=Lines(32, 128, 32)),
    caches=Caches(
        unified_l1_shared=True, carveout_takes="ways",
        l1=Cache(size_bytes=192 * KiB, line_bytes=128, sector_bytes=32, ways=384, latency_cycles=30, misses_in_flight=256,
                 tag_bank_masks=(0b010110101, 0b101101111), write="through", scope="multiprocessor"),
        constant=Cache(size_bytes=2 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=27, misses_in_flight=8,
                       write="evict", scope="multiprocessor"),
        constant_l2=Cache(size_bytes=64 * KiB, line_bytes=256, sector_bytes=256, ways=4, latency_cycles=88, misses_in_flight=8,
                          write="evict", scope="multiprocessor"),
        instruction=Cache(size_bytes=32 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=0, misses_in_flight=8, prefetch_degree=2,
                          write="evict", scope="scheduler"),
        instruction_l2=Cache(size_bytes=128 * KiB, line_bytes=128, sector_bytes=128, ways=8, latency_cycles=30, misses_in_flight=8,
                             prefetch_degree=7, write="evict", scope="multiprocessor"),
        instruction_memory_cycles=191, instruction_preload_bytes=64 * KiB,
        texture_l1=Cache(size_bytes=192 * KiB, line_bytes=128, sector_bytes=32, ways=384, latency_cycles=30, misses_in_flight=256,
                         write="evict", scope="multiprocessor"),
        l2=Cache(size_bytes=512 * KiB, line_bytes=128, sector_bytes=32, ways=16, latency_cycles=30, misses_in_flight=256,
                 set_hash_bits=tuple(range(12, 20)), write="back", scope="partition")),
    texture=TextureUnits(weight_bits=8, coordinate_bits=21, coordinate_extents=(8192, 65536), guard_bits=4),
    load_store=LoadStore(reads_in_flight_per_multiprocessor=1024, stores_in_flight_per_multiprocessor=1024, transaction_cycles=1,
                         atomic_cycles=1),
    interconnect=Interconnect(
        request_latency_ns=61, response_latency_ns=63, l2_partitions=L2Partitions(count=2, far_latency_ns=49), header_bytes=12, injection_bytes_per_cycle=64,
        injection_scope="multiprocessor", partition_request_bytes_per_cycle=64, partition_response_bytes_per_cycle=64),
    dram=Dram(
        partitions=80, interleave_bytes=256, partition_map=XorHash(), capacity_bytes=42_405_855_232, bus_bits=5120,
        transfers_per_clock=2, burst_bytes=32, banks=32, row_bytes=2 * KiB, t_rcd_ns=14, t_rp_ns=14, t_ras_ns=33, t_rrd_ns=4, t_cl_ns=14,
        t_wl_ns=7, t_wtr_ns=8, t_rtw_ns=4, t_wr_ns=16, t_refi_ns=122, t_rfc_ns=160, refresh_banks=1, extra_latency_ns=195,
        queue_entries=128, scheduling=FirstReady(window=64), write_drain_high=64, write_drain_low=16),
    device_launches=DeviceLaunches(depth=24, synchronization_depth=2, pending=2048, pool="virtualised", virtual_us=6.3, call_us=6.3, lane_us=0.2, start_us=0.8,
                                   next_us=1.3, tail_us=4.8),
    host_link=HostLink(name="PCIe 4.0 x16", pinned_h2d_gb_s=24, pinned_d2h_gb_s=24, pageable_h2d_gb_s=6, pageable_d2h_gb_s=6,
                       duplex_ratio=0.9, latency_us=3, call_us=2, submit_us=1, dependency_us=2, wakeup_us=3,
                       copy_engines=3, work_queues=32, concurrent_grids=128, peer_gb_s=300, peer_latency_us=8,
                       mapped=LinkAccesses(read_gb_s=31.5, write_gb_s=31.5, granule_bytes=64, header_bytes=36, requests_in_flight=768),
                       peer=LinkAccesses(read_gb_s=300, write_gb_s=300, header_bytes=36, latency_ns=700, requests_in_flight=8192, atomics="memory"),
                       managed=ManagedMemory(fault_bytes=512 * KiB, fault_us=45, host_fault_us=16)))


@hookimpl
def archdef_architectures():
    return [A100]
