"""What instructions cost on Kepler, and where the figures of this plugin come from."""
from archdef.spec import Cite, Operation

COPY = "read in HeKun-NVIDIA/CUDA-Programming-Guide-in-Chinese"
QUERY = Cite("deviceQuery of a Tesla K40c", "CUDA 9.0, error correction off", "measured", card="Tesla K40c")
GUIDE = Cite("CUDA C Programming Guide 8.0", "compute capability 3.x", "recalled")
RATES = Cite("CUDA C++ Programming Guide 11", "table 3, throughput of native arithmetic instructions, column 3.5", note=COPY)
TABLE = Cite(RATES.document, "table 15, technical specifications, column 3.5", note=COPY)
MULTIPROCESSOR = Cite(RATES.document, "appendix K.3.1, architecture of 3.x; section 5.2.3, four pairs of instructions a cycle", note=COPY)
BANKS = Cite(RATES.document, "appendix K.3.3, shared memory of 3.x", note=COPY)
BANK_WIDTH = Cite("CUDA C Programming Guide 4.2", "appendix F.5.3: 64 bits a bank and cycle", "inferred", "said of 3.0; read in a copy in English and Korean")
TEXTURES = Cite("TechRival, NVIDIA Volta Tesla V100 Cards Detailed", "table of Tesla accelerators: 240 texture units, 15 multiprocessors", "inferred")
SEGMENTS = Cite(RATES.document, "appendix K.3.2, global memory of 3.x", note=COPY)
CALCULATOR = Cite("cuda_occupancy.h of CUDA 12.6", "compute capability 3.5")
LINEAGE = Cite("NVIDIA GPU Architecture Lineage", "GK110 tables")
PAPER = Cite("NVIDIA Kepler GK110 white paper", "SMX architecture", "recalled")
SLIDES = Cite("GPU Performance Analysis and Optimization, GTC 2012", "slide 83, Kepler 4-byte bank mode")
TUNING = Cite("Kepler Tuning Guide", "L1 and read-only cache", "recalled")
FETCHED = Cite("NVIDIA Nsight, Memory Statistics - Caches", "data cache hierarchy of 2.x and 3.x: transactions of texture caches are 32 bytes",
               note="docs.nvidia.com/gameworks, kernel-level experiments")
SHEET = Cite("vendor data sheet", "GDDR5 memory interface", "recalled")
ARAFA = Cite("Arafa et al., Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs, HPEC 2019", "Tesla K40m", "measured",
             "PTX level, as shipped with PPT-GPU", card="Tesla K40m")
SPLIT = Cite(ARAFA.document, "188 cycles to L2, 331 to memory, divided over the stations", "inferred")
PAIRED = Cite(PAPER.document, PAPER.place, "inferred", "two independent instructions of one warp; which may go together is not said")
FILTERING = Cite("CUDA C++ Programming Guide 13.1", "section 19.2, linear filtering")
FETCHES = Cite("Texture fetches on an H100 80GB HBM3", "tests/hardware, textures", "assumed", "not measured on this machine")
NESTING = Cite("CUDA C++ Programming Guide 13.1", "sections 13.6.3.3.1.2 and 13.6.3.3.1.4, nesting depth and configuration of the first device runtime")
VIRTUAL_POOL = Cite("CUDA C Programming Guide 8.0", "appendix D.4.3.1.2, pending kernel launches", "assumed",
                    "\"a virtualized pool with lower performance\": as long again as a launch in the fixed pool")
SIMULATED = Cite("GPGPU-Sim 4.0", "configs/tested-cfgs/SM3_KEPLER_TITAN/gpgpusim.config of accel-sim/gpgpu-sim_distribution: -gpgpu_cache:dl2 S:32:128:16, "
                 "-gpgpu_mem_addr_mapping dramid@8, -gpgpu_dram_timing_opt nbk=16", "inferred", "a simulator's input for a GTX TITAN, not a measurement")
K20_LAUNCHES = Cite("GPGPU-Sim 4.0", "src/cuda-sim/cuda-sim.cc, -cdp_latency: 7200,8000,100,12000,1600", "assumed",
                    "cycles of a Tesla K20c at 706 MHz, by Wang et al., ISCA 2015, which was not at hand: of a warp's call for a buffer of parameters, "
                    "and of its launch, each with what every thread adds; of no other machine of the first device runtime are any published")
