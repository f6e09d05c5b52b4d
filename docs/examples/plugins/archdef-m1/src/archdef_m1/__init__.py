"""The GPU of Apple's M1, eight cores: 32-lane SIMD-groups, four schedulers a core, memory on the package shared with the CPU.

Apple publishes limits and totals; how long things take was measured by others. All of it is quoted from memory, and what nobody says is
marked assumed.
"""
from archdef import hookimpl
from archdef.spec import (Architecture, Cache, Caches, Chip, Cite, Clocks, Coalescing, Dram, FirstReady, GreedyThenOldest, Interconnect, Isa,
                          KiB, Limits, Lines, LoadStore, MiB, MulticastBroadcast, Operation, Schedulers, SharedMemory, Unit, Vocabulary, Warp,
                          operations)

MEMORY = "quoted from memory"
APPLE = Cite("Apple, M1 press release, November 2020", "8 cores, 24,576 threads, 2.6 teraflops", "recalled")
METAL = Cite("Apple, Metal Feature Set Tables", "GPU family Apple 7", "recalled")
BENCHMARKS = Cite("Turner, metal-benchmarks", "README, Apple 7 column of the tables", "recalled", "a measurement")
JOHNSON = Cite("Johnson, Apple G13 GPU Architecture Reference", "registers; execution mask stack", "recalled", "a measurement")
LPDDR = Cite("JEDEC JESD209-4, LPDDR4X-4266", "128 bit of it on the package", "inferred", MEMORY)
GUESS = Cite("not published", "a plausible value", "assumed")

FEATURES = """fp32_fma fp16 fp16_minmax fp16_transcendental atomics_global atomics_shared atomics_float_add vote vote_ballot shuffle
    barrier_count barrier_reduce bit_operations bit_masks byte_permute carry_chain funnel_shift int_dot int16x2 minmax_nan minmax_xorsign
    convert_pack fp32_tanh device_calls indirect_calls unified_addressing clock clock64"""

COSTS = [  # core cycles; a pipeline has 32 lanes, so that most instructions hold it for one
    (Operation("alu", 2), """move select predicate int_add int_minmax int_logic int_compare fp32_add fp32_mul fp32_fma fp32_minmax
        fp32_compare fp16_add fp16_mul fp16_fma fp16_minmax fp16_compare vote special_register clock branch exit barrier fence"""),
    (Operation("alu", 4, 2), "int_shift bit_field bit_count funnel_shift byte_permute convert"),
    (Operation("alu", 4, 4), "int_mul16 int_mul24 int_mul32 int_mul_high"), (Operation("alu", 4, 4, issues=2), "int_mul_wide convert64"),
    (Operation("alu", 2, issues=2), "int_sad int64_add int64_logic int64_minmax int64_compare"), (Operation("alu", 4, 2, issues=4), "int64_shift"),
    (Operation("alu", 4, 4, issues=4), "int64_mul int_dot"), (Operation("alu", 4, 2, issues=20), "int_div32"),
    (Operation("alu", 4, 2, issues=80), "int64_div"), (Operation("alu", 2, issues=4), "call"),
    (Operation("alu", 4, issues=8), "fp32_div_exact fp32_sqrt_exact"),
    (Operation("complex", 6), "fp32_rcp fp32_rsqrt fp32_sqrt fp32_transcendental fp16_transcendental"), (Operation("complex", 6, issues=2), "fp32_div"),
    (Operation("alu", 5, 2), "shuffle"),
    (Operation("memory", 6), "load_global store_global load_local store_local atomic_global"),
    (Operation("memory", 0), "load_shared store_shared load_constant atomic_shared")]

