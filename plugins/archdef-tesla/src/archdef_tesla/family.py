"""What NVIDIA's Tesla chips (compute capability 1.x) have in common, and the function that describes one of them."""
import attrs

from archdef.spec import (Architecture, Cache, Caches, Cite, Coalescing, CoreDomain, Dram, FirstReady, Interconnect, Isa, KiB, Limits,
                          LoadStore, Operation, PartOfUnit, Schedulers, SharedMemory, SharedParameters, SingleWordBroadcast, TexturePipeline,
                          TextureUnits, Unit, Vocabulary, Warp, WeightedPriority, WordAtATime, forms, operations)
from archdef_tesla.assembler import TeslaAssembler

CALCULATOR = Cite("NVIDIA CUDA Occupancy Calculator", "GPU data of compute capability 1.x")
BOTH = "read in a copy in English and Korean"
TABLE = Cite("CUDA C Programming Guide 4.2", "table F-2, technical specifications, columns 1.x", note=BOTH)
MULTIPROCESSOR = Cite(TABLE.document, "appendix F.3.1, architecture of 1.x", note=BOTH)
SEGMENTS = Cite(TABLE.document, "appendix F.3.2, global memory of 1.x", note=BOTH)
BANKS = Cite(TABLE.document, "appendix F.3.3, shared memory of 1.x", note=BOTH)
TRUNCATED = Cite(TABLE.document, "appendix F.2: FMAD truncates the product", note=BOTH)
PARAMETERS = Cite("PTX ISA 9.1", "section 11.2.1, .entry: parameters of 256 bytes for sm_1x")
GUIDE = Cite("CUDA C Programming Guide 3.0-4.2", "chapter 5 and the appendix on compute capability 1.x",
             "recalled")
LINDHOLM = Cite("Lindholm et al., NVIDIA Tesla, IEEE Micro 28(2), 2008",
                "streaming multiprocessor, SM multithreaded issue")
KANTER = Cite("Kanter, NVIDIA's GT200: Inside a Parallel Processor, Real World Technologies, 2008", "dual issue; execution units",
              note="in part as quoted at we.poppur.com/thread-969042-7-1.html")
LONG_INTEGERS = Cite(KANTER.document, "64-bit integers in the double-precision unit", "inferred", "one instruction, as long as a 64-bit sum; from memory")
BRIEF = Cite("NVIDIA GeForce GTX 200 GPU Technical Brief", "page 15, improved dual issue: MAD and MUL at 93-94 % of three operations a lane and cycle")
PIPELINE = Cite("Kanter, NVIDIA's GT200: Inside a Parallel Processor, Real World Technologies, 2008", "memory pipeline",
                "recalled", note="texture fetches and loads share hardware and do not go at a time")
BLOCKS = Cite("Kanter, NVIDIA's GT200: Inside a Parallel Processor, Real World Technologies, 2008", "24 KB a TPC in three blocks of 8 KB",
              "recalled", note="as the CUDA C Programming Guide's working set of 6 to 8 KB a multiprocessor; "
                                "Wong et al. 2010 see 5 KB of it with one thread, "
                                "which an unfavourable pattern can explain, whereas none could show more than there is")
ADDRESSES = Cite("Kanter, NVIDIA's GT200: Inside a Parallel Processor, Real World Technologies, 2008", "40-bit addresses, 32-bit on the G80",
                 "recalled")
DOMAINS = Cite("Kanter, NVIDIA's GT200: Inside a Parallel Processor, Real World Technologies, 2008", "clock domains", "recalled",
               "arithmetic at the processor clock; fetch, issue, caches, registers, shared memory, textures at the core clock, less than half as fast")
RATIO = Cite("Kanter, NVIDIA's GT200: Inside a Parallel Processor, Real World Technologies, 2008", "clock domains", "inferred",
             "the ratio is that of boards as sold, on which times were measured; quoted from memory")
MISSING_MUL = Cite("Beyond3D, NVIDIA G80: Architecture and GPU Analysis, 2006", "page 11, the case of the missing MUL", "inferred",
                   "on a board that is not named: the multiplier behind the SFU serves interpolation; no multiplication beside a multiply-add")