H100_LAUNCHES = Cite("Launches by kernels of an H100 80GB HBM3", "tests/data/h100/first_launches.txt and device_launches.txt", "assumed",
                     "not measured on this machine")
CONFLICTS = Cite("CUDA Profiler User's Guide 5.0", "shared_replay_overhead: conflicts have instructions issued again", "recalled")
FOUR_SETS = Cite("Mei and Chu, Dissecting GPU Memory Hierarchy, IEEE TPDS 28(1), 2017", "texture cache of 12 KiB a quadrant: four sets", "recalled",
                 "a measurement")
CACHEBENCH = Cite("gpumembench on a Tesla K80", "issue 2 of github.com/ekondis/gpumembench: 333 GB/s from L2", "inferred",
                  "63 bytes a cycle of each of six partitions at 875 MHz, so responses of 64 without a header; requests taken to be as wide")
BARRIERS = Cite("CUDA C Programming Guide 4.2", "section 5.4.3: __syncthreads() has 128 operations a cycle on 3.0", "inferred",
                "said of 3.0; read in a copy in English and Korean")
UNPUBLISHED = Cite("not published", "a plausible value", "assumed")
PCIE = Cite("PCI Express 3.0", "16 lanes, 15.75 GB/s a direction", "inferred",
            "two thirds of it, as bandwidth tests of the time print; quoted from memory")
QUEUES = Cite("NVIDIA Kepler GK110 white paper", "Hyper-Q: 32 work queues", "recalled")
LANES = Cite("PCI Express 3.0", "16 lanes, 15.75 GB/s a direction", "inferred",
             "so much of it that accesses go no faster than copies; quoted from memory")
LANES_2 = Cite("PCI Express 2.0", "16 lanes, 8 GB/s a direction", "recalled")
ZERO_COPY = Cite("Min et al., EMOGI, VLDB 2021", "Tesla V100 by PCIe 3.0: 12.2 GB/s by aligned requests of 128 bytes, 4.7 by those of 32, 256 in flight",
                 "inferred", "measured on another card: requests carry 36 bytes beside their data, whole pieces of 64; quoted from memory")
STAGED = Cite("CUDA C++ Programming Guide 13.1", "section 6.2.8.1: copies of 64 KB or less to the device do not wait")
CONNECTIONS = Cite("CUDA C++ Programming Guide 13.1", "section 22, CUDA_DEVICE_MAX_CONNECTIONS: up to 32 work queues from 3.5 on")
FUSED = Cite("PTX ISA 9.1", "section 9.7.3.7, mad: fused for sm_20 and higher")
MERGED = Cite("CUDA C++ Programming Guide 13.1", "section 17.2: sums and products are combined into FMADs")
PARAMETERS = Cite("PTX ISA 9.1", "section 11.2.1, .entry: parameters of 4096 bytes for sm_2x and higher")
INSTRUCTIONS_MOST = Cite("Wikipedia, CUDA", "technical specifications: maximum number of instructions per kernel, 512 million from 2.0 on")

LAM = Cite("Lam, Measuring GPU Memory Latency, Chips and Cheese, 2021", "constant memory of Fermi to Ampere", "inferred",
            "2 KB and, behind them, 32 KB; as notes in Chinese sum it up")
CODE_SIZES = Cite("Wikipedia, CUDA", "multiprocessor architecture: instruction caches of L1 and L1.5 a multiprocessor", "inferred",
                  "8 and 32 KiB of 3.x; cells span columns that the copy does not tell, chosen as Jia et al. 2018 are quoted")
CODE_WIDTH = Cite("Wikipedia, CUDA", "multiprocessor architecture, instruction width: 64 bits, and 64 bits of control logic every 7 instructions")
H100_CODE = Cite("Loops of instructions on an H100 80GB HBM3", "code_loops.csv of archdef-hopper-evidence", "assumed", "not measured on this machine")
JIA = Cite("Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018",
           "constant caches: 2 KiB, and 92 cycles to the next level of a K80", "recalled", "a measurement")
TURNOVER = Cite("Volkov, Understanding Latency Hiding on GPUs, 2016", "section 3.8: 201 cycles to replace a block, at 1124 MHz", "inferred",
                "measured on a GTX 680; read in a copy with a translation")

