"""MetaX Xiyun (曦云) C500: 64-lane waves on four PEUs of 16 lanes in each of 104 APs."""
from archdef.hookspecs import hookimpl
from archdef.spec import (Architecture, BlockLaunch, Cache, Caches, Chip, Clocks, Coalescing, Dram, FirstReady, GiB, HostLink, Interconnect, Isa, KiB,
                          LinkAccesses, Limits, Lines, LoadStore, ManagedMemory, LooseRoundRobin, MulticastBroadcast, RegisterFilePartitions, Schedulers,
                          SharedMemory, Unit, Vocabulary, Warp, XorHash, operations)
from archdef_xiyun.costs import COSTS, EVIDENCE, FEATURES

PORTS = ("valu", "vmem", "wsm",
         "misc")  # what a PEU can issue to side by side; scalar instructions are not modelled (X1)

C500 = Architecture(
    name="c500", title="Xiyun C500", vendor="MetaX", family="Xiyun", compute_capability="mx.c500",
    aliases=("xiyun", "metax_c500", "xcore1000"), evidence=EVIDENCE,
    vocabulary=Vocabulary(multiprocessor="AP", cluster="DPC", scheduler="PEU", warp="wave", shared="WSM", partition="channel"),
    warp=Warp(size=64),
    chip=Chip(multiprocessors=104, multiprocessors_per_cluster=13, block_launch_cycles=0.44, block_launch=BlockLaunch(chip_warp_cycles=0.89),
              block_turnover_cycles=500, launch_overhead_us=3),
    limits=Limits(
        threads_per_block=1024, threads_per_multiprocessor=2048, warps_per_multiprocessor=32, blocks_per_multiprocessor=32,
        registers_per_multiprocessor=131072, registers_per_block=131072, registers_per_thread=256,
        register_allocation_unit=512, register_allocation_scope="warp", register_file_partitions=RegisterFilePartitions(count=4, warps_per_partition=8),
        shared_bytes_per_multiprocessor=64 * KiB, shared_bytes_per_block=64 * KiB, shared_allocation_unit_bytes=128,
        block_dimensions=(1024, 1024, 1024), grid_dimensions=(2147483647, 2147483647, 2147483647),
        kernel_instructions=512_000_000, local_bytes_per_thread=4096, parameter_bytes=4096, constant_bytes=64 * KiB),
    clocks=Clocks(core_mhz=1125, shader_mhz=1125, memory_mhz=1800),
    # 1600 is the maximum, 1125 what boards hold under load
    schedulers=Schedulers(
        count=4, policy=LooseRoundRobin(), issue_interval_cycles=4, issue_width=4, instruction_gap_cycles=4,
        dual_issue=tuple(frozenset({a, b}) for i, a in enumerate(PORTS) for b in PORTS[i + 1:])),
    units=(Unit("valu", 16, "scheduler"), Unit("vmem", 64), Unit("wsm", 32), Unit("misc", 16, "scheduler")),
    isa=Isa(features=FEATURES, operations=operations(COSTS), pointer_bits=64, fuse_multiply_add=True, float_mad="fused",
            predication_max_instructions=7),
    shared=SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), latency_cycles=64, pass_cycles=1),
    coalescing=Coalescing(load=Lines(64, 128, 128), store=Lines(64, 128, 128), load_uncached=Lines(64, 128, 128)), caches=Caches(
        l1=Cache(size_bytes=32 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=60, misses_in_flight=64,
                 write="evict", enabled=False, scope="multiprocessor"),
        constant=Cache(size_bytes=8 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=16, misses_in_flight=8,
                       write="evict", scope="multiprocessor"),
        l2=Cache(size_bytes=256 * KiB, line_bytes=128, sector_bytes=128, ways=16, latency_cycles=54, misses_in_flight=128,
                 write="back", scope="partition")),
    load_store=LoadStore(reads_in_flight_per_multiprocessor=128, stores_in_flight_per_multiprocessor=128,
                         transaction_cycles=1, atomic_cycles=1),
    interconnect=Interconnect(
        request_latency_ns=40, response_latency_ns=55, header_bytes=0, injection_bytes_per_cycle=128,
        injection_scope="multiprocessor", partition_request_bytes_per_cycle=128, partition_response_bytes_per_cycle=128),
    dram=Dram(
        partitions=32, interleave_bytes=256, partition_map=XorHash((3,)), capacity_bytes=64 * GiB, bus_bits=4096, transfers_per_clock=2,
        burst_bytes=64, banks=64, row_bytes=2 * KiB, t_rcd_ns=14, t_rp_ns=14, t_ras_ns=33, t_rrd_ns=4, t_cl_ns=14, t_wl_ns=7, t_wtr_ns=8,
        t_rtw_ns=4, t_wr_ns=15, t_refi_ns=122, t_rfc_ns=14, extra_latency_ns=190, queue_entries=128, scheduling=FirstReady(window=64),
        write_drain_high=32, write_drain_low=8),
    host_link=HostLink(name="PCIe 5.0 x16", pinned_h2d_gb_s=50, pinned_d2h_gb_s=50, pageable_h2d_gb_s=10, pageable_d2h_gb_s=12,
                       duplex_ratio=0.9, latency_us=4, call_us=2, submit_us=1, dependency_us=3, wakeup_us=4,
                       copy_engines=2, work_queues=32, concurrent_grids=128, peer_gb_s=50, peer_latency_us=10,
                       mapped=LinkAccesses(read_gb_s=63, write_gb_s=63, granule_bytes=64, requests_in_flight=768),
                       managed=ManagedMemory(fault_bytes=512 * KiB, fault_us=45, host_fault_us=16)))


@hookimpl
def archdef_architectures():
    return [C500]
