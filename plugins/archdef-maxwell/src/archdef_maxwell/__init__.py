"""NVIDIA Maxwell GM200 (compute capability 5.2): GeForce GTX TITAN X."""
from archdef.hookspecs import hookimpl
from archdef.spec import (Architecture, ByteMasks, Cache, Caches, Chip, Clocks, Coalescing, DeviceLaunches, Dram, FirstReady, forms, HostLink, LinkAccesses,
                          Interconnect, Isa, KiB, Limits, Lines, LoadStore, ManagedMemory, LooseRoundRobin, MergedLanes, MulticastBroadcast, Schedulers,
                          SharedMemory, Unit, Vocabulary, Warp, XorHash, operations, TextureUnits)
from archdef_maxwell.costs import COSTS, EVIDENCE, FORMS
from archdef_sass import Sass

FEATURES = """fp64 fp32_fma atomics_global atomics_global_64 atomics_shared atomics_shared_64 atomics_minmax_64 atomics_float_add
    vote vote_ballot shuffle barrier_count barrier_reduce bit_operations byte_permute carry_chain funnel_shift read_only_loads
    unified_addressing device_print device_heap device_calls indirect_calls clock clock64 globaltimer dynamic_parallelism
    texture texture_objects texture_layered texture_cubemap texture_gather surface"""

TITAN_X = Architecture(
    name="titan_x", title="GeForce GTX TITAN X", vendor="NVIDIA", family="Maxwell", compute_capability="5.2",
    aliases=("gtx_titan_x", "gm200"),
    vocabulary=Vocabulary(), evidence=EVIDENCE,
    clocks=Clocks(core_mhz=1076, shader_mhz=1076, memory_mhz=3505), warp=Warp(size=32),
    chip=Chip(multiprocessors=24, block_launch_cycles=2, block_turnover_cycles=400, launch_overhead_us=4),
    limits=Limits(
        threads_per_block=1024, threads_per_multiprocessor=2048, warps_per_multiprocessor=64, blocks_per_multiprocessor=32,
        registers_per_multiprocessor=65536, registers_per_block=65536, registers_per_thread=255, registers_reserved_per_thread=1,
        register_allocation_unit=256,
        register_allocation_scope="warp", warp_allocation_granularity=4, shared_bytes_per_multiprocessor=96 * KiB,
        shared_bytes_per_block=48 * KiB, shared_allocation_unit_bytes=256, block_dimensions=(1024, 1024, 64),
        grid_dimensions=(2**31 - 1, 65535, 65535), kernel_instructions=512_000_000, local_bytes_per_thread=512 * KiB,
        parameter_bytes=4096, constant_bytes=64 * KiB),
    schedulers=Schedulers(
        count=4, policy=LooseRoundRobin(), issue_interval_cycles=1, issue_width=2, instruction_gap_cycles=1, superscalar=True,
        dual_issue=tuple(frozenset({"sp", other}) for other in ("sfu", "ld", "lsu", "tex"))),
    units=(Unit("sp", 32, "scheduler"), Unit("sfu", 8, "scheduler"), Unit("dp", 1, "scheduler"), Unit("ld", 16), Unit("lsu", 32),
           Unit("tex", 8)),
    isa=Isa(features=FEATURES, operations=operations(COSTS), forms=forms(FORMS), pointer_bits=64, instruction_bytes=11,
            fuse_multiply_add=True, float_mad="fused", predication_max_instructions=7, exits_count_as_branches=True,
            assembler=Sass(joins_by_branch=True, debug_signs_by_branch=True, shared_load_bytes=16, merged_atomics=(5, 10))),
    shared=SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), wide_access=MergedLanes(), latency_cycles=24, pass_cycles=1,
                        pass_latency_cycles=2),
    coalescing=Coalescing(load=Lines(32, 128, 32), store=Lines(32, 128, 32), load_uncached=Lines(32, 128, 32)),
    caches=Caches(
        l1_global_loads=False,
        l1=Cache(size_bytes=24 * KiB, line_bytes=128, sector_bytes=32, ways=48, latency_cycles=76, misses_in_flight=256,
                 write="through", enabled=False, scope="multiprocessor"),
        constant=Cache(size_bytes=2 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=20, misses_in_flight=8,
                       write="evict", scope="multiprocessor"),
        constant_l2=Cache(size_bytes=32 * KiB, line_bytes=256, sector_bytes=256, ways=4, latency_cycles=81, misses_in_flight=8,
                          write="evict", scope="multiprocessor"),
        instruction=Cache(size_bytes=8 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=0, misses_in_flight=8, prefetch_degree=2,
                          write="evict", scope="multiprocessor"),
        instruction_l2=Cache(size_bytes=32 * KiB, line_bytes=128, sector_bytes=128, ways=8, latency_cycles=30, misses_in_flight=8, prefetch_degree=7,
                             write="evict", scope="multiprocessor"),
        instruction_memory_cycles=205, instruction_preload_bytes=32 * KiB,
        texture_l1=Cache(size_bytes=24 * KiB, line_bytes=128, sector_bytes=32, ways=48, latency_cycles=76, misses_in_flight=256,
                         write="evict", scope="multiprocessor"),
        l2=Cache(size_bytes=256 * KiB, line_bytes=128, sector_bytes=32, ways=16, latency_cycles=30, misses_in_flight=256,
                 write="back", scope="partition")),
    texture=TextureUnits(weight_bits=8, coordinate_bits=21, coordinate_extents=(8192, 65536), guard_bits=4),
    load_store=LoadStore(reads_in_flight_per_multiprocessor=512, stores_in_flight_per_multiprocessor=512, transaction_cycles=1,
                         atomic_cycles=1),
    interconnect=Interconnect(
        request_latency_ns=85, response_latency_ns=89, header_bytes=16, byte_masks=ByteMasks(mask_bytes=32), injection_bytes_per_cycle=64,
        injection_scope="multiprocessor", partition_request_bytes_per_cycle=64, partition_response_bytes_per_cycle=64),
    dram=Dram(
        partitions=12, interleave_bytes=256, partition_map=XorHash(), capacity_bytes=12_806_062_080, bus_bits=384, transfers_per_clock=2,
        burst_bytes=32, banks=16, row_bytes=2 * KiB, t_rcd_ns=12, t_rp_ns=12, t_ras_ns=28, t_rrd_ns=6, t_cl_ns=12, t_wl_ns=4, t_wtr_ns=5,
        t_rtw_ns=3, t_wr_ns=12, t_refi_ns=190, t_rfc_ns=32, extra_latency_ns=110, queue_entries=128, scheduling=FirstReady(window=64), write_drain_high=32,
        write_drain_low=8),
    device_launches=DeviceLaunches(depth=24, synchronization_depth=2, pending=2048, pool="virtualised", virtual_us=30.7, call_us=30.7, lane_us=2.4,
                                   start_us=0.8, next_us=1.3, tail_us=4.8),
    host_link=HostLink(name="PCIe 3.0 x16", pinned_h2d_gb_s=12, pinned_d2h_gb_s=12, pageable_h2d_gb_s=6, pageable_d2h_gb_s=6,
                       duplex_ratio=0.9, latency_us=4, call_us=2, submit_us=1, dependency_us=2, wakeup_us=4,
                       copy_engines=2, work_queues=32, concurrent_grids=32, peer_gb_s=12, peer_latency_us=8,
                       mapped=LinkAccesses(read_gb_s=15.75, write_gb_s=15.75, granule_bytes=64, header_bytes=36, requests_in_flight=256),
                       managed=ManagedMemory(host_fault_us=16)))


@hookimpl
def archdef_architectures():
    return [TITAN_X]
