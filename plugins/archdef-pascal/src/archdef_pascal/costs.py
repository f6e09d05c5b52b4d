"""What instructions cost on Pascal, and where the figures of this plugin come from."""
from archdef.spec import Cite, Operation

COPY = "read in HeKun-NVIDIA/CUDA-Programming-Guide-in-Chinese"
QUERY = Cite("deviceQuery of a Quadro P2000", "CUDA 10.0, desktop board", "measured", card="Quadro P2000")
GUIDE = Cite("CUDA C Programming Guide 9", "compute capability 6.x", "recalled")
RATES = Cite("CUDA C++ Programming Guide 11", "table 3, throughput of native arithmetic instructions, column 6.1", note=COPY)
TABLE = Cite(RATES.document, "table 15, technical specifications, column 6.1", note=COPY)
MULTIPROCESSOR = Cite(RATES.document, "appendix K.5.1, architecture of 6.x", note=COPY)
BANKS = Cite(RATES.document, "appendices K.5.3 and K.4.3, shared memory of 6.x is that of 5.x", note=COPY)
SEGMENTS = Cite(RATES.document, "appendices K.5.2, K.4.2 and K.3.2, global memory of 6.x is that of 5.x", note=COPY)
ISSUE = Cite(RATES.document, "section 5.2.3, instructions that hide a latency: those of four warps a cycle", note=COPY)
CALCULATOR = Cite("cuda_occupancy.h of CUDA 12.6", "compute capability 6.1")
LINEAGE = Cite("NVIDIA GPU Architecture Lineage", "GP10x tables")
PAPER = Cite("NVIDIA GeForce GTX 1080 white paper", "Pascal SM", "recalled")
TUNING = Cite("Pascal Tuning Guide", "unified L1/texture cache of GP104", "recalled")
LINES = Cite("NVIDIA developer forums, Pascal L1 cache", "answers of NVIDIA's: lines of L1 and L2 have 128 bytes, four sectors of 32, of which a miss "
             "fetches those that it asks for, on Maxwell and Pascal", note="read in a copy of the page")
SHEET = Cite("vendor data sheet", "GDDR5 memory interface", "recalled")
P100 = Cite("Arafa et al., Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs, HPEC 2019", "Tesla P100", "inferred",
            "measured on the GP100, taken over; PTX level, as shipped with PPT-GPU")
MAXWELL = Cite(P100.document, "GTX Titan X (Maxwell)", "inferred", "measured there; double precision has the same four lanes here")
SPLIT = Cite(P100.document, "Tesla P100: 252 cycles to L2, 482 to memory, divided over the stations", "inferred", P100.note)
PAIRED = Cite("maxas of N. Gray", "lib/MaxAs/MaxAsGrammar.pm of github.com/NervanaSystems/maxas: memory and quarter-rate instructions go in pairs", "inferred",
              "with an arithmetic one of the same warp, as the white paper has it; the programming guide counts one instruction a scheduler and cycle")
FILTERING = Cite("CUDA C++ Programming Guide 13.1", "section 19.2, linear filtering")
FETCHES = Cite("Texture fetches on an H100 80GB HBM3", "tests/hardware, textures", "assumed", "not measured on this machine")
DEBUG_CODE = Cite("Machine code of ptxas 11.8 for sm_60 and sm_61", "mathKernel1 to 4 compiled for debugging: SSY, SYNC and BRA", "measured",
                  "joins count as branches: nvprof's counts, data/divergence.toml", card="Quadro P2000")
COUNTED = Cite("nvprof's counts of branches on a Quadro P2000 and a GeForce GTX 1060", "data/divergence.toml", "inferred",
               "BRA, SYNC and EXIT that warps execute in machine code of ptxas 11.8 for sm_61, counted by hand, make up each of the seven figures")
