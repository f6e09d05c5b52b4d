"""NVIDIA Hopper GH100 (compute capability 9.0): H100 80GB HBM3, SXM."""
import attrs

from archdef.hookspecs import hookimpl
from archdef.spec import (AlignedSum, BranchCosts, ByteMasks, CarveoutHeadroom, RandomOfKLru, Architecture, BlockClusters, BlockLaunch, BulkCopyUnit,
                          Cache, Caches, ChainedSum, Chip, Clocks, ClusterPorts, Coalescing, CodeFetch, ConstantPort, ConvergenceBarriers,
                          DeviceLaunches, Dram, FEATURES, FirstReady, forms, FrozenMap, GreedyThenRoundRobin, GpcRoundRobin, HostLink, LinkAccesses,
                          MemoryInstructionQueue, Interconnect, Isa, KiB, L2Partitions, L2Slices, Limits, Lines, LoadStore, LoadStorePipeline,
                          ManagedMemory, MatrixArithmetic, MergedLanes, MiB, MulticastBroadcast, NocDistances, operations, PairedSum, ParityHash,
                          RegisterAllocationRules, RequestCoalescer, Schedulers, SerialMatch, SharedMemory, StoreBuffer, TextureUnits, UniformFill,
                          Unit, Vocabulary, Warp, WarpgroupProducts, WriteCombining, XorHash)
from archdef_hopper.costs import COSTS, EVIDENCE, FORMS, TECHNIQUES
from archdef_sass import SM_70

MISSING = {"lane_masks_64", "read_only_loads", "fp4_fp6", "multimem_fp8"}
"""Warps have 32 lanes; `fp4_fp6` came with 10.0; L1 serves read-only loads like all others. Every other feature that archdef knows came with 9.0 or before."""

SLICES = ParityHash(part_masks=(0x2ae55800, 0x63291800, 0xbf51b800, 0xa78b3000), low_masks=(0xd03a1100, 0x86c62400, 0x6d9a4800), high_bit=17)
"""16 parts, of which the highest bit says on which side of the chip they lie, of 5 slices."""