COSTS = [  # SM cycles; `sp` are six groups of 32 lanes: five for integers, two of them shift, one multiplies integers and converts
    (Operation("sp", 9), "move select predicate fp32_add fp32_mul fp32_fma special_register clock vote branch call exit"),
    (Operation("int", 9), "int_add int_minmax int_logic int_compare fp32_minmax fp32_compare"), (Operation("bar", 9), "barrier"),
    (Operation("shift", 9), "int_shift funnel_shift"),
    (Operation("mul", 9), "int_mul16 int_mul32 int_mul_high int_sad bit_field bit_count byte_permute convert convert64"),
    (Operation("mul", 22, issues=3), "int_mul24"),
    (Operation("int", 9, issues=2), "int64_add int64_logic int64_compare"), (Operation("int", 9, issues=3), "int64_minmax"),
    (Operation("mul", 9, issues=2), "int_mul_wide"), (Operation("shift", 9, issues=3), "int64_shift"),
    (Operation("mul", 18, issues=4), "int64_mul"), (Operation("mul", 9, issues=6), "int_dot"),
    (Operation("sp", 149, issues=18), "int_div32"), (Operation("sp", 500, issues=70), "int64_div"),
    (Operation("sfu", 40), "fp32_rcp fp32_rsqrt"), (Operation("sfu", 40, issues=2), "fp32_div"), (Operation("sfu", 49, issues=2), "fp32_sqrt"),
    (Operation("sfu", 18), "fp32_transcendental"),
    (Operation("sp", 418, issues=10), "fp32_div_exact"), (Operation("sp", 432, issues=10), "fp32_sqrt_exact"),
    (Operation("dp", 10), "fp64_add fp64_mul fp64_fma fp64_minmax fp64_compare"),
    (Operation("dp", 445, issues=10), "fp64_div"), (Operation("dp", 445, issues=12), "fp64_sqrt"),
    (Operation("sp", 9, issues=100), "system_call"), (Operation("lsu", 24), "shuffle"),
    (Operation("lsu", 9), "load_global store_global load_local store_local atomic_global store_surface fence"),
    (Operation("tex", 9), "load_texture load_surface"),
    (Operation("lsu", 0), "load_shared store_shared load_constant"), (Operation("lsu", 0, issues=4), "atomic_shared")]

COSTS_GK104 = [*((cost, names.replace(" convert64", "")) for cost, names in COSTS), (Operation("mul", 9, 4), "convert64")]

FORMS = [  # that differ from the rest of their class
    (Operation("sfu", 49), "fp32_transcendental:ex2.*"), (Operation("sfu", 40), "fp32_transcendental:lg2.*"),
    (Operation("sp", 132, issues=18), "int_div32:rem.s32"), (Operation("sp", 131, issues=16), "int_div32:div.u32"),
    (Operation("sp", 116, issues=16), "int_div32:rem.u32"), (Operation("mul", 20), "bit_count:clz.*"),
    (Operation("sp", 377, issues=10), "fp32_div_exact:rcp.r?.f32")]

MANAGED = Cite("CUDA C Programming Guide", "unified memory, devices of compute capability below 6.x", "assumed",
               "all moves before a launch, none may be touched by the host meanwhile: that is documented; the page and the host's "
               "cost are those measured on an H200")
CHIPS = Cite("gem5, dram_interfaces/gddr.py", "class GDDR5_4000_2x32, of SK Hynix H5GQ1H24AFR", "inferred", "chips of another order")
REFRESHES = Cite("Ramulator, src/GDDR5.cpp", "init_speed: a refresh in 1.9 us beyond 1 Gb, of 160 ns in chips of 2 Gb, 260 in those of 4 Gb", "inferred",
                 "the board's chips are taken from capacity and bus: 2 Gb on a GTX 680 and a K20, 4 Gb on a K40; the times are DDR3's, as that file says")
