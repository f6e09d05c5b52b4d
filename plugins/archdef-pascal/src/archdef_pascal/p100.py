"""NVIDIA Pascal GP100 (compute capability 6.0): Tesla P100, PCIe, 16 GB. Its multiprocessor is half as wide as that of other Pascal chips."""
from archdef.spec import (Architecture, Cache, Caches, Chip, Cite, Clocks, Coalescing, DeviceLaunches, Dram, FirstReady, forms, HostLink, LinkAccesses,
                          Interconnect, Isa, KiB, Limits, Lines, LoadStore, ManagedMemory, LooseRoundRobin, MergedLanes, MulticastBroadcast, Operation,
                          Schedulers, SharedMemory, TextureUnits, Unit, Vocabulary, Warp, XorHash, operations)
from archdef_pascal import costs
from archdef_pascal.costs import DIVISIONS, EVIDENCE, FEATURES, GUIDE, TUNING, UNPUBLISHED
from archdef_sass import Sass

QUERY = Cite("deviceQuery of a Tesla P100-PCIE-16GB", "three copies of its output", "measured", card="Tesla P100-PCIE-16GB")
PAPER = Cite("NVIDIA Tesla P100 white paper", "GP100 SM, HBM2", "recalled")
RATES = Cite(costs.RATES.document, "table 3, throughput of native arithmetic instructions, column 6.0", note=costs.COPY)
TABLE = Cite(costs.TABLE.document, "table 15, technical specifications, column 6.0", note=costs.COPY)
ISSUE = Cite(costs.ISSUE.document, "section 5.2.3, instructions that hide a latency: those of two warps a cycle", note=costs.COPY)
DISPATCH = Cite("NVIDIA Tesla P100 white paper", "Pascal Streaming Multiprocessor: each scheduler dispatches two instructions a clock",
                note="read in a copy of its text")
TEXTURES = Cite("Beyond3D forum, NVIDIA Pascal Announcement", "page 19: four texture units a multiprocessor of GP100")
NATIVE_ECC = Cite(DISPATCH.document, "Memory Resilience: neither capacity nor bandwidth is lost", note=DISPATCH.note)
ARAFA = Cite(costs.P100.document, "Tesla P100", "measured", "PTX level, as shipped with PPT-GPU", card="Tesla P100")
SPLIT = Cite(ARAFA.document, "252 cycles to L2, 482 to memory, divided over the stations", "inferred")
STACKS = Cite("JEDEC HBM2", "4 stacks of 8 channels of 128 bits", "inferred", "number of stacks by the white paper; from memory")
STREAM = Cite("stream-cuda of mohamso: STREAM in CUDA on a Tesla P100", "Triad with error correction on, 557 GB/s", "fitted",
              "stands for all that keeps the pins idle: refreshes, groups of banks, rows that open and close, misses of the TLB")
FOUR_SETS = Cite(costs.FOUR_SETS.document, costs.FOUR_SETS.place, "inferred", "four sets, as a cache of twice the size has there")
COPIES = Cite("bandwidthTest of a Tesla P100-PCIE-16GB, Microway", "11.7 GB/s to the device, 12.9 GB/s back, pinned", "measured",
              card="Tesla P100-PCIE-16GB")
DEBUG_CODE = Cite(costs.DEBUG_CODE.document, costs.DEBUG_CODE.place, "inferred", "joins count as branches, as nvprof counts them on a Quadro P2000")
JIA = Cite(costs.JIA.document, "constant caches: 2 KiB, and 96 cycles to the next level of a P100", "recalled", "a measurement")
CODE_SIZES = Cite(costs.CODE_SIZES.document, costs.CODE_SIZES.place, "inferred", costs.CODE_SIZES.note.replace("8 and 32 KiB of 6.1", "8 and 128 KiB of 6.0"))
REQUESTS = Cite(costs.REQUESTS.document, costs.REQUESTS.place, "inferred",
                "27 bytes a cycle of a multiprocessor at 1328 MHz, so eight lanes of words of 4 bytes at a time, four of 8, two of 16, "
                "which are the requests that NVIDIA's answers in its forums (Pascal L1 cache) have")