NESTING = Cite("CUDA C++ Programming Guide 13.1", "sections 13.6.3.3.1.2 and 13.6.3.3.1.4, nesting depth and configuration of the first device runtime")
VIRTUAL_POOL = Cite("CUDA C Programming Guide 8.0", "appendix D.4.3.1.2, pending kernel launches", "assumed",
                    "\"a virtualized pool with lower performance\": as long again as a launch in the fixed pool")
SIMULATED = Cite("GPGPU-Sim 4.0", "configs/tested-cfgs/SM6_TITANX/gpgpusim.config of accel-sim/gpgpu-sim_distribution: -gpgpu_cache:dl2 S:64:128:16, "
                 "-gpgpu_mem_addr_mapping dramid@8, -gpgpu_dram_timing_opt nbk=16", "inferred", "a simulator's input for a TITAN X (GP102), not a measurement")
K20_LAUNCHES = Cite("GPGPU-Sim 4.0", "src/cuda-sim/cuda-sim.cc, -cdp_latency: 7200,8000,100,12000,1600", "assumed",
                    "cycles of a Tesla K20c at 706 MHz, by Wang et al., ISCA 2015, which was not at hand: of a warp's call for a buffer of parameters, "
                    "and of its launch, each with what every thread adds; of no other machine of the first device runtime are any published")
H100_LAUNCHES = Cite("Launches by kernels of an H100 80GB HBM3", "tests/data/h100/first_launches.txt and device_launches.txt", "assumed",
                     "not measured on this machine")
CONFLICTS = Cite("Mei and Chu, Dissecting GPU Memory Hierarchy through Microbenchmarking, TPDS 2017", "shared memory by bank conflict, GTX 980", "inferred",
                 "28, 30, 34, 42, 58, 90 cycles for 1 to 32 lanes of a bank on Maxwell; quoted from memory")
FOUR_SETS = Cite("GPGPU-Sim 4.0", "configs/tested-cfgs/SM6_TITANX/gpgpusim.config, -gpgpu_cache:dl1: four sets of 96 lines", "inferred",
                 "a simulator's input, not a measurement")
STREAM = Cite("GPU-STREAM on a GeForce GTX TITAN X", "results/cuda/nvidia-gtx-titan_x.txt of github.com/UoB-HPC/BabelStream", "inferred",
              "the share of its peak that a GTX TITAN X reaches, whose memory is of the same kind")
REQUESTS = Cite("gpumembench on a Tesla P100", "issue 2 of github.com/ekondis/gpumembench: 2 TB/s from the unified cache, at most", "inferred",
                "27 bytes a cycle of a multiprocessor at 1328 MHz, which has four texture units: eight lanes of words of 4 bytes at a time. One of "
                "this machine has eight: sixteen lanes, eight of 8 bytes, four of 16. In sebbbi/perftest raw loads of 4 bytes take, with their loop, "
                "0.61 of the time of typed ones on a GTX 1070 Ti, which are one a texture unit. "
                "NVIDIA's answers in its forums (Pascal L1 cache) have loads split into requests of 8 lanes, of 4 where words have 8 bytes, of 2 where 16")
PAIRS = Cite("maxas of N. Gray, a full walk through of the SGEMM implementation", "Reading from Shared: on GM204, quads that pairs of lanes share come "
             "without conflicts, others do not", "inferred", "the rule that NVIDIA gives for 7.0 to 7.5; the generation between both")
PTXAS = Cite("machine code of ptxas 11.8, sm_60 and sm_61", "a counter: S2R, VOTE, FLO, POPC and ISETP, then one lane's RED; five more for the old "
             "values; a tiled product: LDS.128 of neighbouring words", "inferred")
MAXAS = Cite("maxas of N. Gray", "lib/MaxAs/MaxAsGrammar.pm of github.com/NervanaSystems/maxas, classes of instructions: comparisons 13 cycles", "inferred",
             "what its schedules for GM20x keep between a comparison and the use of its predicate; Arafa et al. have 6, as of an addition")