EVIDENCE = {
    "texture": FETCHES, "texture.weight_bits": FILTERING,
    "warp": TABLE, "chip": QUERY, "limits": QUERY, "clocks": QUERY, "schedulers": MULTIPROCESSOR, "units": RATES, "shared": BANKS, "isa": GUIDE,
    "isa.forms": ARAFA, "shared.pass_cycles": BANK_WIDTH,
    "coalescing": SEGMENTS, "caches": UNPUBLISHED, "load_store": UNPUBLISHED, "interconnect": UNPUBLISHED,
    **{f"interconnect.{name}": CACHEBENCH for name in "header_bytes partition_request_bytes_per_cycle partition_response_bytes_per_cycle".split()},
    "units.bar": BARRIERS, "isa.operations.barrier.unit": BARRIERS, "isa.operations.barrier.issues": BARRIERS,
     "dram": UNPUBLISHED,
    "device_launches": NESTING,
    "device_launches.call_us": K20_LAUNCHES, "device_launches.lane_us": K20_LAUNCHES,
    **{f"device_launches.{name}_us": H100_LAUNCHES for name in ("start", "next", "tail")},
    "device_launches.virtual_us": VIRTUAL_POOL,
    "host_link.mapped": ZERO_COPY, "host_link.mapped.read_gb_s": LANES, "host_link.mapped.write_gb_s": LANES,
    "host_link.mapped.latency_ns": UNPUBLISHED, "host_link.mapped.atomics": UNPUBLISHED,
    "host_link": UNPUBLISHED, "host_link.managed": MANAGED, "host_link.pinned_h2d_gb_s": PCIE, "host_link.pinned_d2h_gb_s": PCIE,
    "host_link.concurrent_grids": TABLE, "host_link.work_queues": CONNECTIONS, "host_link.late_kernel_signals": QUEUES,
    "host_link.staging_bytes": STAGED, "host_link.peer_gb_s": PCIE,
    "host_link.copy_engines": QUERY, "units.tex": TEXTURES, "units.lsu": LINEAGE, "units.sfu": LINEAGE,
    "schedulers.policy": UNPUBLISHED, "schedulers.instruction_gap_cycles": UNPUBLISHED, "schedulers.dual_issue": PAIRED,
    **{f"chip.{name}": UNPUBLISHED for name in "multiprocessors_per_cluster block_launch_cycles launch_overhead_us".split()},
    "chip.block_turnover_cycles": TURNOVER,
    **{f"limits.{name}": CALCULATOR for name in """blocks_per_multiprocessor registers_per_thread register_allocation_unit
       register_allocation_scope warp_allocation_granularity
       shared_bytes_per_multiprocessor shared_allocation_unit_bytes shared_reserved_bytes_per_block shared_carveouts""".split()},
    "limits.registers_reserved_per_thread": Cite("machine code of ptxas 11.8, sm_35", "R1 holds the stack pointer", "inferred"),
    "limits.kernel_instructions": INSTRUCTIONS_MOST, "limits.local_bytes_per_thread": TABLE, "limits.parameter_bytes": PARAMETERS,
    "limits.stack_bytes_per_thread": GUIDE, "shared.banks": TABLE, "isa.float_mad": FUSED, "isa.fuse_multiply_add": MERGED,
    **{f"isa.operations.{name}.issues": RATES for name in """fp32_add fp32_mul fp32_fma fp64_add fp64_mul fp64_fma fp32_rcp fp32_rsqrt fp32_transcendental
       fp32_compare fp32_minmax int_add int_mul32 int_shift int_compare int_minmax bit_field int_logic bit_count shuffle int_sad convert64 convert""".split()},
    "isa.operations": UNPUBLISHED, "isa.predication_max_instructions": UNPUBLISHED,
    **{f"isa.operations.{name}": ARAFA for name in """int_add int_mul24 int_mul32 int_mul_high int_div32 int_compare bit_count fp32_add fp32_mul
       fp32_fma fp32_compare fp32_div_exact fp32_sqrt_exact fp32_rsqrt fp32_sqrt fp32_transcendental fp64_add fp64_fma fp64_div""".split()},
    "isa.operations.int_mul24.issues": UNPUBLISHED, "caches.texture_l1.latency_cycles": ARAFA, "caches.texture_l1.ways": FOUR_SETS,
    **dict.fromkeys("caches.l2.ways dram.interleave_bytes dram.banks".split(), SIMULATED),
    "shared.conflicts_hold_issue": CONFLICTS,
    "shared.bank_width_bytes": SLIDES, "shared.bank_rows": SLIDES, "shared.latency_cycles": ARAFA, "shared.wide_access": SLIDES,
    **{f"caches.{c}.replacement": UNPUBLISHED for c in ("l1", "constant", "constant_l2", "instruction", "instruction_l2", "texture_l1", "l2")},
    "caches.l1_global_loads": SEGMENTS, "caches.l1.size_bytes": CALCULATOR, "caches.l1.line_bytes": SEGMENTS, "caches.l1.sector_bytes": SEGMENTS,
    "caches.l1.latency_cycles": ARAFA, "caches.l1.enabled": MULTIPROCESSOR, "caches.l1.scope": MULTIPROCESSOR, "caches.constant.latency_cycles": ARAFA,
    "caches.constant.size_bytes": LAM, "caches.constant_l2.size_bytes": LAM, "caches.constant_l2.latency_cycles": JIA,
    "caches.instruction.size_bytes": CODE_SIZES, "caches.instruction.scope": CODE_SIZES, "caches.instruction_l2.size_bytes": CODE_SIZES,
    **{f"caches.{c}.{name}": H100_CODE for c in ("instruction", "instruction_l2") for name in """ways line_bytes sector_bytes prefetch_degree
       latency_cycles""".split()}, "caches.instruction_preload_bytes": H100_CODE, "caches.instruction_memory_cycles": SPLIT,
    "isa.instruction_bytes": CODE_WIDTH,
    "caches.texture_l1.size_bytes": MULTIPROCESSOR, "caches.texture_l1.scope": MULTIPROCESSOR,
    "caches.texture_l1.sector_bytes": FETCHED,
    "caches.l2.size_bytes": QUERY, "caches.l2.latency_cycles": SPLIT, "caches.l2.sector_bytes": SEGMENTS,
    "interconnect.request_latency_ns": SPLIT, "interconnect.response_latency_ns": SPLIT, "dram.extra_latency_ns": SPLIT,
    "dram.capacity_bytes": QUERY, "dram.bus_bits": QUERY, "dram.transfers_per_clock": QUERY, "dram.ecc_overhead_ratio": QUERY,
    **{f"dram.t_{name}_ns": CHIPS for name in "rcd rp ras rrd cl wtr wr".split()}, "dram.t_refi_ns": REFRESHES, "dram.t_rfc_ns": REFRESHES,
    "dram.partitions": SHEET, "dram.burst_bytes": SHEET}