ROOTS = Cite("machine code of ptxas 11.8, sm_60",
             "sqrt.rn.f64: 15 instructions, of which 8 are of doubles, and SSY, a call and SYNC around the way of special "
             "operands; div.rn.f64: 8 of 15, rsqrt.approx.f64: 5 of 11", "inferred")
RECIPROCAL_ROOTS = Cite(ROOTS.document, ROOTS.place, "assumed", "the latency: a root's without three instructions of doubles that wait for each other")
QUOTED = {costs.REQUESTS: REQUESTS, costs.QUERY: QUERY, costs.PAPER: PAPER, costs.RATES: RATES, costs.P100: ARAFA, costs.MAXWELL: ARAFA, costs.SPLIT: SPLIT,
          costs.TABLE: TABLE, costs.ISSUE: ISSUE, costs.STREAM: STREAM, costs.DEBUG_CODE: DEBUG_CODE, costs.JIA: JIA,
          costs.CODE_SIZES: CODE_SIZES, costs.FOUR_SETS: FOUR_SETS,
          costs.CALCULATOR: Cite(costs.CALCULATOR.document, "compute capability 6.0"), costs.SHEET: STACKS}

COSTS = [  # SM cycles; as on the GP106, but for twice the special functions a lane, double precision and pairs of halves at full speed
    (Operation("sp", 6), """move select predicate int_add int_logic fp32_add fp32_mul fp32_fma special_register clock vote branch call
        exit byte_permute fp16_add fp16_mul fp16_fma fp16_compare"""),
    (Operation("sp", 6, 2), """int_shift int_minmax int_sad int_mul16 bit_field funnel_shift fp32_minmax
        barrier"""), (Operation("sp", 13, 2), "int_compare fp32_compare"),
    (Operation("sp", 13, issues=3), "int_mul32"), (Operation("sp", 21, issues=5), "int_mul24"), (Operation("sp", 18, issues=5), "int_mul_high"),
    (Operation("sp", 18, issues=6), "int_mul_wide"),
    (Operation("sp", 6, issues=2), "int64_add int64_logic"), (Operation("sp", 19, 2, issues=2), "int64_compare"),
    (Operation("sp", 12, 2, issues=3), "int64_shift int64_minmax"), (Operation("sp", 30, issues=12), "int64_mul"),
    (Operation("sp", 18, issues=8), "int_dot"), (Operation("sp", 153, issues=20), "int_div32"), (Operation("sp", 600, issues=90), "int64_div"),
    (Operation("sfu", 13), "bit_count"), (Operation("sfu", 14), "convert convert64"),
    (Operation("sfu", 35), "fp32_rcp fp32_rsqrt fp32_transcendental"), (Operation("sfu", 35, issues=2), "fp32_sqrt fp32_div"),
    (Operation("sp", 408, issues=10), "fp32_div_exact"), (Operation("sp", 282, issues=10), "fp32_sqrt_exact"),
    (Operation("dp", 8), "fp64_add fp64_mul fp64_fma fp64_minmax fp64_compare"),
    (Operation("dp", 545, 16 / 15, issues=15), "fp64_div"), (Operation("dp", 220, 16 / 18, issues=18), "fp64_sqrt"),
    (Operation("sp", 6, issues=100), "system_call"), (Operation("lsu", 24, 1), "shuffle"),
    (Operation("ld", 6), "load_global"), (Operation("lsu", 6), "store_global load_local store_local atomic_global store_surface fence"),
    (Operation("tex", 12), "load_texture"), (Operation("tex", 6), "load_surface"), (Operation("lsu", 0, 1), "load_shared store_shared load_constant"),
    (Operation("lsu", 20), "atomic_shared")]

FORMS = [  # that differ from the rest of their class
    (Operation("dp", 196, 10 / 14, issues=14), "fp64_sqrt:rsqrt.approx.f64"),
    (Operation("sfu", 15), "fp32_transcendental:sin.* fp32_transcendental:cos.*"), (Operation("sfu", 41), "fp32_transcendental:ex2.*"), *DIVISIONS,
    # requests of 8, 4, 2 lanes
    (Operation("ld", 6, 8), "load_global:*64 load_global:*.v2.*32"), (Operation("ld", 6, 16), "load_global:*.v2.*64 load_global:*.v4.*32")]