UNPUBLISHED = Cite("not published", "a plausible value", "assumed")
PCIE = Cite("PCI Express 3.0", "16 lanes, 15.75 GB/s a direction", "inferred",
            "three quarters of it, as bandwidth tests of the time print; quoted from memory")
QUEUES = Cite("NVIDIA Kepler GK110 white paper", "Hyper-Q: 32 work queues", "recalled")
LANES = Cite("PCI Express 3.0", "16 lanes, 15.75 GB/s a direction", "recalled")
ZERO_COPY = Cite("Min et al., EMOGI, VLDB 2021", "Tesla V100 by PCIe 3.0: 12.2 GB/s by aligned requests of 128 bytes, 4.7 by those of 32, 256 in flight",
                 "inferred", "measured on another card: requests carry 36 bytes beside their data, whole pieces of 64; quoted from memory")
STAGED = Cite("CUDA C++ Programming Guide 13.1", "section 6.2.8.1: copies of 64 KB or less to the device do not wait")
CONNECTIONS = Cite("CUDA C++ Programming Guide 13.1", "section 22, CUDA_DEVICE_MAX_CONNECTIONS: up to 32 work queues from 3.5 on")
FUSED = Cite("PTX ISA 9.1", "section 9.7.3.7, mad: fused for sm_20 and higher")
MERGED = Cite("CUDA C++ Programming Guide 13.1", "section 17.2: sums and products are combined into FMADs")
PARAMETERS = Cite("PTX ISA 9.1", "section 11.2.1, .entry: parameters of 4096 bytes for sm_2x and higher")
INSTRUCTIONS_MOST = Cite("Wikipedia, CUDA", "technical specifications: maximum number of instructions per kernel, 512 million from 2.0 on")

SMALL_CONSTANTS = Cite("caps-tum/mt4g", "sample_results/Quadro P6000.json, memory.constant: l1.size, l1.5.size, lineSize and fetchGranularity", "inferred",
                       "measured on a GP102 by chases: 2112 and 31,488 bytes, a line more and two less than fit, of 64 and 256 bytes")
CODE_SIZES = Cite("Wikipedia, CUDA", "multiprocessor architecture: instruction caches of L1 and L1.5 a multiprocessor", "inferred",
                  "8 and 32 KiB of 6.1; cells span columns that the copy does not tell, chosen as Jia et al. 2018 are quoted")
CODE_WIDTH = Cite("Wikipedia, CUDA", "multiprocessor architecture, instruction width: 64 bits, and 64 bits of control logic every 3 instructions")
H100_CODE = Cite("Loops of instructions on an H100 80GB HBM3", "code_loops.csv of archdef-hopper-evidence", "assumed", "not measured on this machine")
JIA = Cite("Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018",
           "constant caches: 2 KiB, and 87 cycles to the next level of a P4", "recalled", "a measurement")
PERMUTES = Cite(MAXAS.document, "lib/MaxAs/MaxAsGrammar.pm of github.com/NervanaSystems/maxas, line 359: PRMT is of the class x32, as additions are",
                "inferred", "of GM20x, taken over")
PRODUCTS_24 = Cite("machine code of ptxas 11.8, sm_60", "mul24.lo: two BFE and three XMAD", "inferred")
DOTS = Cite("Compucon New Zealand, Tesla P40", "specification: 47 TOPS with INT8", "inferred",
            "four products and sums a lane and cycle: 3840 lanes at 1531 MHz; a P40's multiprocessors are alike")

FEATURES = """fp64 fp32_fma fp16 atomics_global atomics_global_64 atomics_shared atomics_shared_64 atomics_minmax_64
    atomics_float_add atomics_double_add atomics_half_add vote vote_ballot shuffle barrier_count barrier_reduce
    bit_operations byte_permute carry_chain funnel_shift read_only_loads unified_addressing device_print device_heap
    device_calls indirect_calls clock clock64 globaltimer dynamic_parallelism cooperative_launch
    texture texture_objects texture_layered texture_cubemap texture_gather surface"""