LINEAGE = Cite("NVIDIA GPU Architecture Lineage", "G80 and GT200 tables")
VRAM = Cite("envytools", "docs/hw/memory/nv50-vram.rst, introduction and partition cycle: sectors of 32 bytes; blocks of 256 bytes, to partitions in turn "
            "where memory is linear")
BUS = Cite(VRAM.document, "docs/hw/memory/nv50-vram.rst, introduction: partitions of 64 bits each", "inferred", "as many as the board's bus has of them")
WONG = Cite("Wong et al., Demystifying GPU Microarchitecture, ISPASS 2010", "GTX 280 tables", "recalled", "a measurement")
FIT = Cite("transposes of Ruetsch and Micikevicius 2009 (GTX 280), reductions of Harris 2007 (8800 GTX)", "compiled kernels", "fitted",
           "eight within 11 %, seven within 15 %; another set of values may fit as well; quoted from memory")
DIVISION = Cite(WONG.document, "double-precision division: 1366 cycles, 0.063 a clock", "recalled", "a measurement; sixteen issues of 32 cycles")
TEXTURE_HITS = Cite(WONG.document, "textures: 261 cycles to the first level", "recalled", "a measurement; less the 24 of the fetch's own latency")
TEXTURE_L2 = Cite(WONG.document, "textures: 371 cycles to the second level", "inferred", "nothing is left beside the network's way; quoted from memory")
PREPARED = Cite("envytools", "docs/hw/graph/tesla/cuda/trans.rst: presin and preex2 prepare sin, cos and ex2; lg2 takes one instruction")
GDDR3 = Cite("GPGPU-Sim 4.0", "configs/deprecated-cfgs/QuadroFX5800/gpgpusim.config of accel-sim/gpgpu-sim_distribution, lines 70 and 71", "inferred",
             "GDDR3 of a Quadro, K4J52324QH-HC12 at 800 MHz; its cycles in ns")
REFRESH = Cite("Qimonda HYB18H512321AF data sheet, revision 1.73, 2005", "table 38: 8192 refreshes in 32 ms, tRFC 52 ns of -12; tRTW = CL + BL/2 + 2 - WL",
               "inferred", "GDDR3 of 512 Mbit and 800 MHz by another maker; two clocks from the end of read data to write data")
FILTERING = Cite(TABLE.document, "appendix E.2, linear filtering", note=BOTH)
PREDICATION = Cite(TABLE.document, "section 5.4.2: up to 7 instructions if warps are likely to diverge", note=BOTH)
ZERO_COPY = Cite("CUDA C Best Practices Guide 4.2", "zero copy, from CUDA 2.2 on: data are not cached on devices of 1.x", "inferred",
                 "that devices of 1.2 have it: forums.developer.nvidia.com, topic 13702; requests as Min et al., EMOGI, VLDB 2021, have them of a V100, "
                 "quoted from memory, and no faster than copies")
ONE_KERNEL = Cite(TABLE.document, "section 3.2.5.3: several kernels at a time from 2.x on", note=BOTH)
NATIVE_24 = Cite(TABLE.document, "section 5.4.1: products of 24 bits are native on 1.x", note=BOTH)
FETCHES = Cite("Texture fetches on an H100 80GB HBM3", "tests/hardware, textures", "assumed", "not measured on this machine")
PATHS = Cite("Lindholm et al., NVIDIA Tesla, IEEE Micro 28(2), 2008", "loads go by the texture units, stores by the raster operation units",
             "inferred", "as block diagrams of the time have it; quoted from memory")
OPERANDS = Cite("Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra, SC 2008", "arithmetic reads operands in shared memory", "inferred",
                "so what waits for a bank waits in the arithmetic pipeline; quoted from memory")
UNPUBLISHED = Cite("not published", "a plausible value", "assumed")
LAUNCH_DATA = Cite("CUBIN of compute capability 1.x", "blockDim, gridDim, blockIdx in shared memory, parameters at 16", "inferred",
                   "as disassemblers of the time show it; quoted from memory")