P100 = Architecture(
    name="p100", title="Tesla P100 PCIe 16GB", vendor="NVIDIA", family="Pascal", compute_capability="6.0",
    aliases=("tesla_p100", "p100_pcie", "gp100"), vocabulary=Vocabulary(),
    evidence={path: QUOTED.get(cite, cite) for path, cite in EVIDENCE.items()} | {
        **{f"isa.operations.fp64_{name}.{field}": ROOTS for name in ("div", "sqrt") for field in ("issues", "interval_cycles")},
        "isa.forms.rsqrt_approx_f64": RECIPROCAL_ROOTS, "isa.operations.int_dot": UNPUBLISHED, "coalescing.load": GUIDE,
        "limits.shared_bytes_per_multiprocessor": TABLE, "schedulers.issue_width": DISPATCH, "units.tex": TEXTURES,
        "caches.l1_global_loads": TUNING,
        "limits.address_bits": Cite(PAPER.document, "unified memory: virtual addresses of 49 bits", "recalled"),
        **{f"isa.operations.{name}.issues": RATES for name in ("fp16_add", "fp16_mul", "fp16_fma")},
        "dram.burst_bytes": Cite("AMD PG313, Versal network on chip", "HBM topology: pseudo-channels of 64 bits, bursts of four"),
        "caches.l2.ways": UNPUBLISHED, "dram.interleave_bytes": UNPUBLISHED, "dram.banks": UNPUBLISHED,
        "dram.ecc_overhead_ratio": NATIVE_ECC, "host_link.pinned_h2d_gb_s": COPIES, "host_link.pinned_d2h_gb_s": COPIES,
        "caches.l1.enabled": Cite(TUNING.document, "GP100 caches global loads in L1 by default", "recalled"),
        "host_link.copy_engines": Cite(QUERY.document, "two copy engines", "recalled", "a measurement")},
    clocks=Clocks(core_mhz=1329, shader_mhz=1329, memory_mhz=715), warp=Warp(size=32),
    chip=Chip(multiprocessors=56, block_launch_cycles=1, block_turnover_cycles=400, launch_overhead_us=4),
    limits=Limits(
        threads_per_block=1024, threads_per_multiprocessor=2048, warps_per_multiprocessor=64, blocks_per_multiprocessor=32,
        registers_per_multiprocessor=65536, registers_per_block=65536, registers_per_thread=255, registers_reserved_per_thread=1,
        register_allocation_unit=256, register_allocation_scope="warp", warp_allocation_granularity=2,
        shared_bytes_per_multiprocessor=64 * KiB, shared_bytes_per_block=48 * KiB, shared_allocation_unit_bytes=256,
        block_dimensions=(1024, 1024, 64), grid_dimensions=(2**31 - 1, 65535, 65535), kernel_instructions=512_000_000,
        local_bytes_per_thread=512 * KiB, parameter_bytes=4096, constant_bytes=64 * KiB, address_bits=49),
    schedulers=Schedulers(
        count=2, policy=LooseRoundRobin(), issue_interval_cycles=1, issue_width=2, instruction_gap_cycles=1, superscalar=True,
        dual_issue=tuple(frozenset({"sp", other}) for other in ("sfu", "ld", "lsu", "tex"))),
    units=(Unit("sp", 32, "scheduler"), Unit("sfu", 8, "scheduler"), Unit("dp", 16, "scheduler"), Unit("ld", 8), Unit("lsu", 16), Unit("tex", 4)),
    isa=Isa(features=FEATURES, operations=operations(COSTS), forms=forms(FORMS), pointer_bits=64, instruction_bytes=11,
            fuse_multiply_add=True, float_mad="fused", predication_max_instructions=7, exits_count_as_branches=True,
            assembler=Sass(joins_by_branch=True, debug_signs_by_branch=True, shared_load_bytes=16, merged_atomics=(5, 10))),
    shared=SharedMemory(banks=32, conflict_lanes=32, broadcast=MulticastBroadcast(), wide_access=MergedLanes(), latency_cycles=25, pass_cycles=1,
                        pass_latency_cycles=2),
    coalescing=Coalescing(load=Lines(32, 128, 32), store=Lines(32, 128, 32), load_uncached=Lines(32, 128, 32)),
    caches=Caches(
        l1=Cache(size_bytes=24 * KiB, line_bytes=128, sector_bytes=32, ways=48, latency_cycles=75, misses_in_flight=256,
                 write="through", scope="multiprocessor"),
        constant=Cache(size_bytes=2 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=12, misses_in_flight=8,
                       write="evict", scope="multiprocessor"),
        constant_l2=Cache(size_bytes=32 * KiB, line_bytes=256, sector_bytes=256, ways=4, latency_cycles=96, misses_in_flight=8,
                          write="evict", scope="multiprocessor"),
        instruction=Cache(size_bytes=8 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=0, misses_in_flight=8, prefetch_degree=2,
                          write="evict", scope="multiprocessor"),
        instruction_l2=Cache(size_bytes=128 * KiB, line_bytes=128, sector_bytes=128, ways=8, latency_cycles=30, misses_in_flight=8, prefetch_degree=7,
                             write="evict", scope="multiprocessor"),
        instruction_memory_cycles=232, instruction_preload_bytes=64 * KiB,
        texture_l1=Cache(size_bytes=24 * KiB, line_bytes=128, sector_bytes=32, ways=48, latency_cycles=75, misses_in_flight=256,
                         write="evict", scope="multiprocessor"),
        l2=Cache(size_bytes=128 * KiB, line_bytes=128, sector_bytes=32, ways=16, latency_cycles=30, misses_in_flight=256,
                 write="back", scope="partition")),
    texture=TextureUnits(weight_bits=8, coordinate_bits=21, coordinate_extents=(8192, 65536), guard_bits=4),
    load_store=LoadStore(reads_in_flight_per_multiprocessor=512, stores_in_flight_per_multiprocessor=512, transaction_cycles=1,
                         atomic_cycles=1),
    interconnect=Interconnect(
        request_latency_ns=79, response_latency_ns=82, header_bytes=12, injection_bytes_per_cycle=64,
        injection_scope="multiprocessor", partition_request_bytes_per_cycle=64, partition_response_bytes_per_cycle=64),
    dram=Dram(
        partitions=32, interleave_bytes=256, partition_map=XorHash(), capacity_bytes=17_071_734_784, bus_bits=4096, transfers_per_clock=2,
        burst_bytes=32, banks=32, row_bytes=2 * KiB, t_rcd_ns=14, t_rp_ns=14, t_ras_ns=33, t_rrd_ns=4, t_cl_ns=14, t_wl_ns=7, t_wtr_ns=8,
        t_rtw_ns=4, t_wr_ns=16, t_refi_ns=190, t_rfc_ns=40, extra_latency_ns=136, queue_entries=128, scheduling=FirstReady(window=64), write_drain_high=32,
        write_drain_low=8),
    device_launches=DeviceLaunches(depth=24, synchronization_depth=2, pending=2048, pool="virtualised", virtual_us=30.7, call_us=30.7, lane_us=2.4,
                                   start_us=0.8, next_us=1.3, tail_us=4.8),
    host_link=HostLink(name="PCIe 3.0 x16", pinned_h2d_gb_s=11.7, pinned_d2h_gb_s=12.9, pageable_h2d_gb_s=6, pageable_d2h_gb_s=6,
                       duplex_ratio=0.9, latency_us=4, call_us=2, submit_us=1, dependency_us=2, wakeup_us=4,
                       copy_engines=2, work_queues=32, concurrent_grids=128, peer_gb_s=12, peer_latency_us=8,
                       mapped=LinkAccesses(read_gb_s=15.75, write_gb_s=15.75, granule_bytes=64, header_bytes=36, requests_in_flight=256),
                       managed=ManagedMemory(fault_bytes=512 * KiB, fault_us=45, host_fault_us=16)))