QUERY_K20 = Cite("deviceQuery of a Tesla K20c", "CUDA 8.0, error correction on", "measured", card="Tesla K20c")
COPIES_K20 = Cite("bandwidthTest of a Tesla K20c", "CUDA 8.0, pinned memory", "measured", card="Tesla K20c")
TAKEN_OVER = Cite(ARAFA.document, ARAFA.place, "inferred", "measured there, taken over: the multiprocessors are alike")
SPLIT_K20 = Cite(SPLIT.document, SPLIT.place, "inferred", "the same cycles up to L2 and to memory, refreshes of its own chips among them")
LINK_K20 = Cite("vendor data sheet", "PCIe 2.0 x16", "inferred", "what bandwidthTest reached between host and card")

OWN_LAUNCHES = Cite(K20_LAUNCHES.document, K20_LAUNCHES.place, "recalled", "cycles at 706 MHz; that they were measured on a Tesla K20c is in Wang et al., ISCA "
                    "2015, which was not at hand: of a warp's call for a buffer of parameters, and of its launch, each with what every thread adds")

EVIDENCE_K20 = {path: {QUERY: QUERY_K20, ARAFA: TAKEN_OVER, SPLIT: SPLIT_K20, K20_LAUNCHES: OWN_LAUNCHES, LANES: LANES_2}.get(cite, cite)
                for path, cite in EVIDENCE.items()} | {
    "dram.ecc_overhead_ratio": Cite(
        "GPU-STREAM on a Tesla K20c", "results/cuda/nvidia-k20c-ecc-off.txt and -ecc-on.txt of github.com/UoB-HPC/BabelStream", "inferred",
        "a copy takes 1.125 times as long with error correction, Triad 1.155 times"), "host_link.peer_gb_s": LINK_K20,
    "host_link.pinned_h2d_gb_s": COPIES_K20, "host_link.pinned_d2h_gb_s": COPIES_K20}

COPY_42 = "read in a copy in English and Korean"
QUERY_GTX680 = Cite("Cook, CUDA Programming, 2012", "chapter 4, deviceQuery of a GeForce GTX 680", "measured", "read in a translation",
                    card="GeForce GTX 680")
