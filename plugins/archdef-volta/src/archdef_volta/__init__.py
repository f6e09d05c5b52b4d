"""NVIDIA Volta GV100 (compute capability 7.0): Tesla V100, SXM2, 16 GB."""
from archdef.hookspecs import hookimpl
from archdef.spec import (AlignedSum, Architecture, BlockLaunch, ByteMasks, Cache, Caches, Chip, Clocks, ClusterPorts, Coalescing, ConvergenceBarriers,
                          DeviceLaunches, Dram, FirstReady, forms, GreedyThenRoundRobin, HostLink, Interconnect, Isa, KiB, Limits, Lines, LinkAccesses,
                          LoadStore, ManagedMemory, MatrixArithmetic, MergedLanes, MulticastBroadcast, Schedulers, SharedMemory, Unit, Vocabulary,
                          Warp, XorHash, operations, TextureUnits)
from archdef_volta.costs import COSTS, EVIDENCE, FORMS
from archdef_sass import SM_70

FEATURES = """fp64 fp32_fma fp16 atomics_global atomics_global_64 atomics_shared atomics_shared_64 atomics_minmax_64
    atomics_float_add atomics_double_add atomics_half_add atomics_16 vote vote_ballot match shuffle barrier_count barrier_reduce
    bit_operations bit_masks byte_permute carry_chain funnel_shift int_dot unified_addressing
    device_print device_heap device_calls indirect_calls clock clock64 globaltimer dynamic_parallelism cooperative_launch
    texture texture_objects texture_layered texture_cubemap texture_gather surface matrix"""
"""Not `read_only_loads`: L1 serves read-only loads like all others."""

FOUR_PRODUCTS = AlignedSum(products=4, fraction_bits=23)
"""What a tensor core adds up at a time: four products and the number that they are added to, without guard bits."""

