"""What instructions cost on Turing, and where the figures of this plugin come from. None was chosen by the time that a kernel takes."""
from archdef.spec import Cite, Operation

COPY = "read in HeKun-NVIDIA/CUDA-Programming-Guide-in-Chinese"
QUERY = Cite("deviceQuery of a GeForce RTX 2080 Ti", "CUDA 10.0, 68 multiprocessors, 1545 MHz", "measured", "read in a public article",
             card="GeForce RTX 2080 Ti")
GUIDE = Cite("CUDA C Programming Guide 10", "compute capability 7.5", "recalled")
RATES = Cite("CUDA C++ Programming Guide 11", "table 3, throughput of native arithmetic instructions, column 7.x", note=COPY)
TABLE = Cite(RATES.document, "table 15, technical specifications, column 7.5", note=COPY)
MULTIPROCESSOR = Cite(RATES.document, "appendix K.6.1, architecture of 7.x; section 5.2.3", note=COPY)
BANKS = Cite(RATES.document, "appendices K.6.4 and K.4.3, shared memory of 7.x is that of 5.x", note=COPY)
SEGMENTS = Cite(RATES.document, "appendices K.6.3, K.4.2 and K.3.2, segments of global memory", note=COPY)
LARGE = Cite("NVIDIA technical blog, CUDA 12.1 Supports Large Kernel Parameters", "32,764 bytes on Volta and above; 4,096 before CUDA 12.1")
CALCULATOR = Cite("cuda_occupancy.h of CUDA 12.6", "compute capability 7.5")
PAPER = Cite("NVIDIA Turing Architecture In-Depth", "Turing streaming multiprocessor, and table 1, column RTX 2080 Ti",
             note="the technical blog's form of the white paper; read in a copy of its text")
UNITS = Cite(PAPER.document, "Turing TU102 GPU: four texture units and two FP64 units a multiprocessor", note=PAPER.note)
SCHEDULER = Cite(PAPER.document, "four processing blocks of 16 FP32 and 16 INT32 cores, a scheduler and a dispatch unit each", note=PAPER.note)
UNIFIED = Cite(PAPER.document, "96 KB of L1 and shared memory: 32 and 64, or 64 and 32", note=PAPER.note)
TENSOR_CORES = Cite(PAPER.document,
                    "8 tensor cores a multiprocessor, 64 multiply-adds of f16 a clock each, twice as many of INT8; table 1: half the rate with sums "
                    "of f32, twice INT8's with INT4", "inferred", "a warp's product over the rate of its scheduler")
LINKS = Cite(PAPER.document, "TU102: two NVLink x8 links, 25 gigabytes a second in each direction", "inferred", "both together, if a bridge joins two boards")
SLICES = Cite("NVIDIA Turing Architecture In-Depth; accel-sim/gpgpu-sim_distribution", "11 controllers of 32 bits with 512 KB of L2; "
              "SM75_RTX2060/gpgpusim.config: channels of 16 bits", "inferred", "two channels of 16 bits a controller, each half of its L2")
ACCELSIM = Cite("accel-sim/gpgpu-sim_distribution", "configs/tested-cfgs/SM75_RTX2060/gpgpusim.config", "inferred", "a simulator's input for an RTX 2060")
TIMINGS = Cite(ACCELSIM.document, ACCELSIM.place + ", -gpgpu_dram_timing_opt", "inferred", "cycles of GDDR6's command clock, 1750 MHz")
MT4G = Cite("caps-tum/mt4g", "sample_results/NVIDIA GeForce RTX 2080 Ti.json", "measured", "pointer chases", card="GeForce RTX 2080 Ti")
SMALL_CONSTANTS = Cite(MT4G.document, MT4G.place + ", memory.constant.l1.size", "inferred", "2112 bytes by a chase in steps of 64, one line more than fits")
SPLIT = Cite(MT4G.document, MT4G.place + ", memory.l2.latency and memory.main.latency", "inferred",
             "176 cycles to L2, 484 (the median) to memory, divided over the stations")
CHASE = Cite(MT4G.document, MT4G.place + ", memory.readOnly.latency: 34 cycles", "inferred",
             "less what a load takes to issue; the L1, shared with read-only data")
