"""AMD Fiji (Radeon R9 Fury X, GCN3): waves of 64 lanes on SIMDs of 16, four SIMDs and a scalar unit in each of 64 compute units."""
from archdef import hookimpl
from archdef.spec import (Architecture, Cache, Caches, Chip, Cite, Clocks, Coalescing, Dram, FirstReady, GiB, HostLink, Interconnect, Isa, KiB, Limits,
                          Lines, LoadStore, MulticastBroadcast, OldestFirst, Operation, RegisterFilePartitions, Schedulers, SharedMemory, Unit,
                          Vocabulary, Warp, operations)

MEMORY = "quoted from memory"
ISA = Cite("AMD Graphics Core Next Architecture, Generation 3, Reference Guide 1.1", "chapters 2, 3, 6 and 10", note=MEMORY)
PAPER = Cite("AMD Graphics Cores Next (GCN) Architecture white paper, 2012", "compute unit, cache hierarchy", note=MEMORY)
GUIDE = Cite("AMD OpenCL Programming Optimization Guide", "chapter 2, GCN devices: resource limits, instruction rates", note=MEMORY)
SHEET = Cite("AMD Radeon R9 Fury X, data sheet", "units, clocks, memory", note=MEMORY)
HBM = Cite("JEDEC JESD235", "channels, burst length", "inferred", "four stacks of eight 128-bit channels; " + MEMORY)
GUESS = Cite("not published", "a plausible value", "assumed")

# What is not here is refused: single-precision atomic add on global memory, for one, is no instruction of this machine.
FEATURES = """fp64 fp32_fma atomics_global atomics_global_64 atomics_shared atomics_shared_64 atomics_minmax_64 vote vote_ballot
    lane_masks_64 shuffle bit_operations bit_masks byte_permute carry_chain funnel_shift unified_addressing device_calls indirect_calls
    clock clock64"""

COSTS = [  # cycles of a wave: a SIMD takes four, quarter-rate instructions 16, double precision (one sixteenth) 64; salu takes one
    (Operation("valu", 4), """move select int_add int_minmax int_logic int_shift int_compare int_mul24 int_mul16 int_sad bit_field bit_count
        byte_permute funnel_shift fp32_add fp32_mul fp32_fma fp32_minmax fp32_compare convert"""),
    (Operation("valu", 16, 16), "int_mul32 int_mul_high fp32_rcp fp32_rsqrt fp32_sqrt fp32_transcendental convert64"),
    (Operation("valu", 16, 16, issues=2), "int_mul_wide"), (Operation("valu", 16, 16, issues=4), "int64_mul"),
    (Operation("valu", 4, issues=2), "int64_add int64_logic int64_compare fp32_div"),
    (Operation("valu", 4, issues=4), "int64_minmax int64_shift int_dot"),
    (Operation("valu", 4, issues=10), "fp32_div_exact fp32_sqrt_exact"), (Operation("valu", 4, issues=24), "int_div32"),
    (Operation("valu", 4, issues=110), "int64_div"),
    (Operation("valu", 64, 64), "fp64_add fp64_mul fp64_fma fp64_minmax fp64_compare"),
    (Operation("valu", 64, 64, issues=9), "fp64_div fp64_sqrt"),
    (Operation("salu", 4), "predicate vote special_register clock"), (Operation("branch", 16), "branch call exit barrier fence"),
    (Operation("vmem", 8), "load_global store_global load_local store_local atomic_global"), (Operation("salu", 0), "load_constant"),
    (Operation("lds", 64), "shuffle"), (Operation("lds", 0), "load_shared store_shared atomic_shared")]
SOURCES = {  # the longest path decides
    GUESS: "caches load_store interconnect dram host_link schedulers limits chip isa shared.latency_cycles",
    ISA: "warp isa.features units",
    SHEET: "clocks chip.multiprocessors dram.capacity_bytes dram.bus_bits dram.transfers_per_clock",
    HBM: "dram.partitions dram.burst_bytes",
    PAPER: """shared coalescing limits.shared_bytes_per_multiprocessor schedulers.count schedulers.issue_interval_cycles
        schedulers.issue_width
        schedulers.dual_issue caches.l1.size_bytes caches.l1.line_bytes caches.l1.ways caches.constant.size_bytes caches.constant.line_bytes
        caches.constant.ways caches.l2.size_bytes caches.l2.line_bytes caches.l2.ways""",
    GUIDE: """limits.threads_per_block limits.threads_per_multiprocessor limits.warps_per_multiprocessor limits.blocks_per_multiprocessor
        limits.registers_per_multiprocessor limits.registers_per_thread limits.register_allocation_unit limits.register_allocation_scope
        limits.register_file_partitions limits.shared_bytes_per_block limits.shared_allocation_unit_bytes
        isa.operations.fp32_add isa.operations.fp32_mul isa.operations.fp32_fma isa.operations.int_add isa.operations.int_mul24
        isa.operations.int_mul32 isa.operations.fp32_rcp isa.operations.fp64_add isa.operations.fp64_fma"""}