COSTS = [  # SM cycles; an interval of 2 on `sp` is half rate; 32-bit multiplies are built of 16-bit ones
    (Operation("sp", 6), """move select predicate int_add int_logic fp32_add fp32_mul fp32_fma special_register clock vote branch call
        exit byte_permute int_dot"""),
    (Operation("sp", 6, 2), """int_shift int_minmax int_sad int_mul16 bit_field funnel_shift fp32_minmax
        barrier"""), (Operation("sp", 13, 2), "int_compare fp32_compare"),
    (Operation("sp", 13, issues=3), "int_mul32"), (Operation("sp", 21, issues=5), "int_mul24"), (Operation("sp", 18, issues=5), "int_mul_high"),
    (Operation("sp", 18, issues=6), "int_mul_wide"),
    (Operation("sp", 6, issues=2), "int64_add int64_logic"), (Operation("sp", 19, 2, issues=2), "int64_compare"),
    (Operation("sp", 12, 2, issues=3), "int64_shift int64_minmax"), (Operation("sp", 30, issues=12), "int64_mul"),
    (Operation("sp", 153, issues=20), "int_div32"), (Operation("sp", 600, issues=90), "int64_div"),
    (Operation("sfu", 13), "bit_count"), (Operation("sfu", 14), "convert"),
    (Operation("sfu", 35), "fp32_rcp fp32_rsqrt"), (Operation("sfu", 35, issues=2), "fp32_sqrt fp32_div"),
    (Operation("sfu", 15), "fp32_transcendental"),
    (Operation("sp", 408, issues=10), "fp32_div_exact"), (Operation("sp", 282, issues=10), "fp32_sqrt_exact"),
    (Operation("dp", 48), "fp64_add fp64_mul fp64_fma fp64_minmax fp64_compare convert64"),
    (Operation("dp", 709, issues=10), "fp64_div"), (Operation("dp", 600, issues=12), "fp64_sqrt"),
    (Operation("half", 40), "fp16_add fp16_mul fp16_fma fp16_compare"),
    (Operation("sp", 6, issues=100), "system_call"), (Operation("lsu", 24), "shuffle"),
    (Operation("ld", 6), "load_global"), (Operation("lsu", 6), "store_global load_local store_local atomic_global store_surface fence"),
    (Operation("tex", 12), "load_texture"), (Operation("tex", 6), "load_surface"), (Operation("lsu", 0), "load_shared store_shared load_constant"),
    (Operation("lsu", 20), "atomic_shared")]

DIVISIONS = [
    (Operation("sp", 144, issues=20), "int_div32:rem.s32"), (Operation("sp", 139, issues=18), "int_div32:div.u32"),
    (Operation("sp", 130, issues=18), "int_div32:rem.u32"), (Operation("sp", 266, issues=10), "fp32_div_exact:rcp.r?.f32"),
    (Operation("sfu", 18), "bit_count:clz.*")]

WIDE = [   # requests of 16, 8, 4 lanes
    (Operation("ld", 6, 4), "load_global:*64 load_global:*.v2.*32"), (Operation("ld", 6, 8), "load_global:*.v2.*64 load_global:*.v4.*32")]

FORMS = [  # that differ from the rest of their class
    (Operation("sfu", 41), "fp32_transcendental:ex2.*"), (Operation("sfu", 35), "fp32_transcendental:lg2.*"), *DIVISIONS, *WIDE]

MANAGED = Cite("Sakharnykh, Maximizing Unified Memory Performance in CUDA (NVIDIA, 2017); Zheng et al., HPCA 2016; Ganguly et al., ISCA 2019",
               "page faults of the device", "inferred", "quoted from memory: 20 to 50 us a fault, 45 us where it is simulated; blocks of 64 KiB "
               "fetched ahead by a tree over 2 MiB; 512 KiB a group gives the half of the link's rate that is published for streaming on demand; "
               "the host's side as measured on an H200")