SASS = Cite("machine code of compute capability 1.x", "global loads before stores to shared memory; SSY before a branch that may diverge",
            "inferred", "from memory; the time of the transposes through shared memory agrees")
ENCODING = Cite("machine code of compute capability 1.x", "instructions of 8 bytes, some of 4", "inferred",
                "as disassemblers of the time show it; all are counted as long; quoted from memory")
CODE_WAITS = Cite("Wong et al., Demystifying GPU Microarchitecture through Microbenchmarking, ISPASS 2010", "latency of constants", "inferred",
                  "the second and third level hold constants and instructions; memory as an uncoalesced load; quoted from memory")
PCIE = Cite("PCI Express 1.1 and 2.0", "16 lanes, 4 and 8 GB/s a direction", "inferred",
            "three quarters of it, as bandwidth tests of the time print; quoted from memory")
ENGINES = Cite("CUDA C Programming Guide", "overlap of copies and kernels from compute capability 1.1 on, concurrent kernels from 2.0 on",
               "recalled")
STAGED = Cite("CUDA C Programming Guide 3.2", "concurrent execution: copies of 64 KB or less to the device do not wait",
              note="quoted in a lecture of ME964, Madison, March 2011")
QUEUES = Cite("CUDA samples, simpleHyperQ", "background: a single connection without Hyper-Q", note="read in a copy of its pages")
WIDTH = Cite("NVIDIA Fermi white paper 1.1", "summary table: load and store addresses of 32 bits on G80 and GT200", note="read in a copy of its pages")

COSTS = [  # SM cycles; 32-bit multiplies are four instructions, 24-bit ones native
    (Operation("sp", 24), """move select predicate int_add int_minmax int_logic int_shift int_compare int_mul16 int_mul24
        int_sad fp32_add fp32_fma fp32_minmax fp32_compare convert special_register clock branch call exit
        barrier fence"""),
    (Operation("sp", 24, issues=2), "int64_logic convert64"), (Operation("sp", 24, issues=3), "bit_field byte_permute funnel_shift"),
    (Operation("sp", 96, issues=4), "int_mul32"), (Operation("sp", 24, issues=6), "int64_shift"),
    (Operation("sp", 192, issues=8), "int_mul_wide int_mul_high int_dot"),
    (Operation("sp", 24, issues=12), "bit_count fp32_div_exact"),
    (Operation("sp", 24, issues=14), "fp32_sqrt_exact"),
    (Operation("sp", 668, issues=31), "int_div32"), (Operation("sp", 2900, issues=120), "int64_div"),
    (Operation("sfu", 28), "fp32_rcp fp32_rsqrt"),
    (Operation("sfu", 28, issues=2), "fp32_sqrt fp32_div fp32_transcendental"),
    (Operation("lsu", 24), "load_global store_global load_local store_local"),
    (Operation("tex", 24), "load_texture"),
    (Operation("lsu", 0), "load_shared store_shared load_constant")]
FORMS = [(Operation("sfu", 28), "fp32_transcendental:lg2.*")]       # the others are prepared by an instruction of its own
MULTIPLY_SP = [(Operation("sp", 24), "fp32_mul")]
MULTIPLY_SFU = [(Operation("mul", 24), "fp32_mul")]      # SP or SFU, whichever is free: either takes four cycles
PAIRS_OF_32 = [(Operation("sp", 24, issues=2), "int64_add"), (Operation("sp", 24, issues=3), "int64_compare int64_minmax"),
               (Operation("sp", 384, issues=16), "int64_mul")]
ATOMICS = [(Operation("lsu", 24), "atomic_global")]                                   # from compute capability 1.1 on
VOTES = [(Operation("sp", 24), "vote"), (Operation("lsu", 0, issues=4), "atomic_shared")]   # from 1.2 on
DOUBLES = [  # 1.3
    (Operation("dp", 48), """fp64_add fp64_mul fp64_fma fp64_minmax fp64_compare int64_add int64_compare int64_minmax int64_mul"""),
    (Operation("dp", 1366, issues=16), "fp64_div"), (Operation("dp", 48, issues=12), "fp64_sqrt")]