SMX = Cite("CUDA C Programming Guide 4.2", "appendix F.5.1, architecture of 3.0", note=COPY_42)
GPC = Cite(SMX.document, "appendix F.5.1, architecture of 3.0: a GPC includes two multiprocessors", note=COPY_42)
SMX_MEMORY = Cite(SMX.document, "appendix F.5.2, global memory of 3.0 is that of 2.x, and F.4.2", note=COPY_42)
SMX_BANKS = Cite(SMX.document, "appendix F.5.3.2, shared memory of 3.0 in the 32-bit mode", note=COPY_42)
SMX_BANK_WIDTH = Cite(SMX.document, "appendix F.5.3: 64 bits a bank and cycle", "inferred", COPY_42)
LIMITS_GTX680 = Cite(CALCULATOR.document, "compute capability 3.0")
COLUMN_30 = Cite("CUDA C Programming Guide 8.0", "throughput of native arithmetic instructions and technical specifications, column 3.0", "recalled")
CORES_GTX680 = Cite(LINEAGE.document, "GK104 tables", "inferred", "as of GK110, of which the tables were read")
VOLKOV = Cite("Volkov, Understanding Latency Hiding on GPUs, 2016", "section 3.8: 301 cycles to memory, 201 to replace a block, at 1124 MHz", "measured",
              "read in a copy with a translation", card="GTX 680")
SPLIT_GTX680 = Cite(VOLKOV.document, "section 3.8: 301 cycles to memory at 1124 MHz", "inferred",
                    "less the 188 to L2 of a Tesla K40m (Arafa et al.), divided over the stations")
HARRIS = Cite("Harris, How to Optimize Data Transfers in CUDA C/C++, 2012", "bandwidthtest on a GTX 680 and a Core i7-3930K, 16 MB", "measured",
              "read in a copy of the article", card="GTX 680")
BOARD = Cite("overclock3d.net, nVidia GTX680 Review", "technical specifications: 128 texture units, 256 bits, 6008 MHz, 512K of L2",
             note="read in a stored copy")
BOARD_TEXTURES = Cite(BOARD.document, BOARD.place, "inferred", "over 8 multiprocessors")
CONTROLLERS = Cite(BOARD.document, BOARD.place, "inferred", "four controllers of 64 bits with 128 KB of L2 each, as of GK110 and of a chip of four")
LINK_GTX680 = Cite(HARRIS.document, HARRIS.place, "inferred", "what the test reached between host and card: PCIe 2.0, by its rates")

EVIDENCE_GTX680 = {path: {
    QUERY: QUERY_GTX680, ARAFA: TAKEN_OVER, CALCULATOR: LIMITS_GTX680, RATES: COLUMN_30, TABLE: COLUMN_30, MULTIPROCESSOR: SMX, BANKS: SMX_BANKS,
    BANK_WIDTH: SMX_BANK_WIDTH, SEGMENTS: SMX_MEMORY, TEXTURES: BOARD_TEXTURES, LINEAGE: CORES_GTX680, SPLIT: SPLIT_GTX680,
    SHEET: CONTROLLERS, CONNECTIONS: COLUMN_30, LANES: LANES_2}.get(cite, cite)
    for path, cite in EVIDENCE.items() if not path.startswith("device_launches")} | {
    "warp": SMX, "limits": COLUMN_30, "dram.ecc_overhead_ratio": Cite("GeForce boards", "no error correction", "recalled"),
    **{f"limits.{name}": QUERY_GTX680 for name in "threads_per_block registers_per_block shared_bytes_per_block".split()},
    "schedulers": SMX, "units.sfu": SMX, "units.dp": COLUMN_30, "chip.block_turnover_cycles": VOLKOV, "chip.multiprocessors_per_cluster": GPC,
    "isa.operations.convert64": COLUMN_30,
    "caches.l1_global_loads": TUNING, "caches.l1.size_bytes": SMX, "caches.texture_l1.size_bytes": UNPUBLISHED, "caches.texture_l1.scope": SMX,
    "caches.l2.sector_bytes": SMX_MEMORY, "host_link.peer_gb_s": LINK_GTX680,
    **{f"host_link.{name}_gb_s": HARRIS for name in ("pinned_h2d", "pinned_d2h", "pageable_h2d", "pageable_d2h")}}