H100 = Architecture(
    name="h100", title="H100 80GB HBM3 (SXM)", vendor="NVIDIA", family="Hopper", compute_capability="9.0",
    aliases=("h100_sxm", "gh100"), vocabulary=Vocabulary(), evidence=EVIDENCE,
    clocks=Clocks(core_mhz=1980, shader_mhz=1980, memory_mhz=2619), warp=Warp(size=32, reconvergence=ConvergenceBarriers()),
    chip=Chip(multiprocessors=132, multiprocessors_per_cluster=16, cluster_sizes=(16, 16, 16, 16, 16, 16, 18, 18),
              block_launch_cycles=0.12,
              block_launch=BlockLaunch(
                  dispatch=GpcRoundRobin((8, 8, 16, 16, 16, 16, 16, 18, 18), first_gpc_interval_turns=6, multiprocessors_per_tpc=2),
                  setup_cycles=17, warp_cycles=3.5, end_cycles=1.18, first_cycles=94),
              block_turnover_cycles=340, launch_overhead_us=3.0),
    limits=Limits(
        threads_per_block=1024, threads_per_multiprocessor=2048, warps_per_multiprocessor=64, blocks_per_multiprocessor=32,
        registers_per_multiprocessor=65536, registers_per_block=65536, registers_per_thread=255,
        registers_reserved_per_thread=1, register_allocation_unit=256, register_allocation_rules=RegisterAllocationRules(minimum_per_thread=16),
        register_allocation_scope="warp", warp_allocation_granularity=4, shared_bytes_per_multiprocessor=228 * KiB,
        shared_bytes_per_block=227 * KiB, shared_allocation_unit_bytes=128, shared_reserved_bytes_per_block=1024,
        shared_carveouts=tuple(k * KiB for k in (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)),
        carveout_headroom=CarveoutHeadroom(ratio=2, most_bytes=132 * KiB), block_dimensions=(1024, 1024, 64),
        grid_dimensions=(2**31 - 1, 65535, 65535), kernel_instructions=512_000_000, local_bytes_per_thread=512 * KiB,
        parameter_bytes=32_764, constant_bytes=64 * KiB),
    schedulers=Schedulers(count=4, policy=GreedyThenRoundRobin(oldest_block_first=True), issue_interval_cycles=1, instruction_gap_cycles=1),
    units=(Unit("fma", 32, "scheduler"), Unit("alu", 16, "scheduler"), Unit("xu", 4, "scheduler"), Unit("dp", 16, "scheduler"),
           Unit("lsu", 32), Unit("tex", 4), Unit("tma", 32), Unit("tensor", 32, "scheduler"), Unit("bar", 16),
           Unit("cbu", 16, "scheduler"), Unit("udp", 16, "scheduler")),
    isa=Isa(features=frozenset(set(FEATURES) - MISSING), operations=operations(COSTS), forms=FrozenMap({**forms(FORMS), **TECHNIQUES}),
            pointer_bits=64, instruction_bytes=16,
            fuse_multiply_add=True, float_mad="fused", serial_match=SerialMatch(value_cycles=11),
            branch_costs=BranchCosts(guard_latency_cycles=9, untaken_cycles=5, convergence_cycles=15), predication_max_instructions=8,
            assembler=attrs.evolve(
                SM_70, constant_load_bytes=8, predication_with_copies_instructions=20, loads_before_copies=3, global_access_instructions=1,
                shared_access_instructions=3, loads_constants=True, moves_constants=False, merged_atomics=(5, 11)),
            matrix=MatrixArithmetic(f16=AlignedSum(16, 25), bf16=AlignedSum(16, 25), tf32=AlignedSum(8, 25), groups=ChainedSum(),
                                    fp8=AlignedSum(32, 13, 13), groups_f16=PairedSum()),
            warpgroup=WarpgroupProducts(operand_bytes_per_cycle=128, register_factor_cycles=13, shared_factor_cycles=10, shared_pass_ratio=4,
                                        least_issue_cycles=4, issue_columns_per_cycle=8)),
    shared=SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), wide_access=MergedLanes(group_latency_cycles=1), latency_cycles=23,
                        pass_cycles=1, pass_latency_cycles=2),
    coalescing=Coalescing(load=Lines(32, 128, 32), store=Lines(32, 128, 32), load_uncached=Lines(32, 128, 32)),
    caches=Caches(
        unified_l1_shared=True,
        l1=Cache(size_bytes=248 * KiB, line_bytes=128, sector_bytes=32, ways=4, latency_cycles=28, misses_in_flight=256, write="through",
                 replacement=RandomOfKLru(2), set_hash_bits=(12, 13, 14), tag_bank_masks=(0b010110101, 0b101101111),
                 scope="multiprocessor"),
        texture_l1=Cache(size_bytes=216 * KiB, line_bytes=128, sector_bytes=32, ways=4, replacement=RandomOfKLru(2), latency_cycles=50, misses_in_flight=256,
                         write="evict", scope="multiprocessor"),
        constant=Cache(size_bytes=2 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=28, misses_in_flight=8, write="evict",
                       scope="multiprocessor"),
        constant_l2=Cache(size_bytes=64 * KiB, line_bytes=256, sector_bytes=256, ways=4, latency_cycles=94, misses_in_flight=8, write="evict",
                          scope="multiprocessor"),
        constant_uniform=Cache(size_bytes=256, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=2, misses_in_flight=8, write="evict",
                               scope="scheduler"),
        constant_port=ConstantPort(pass_bytes=8, pass_latency_cycles=11), uniform_fill=UniformFill(latency_cycles=61, interval_cycles=33),
        instruction=Cache(size_bytes=32 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=0, misses_in_flight=8, prefetch_degree=2,
                          write="evict", scope="scheduler"),
        instruction_l2=Cache(size_bytes=128 * KiB, line_bytes=128, sector_bytes=128, ways=8, latency_cycles=30, misses_in_flight=8,
                             prefetch_degree=7, write="evict", scope="multiprocessor"),
        instruction_memory_cycles=244, instruction_preload_bytes=64 * KiB,
        code_fetch=CodeFetch(fill_bytes=256, launch_bytes=72 * 32, tail_instructions=9, alignment_bytes=128),
        l2=Cache(size_bytes=50 * MiB // 80, line_bytes=128, sector_bytes=32, ways=16, latency_cycles=60, misses_in_flight=256,
                 fetch_bytes=64, dirty_ways=8, partial_dirty_ways=2, set_hash_bits=tuple(range(12, 20)), write="back", scope="partition")),
    texture=TextureUnits(weight_bits=8, coordinate_bits=21, coordinate_extents=(8192, 65536), guard_bits=4),
    load_store=LoadStore(reads_in_flight_per_multiprocessor=1024, stores_in_flight_per_multiprocessor=160, store_buffer=StoreBuffer(size_bytes=10 * KiB),
                         memory_instruction_queue=MemoryInstructionQueue(entries=11), write_combining=WriteCombining(lines=28, idle_cycles=32),
                         pipeline=LoadStorePipeline(data_stage_entries=20, issue_interval_cycles=4, arbitration="random", stores_in_a_row=True),
                         bulk_copies=BulkCopyUnit(read_bytes_per_cycle=96, write_bytes_per_cycle=32),
                         transaction_cycles=1, atomic_cycles=1.45, atomic_sector_cycles=1.165),
    interconnect=Interconnect(
        request_latency_ns=35.3, response_latency_ns=55, header_bytes=0,
        byte_masks=ByteMasks(mask_bytes=32, sector_mask_bytes=16, partial_write_cycles=2.4),
        injection_bytes_per_cycle=32, injection_scope="multiprocessor", store_ports=True,
        partition_request_bytes_per_cycle=27, partition_response_bytes_per_cycle=48,
        cluster_ports=ClusterPorts(request_bytes_per_cycle=272, response_bytes_per_cycle=552),
        slices=L2Slices(map=SLICES, atomic_packet_cycles=1.85),
        l2_partitions=L2Partitions(count=2, far_latency_ns=90, link_bytes_per_cycle=512, links=20),
        distances=NocDistances(hop_cycles=(10, 10, 13, 13, 21, 21, 5, 5, 8, 8, 16, 16, 0, 0, 3, 3, 9, 9), partition_ns=30),
        request_coalescer=RequestCoalescer(requests=4)),
    dram=Dram(
        partitions=80, interleave_bytes=256, partition_map=XorHash(), capacity_bytes=85_017_493_504, bus_bits=5120, transfers_per_clock=2,
        burst_bytes=32, banks=64, row_bytes=1 * KiB, t_rcd_ns=14, t_rp_ns=14, t_ras_ns=28, t_rrd_ns=2.3, t_cl_ns=14, t_wl_ns=6, t_wtr_ns=8,
        t_rtw_ns=6, t_wr_ns=14, t_refi_ns=963, t_rfc_ns=237, refresh_banks=32, extra_latency_ns=117,
        queue_entries=192, scheduling=FirstReady(window=80, page_policy="close_adaptive"), write_drain_high=64, write_drain_low=16),
    block_clusters=BlockClusters(most_blocks=8, most_blocks_nonportable=16, latency_cycles=203, bytes_per_cycle=16, barrier_cycles=320),
    device_launches=DeviceLaunches(depth=40, synchronization_depth=0, pending=2048, pool="fixed", call_us=6.3, lane_us=0.2, start_us=0.8,
                                   next_us=1.3, tail_us=4.8),
    host_link=HostLink(name="PCIe 5.0 x16", pinned_h2d_gb_s=55.3, pinned_d2h_gb_s=55.2, pageable_h2d_gb_s=9.8, pageable_d2h_gb_s=14.6,
                       duplex_ratio=0.904, latency_us=2.0, staging_bytes=256 * KiB, call_us=1.2, submit_us=0.7,
                       dependency_us=1.8, event_us=1.28, wakeup_us=2.8, copy_engines=3, work_queues=32, concurrent_grids=128,
                       peer_gb_s=450, peer_latency_us=8,
                       mapped=LinkAccesses(read_gb_s=63, write_gb_s=63, latency_ns=1110, granule_bytes=64, header_bytes=32, requests_in_flight=768),
                       peer=LinkAccesses(read_gb_s=450, write_gb_s=450, latency_ns=757, header_bytes=36, requests_in_flight=8192, atomics="memory"),
                       managed=ManagedMemory(fault_bytes=1 << 20, fault_us=92, host_fault_us=16.2)))


@hookimpl
def archdef_architectures():
    return [H100]