# Features of every chip: cycle counters, and what compilers spell out in older instructions.
# Texture objects are of compute capability 3.0; here the texture units take their handles for references.
BASIC = """clock texture texture_objects
    bit_operations bit_masks byte_permute carry_chain funnel_shift int_dot convert_pack minmax_nan minmax_xorsign fp32_tanh"""
EVIDENCE = {  # what both chips share
    "warp": TABLE, "limits": TABLE, "limits.shared_bytes_per_block": GUIDE, "limits.parameter_bytes": PARAMETERS, "shared": BANKS, "coalescing": SEGMENTS,
    "isa": GUIDE, "isa.fuse_multiply_add": TRUNCATED, "isa.float_mad": TRUNCATED, "shared.bank_width_bytes": BANKS, "shared.bank_map": BANKS,
    "chip.multiprocessors_per_cluster": MULTIPROCESSOR, "caches.texture_l1.scope": MULTIPROCESSOR, "schedulers": LINDHOLM, "units": LINDHOLM,
    "chip": LINEAGE, "clocks": LINEAGE, "dram": LINEAGE, "caches": WONG, "load_store": FIT, "interconnect": FIT,
    "shared.latency_cycles": WONG, "shared.conflicts_hold_issue": OPERANDS, "isa.operations": UNPUBLISHED,
    "isa.pointer_bits": WIDTH, "isa.predication_max_instructions": PREDICATION, "isa.operations.int_mul24.issues": NATIVE_24, "isa.assembler": SASS,
    "isa.assembler.shared_operands": Cite("Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra, SC 2008",
                                          "operands in shared memory", "recalled"),
    **{f"isa.operations.{name}": GUIDE for name in "int_mul24 int_mul32 fp32_add fp32_mul fp32_fma fp32_rcp fp32_rsqrt".split()},
    **{f"limits.{name}": CALCULATOR for name in """registers_per_multiprocessor registers_per_block registers_per_thread
       register_allocation_unit register_allocation_scope warp_allocation_granularity shared_allocation_unit_bytes""".split()},
    "limits.registers_reserved_per_thread": UNPUBLISHED, "limits.shared_reserved_bytes_per_block": CALCULATOR,
    "limits.shared_parameters": LAUNCH_DATA,
    "schedulers.policy.memory_weight": UNPUBLISHED, "schedulers.policy.age_weight": UNPUBLISHED,
    "schedulers.instruction_gap_cycles": UNPUBLISHED, "chip.block_launch_cycles": UNPUBLISHED,
    "chip.block_turnover_cycles": FIT, "chip.launch_overhead_us": UNPUBLISHED, "load_store.atomic_cycles": UNPUBLISHED,
    "load_store.transaction_cycles": UNPUBLISHED, "load_store.texture_pipeline": UNPUBLISHED,
    "caches.instruction_preload_bytes": UNPUBLISHED, "isa.instruction_bytes": ENCODING,
    **{f"caches.{c}.prefetch_degree": UNPUBLISHED for c in ("instruction", "instruction_l2", "instruction_l3")},
    **{f"caches.{name}": CODE_WAITS for name in
       "instruction.latency_cycles instruction_l2.latency_cycles instruction_l3.latency_cycles instruction_memory_cycles".split()},
    **{f"caches.{c}.{name}": UNPUBLISHED for name in ("replacement", "misses_in_flight")
       for c in """constant constant_l2 constant_l3 instruction instruction_l2 instruction_l3 texture_l1
                   texture_l2""".split()},
    **{f"dram.{name}": FIT for name in "row_bytes extra_latency_ns queue_entries scheduling write_drain_high write_drain_low".split()},
    **{f"dram.{name}": REFRESH for name in "t_rtw_ns t_refi_ns t_rfc_ns".split()},
    **{f"dram.{name}": GDDR3 for name in "banks t_rcd_ns t_rp_ns t_ras_ns t_rrd_ns t_cl_ns t_wl_ns t_wtr_ns t_wr_ns".split()},
    **{f"dram.{name}": VRAM for name in "interleave_bytes partition_map burst_bytes".split()},
    "caches.texture_tile_rows": UNPUBLISHED, "caches.l1_global_loads": GUIDE, "texture": FETCHES, "texture.weight_bits": FILTERING,
    "limits.address_bits": ADDRESSES, "clocks.core_domain.parts": DOMAINS, "clocks.core_domain.cycle_ratio": RATIO,
    "units.tex": LINEAGE, "units.tex.part_of": PIPELINE,
    "isa.forms": GUIDE, "isa.forms.lg2.issues": PREPARED, "caches.texture_l1.latency_cycles": TEXTURE_HITS, "caches.texture_l2.latency_cycles": TEXTURE_L2,
    "caches.texture_l1.size_bytes": BLOCKS, "caches.texture_l1.ways": UNPUBLISHED, "interconnect.store_ports": PATHS,
    "host_link": UNPUBLISHED,
    "host_link.pinned_h2d_gb_s": PCIE, "host_link.pinned_d2h_gb_s": PCIE, "host_link.copy_engines": ENGINES,
    "host_link.concurrent_grids": ONE_KERNEL, "host_link.work_queues": QUEUES, "host_link.staging_bytes": STAGED}