TYPES = ("valu", "salu", "vmem", "lds", "branch")  # one instruction of each type can issue at a time, each from another wave

FIJI = Architecture(
    name="fiji", title="Radeon R9 Fury X", vendor="AMD", family="GCN3", compute_capability="gfx803", aliases=("gcn3", "fury_x"),
    vocabulary=Vocabulary(multiprocessor="CU", cluster="CU group", scheduler="SIMD", block="work-group", warp="wave", shared="LDS",
                          partition="channel"),
    warp=Warp(size=64),
    chip=Chip(multiprocessors=64, multiprocessors_per_cluster=4, block_launch_cycles=1, block_turnover_cycles=300, launch_overhead_us=5),
    clocks=Clocks(core_mhz=1050, shader_mhz=1050, memory_mhz=500),
    limits=Limits(
        threads_per_block=1024, threads_per_multiprocessor=2560, warps_per_multiprocessor=40, blocks_per_multiprocessor=16,
        registers_per_multiprocessor=65536, registers_per_block=65536, registers_per_thread=256, register_allocation_unit=256,
        register_allocation_scope="warp", register_file_partitions=RegisterFilePartitions(count=4, warps_per_partition=10),
        shared_bytes_per_multiprocessor=64 * KiB,
        shared_bytes_per_block=32 * KiB, shared_allocation_unit_bytes=512, block_dimensions=(1024, 1024, 1024),
        grid_dimensions=(2**31 - 1, 65535, 65535), kernel_instructions=512_000_000, local_bytes_per_thread=64 * KiB, parameter_bytes=4096,
        constant_bytes=64 * KiB),
    schedulers=Schedulers(count=4, policy=OldestFirst(), issue_interval_cycles=4, issue_width=5, instruction_gap_cycles=4,
                          dual_issue=tuple(frozenset({a, b}) for i, a in enumerate(TYPES) for b in TYPES[i + 1:])),
    units=(Unit("valu", 16, "scheduler"), Unit("salu", 64), Unit("vmem", 16), Unit("lds", 32), Unit("branch", 64)),
    isa=Isa(features=FEATURES, operations=operations(COSTS), pointer_bits=64, fuse_multiply_add=True, float_mad="fused",
            predication_max_instructions=7),
    shared=SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), latency_cycles=64, pass_cycles=1),
    coalescing=Coalescing(load=Lines(16, 64, 64), store=Lines(16, 64, 64), load_uncached=Lines(16, 64, 64)),
    caches=Caches(
        l1=Cache(size_bytes=16 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=100, misses_in_flight=64, write="through",
                 scope="multiprocessor"),
        constant=Cache(size_bytes=16 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=40, misses_in_flight=16, write="evict",
                       scope="multiprocessor"),
        l2=Cache(size_bytes=64 * KiB, line_bytes=64, sector_bytes=64, ways=16, latency_cycles=40, misses_in_flight=64, write="back",
                 scope="partition")),
    load_store=LoadStore(reads_in_flight_per_multiprocessor=256, stores_in_flight_per_multiprocessor=256, transaction_cycles=1,
                         atomic_cycles=1),
    interconnect=Interconnect(
        request_latency_ns=60, response_latency_ns=60, header_bytes=16, injection_bytes_per_cycle=64, injection_scope="multiprocessor",
        partition_request_bytes_per_cycle=64, partition_response_bytes_per_cycle=64),
    dram=Dram(partitions=32, interleave_bytes=256, capacity_bytes=4 * GiB, bus_bits=4096, transfers_per_clock=2, burst_bytes=32, banks=8,
              row_bytes=2 * KiB, t_rcd_ns=14, t_rp_ns=14, t_ras_ns=33, t_rrd_ns=4, t_cl_ns=14, t_wl_ns=4, t_wtr_ns=8, t_rtw_ns=4,
              t_wr_ns=15, extra_latency_ns=150, queue_entries=64, scheduling=FirstReady(window=32), write_drain_high=24, write_drain_low=8),
    host_link=HostLink(name="PCIe 3.0 x16", pinned_h2d_gb_s=12, pinned_d2h_gb_s=12, pageable_h2d_gb_s=6, pageable_d2h_gb_s=6, latency_us=8,
                       call_us=2, submit_us=2, dependency_us=4, wakeup_us=5, copy_engines=2, work_queues=8, concurrent_grids=8),
    evidence={path: source for source, paths in SOURCES.items() for path in paths.split()})


@hookimpl
def archdef_architectures():
    return [FIJI]