ARAFA = Cite("Arafa et al., Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs, HPEC 2019", "Turing (TITAN RTX, the same chip)", "inferred",
             "measured there; PTX level, as shipped with PPT-GPU")
VOLTA = Cite(ARAFA.document, "Volta", "inferred", "measured there, taken over; PTX level, as shipped with PPT-GPU")
JIA = Cite("Jia et al., Dissecting the NVidia Turing T4 GPU via Microbenchmarking, 2019", "T4", "recalled", "a measurement")
JIA_VOLTA = Cite("Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018", "V100 PCIe", "inferred",
                 "measured there, taken over; quoted from memory")
SETS = Cite(JIA_VOLTA.document, "geometry of the L1 data cache: four sets", "inferred",
            "a V100's, taken over and quoted from memory; SM75_RTX2060/gpgpusim.config of Accel-Sim, S:4:128:64 at 32 KiB, agrees")
TAGS = Cite("te42kyfo/gpu-benches", "README.md, gpu-strides, and a100.txt of it", "inferred", "an A100's strides and an H100's masks, taken over")
SUMS = Cite("Fasi et al., Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7:e330, 2021", "T4: products of four and of eight", "recalled",
            "a measurement")
GA102 = Cite("NVIDIA Ampere GA102 GPU Architecture white paper", "GA10x SM: 128 bytes a clock of shared memory, 64 in Turing",
             note="read as public notes quote it")
PEERS = Cite("Accesses of an H100 80GB HBM3 SXM to memory of another", "tests/data/h100/link_accesses.txt", "assumed", "not measured on this machine")
LANES = Cite(GA102.document, "GA10x SM: the L1 of an RTX 2080 SUPER gives 116 GB/s", "inferred",
             "64 bytes a clock at 1815 MHz, so words of 4 bytes of sixteen lanes; Jia et al. measured 59 on a T4, by notes of azhirnov/as-en")
LINE = Cite(GA102.document, GA102.place + ": 64 bytes a clock of L1, as of shared memory", "inferred", "a line of 128 bytes takes two cycles")
UNIFORM_LOADS = Cite("NVIDIA developer forums, Unexpected shared memory bank conflict", "an answer of NVIDIA's for 7.0 to 7.5: a load of 16 bytes "
                     "takes two requests, not four, where each lane reads what its neighbour does, or the next but one", note="read in a copy of the page")
CODE = Cite("machine code of ptxas 11.8, sm_70 and sm_80", "256 kernels, machine_code.csv of archdef-sass", "inferred",
            "of loops' instructions on either side of 7.5; rules that say the same of both, and for 9.0, are taken for 7.5, too")
PTXAS = Cite("machine code of ptxas 11.8, sm_75", "a counter: S2R, VOTEU, UFLO, POPC and ISETP, then one lane's RED; five more for the old "
             "values; a tiled product: LDS.128 of neighbouring words", "inferred",
             "the published build of these kernels used the registers that this compiler does")
PRODUCTS_24 = Cite("NMSU-PEARL/GPUs-ISA-Latencies", "ALU/output/Turing/TITANRTX/Mul24Lo: SGXT and IMAD, 8 cycles", "inferred",
                   "measured on a card with the same chip, one factor ready; ptxas 11.8 writes three instructions for sm_75, two of them for `alu`")
ROOTS = Cite("machine code of ptxas 11.8, sm_75", "sqrt.rn.f64: 15 instructions, of which 8 are of doubles, and BSSY, BRA and BSYNC around the way of special "
             "operands; div.rn.f64: 8 of doubles, rsqrt.approx.f64: 5 of 11", "inferred")
RECIPROCAL_ROOTS = Cite(ROOTS.document, ROOTS.place, "assumed", "the latency: a root's without three instructions of doubles that wait for each other")
T4_CODE = Cite("Jia et al., Dissecting the NVidia Turing T4 GPU via Microbenchmarking, 2019", "T4: some 46 KiB of L1 instructions", "inferred",
               "and of L1.5 constants, in one; measured there; by notes of azhirnov/as-en")