SP_SFU = (Unit("sp", 8), Unit("sfu", 2))
MULTIPLIERS = (Unit("mul", 8, copies=2), Unit("sp", 8, part_of=PartOfUnit(unit="mul")), Unit("sfu", 2, part_of=PartOfUnit(unit="mul", first_copy=1)))
"""SFUs multiply as well, four lanes a cycle each: ``mul`` is whichever of both is free."""
SP_WITH_SFU = [("sp", "sfu")]
SP_WITH_SFU_OR_MUL = [("sp", "sfu"), ("sp", "mul"), ("mul", "sfu")]      # not two of ``mul``: the guide counts 8 of them a cycle


def tesla(*, evidence, chip, clocks, registers, warps, features, costs, coalescing, bus, link, latency_ns,
          reads, texture_l2_bytes, arithmetic, pairs, address_bits, port_bytes=(16, 32), texture_cycles=261,
          dram_ns=0, **names) -> Architecture:
    """Describe one chip of the family by what its members differ in."""
    partitions, capacity_bytes = bus
    return Architecture(
        **names, vendor="NVIDIA", family="Tesla", vocabulary=Vocabulary(cluster="TPC"), chip=chip, host_link=link,
        clocks=attrs.evolve(clocks, core_domain=CoreDomain(
            parts=("issue", "fetch", "constants", "shared", "texture", "load_store", "lsu", "tex"), cycle_ratio=round(clocks.shader_mhz / clocks.core_mhz, 6))),
        warp=Warp(size=32), evidence=EVIDENCE | evidence,
        limits=Limits(
            threads_per_block=512, threads_per_multiprocessor=32 * warps, warps_per_multiprocessor=warps,
            blocks_per_multiprocessor=8, registers_per_multiprocessor=registers, registers_per_block=registers,
            registers_per_thread=124, register_allocation_unit=registers // 32, register_allocation_scope="block",
            warp_allocation_granularity=2, shared_bytes_per_multiprocessor=16 * KiB, shared_bytes_per_block=16 * KiB,
            shared_allocation_unit_bytes=512, shared_parameters=SharedParameters(launch_bytes=16),
            block_dimensions=(512, 512, 64), grid_dimensions=(65535, 65535, 1),
            kernel_instructions=2_000_000, local_bytes_per_thread=16 * KiB, parameter_bytes=256, constant_bytes=64 * KiB,
            address_bits=address_bits),
        schedulers=Schedulers(count=1, policy=WeightedPriority(memory_weight=16, age_weight=1), issue_interval_cycles=4,
                              issue_width=2, dual_issue=tuple(map(frozenset, pairs)), instruction_gap_cycles=4),
        units=(*arithmetic, Unit("lsu", 8), Unit("tex", 1, part_of=PartOfUnit(unit="lsu"))),      # "tex": share of the cluster's, in the pipeline of loads
        isa=Isa(features=features, operations=operations(*costs), forms=forms(FORMS), pointer_bits=32, fuse_multiply_add=True, float_mad="truncated",
                predication_max_instructions=7, assembler=TeslaAssembler(shared_operands=True, loads_pass_shared_stores=True, convergence_instructions=1)),
        shared=SharedMemory(banks=16, conflict_lanes=16, broadcast=SingleWordBroadcast(), wide_access=WordAtATime(), latency_cycles=38, pass_cycles=2,
                            conflicts_hold_issue=True),
        coalescing=Coalescing(load=coalescing, store=coalescing, load_uncached=coalescing),
        caches=Caches(
            constant=Cache(size_bytes=2 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=8, misses_in_flight=4,
                           write="evict", scope="multiprocessor"),
            constant_l2=Cache(size_bytes=8 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=81, misses_in_flight=4,
                              write="evict", scope="cluster"),
            constant_l3=Cache(size_bytes=32 * KiB, line_bytes=256, sector_bytes=64, ways=8, latency_cycles=220, misses_in_flight=4,
                              write="evict", scope="chip"),
            instruction=Cache(size_bytes=4 * KiB, line_bytes=256, sector_bytes=256, ways=4, latency_cycles=0, misses_in_flight=4,
                              write="evict", scope="multiprocessor"),
            instruction_l2=Cache(size_bytes=8 * KiB, line_bytes=256, sector_bytes=256, ways=4, latency_cycles=81, misses_in_flight=4,
                                 write="evict", scope="cluster"),
            instruction_l3=Cache(size_bytes=32 * KiB, line_bytes=256, sector_bytes=256, ways=8, latency_cycles=220, misses_in_flight=4,
                                 write="evict", scope="chip"),
            instruction_memory_cycles=460,
            texture_l1=Cache(size_bytes=chip.multiprocessors_per_cluster * 8 * KiB, line_bytes=32, sector_bytes=32,
                             ways=8 * chip.multiprocessors_per_cluster, latency_cycles=texture_cycles, misses_in_flight=32,
                             write="evict", scope="cluster"),
            texture_l2=Cache(size_bytes=texture_l2_bytes, line_bytes=256, sector_bytes=32, ways=8, latency_cycles=0,
                             misses_in_flight=32, write="evict", scope="partition")),
        texture=TextureUnits(weight_bits=8, coordinate_bits=21, coordinate_extents=(8192, 65536), guard_bits=4),
        load_store=LoadStore(reads_in_flight_per_multiprocessor=reads, stores_in_flight_per_multiprocessor=20,
                             texture_pipeline=TexturePipeline(fetches_in_flight=128), transaction_cycles=2, atomic_cycles=4),
        interconnect=Interconnect(
            request_latency_ns=latency_ns[0], response_latency_ns=latency_ns[1], header_bytes=16, injection_bytes_per_cycle=32,
            injection_scope="cluster", store_ports=True, partition_request_bytes_per_cycle=port_bytes[0],
            partition_response_bytes_per_cycle=port_bytes[1]),
        dram=Dram(
            partitions=partitions, interleave_bytes=256, capacity_bytes=capacity_bytes, bus_bits=64 * partitions,
            transfers_per_clock=2, burst_bytes=32, banks=8, row_bytes=4 * KiB, t_rcd_ns=15, t_rp_ns=12.5, t_ras_ns=31.25, t_rrd_ns=10,
            t_cl_ns=12.5, t_wl_ns=8.75, t_wtr_ns=7.5, t_rtw_ns=2.5, t_wr_ns=13.75, t_refi_ns=3900, t_rfc_ns=52, extra_latency_ns=dram_ns,
            queue_entries=60, scheduling=FirstReady(window=64), write_drain_high=32, write_drain_low=8))