NATIVE = """fp32_add fp32_mul fp32_fma fp64_add fp64_mul fp64_fma fp32_rcp fp32_rsqrt fp32_transcendental int_add int_shift int_compare int_minmax fp32_compare
    fp32_minmax bit_field int_logic bit_count shuffle int_sad convert64 convert""".split()
HALF_RATE = "int_shift int_compare int_minmax fp32_compare fp32_minmax bit_field int_sad".split()
EVIDENCE = {
    "texture": FETCHES, "texture.weight_bits": FILTERING,
    "warp": TABLE, "chip": QUERY, "limits": QUERY, "clocks": QUERY, "schedulers": PAPER, "units": RATES, "shared": BANKS, "isa": GUIDE, "isa.forms": P100,
    "coalescing": TUNING, "caches": UNPUBLISHED, "load_store": UNPUBLISHED, "interconnect": UNPUBLISHED, "dram": UNPUBLISHED,
    "device_launches": NESTING,
    "device_launches.call_us": K20_LAUNCHES, "device_launches.lane_us": K20_LAUNCHES,
    **{f"device_launches.{name}_us": H100_LAUNCHES for name in ("start", "next", "tail")},
    "device_launches.virtual_us": VIRTUAL_POOL,
    "host_link.mapped": ZERO_COPY, "host_link.mapped.read_gb_s": LANES, "host_link.mapped.write_gb_s": LANES,
    "host_link.mapped.latency_ns": UNPUBLISHED, "host_link.mapped.atomics": UNPUBLISHED,
    "host_link": UNPUBLISHED, "host_link.managed": MANAGED, "host_link.pinned_h2d_gb_s": PCIE, "host_link.pinned_d2h_gb_s": PCIE,
    "host_link.concurrent_grids": TABLE, "host_link.work_queues": CONNECTIONS, "host_link.late_kernel_signals": QUEUES,
    "host_link.staging_bytes": STAGED, "host_link.peer_gb_s": PCIE,
    "host_link.copy_engines": QUERY, "units.tex": PAPER, "units.lsu": GUIDE,
    "schedulers.count": MULTIPROCESSOR, "schedulers.issue_interval_cycles": ISSUE,
    "schedulers.policy": UNPUBLISHED, "schedulers.instruction_gap_cycles": UNPUBLISHED, "schedulers.dual_issue": PAIRED,
    **{f"chip.{name}": UNPUBLISHED for name in """multiprocessors_per_cluster block_launch_cycles
       block_turnover_cycles launch_overhead_us""".split()},
    "clocks.core_mhz": UNPUBLISHED,
    **{f"limits.{name}": CALCULATOR for name in """blocks_per_multiprocessor registers_per_thread register_allocation_unit
       register_allocation_scope warp_allocation_granularity
       shared_allocation_unit_bytes shared_reserved_bytes_per_block shared_carveouts""".split()},
    "limits.shared_bytes_per_multiprocessor": LINEAGE,
    "limits.registers_reserved_per_thread": Cite("machine code of ptxas 11.8, sm_60", "R1 holds the stack pointer", "inferred"),
    "limits.kernel_instructions": INSTRUCTIONS_MOST, "limits.local_bytes_per_thread": TABLE, "limits.parameter_bytes": PARAMETERS,
    "limits.stack_bytes_per_thread": GUIDE, "shared.banks": TABLE, "shared.bank_width_bytes": BANKS, "shared.bank_map": BANKS,
    **{f"coalescing.{access}": SEGMENTS for access in ("store", "load_uncached")}, "isa.float_mad": FUSED, "isa.fuse_multiply_add": MERGED,
    **{f"isa.operations.{name}.issues": RATES for name in NATIVE},
    **{f"isa.operations.{name}.interval_cycles": RATES for name in HALF_RATE},
    "shared.wide_access": PAIRS, "isa.assembler.merged_atomics": PTXAS, "isa.assembler.shared_load_bytes": PTXAS,
    "isa.assembler.joins_by_branch": DEBUG_CODE, "isa.assembler.debug_signs_by_branch": DEBUG_CODE, "isa.exits_count_as_branches": COUNTED,
    **{f"isa.operations.{name}.latency_cycles": MAXAS for name in ("int_compare", "fp32_compare")},
    "units.ld": REQUESTS, **{f"isa.forms.{name}": REQUESTS for name in "64 v2_32 v2_64 v4_32".split()}, "isa.operations": UNPUBLISHED,
    "isa.predication_max_instructions": UNPUBLISHED,
    **{f"isa.operations.{name}": P100 for name in """int_add int_mul24 int_mul32 int_mul_high int_div32 bit_count fp32_add fp32_mul
       fp32_fma fp32_div_exact fp32_sqrt fp32_sqrt_exact fp32_rsqrt fp32_transcendental load_texture""".split()},
    **{f"isa.operations.{name}": MAXWELL for name in "fp64_add fp64_fma fp64_div".split()},
    "isa.operations.int_mul24.issues": PRODUCTS_24, "isa.operations.byte_permute": PERMUTES, "isa.operations.int_dot": DOTS,
    "shared.pass_latency_cycles": CONFLICTS, "dram.t_refi_ns": STREAM, "dram.t_rfc_ns": STREAM,
    "caches.l1.ways": FOUR_SETS, "caches.texture_l1.ways": FOUR_SETS,
    **dict.fromkeys("caches.l2.ways dram.interleave_bytes dram.banks".split(), SIMULATED), "shared.latency_cycles": P100,
    **{f"caches.{c}.replacement": UNPUBLISHED for c in ("l1", "constant", "constant_l2", "instruction", "instruction_l2", "texture_l1", "l2")},
    "caches.l1_global_loads": SEGMENTS, "caches.l1.enabled": SEGMENTS, "caches.l1.size_bytes": MULTIPROCESSOR, "caches.l1.line_bytes": LINES,
    "caches.l1.sector_bytes": LINES, "caches.l1.latency_cycles": P100, "caches.texture_l1.size_bytes": MULTIPROCESSOR,
    "caches.texture_l1.line_bytes": LINES, "caches.texture_l1.sector_bytes": LINES, "caches.l2.line_bytes": LINES, "caches.texture_l1.latency_cycles": P100,
    "caches.constant.latency_cycles": P100,
    "caches.constant.size_bytes": SMALL_CONSTANTS, "caches.constant_l2.size_bytes": SMALL_CONSTANTS, "caches.constant_l2.latency_cycles": JIA,
    "caches.instruction.size_bytes": CODE_SIZES, "caches.instruction.scope": CODE_SIZES, "caches.instruction_l2.size_bytes": CODE_SIZES,
    **{f"caches.{c}.{name}": H100_CODE for c in ("instruction", "instruction_l2") for name in """ways line_bytes sector_bytes prefetch_degree
       latency_cycles""".split()}, "caches.instruction_preload_bytes": H100_CODE, "caches.instruction_memory_cycles": SPLIT,
    "isa.instruction_bytes": CODE_WIDTH,
    **{f"caches.{c}.{name}": SMALL_CONSTANTS for c in ("constant", "constant_l2") for name in ("line_bytes", "sector_bytes")},
    "caches.l1.scope": MULTIPROCESSOR, "caches.texture_l1.scope": MULTIPROCESSOR,
    "caches.l2.size_bytes": QUERY, "caches.l2.latency_cycles": SPLIT, "caches.l2.sector_bytes": SEGMENTS,
    "interconnect.request_latency_ns": SPLIT, "interconnect.response_latency_ns": SPLIT, "dram.extra_latency_ns": SPLIT,
    "dram.capacity_bytes": QUERY, "dram.bus_bits": QUERY, "dram.transfers_per_clock": QUERY, "dram.ecc_overhead_ratio": QUERY,
    "dram.partitions": SHEET, "dram.burst_bytes": SHEET}