FILTERING = Cite("CUDA C++ Programming Guide 13.1", "section 19.2, linear filtering")
FETCHES = Cite("Texture fetches on an H100 80GB HBM3", "tests/hardware, textures", "assumed", "not measured on this machine")
NESTING = Cite("CUDA C++ Programming Guide 13.1", "sections 13.6.3.3.1.2 and 13.6.3.3.1.4, nesting depth and configuration of the first device runtime")
VIRTUAL_POOL = Cite("CUDA C Programming Guide 8.0", "appendix D.4.3.1.2, pending kernel launches", "assumed",
                    "\"a virtualized pool with lower performance\": as long again as a launch in the fixed pool")
BINS = Cite("R100001, Programming Massively Parallel Processors, performance tests",
            "histogram/BenchResults, RTX 2060 and GTX 1650: tables of 2 KiB, 11.4 and 11.1 ns a block of 32 to 128 threads", "inferred",
            "measured on cards with other chips: 20 times as long as an addition to one word, which takes a cycle; four slices with 16 sectors each, "
            "five cycles a line")
SPREAD = Cite("Contention of atomic operations on an H100 80GB HBM3", "slice_map.csv of archdef-hopper-evidence: 1 KiB lies in two slices", "assumed",
              "measured on another machine, taken over because it agrees with tables of 1 KiB on this one and a TITAN V, of 2 KiB on an RTX 2060, "
              "which take as long")
H100_LAUNCHES = Cite("Launches by kernels of an H100 80GB HBM3", "tests/data/h100/first_launches.txt and device_launches.txt", "assumed",
                     "not measured on this machine")
H100_CODE = Cite("Loops of instructions on an H100 80GB HBM3", "code_loops.csv of archdef-hopper-evidence", "assumed", "not measured on this machine")
SCHEDULING = Cite("Clocks of warps on an H100 80GB HBM3", "scheduling.csv of archdef-hopper-evidence", "assumed", "not measured on this machine")
BLOCKS = Cite("Blocks that only live, and empty kernels, on an H100 80GB HBM3", "data/streams.csv, live, and section launch, of archdef-hopper-evidence",
              "inferred", "measured there, taken over: with it, streams of small blocks of a V100 and an A100 come within 5 %")
UNPUBLISHED = Cite("not published", "a plausible value", "assumed")
PCIE = Cite("PCI Express 3.0", "16 lanes, 15.75 GB/s a direction", "inferred",
            "three quarters of it, as bandwidth tests of the time print; quoted from memory")
QUEUES = Cite("NVIDIA Kepler GK110 white paper", "Hyper-Q: 32 work queues", "recalled")
LANES = Cite("PCI Express 3.0", "16 lanes, 15.75 GB/s a direction", "recalled")
ZERO_COPY = Cite("Min et al., EMOGI, VLDB 2021", "Tesla V100 by PCIe 3.0: 12.2 GB/s by aligned requests of 128 bytes, 4.7 by those of 32, 256 in flight",
                 "inferred", "measured on another card: requests carry 36 bytes beside their data, whole pieces of 64; quoted from memory")
STAGED = Cite("CUDA C++ Programming Guide 13.1", "section 6.2.8.1: copies of 64 KB or less to the device do not wait")
INSTRUCTIONS_MOST = Cite("Wikipedia, CUDA", "technical specifications: maximum number of instructions per kernel, 512 million from 2.0 on")
CONNECTIONS = Cite("CUDA C++ Programming Guide 13.1", "section 22, CUDA_DEVICE_MAX_CONNECTIONS: up to 32 work queues from 3.5 on")
FUSED = Cite("PTX ISA 9.1", "section 9.7.3.7, mad: fused for sm_20 and higher")
MERGED = Cite("CUDA C++ Programming Guide 13.1", "section 17.2: sums and products are combined into FMADs")