V100 = Architecture(
    name="v100", title="Tesla V100 SXM2 16GB", vendor="NVIDIA", family="Volta", compute_capability="7.0",
    aliases=("tesla_v100", "v100_sxm2", "gv100"), vocabulary=Vocabulary(), evidence=EVIDENCE,
    clocks=Clocks(core_mhz=1530, shader_mhz=1530, memory_mhz=877), warp=Warp(size=32, reconvergence=ConvergenceBarriers()),
    chip=Chip(multiprocessors=80, multiprocessors_per_cluster=14, cluster_sizes=(14, 14, 14, 14, 12, 12),
              block_launch_cycles=1, block_turnover_cycles=340, launch_overhead_us=3,
              block_launch=BlockLaunch(setup_cycles=17, warp_cycles=3.5)),
    limits=Limits(
        threads_per_block=1024, threads_per_multiprocessor=2048, warps_per_multiprocessor=64, blocks_per_multiprocessor=32,
        registers_per_multiprocessor=65536, registers_per_block=65536, registers_per_thread=255, registers_reserved_per_thread=1,
        register_allocation_unit=256,
        register_allocation_scope="warp", warp_allocation_granularity=4, shared_bytes_per_multiprocessor=96 * KiB,
        shared_bytes_per_block=96 * KiB, shared_allocation_unit_bytes=256,
        shared_carveouts=tuple(k * KiB for k in (0, 8, 16, 32, 64, 96)), block_dimensions=(1024, 1024, 64),
        grid_dimensions=(2**31 - 1, 65535, 65535), kernel_instructions=512_000_000, local_bytes_per_thread=512 * KiB,
        parameter_bytes=32_764, constant_bytes=64 * KiB),
    schedulers=Schedulers(count=4, policy=GreedyThenRoundRobin(), issue_interval_cycles=1, instruction_gap_cycles=1),
    units=(Unit("fma", 16, "scheduler"), Unit("alu", 16, "scheduler"), Unit("xu", 4, "scheduler"), Unit("dp", 8, "scheduler"),
           Unit("tensor", 32, "scheduler"), Unit("bar", 16), Unit("lsu", 32), Unit("tex", 4)),
    isa=Isa(features=FEATURES, operations=operations(COSTS), forms=forms(FORMS), pointer_bits=64, instruction_bytes=16,
            fuse_multiply_add=True, float_mad="fused", predication_max_instructions=8,
            assembler=SM_70,
            matrix=MatrixArithmetic(f16=FOUR_PRODUCTS, groups=FOUR_PRODUCTS, groups_f16=FOUR_PRODUCTS)),
    shared=SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), wide_access=MergedLanes(), latency_cycles=19, pass_cycles=1,
                        pass_latency_cycles=2),
    coalescing=Coalescing(load=Lines(32, 128, 32), store=Lines(32, 128, 32), load_uncached=Lines(32, 128, 32)),
    caches=Caches(
        unified_l1_shared=True, carveout_takes="ways",
        l1=Cache(size_bytes=128 * KiB, line_bytes=128, sector_bytes=32, ways=256, latency_cycles=24, misses_in_flight=256,
                 tag_bank_masks=(0b010110101, 0b101101111), write="through", scope="multiprocessor"),
        constant=Cache(size_bytes=2 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=27, misses_in_flight=8,
                       write="evict", scope="multiprocessor"),
        constant_l2=Cache(size_bytes=64 * KiB, line_bytes=256, sector_bytes=256, ways=4, latency_cycles=113, misses_in_flight=8,
                          write="evict", scope="multiprocessor"),
        instruction=Cache(size_bytes=12 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=0, misses_in_flight=8, prefetch_degree=2,
                          write="evict", scope="scheduler"),
        instruction_l2=Cache(size_bytes=128 * KiB, line_bytes=128, sector_bytes=128, ways=8, latency_cycles=30, misses_in_flight=8,
                             prefetch_degree=7, write="evict", scope="multiprocessor"),
        instruction_memory_cycles=193, instruction_preload_bytes=64 * KiB,
        texture_l1=Cache(size_bytes=128 * KiB, line_bytes=128, sector_bytes=32, ways=256, latency_cycles=24, misses_in_flight=256,
                         write="evict", scope="multiprocessor"),
        l2=Cache(size_bytes=192 * KiB, line_bytes=128, sector_bytes=32, ways=24, latency_cycles=30, misses_in_flight=256,
                 set_hash_bits=tuple(range(14, 20)), write="back", scope="partition")),
    texture=TextureUnits(weight_bits=8, coordinate_bits=21, coordinate_extents=(8192, 65536), guard_bits=4),
    load_store=LoadStore(reads_in_flight_per_multiprocessor=1024, stores_in_flight_per_multiprocessor=1024, transaction_cycles=1,
                         atomic_cycles=1, atomic_sector_cycles=1.25),
    interconnect=Interconnect(
        request_latency_ns=56, response_latency_ns=59.5, header_bytes=0, byte_masks=ByteMasks(mask_bytes=32, partial_write_cycles=1.85),
        injection_bytes_per_cycle=64, injection_scope="multiprocessor", partition_request_bytes_per_cycle=64, partition_response_bytes_per_cycle=64,
        cluster_ports=ClusterPorts(response_bytes_per_cycle=310)),
    dram=Dram(
        partitions=32, interleave_bytes=512, partition_map=XorHash(), capacity_bytes=16_911_433_728, bus_bits=4096,
        transfers_per_clock=2, burst_bytes=32, banks=32, row_bytes=2 * KiB, t_rcd_ns=14, t_rp_ns=14, t_ras_ns=33, t_rrd_ns=4, t_cl_ns=14,
        t_wl_ns=7, t_wtr_ns=8, t_rtw_ns=4, t_wr_ns=16, t_refi_ns=122, t_rfc_ns=160, refresh_banks=1, extra_latency_ns=120,
        queue_entries=128, scheduling=FirstReady(window=64), write_drain_high=32, write_drain_low=8),
    device_launches=DeviceLaunches(depth=24, synchronization_depth=2, pending=2048, pool="virtualised", virtual_us=6.3, call_us=6.3, lane_us=0.2, start_us=0.8,
                                   next_us=1.3, tail_us=4.8),
    host_link=HostLink(name="PCIe 3.0 x16", pinned_h2d_gb_s=12, pinned_d2h_gb_s=12, pageable_h2d_gb_s=6, pageable_d2h_gb_s=6,
                       duplex_ratio=0.9, latency_us=3, call_us=2, submit_us=1, dependency_us=2, wakeup_us=3,
                       copy_engines=4, work_queues=32, concurrent_grids=128, peer_gb_s=50, peer_latency_us=8,
                       mapped=LinkAccesses(read_gb_s=15.75, write_gb_s=15.75, granule_bytes=64, header_bytes=36, requests_in_flight=256),
                       peer=LinkAccesses(read_gb_s=50, write_gb_s=50, header_bytes=36, latency_ns=700, requests_in_flight=8192, atomics="memory"),
                       managed=ManagedMemory(fault_bytes=512 * KiB, fault_us=45, host_fault_us=16)))


@hookimpl
def archdef_architectures():
    return [V100]
