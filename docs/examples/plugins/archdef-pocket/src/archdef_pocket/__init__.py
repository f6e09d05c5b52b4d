"""A GPU as telephones have them: four cores, waves of 32 lanes, one small L2, memory shared with the host."""
from archdef import hookimpl
from archdef.spec import (Architecture, Cache, Caches, Chip, Cite, Clocks, Coalescing, Dram, FirstReady, GiB, Interconnect, Isa, KiB,
                          Limits, Lines, LoadStore, LooseRoundRobin, MulticastBroadcast, Operation, Schedulers, SharedMemory, Unit,
                          Vocabulary, Warp, operations)

GUESS = Cite("no product", "a plausible value for a GPU of a telephone", "assumed")
LPDDR5 = Cite("JEDEC JESD209-5", "channels of 16 bit, bursts of 16 transfers, 6400 transfers a microsecond", note="quoted from memory")

# No double precision, no calls: a shader is one piece of code. Half precision comes in pairs, at twice the rate.
FEATURES = """fp32_fma fp16 fp16_minmax fp16_transcendental atomics_global atomics_shared vote vote_ballot shuffle bit_operations
    byte_permute carry_chain int_dot unified_addressing clock clock64"""

COSTS = {
    Operation("alu", 8): """move select predicate int_add int_minmax int_logic int_shift int_compare bit_field bit_count byte_permute
        fp32_add fp32_mul fp32_fma fp32_minmax fp32_compare convert vote special_register clock branch call exit barrier fence
        fp16_add fp16_mul fp16_fma fp16_minmax fp16_compare int_dot""",
    Operation("alu", 8, 4): "int_mul16 int_mul24 int_mul32 int_mul_high int_sad",
    Operation("alu", 8, 4, issues=2): "int_mul_wide convert64",
    Operation("alu", 8, issues=2): "int64_add int64_logic int64_minmax int64_compare int64_shift funnel_shift",
    Operation("alu", 8, 4, issues=4): "int64_mul", Operation("alu", 8, issues=20): "int_div32", Operation("alu", 8, issues=80): "int64_div",
    Operation("alu", 8, issues=10): "fp32_div_exact fp32_sqrt_exact",
    Operation("sfu", 20): "fp32_rcp fp32_rsqrt fp32_sqrt fp32_transcendental fp16_transcendental",
    Operation("sfu", 20, issues=2): "fp32_div",
    Operation("lsu", 8): "load_global store_global load_local store_local atomic_global shuffle",
    Operation("lsu", 0): "load_shared store_shared load_constant atomic_shared"}

POCKET = Architecture(
    name="pocket", title="Pocket 4", vendor="Nobody", family="Pocket", compute_capability="5.3",  # the first with halves
    vocabulary=Vocabulary(multiprocessor="core", scheduler="engine", block="work-group", warp="wave", shared="local memory",
                          partition="channel"),
    warp=Warp(size=32),
    chip=Chip(multiprocessors=4, block_launch_cycles=2, block_turnover_cycles=200, launch_overhead_us=20),
    clocks=Clocks(core_mhz=800, shader_mhz=800, memory_mhz=3200),
    limits=Limits(
        threads_per_block=1024, threads_per_multiprocessor=1024, warps_per_multiprocessor=32, blocks_per_multiprocessor=16,
        registers_per_multiprocessor=32768, registers_per_block=32768, registers_per_thread=128, register_allocation_unit=128,
        register_allocation_scope="warp", shared_bytes_per_multiprocessor=32 * KiB,
        shared_bytes_per_block=32 * KiB, shared_allocation_unit_bytes=256, block_dimensions=(1024, 1024, 64),
        grid_dimensions=(65535, 65535, 65535), kernel_instructions=512_000_000, local_bytes_per_thread=512 * KiB, parameter_bytes=4096,
        constant_bytes=64 * KiB),
    schedulers=Schedulers(count=2, policy=LooseRoundRobin(), issue_interval_cycles=1, instruction_gap_cycles=1),
    units=(Unit("alu", 32, "scheduler"), Unit("sfu", 8, "scheduler"), Unit("lsu", 16)),
    isa=Isa(features=FEATURES, operations=operations(COSTS), pointer_bits=64, fuse_multiply_add=True, float_mad="fused",
            predication_max_instructions=7),
    shared=SharedMemory(banks=16, conflict_lanes=16, broadcast=MulticastBroadcast(), latency_cycles=24, pass_cycles=1),
    coalescing=Coalescing(load=Lines(16, 64, 64), store=Lines(16, 64, 64), load_uncached=Lines(16, 64, 64)),
    caches=Caches(
        l1=Cache(size_bytes=16 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=20, misses_in_flight=64, write="evict",
                 scope="multiprocessor"),
        constant=Cache(size_bytes=8 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=20, misses_in_flight=8, write="evict",
                       scope="multiprocessor"),
        l2=Cache(size_bytes=256 * KiB, line_bytes=64, sector_bytes=64, ways=16, latency_cycles=30, misses_in_flight=128, write="back",
                 scope="partition")),
    load_store=LoadStore(reads_in_flight_per_multiprocessor=64, stores_in_flight_per_multiprocessor=64, transaction_cycles=1,
                         atomic_cycles=1),
    interconnect=Interconnect(
        request_latency_ns=80, response_latency_ns=80, header_bytes=16, injection_bytes_per_cycle=32, injection_scope="multiprocessor",
        partition_request_bytes_per_cycle=32, partition_response_bytes_per_cycle=32),
    dram=Dram(partitions=4, interleave_bytes=256, capacity_bytes=4 * GiB, bus_bits=64, transfers_per_clock=2, burst_bytes=32, banks=16,
              row_bytes=2 * KiB, t_rcd_ns=18, t_rp_ns=18, t_ras_ns=42, t_rrd_ns=7, t_cl_ns=18, t_wl_ns=9, t_wtr_ns=10, t_rtw_ns=5,
              t_wr_ns=34, extra_latency_ns=100, queue_entries=64, scheduling=FirstReady(window=32), write_drain_high=24, write_drain_low=8),
    evidence={"clocks.memory_mhz": LPDDR5, "dram.bus_bits": LPDDR5, "dram.transfers_per_clock": LPDDR5, "dram.burst_bytes": LPDDR5} | {
        part: GUESS for part in """warp chip clocks limits schedulers units isa shared coalescing caches load_store interconnect
        dram""".split()})


@hookimpl
def archdef_architectures():
    return [POCKET]