COSTS = [  # SM cycles; `fma` and `alu` are the two pipes of 16 lanes of a scheduler, `xu` its special-function unit, `dp` two lanes for all four
    (Operation("fma", 4), "move fp32_add fp32_mul fp32_fma int_mul16 int_mul32 int_dot"), (Operation("alu", 8, 4 / 3, issues=3), "int_mul24"),
    (Operation("fma", 12, 4), "int_mul_high int_mul_wide"),
    (Operation("alu", 4), """int_add int_logic int_shift int_minmax int_compare int_sad byte_permute funnel_shift select predicate
        fp32_minmax fp32_compare vote clock"""),
    (Operation("alu", 8, issues=2), "bit_field int64_add int64_logic int64_compare"), (Operation("alu", 8, issues=3), "int64_minmax"),
    (Operation("alu", 8, issues=2, interval_cycles=4), "int64_shift"), (Operation("fma", 18, issues=4), "int64_mul"),
    (Operation("alu", 119, issues=14), "int_div32"), (Operation("alu", 400, issues=70), "int64_div"),
    (Operation("xu", 15), "bit_count convert"), (Operation("xu", 20), "convert64"),
    (Operation("xu", 31), "fp32_rcp fp32_rsqrt"), (Operation("xu", 31, issues=2), "fp32_sqrt fp32_div"),
    (Operation("xu", 32), "fp32_transcendental"), (Operation("xu", 22), "fp16_transcendental"),
    (Operation("fma", 227, issues=14), "fp32_div_exact"), (Operation("fma", 96, issues=12), "fp32_sqrt_exact"),
    (Operation("dp", 40), "fp64_add fp64_mul fp64_fma fp64_compare"), (Operation("dp", 40, issues=2), "fp64_minmax"),
    (Operation("dp", 540, 128 / 15, issues=15), "fp64_div"), (Operation("dp", 540, 128 / 18, issues=18), "fp64_sqrt"),
    (Operation("fma", 6), "fp16_add fp16_mul fp16_fma"), (Operation("alu", 6), "fp16_compare"),
    (Operation("alu", 12), "branch call exit barrier"), (Operation("alu", 20), "special_register"),
    (Operation("alu", 4, issues=100), "system_call"), (Operation("lsu", 22, 1), "shuffle"), (Operation("lsu", 26, 2), "match"),
    (Operation("lsu", 4), "load_global store_global load_local store_local store_surface fence"), (Operation("lsu", 50), "atomic_global"),
    (Operation("tex", 60), "load_texture load_surface"), (Operation("lsu", 0), "load_shared store_shared load_constant load_matrix"),
    (Operation("lsu", 9), "atomic_shared"),
    # a scheduler's two tensor cores do 128 multiply-adds of f16 a cycle, 64 with sums of f32, 256 of 8 bits, 512 of 4
    (Operation("tensor", 24, 16), "matrix_f16_m16n8k8"), (Operation("tensor", 40, 16, issues=2), "matrix_f16_m16n8k16"),
    (Operation("tensor", 24, 4, issues=4), "matrix_f16_m8n8k4"), (Operation("lsu", 20), "matrix_transpose"),
    (Operation("tensor", 12, 4), "matrix_int8_m8n8k16 matrix_u4_m8n8k32 matrix_s4_m8n8k32 matrix_xor_m8n8k128"),
    (Operation("tensor", 16, 4, issues=2), "matrix_int8_m16n8k16")]

FORMS = [  # that differ from the rest of their class
    (Operation("dp", 420, 80 / 14, issues=14), "fp64_sqrt:rsqrt.approx.f64"),
    (Operation("alu", 114, issues=14), "int_div32:rem.s32 int_div32:div.u32"), (Operation("alu", 109, issues=14), "int_div32:rem.u32"),
    (Operation("fma", 92, issues=14), "fp32_div_exact:rcp.r?.f32"),
    (Operation("tensor", 16, 8), "matrix_f16_m16n8k8:mma.*.f16.f16.f16.f16"),
    (Operation("tensor", 24, 8, issues=2), "matrix_f16_m16n8k16:wmma.mma.*.f16.f16"),
    (Operation("xu", 13), "fp32_transcendental:sin.* fp32_transcendental:cos.*"), (Operation("xu", 31), "fp32_transcendental:lg2.*")]

MANAGED = Cite("Sakharnykh, Maximizing Unified Memory Performance in CUDA (NVIDIA, 2017); Zheng et al., HPCA 2016; Ganguly et al., ISCA 2019",
               "page faults of the device", "inferred", "quoted from memory: 20 to 50 us a fault, 45 us where it is simulated; blocks of 64 KiB "
               "fetched ahead by a tree over 2 MiB; 512 KiB a group gives the half of the link's rate that is published for streaming on demand; "
               "the host's side as measured on an H200")
