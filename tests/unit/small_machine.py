"""A complete small machine that no plugin offers, and the numbers from which it is made."""
from archdef.spec import (Architecture, Cache, Caches, Chip, Cite, Clocks, Coalescing, DeviceLaunches, Dram, FirstReady, GiB,
                          Interconnect, Isa, KiB,
                          Limits, Lines, LoadStore, LooseRoundRobin, MulticastBroadcast, OPERATION_CLASSES, Operation, Schedulers,
                          SharedMemory, TextureUnits, Unit, Warp, operations)

MADE_UP = Cite("this test", "nowhere in particular", "assumed")
SECTIONS = ("warp chip limits clocks schedulers units isa shared coalescing caches texture load_store interconnect dram device_launches").split()
MEMORY = " ".join(name for name in OPERATION_CLASSES if name.startswith(("load", "store", "atomic")))
OTHERS = " ".join(name for name in OPERATION_CLASSES if name not in MEMORY.split())


def gizmo(**changed) -> Architecture:
    """A machine of 4 multiprocessors with an L1, an L2 and every class of operation; parts can be replaced by name."""
    parts = dict(
        name="gizmo", title="Gizmo 1", vendor="Acme", family="Gizmo", compute_capability="0.1", aliases=("widget",),
        warp=Warp(size=32),
        chip=Chip(multiprocessors=4, block_launch_cycles=1, block_turnover_cycles=100, launch_overhead_us=1), limits=Limits(
            threads_per_block=512, threads_per_multiprocessor=1024, warps_per_multiprocessor=32, blocks_per_multiprocessor=8,
            registers_per_multiprocessor=32768, registers_per_block=32768, registers_per_thread=128, register_allocation_unit=256,
            register_allocation_scope="warp", shared_bytes_per_multiprocessor=32 * KiB, shared_bytes_per_block=32 * KiB,
            shared_allocation_unit_bytes=256, block_dimensions=(512, 512, 64), grid_dimensions=(65535, 65535, 65535),
            kernel_instructions=1_000_000, local_bytes_per_thread=16 * KiB, parameter_bytes=4096, constant_bytes=64 * KiB),
        clocks=Clocks(core_mhz=500, shader_mhz=1000, memory_mhz=1000),
        schedulers=Schedulers(count=2, policy=LooseRoundRobin(), issue_interval_cycles=2, instruction_gap_cycles=2),
        units=(Unit("alu", 16, "scheduler"), Unit("lsu", 16)),
        isa=Isa(features="vote clock", operations=operations([(Operation("alu", 8), OTHERS), (Operation("lsu", 8), MEMORY)]),
                pointer_bits=64, fuse_multiply_add=True, float_mad="fused", predication_max_instructions=4),
        shared=SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), latency_cycles=20, pass_cycles=2),
        coalescing=Coalescing(load=Lines(32, 128, 128), store=Lines(32, 128, 32), load_uncached=Lines(32, 128, 32)), caches=Caches(
            l1=Cache(size_bytes=16 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=20, misses_in_flight=16,
                     write="evict", scope="multiprocessor"),
            l2=Cache(size_bytes=64 * KiB, line_bytes=128, sector_bytes=32, ways=8, latency_cycles=20, misses_in_flight=64,
                     write="back", scope="partition")),
        texture=TextureUnits(weight_bits=8, coordinate_bits=21, coordinate_extents=(8192, 65536), guard_bits=4),
        load_store=LoadStore(reads_in_flight_per_multiprocessor=32, stores_in_flight_per_multiprocessor=32,
                             transaction_cycles=2, atomic_cycles=1),
        interconnect=Interconnect(request_latency_ns=50, response_latency_ns=50, header_bytes=16, injection_bytes_per_cycle=32,
                                  injection_scope="multiprocessor", partition_request_bytes_per_cycle=32,
                                  partition_response_bytes_per_cycle=32),
        device_launches=DeviceLaunches(depth=4, synchronization_depth=2, pending=64, pool="fixed", call_us=0.1, lane_us=0.05, start_us=1, next_us=0.5,
                                       tail_us=0.7),
        dram=Dram(partitions=4, interleave_bytes=256, capacity_bytes=1 * GiB, bus_bits=256, transfers_per_clock=2, burst_bytes=32,
                  banks=8, row_bytes=2 * KiB, t_rcd_ns=12, t_rp_ns=12, t_ras_ns=28, t_rrd_ns=6, t_cl_ns=12, t_wl_ns=6, t_wtr_ns=6,
                  t_rtw_ns=4, t_wr_ns=12, extra_latency_ns=50, queue_entries=64, scheduling=FirstReady(), write_drain_high=24,
                  write_drain_low=8),
        evidence=dict.fromkeys(SECTIONS, MADE_UP))
    return Architecture(**parts | changed)