M1 = Architecture(
    name="m1", title="M1, 8-core GPU", vendor="Apple", family="Apple 7", compute_capability="6.0", aliases=("apple_m1", "g13"),
    vocabulary=Vocabulary(multiprocessor="core", block="threadgroup", warp="SIMD-group", shared="threadgroup memory"),
    warp=Warp(size=32),
    chip=Chip(multiprocessors=8, block_launch_cycles=4, block_turnover_cycles=200, launch_overhead_us=8),
    clocks=Clocks(core_mhz=1278, shader_mhz=1278, memory_mhz=2133),
    limits=Limits(
        threads_per_block=1024, threads_per_multiprocessor=3072, warps_per_multiprocessor=96, blocks_per_multiprocessor=24,
        registers_per_multiprocessor=208 * KiB // 4, registers_per_block=208 * KiB // 4, registers_per_thread=128,
        register_allocation_unit=128, register_allocation_scope="warp", warp_allocation_granularity=1,
        shared_bytes_per_multiprocessor=60 * KiB, shared_bytes_per_block=32 * KiB, shared_allocation_unit_bytes=16,
        block_dimensions=(1024, 1024, 1024), grid_dimensions=(2**31 - 1, 65535, 65535), kernel_instructions=512_000_000,
        local_bytes_per_thread=128 * KiB, parameter_bytes=4096, constant_bytes=64 * KiB),
    schedulers=Schedulers(count=4, policy=GreedyThenOldest(), issue_interval_cycles=1, instruction_gap_cycles=1),
    units=(Unit("alu", 32, "scheduler"), Unit("complex", 8, "scheduler"), Unit("memory", 32)),
    isa=Isa(features=FEATURES, operations=operations(COSTS), pointer_bits=64, fuse_multiply_add=True, float_mad="fused",
            predication_max_instructions=4),
    shared=SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), latency_cycles=28, pass_cycles=1),
    coalescing=Coalescing(load=Lines(32, 128, 64), store=Lines(32, 128, 64), load_uncached=Lines(32, 128, 64)),
    caches=Caches(
        l1=Cache(size_bytes=8 * KiB, line_bytes=128, sector_bytes=64, ways=8, latency_cycles=90, misses_in_flight=32, write="evict",
                 scope="multiprocessor"),
        constant=Cache(size_bytes=8 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=60, misses_in_flight=8, write="evict",
                       scope="multiprocessor"),
        l2=Cache(size_bytes=96 * KiB, line_bytes=128, sector_bytes=64, ways=12, latency_cycles=40, misses_in_flight=128, write="back",
                 scope="partition")),  # 768 KiB
    load_store=LoadStore(reads_in_flight_per_multiprocessor=192, stores_in_flight_per_multiprocessor=192, transaction_cycles=1,
                         atomic_cycles=2),
    interconnect=Interconnect(request_latency_ns=60, response_latency_ns=60, header_bytes=16, injection_bytes_per_cycle=64,
                              injection_scope="multiprocessor", partition_request_bytes_per_cycle=64, partition_response_bytes_per_cycle=64),
    dram=Dram(partitions=8, interleave_bytes=256, capacity_bytes=5461 * MiB, bus_bits=128, transfers_per_clock=2,
              burst_bytes=32, banks=8, row_bytes=2 * KiB, t_rcd_ns=18, t_rp_ns=18, t_ras_ns=42, t_rrd_ns=10, t_cl_ns=17, t_wl_ns=9, t_wtr_ns=10,
              t_rtw_ns=6, t_wr_ns=18, extra_latency_ns=140, queue_entries=64, scheduling=FirstReady(window=32), write_drain_high=24,
              write_drain_low=8),
    evidence={
        **dict.fromkeys("warp chip limits schedulers units isa shared coalescing caches load_store interconnect dram".split(), GUESS),
        "warp.size": METAL, "warp.reconvergence": JOHNSON, "chip.multiprocessors": APPLE, "clocks": BENCHMARKS, "clocks.memory_mhz": LPDDR,
        "limits.threads_per_block": METAL, "limits.shared_bytes_per_block": METAL, "limits.threads_per_multiprocessor": APPLE,
        "limits.warps_per_multiprocessor": APPLE, "limits.registers_per_multiprocessor": BENCHMARKS, "limits.registers_per_thread": JOHNSON,
        "limits.shared_bytes_per_multiprocessor": BENCHMARKS, "schedulers.count": BENCHMARKS, "units.alu": BENCHMARKS,
        "isa.operations.fp32_fma": BENCHMARKS, "isa.operations.fp32_add": BENCHMARKS, "isa.operations.fp32_mul": BENCHMARKS,
        "isa.operations.int_add": BENCHMARKS, "isa.operations.int_mul32": BENCHMARKS, "isa.operations.fp32_rcp": BENCHMARKS,
        "caches.l1.size_bytes": BENCHMARKS, "caches.l2.size_bytes": BENCHMARKS, "dram.bus_bits": LPDDR, "dram.transfers_per_clock": LPDDR})


@hookimpl
def archdef_architectures():
    return [M1]