REFRESH = Cite("Ramulator 2, src/dram/impl/GDDR6.cpp", "timing_presets, GDDR6_2000_1350mV_double: nRFC 210, nREFI 3333, of 0.57 ns", "inferred",
               "chips of 8 Gb and 14 Gb/s; whether a board refreshes all banks at once is not said")
EVIDENCE = {
    "texture": FETCHES, "texture.weight_bits": FILTERING,
    "warp": TABLE, "chip": QUERY, "limits": QUERY, "clocks": QUERY, "schedulers": SCHEDULER, "units": SCHEDULER, "isa": GUIDE, "isa.forms": VOLTA,
    "coalescing": SEGMENTS, "caches": UNPUBLISHED, "load_store": UNPUBLISHED, "interconnect": UNPUBLISHED, "dram": UNPUBLISHED,
    "device_launches": NESTING,
    **{f"device_launches.{name}_us": H100_LAUNCHES for name in ("call", "lane", "start", "next", "tail")},
    "device_launches.virtual_us": VIRTUAL_POOL,
    "host_link.mapped": ZERO_COPY, "host_link.mapped.read_gb_s": LANES, "host_link.mapped.write_gb_s": LANES,
    "host_link.mapped.latency_ns": UNPUBLISHED, "host_link.mapped.atomics": UNPUBLISHED,
    "host_link.peer": PEERS, "host_link.peer.read_gb_s": LINKS, "host_link.peer.write_gb_s": LINKS,
    "host_link": UNPUBLISHED, "host_link.managed": MANAGED, "host_link.pinned_h2d_gb_s": PCIE, "host_link.pinned_d2h_gb_s": PCIE,
    "host_link.concurrent_grids": TABLE, "host_link.work_queues": CONNECTIONS, "host_link.late_kernel_signals": QUEUES,
    "host_link.staging_bytes": STAGED, "host_link.peer_gb_s": LINKS,
    "host_link.copy_engines": QUERY, "units.tex": UNITS, "units.dp": UNITS, "units.lsu": LANES, "units.xu": MULTIPROCESSOR, "units.tensor": TENSOR_CORES,
    "isa.matrix": SUMS,
    "schedulers.policy": SCHEDULING, "schedulers.instruction_gap_cycles": UNPUBLISHED, "warp.reconvergence": PAPER,
    **{f"chip.{name}": UNPUBLISHED for name in """multiprocessors_per_cluster block_launch_cycles
       launch_overhead_us""".split()},
    **{f"chip.{name}": BLOCKS for name in "block_turnover_cycles block_launch.setup_cycles block_launch.warp_cycles".split()},
    "clocks.core_mhz": UNPUBLISHED,
    **{f"limits.{name}": CALCULATOR for name in """blocks_per_multiprocessor registers_per_thread register_allocation_unit
       register_allocation_scope warp_allocation_granularity
       shared_bytes_per_multiprocessor shared_bytes_per_block shared_allocation_unit_bytes shared_reserved_bytes_per_block
       shared_carveouts""".split()},
    **{f"limits.{name}": TABLE for name in "local_bytes_per_thread warps_per_multiprocessor registers_per_multiprocessor registers_per_block".split()},
    "limits.registers_reserved_per_thread": Cite("machine code of ptxas 11.8, sm_75", "R1 holds the stack pointer", "inferred"),
    "limits.kernel_instructions": INSTRUCTIONS_MOST, "limits.stack_bytes_per_thread": GUIDE, "limits.parameter_bytes": LARGE,
    "shared": BANKS, "shared.wide_access": UNIFORM_LOADS, "load_store.transaction_cycles": LINE,
    "load_store.atomic_sector_cycles": BINS, "dram.interleave_bytes": SPREAD,
    "shared.pass_cycles": GA102, "shared.latency_cycles": ARAFA, "coalescing.load": MT4G,
    "isa.float_mad": FUSED, "isa.fuse_multiply_add": MERGED,
    "isa.assembler": CODE, **{f"isa.assembler.{name}": PTXAS for name in ("merged_atomics", "shared_load_bytes")}, "isa.instruction_bytes": JIA,
    "isa.operations": UNPUBLISHED, "isa.operations.int_mul24": PRODUCTS_24,
    "isa.operations.fp64_div.interval_cycles": ROOTS, "isa.operations.fp64_sqrt.interval_cycles": ROOTS, "isa.operations.fp64_sqrt.issues": ROOTS,
    "isa.forms.rsqrt_approx_f64": RECIPROCAL_ROOTS, "isa.predication_max_instructions": CODE,
    **{f"isa.operations.{name}.issues": RATES for name in """fp16_add fp16_mul fp16_fma fp32_add fp32_mul fp32_fma fp64_add fp64_mul fp64_fma
       fp32_rcp fp32_rsqrt fp32_transcendental int_add int_mul32 int_shift int_compare int_minmax fp32_compare fp32_minmax int_logic bit_count
       shuffle int_sad convert convert64""".split()},
    **{f"isa.operations.{name}": ARAFA for name in """int_add int_mul32 int_compare int_div32 bit_count fp32_add fp32_mul fp32_fma fp32_compare
       fp32_rsqrt fp32_div_exact fp32_sqrt_exact fp32_transcendental fp64_add fp64_mul fp64_fma fp64_minmax fp64_div""".split()},
    "isa.operations.int_mul_high": VOLTA,
    **{f"isa.operations.{name}": JIA_VOLTA for name in "shuffle fp16_add fp16_mul fp16_fma".split()},
    **{f"isa.operations.matrix_{name}.interval_cycles": TENSOR_CORES for name in """f16_m16n8k8 f16_m16n8k16 int8_m8n8k16 int8_m16n8k16 u4_m8n8k32
       s4_m8n8k32""".split()},
    **{f"isa.forms.{name}": ARAFA for name in "rem_s32 div_u32 rem_u32 rcp_r_f32 sin cos lg2".split()},
    **{f"isa.forms.{name}": UNPUBLISHED for name in ("mma_f16_f16_f16_f16", "wmma_mma_f16_f16")},
    **{f"isa.forms.{name}.interval_cycles": TENSOR_CORES for name in ("mma_f16_f16_f16_f16", "wmma_mma_f16_f16")},
    "caches.unified_l1_shared": UNIFIED, "caches.l1_global_loads": GUIDE,
    **{f"caches.{c}.{name}": UNIFIED for c in ("l1", "texture_l1") for name in ("size_bytes", "scope")},
    **{f"caches.{c}.{name}": MT4G for c in ("l1", "texture_l1", "l2", "constant") for name in ("line_bytes", "sector_bytes")},
    **{f"caches.constant_l2.{name}": MT4G for name in "size_bytes line_bytes sector_bytes latency_cycles".split()},
    **{f"caches.{c}.latency_cycles": CHASE for c in ("l1", "texture_l1")},
    "caches.l1.ways": SETS, "caches.texture_l1.ways": SETS, "caches.carveout_takes": SETS, "caches.l1.tag_bank_masks": TAGS,
    "caches.constant.size_bytes": SMALL_CONSTANTS, "caches.constant.latency_cycles": JIA_VOLTA,
    "caches.instruction.size_bytes": JIA, "caches.instruction.scope": PAPER, "caches.instruction_l2.size_bytes": T4_CODE,
    "caches.instruction_memory_cycles": SPLIT,
    **{f"caches.{c}.{name}": H100_CODE for c in ("instruction", "instruction_l2") for name in """ways line_bytes sector_bytes prefetch_degree
       latency_cycles""".split()}, "caches.instruction_preload_bytes": H100_CODE,
    "caches.l2.size_bytes": SLICES, "caches.l2.ways": ACCELSIM, "caches.l2.set_hash_bits": ACCELSIM, "caches.l2.latency_cycles": SPLIT,
    "interconnect.request_latency_ns": SPLIT, "interconnect.response_latency_ns": SPLIT, "dram.extra_latency_ns": SPLIT,
    "dram.capacity_bytes": QUERY, "dram.bus_bits": QUERY, "dram.transfers_per_clock": PAPER, "dram.partitions": SLICES,
    "dram.burst_bytes": ACCELSIM, "dram.banks": ACCELSIM, "dram.row_bytes": ACCELSIM,
    **{f"dram.t_{name}_ns": TIMINGS for name in "rcd rp ras rrd cl wl wtr wr".split()}, "dram.t_refi_ns": REFRESH, "dram.t_rfc_ns": REFRESH}
