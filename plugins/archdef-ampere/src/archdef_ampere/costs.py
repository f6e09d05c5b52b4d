"""What instructions cost on the A100, and where the figures of this plugin come from."""
from archdef.spec import Cite, Operation

COPY = "read in HeKun-NVIDIA/CUDA-Programming-Guide-in-Chinese"
QUERY = Cite("deviceQuery of an A100-SXM4-40GB", "Paderborn Center for Parallel Computing, NVIDIA A100 40GB with NVLINK", "measured",
             card="A100-SXM4-40GB")
GUIDE = Cite("CUDA C Programming Guide 11", "compute capability 8.0", "recalled")
RATES = Cite("CUDA C++ Programming Guide 11", "table 3, throughput of native arithmetic instructions, column 8.0", note=COPY)
TABLE = Cite("CUDA C++ Programming Guide 13.1", "table 27, technical specifications, column 8.0")
MULTIPROCESSOR = Cite(TABLE.document, "section 20.7.1, architecture of 8.x")
SEGMENTS = Cite(RATES.document, "appendices K.7.2, K.4.2 and K.3.2, segments of global memory", note=COPY)
ISSUE = Cite(RATES.document, "section 5.2.3, four instructions a cycle; appendix K.7.1", note=COPY)
LARGE = Cite("NVIDIA technical blog, CUDA 12.1 Supports Large Kernel Parameters", "32,764 bytes on Volta and above; 4,096 before CUDA 12.1")
CALCULATOR = Cite("cuda_occupancy.h of CUDA 12.6", "compute capability 8.0")
PAPER = Cite("NVIDIA A100 white paper", "GA100 architecture", "recalled")
ARAFA = Cite("Arafa et al., Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs, HPEC 2019", "Volta", "inferred",
             "measured there, taken over; PTX level, as shipped with PPT-GPU")
NOTES = Cite("Abdelkhalik et al., Demystifying the Nvidia Ampere Architecture, HPEC 2022", "a dependent add.f32 takes 4 cycles", "recalled",
             "a measurement, by notes on the paper")
JIA = Cite("Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018", "V100 PCIe", "inferred",
           "measured there, taken over; quoted from memory")
TENSOR_CORES = Cite("NVIDIA A100 white paper", "section 4.1: four tensor cores a multiprocessor, 256 fused multiply-adds a clock each", "inferred",
                    "one a scheduler; lanes as of a whole warp; read in a copy of its text")
BENCHES = Cite("te42kyfo/gpu-benches, results of cuda-latency", "gpu-latency/a100_40.txt, a chase at random", "inferred",
               "measured on an A100 of 40 GB; whether the SXM4 board is not said")
SPLIT = Cite(BENCHES.document, "211 cycles to L2, 568 to memory, divided over the stations", "inferred", BENCHES.note)
HALVES = Cite(BENCHES.document, "211 cycles up to half of the L2 only; 426 at 32 MiB leave some 280 for the far half", "inferred", BENCHES.note)
COPIES = Cite("te42kyfo/gpu-benches, results of gpu-stream", "A100 40 GB, copies at 1381 GB/s", "inferred", BENCHES.note)
PRODUCTS = Cite("NVIDIA A100 white paper", "products per cycle and tensor core", "inferred",
                "latencies as Sun et al., Dissecting Tensor Cores, TPDS 2022, have them; both quoted from memory")
H100 = Cite("Matrix products of an H100 80GB HBM3", "tests/hardware/measure_matrix.py", "assumed", "not measured on this machine")
SLICES = Cite("NVIDIA A100 white paper", "section 4.6.3, L2 cache: two partitions of 40 slices of 512 KB", note="read in a copy of its text")
SLICE_RATE = Cite(SLICES.document, "section 4.6.3, L2 cache: reads of 5120 bytes a clock", "inferred",
                  "64 bytes a slice; gpu-l2-cache of gpu-benches gives 5.4 TB/s")
SETS = Cite("Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018", "geometry of the L1 data cache: four sets", "inferred",
            "a V100's, taken over; quoted from memory")
TAGS = Cite("te42kyfo/gpu-benches", "gpu-strides/a100.txt", "inferred", "an H100's masks: 22 strides from 0 to 33 words come out within 18 %")
HASHED = Cite("archdef-hopper", "hashed sets of an H100's L2 (l2_sets.csv)", "assumed", "not measured on this machine")
SECTORS = Cite("caps-tum/mt4g", "sample_results/NVIDIA A100-PCIE-40GB.json, lineSize and fetchGranularity", "inferred",
               "measured on the PCIe board, which has the same chip")
SMALL_CONSTANTS = Cite("caps-tum/mt4g", "sample_results/NVIDIA A100-PCIE-40GB.json, memory.constant.l1.size", "inferred",
                       "A100 PCIe: 2112 bytes by a chase in steps of 64, one line more than fits")
BITWISE = Cite("microsoft/MMA-Sim", "mmasim/simulator/nv_ptx.py, mma of Ampere: 24 bits, 16 products in two halves, 8 of tf32", "inferred",
               "a model that agrees with the hardware to the bit; on which board is not said")
NATIVE_ECC = Cite("Microway, In-Depth Comparison of NVIDIA Ampere GPU Accelerators", "native error correction without any capacity or performance overhead")
CONSTANTS = Cite("caps-tum/mt4g", "sample_results/NVIDIA A100-PCIE-40GB.json, memory.constant", "inferred",
                 "120.7 cycles, less the tool's own: its L1 hits take 68 for 35; fetched by 256 bytes, 64 KiB at least")
INCORE = Cite("te42kyfo/gpu-benches", "README.md, cuda-incore, Tesla V100 PCIe: rows DDIV and DSQRT", "inferred",
              "a V100's, taken over; less the addition that main.cu has with each: 8 cycles, and one of a multiprocessor a warp")
ROOTS = Cite("machine code of ptxas 11.8, sm_80", "sqrt.rn.f64: 15 instructions, of which 8 are of doubles, and BSSY, BRA and BSYNC around the way of special "
             "operands; rsqrt.approx.f64: 11, of which 5 are", "inferred")
RECIPROCAL_ROOTS = Cite(ROOTS.document, ROOTS.place, "inferred",
                        "what a root takes on a V100 (gpu-benches) without three instructions of doubles that wait for each other")
SHARED = Cite("caps-tum/mt4g", "sample_results/NVIDIA A100-PCIE-40GB.json, memory.shared.latency and memory.l1.latency", "inferred",
              "measured on the PCIe board: 60 cycles, less the tool's own: its L1 hits take 68 for the 34 of gpu-benches")
CODE_SIZES = Cite("Wikipedia, CUDA", "multiprocessor architecture: 32 KiB of L0 instructions a partition, 128 KiB a multiprocessor", "inferred",
                  "cells span columns that the copy does not tell; so has YKTian-x2b/AmpereArchViaMicroBenchMark, InstructionCache_Size/README.md, of A100")
CODE_WIDTH = Cite("Wikipedia, CUDA", "multiprocessor architecture, instruction width: 128 bits from 7.0 on")
H100_CODE = Cite("Loops of instructions on an H100 80GB HBM3", "code_loops.csv of archdef-hopper-evidence", "assumed", "not measured on this machine")
UNIFORM_LOADS = Cite("NVIDIA developer forums, Unexpected shared memory bank conflict", "an answer of NVIDIA's for 7.0 to 7.5: a load of 16 bytes "
                     "takes two requests, not four, where each lane reads what its neighbour does, or the next but one", "inferred",
                     "an H100 has the same rule; read in a copy of the page")
CODE = Cite("machine code of ptxas 11.8, sm_80", "256 kernels, machine_code.csv of archdef-sass", "inferred",
            "rules that were read off code for 9.0, where they hold here, and what differs; judged by instructions of kernels and of their loops")
PTXAS = Cite("machine code of ptxas 11.8, sm_80", "a counter: S2R, VOTEU, UFLO, POPC and ISETP, then one lane's RED; five more for the old "
             "values; a tiled product: LDS.128 of neighbouring words", "inferred")
PRODUCTS_24 = Cite("NMSU-PEARL/GPUs-ISA-Latencies", "ALU/output/Volta/TITANV/Mul24Lo: SGXT and IMAD, 8 cycles", "inferred",
                   "measured on a TITAN V, one factor ready; ptxas 11.8 writes three instructions for sm_80, two of them for `alu`")
FILTERING = Cite("CUDA C++ Programming Guide 13.1", "section 19.2, linear filtering")
FETCHES = Cite("Texture fetches on an H100 80GB HBM3", "tests/hardware, textures", "assumed", "not measured on this machine")
NESTING = Cite("CUDA C++ Programming Guide 13.1", "sections 13.6.3.3.1.2 and 13.6.3.3.1.4, nesting depth and configuration of the first device runtime")
VIRTUAL_POOL = Cite("CUDA C Programming Guide 8.0", "appendix D.4.3.1.2, pending kernel launches", "assumed",
                    "\"a virtualized pool with lower performance\": as long again as a launch in the fixed pool")
H100_LAUNCHES = Cite("Launches by kernels of an H100 80GB HBM3", "tests/data/h100/first_launches.txt and device_launches.txt", "assumed",
                     "not measured on this machine")
SCHEDULING = Cite("Clocks of warps on an H100 80GB HBM3", "scheduling.csv of archdef-hopper-evidence", "assumed", "not measured on this machine")
BARRIERS = Cite("CUDA C++ Best Practices Guide 13.2", "synchronization instructions: __syncthreads() has 16 operations a cycle on 7.x and 8.x",
                note="read in a copy of its pages")
CONFLICTS = Cite("Microbenchmarks of ldmatrix on an H100 80GB HBM3", "1, 2, 4 tiles, rows 16 to 128 bytes apart", "inferred",
                 "a pass delays the result by two cycles there; so does a conflict on a GTX 980 (Mei and Chu, quoted from memory)")
BLOCKS = Cite("Blocks that only live, and empty kernels, on an H100 80GB HBM3", "data/streams.csv, live, and section launch, of archdef-hopper-evidence",
              "inferred", "measured there, taken over: streams of an A100 (gpu-benches, init, blocks of 64 to 192) come within 5 %")
UNPUBLISHED = Cite("not published", "a plausible value", "assumed")
ENGINES = Cite("thamada/nvidia-smi", "nvsim/A100SXMx4_deviceQuery.py: 3 copy engines", "inferred", "read of the board of 80 GB")
PCIE = Cite("PCI Express 4.0", "16 lanes, 31.5 GB/s a direction", "inferred",
            "three quarters of it, as bandwidth tests of the time print; quoted from memory")
QUEUES = Cite("NVIDIA Kepler GK110 white paper", "Hyper-Q: 32 work queues", "recalled")
PEERS = Cite("Accesses of an H100 80GB HBM3 SXM to memory of another", "tests/data/h100/link_accesses.txt", "assumed", "not measured on this machine")
LANES = Cite("PCI Express 4.0", "16 lanes, 31.5 GB/s a direction", "recalled")
ZERO_COPY = Cite("Min et al., EMOGI, VLDB 2021", "Tesla V100 by PCIe 3.0: 12.2 GB/s by aligned requests of 128 bytes, 4.7 by those of 32, 256 in flight",
                 "inferred", "measured on another card: requests carry 36 bytes beside their data, whole pieces of 64; quoted from memory")
STAGED = Cite("CUDA C++ Programming Guide 13.1", "section 6.2.8.1: copies of 64 KB or less to the device do not wait")
INSTRUCTIONS_MOST = Cite("Wikipedia, CUDA", "technical specifications: maximum number of instructions per kernel, 512 million from 2.0 on")
CONNECTIONS = Cite("CUDA C++ Programming Guide 13.1", "section 22, CUDA_DEVICE_MAX_CONNECTIONS: up to 32 work queues from 3.5 on")
FUSED = Cite("PTX ISA 9.1", "section 9.7.3.7, mad: fused for sm_20 and higher")
MERGED = Cite("CUDA C++ Programming Guide 13.1", "section 17.2: sums and products are combined into FMADs")
NVLINK = Cite("xynio.com, NVIDIA A100 Tensor Core GPU", "NVLink, 600 GB/s", "inferred", "a peak, half of it a direction")

COSTS = [  # SM cycles; `fma` and `alu` are the two pipes of 16 lanes of a scheduler, `xu` its special-function unit
    (Operation("fma", 4), "move fp32_add fp32_mul fp32_fma int_mul16 int_mul32 int_dot"), (Operation("alu", 8, 4 / 3, issues=3), "int_mul24"),
    (Operation("fma", 12, 4), "int_mul_high int_mul_wide"),
    (Operation("alu", 4), """int_add int_logic int_shift int_minmax int_compare int_sad byte_permute select predicate
        fp32_minmax fp32_compare vote clock"""), (Operation("alu", 4, 4), "funnel_shift"),
    (Operation("alu", 8, issues=2), "bit_field int64_add int64_logic int64_compare"), (Operation("alu", 8, issues=3), "int64_minmax"),
    (Operation("alu", 8, issues=2, interval_cycles=4), "int64_shift"), (Operation("fma", 18, issues=4), "int64_mul"),
    (Operation("alu", 90, issues=14), "int_div32"), (Operation("alu", 400, issues=70), "int64_div"),
    (Operation("xu", 15), "bit_count convert"), (Operation("xu", 20), "convert64"), (Operation("xu", 44), "redux"),
    (Operation("xu", 31), "fp32_rcp fp32_rsqrt"), (Operation("xu", 31, issues=2), "fp32_sqrt fp32_div"),
    (Operation("xu", 22), "fp32_transcendental fp16_transcendental"),
    (Operation("fma", 80, issues=14), "fp32_div_exact"), (Operation("fma", 80, issues=12), "fp32_sqrt_exact"),
    (Operation("dp", 8), "fp64_add fp64_mul fp64_fma fp64_compare"), (Operation("dp", 16, issues=2), "fp64_minmax"),
    (Operation("dp", 104, 26 / 15, issues=15), "fp64_div"), (Operation("dp", 93, 34.4 / 18, issues=18), "fp64_sqrt"),
    (Operation("half", 6), "fp16_add fp16_mul fp16_fma"), (Operation("alu", 6), "fp16_minmax fp16_compare"),
    (Operation("alu", 12), "branch call exit"), (Operation("bar", 12), "barrier"), (Operation("alu", 20), "special_register"),
    (Operation("alu", 4, issues=100), "system_call"), (Operation("lsu", 22), "shuffle matrix_transpose"), (Operation("lsu", 26, 2), "match"),
    (Operation("lsu", 4), "load_global store_global load_local store_local store_surface fence"), (Operation("lsu", 50), "atomic_global"),
    (Operation("tex", 60), "load_texture load_surface"), (Operation("lsu", 0), "load_shared store_shared load_constant load_matrix"),
    (Operation("lsu", 9), "atomic_shared"),
    (Operation("tensor", 18, 4), """matrix_f16_m16n8k8 matrix_tf32_m16n8k4 matrix_int8_m16n8k16 matrix_u4_m16n8k32 matrix_s4_m16n8k32
        matrix_and_m16n8k128 matrix_xor_m16n8k128"""),
    (Operation("tensor", 25, 8), """matrix_f16_m16n8k16 matrix_tf32_m16n8k8 matrix_int8_m16n8k32 matrix_u4_m16n8k64 matrix_s4_m16n8k64
        matrix_and_m16n8k256 matrix_xor_m16n8k256"""),
    (Operation("tensor", 16, 4), "matrix_int8_m8n8k16 matrix_u4_m8n8k32 matrix_s4_m8n8k32 matrix_and_m8n8k128 matrix_xor_m8n8k128"),
    (Operation("tensor", 26, 16), "matrix_f64_m8n8k4"), (Operation("tensor", 278, 2, issues=60), "matrix_f16_m8n8k4")]

FORMS = [(Operation("dp", 69, 22.4 / 14, issues=14), "fp64_sqrt:rsqrt.approx.f64")]

MANAGED = Cite("Sakharnykh, Maximizing Unified Memory Performance in CUDA (NVIDIA, 2017); Zheng et al., HPCA 2016; Ganguly et al., ISCA 2019",
               "page faults of the device", "inferred", "quoted from memory: 20 to 50 us a fault, 45 us where it is simulated; blocks of 64 KiB "
               "fetched ahead by a tree over 2 MiB; 512 KiB a group gives the half of the link's rate that is published for streaming on demand; "
               "the host's side as measured on an H200")
REFRESHES = Cite("Ramulator 2, python/ramulator/dram/hbm2.py", "nRFCpb and nREFIpb: 160 ns for one bank, each of 32 once in 3.9 us", "inferred",
                 "JEDEC's figures as it gives them; that banks are refreshed alone follows from writes at 99 % of the peak (gpu-benches)")
EVIDENCE = {
    "texture": FETCHES, "texture.weight_bits": FILTERING,
    "warp": TABLE, "chip": QUERY, "limits": QUERY, "clocks": QUERY, "schedulers": PAPER, "units": RATES, "shared": GUIDE, "isa": GUIDE,
    "coalescing": GUIDE, "caches": UNPUBLISHED, "load_store": UNPUBLISHED, "interconnect": UNPUBLISHED, "dram": UNPUBLISHED,
    "device_launches": NESTING,
    **{f"device_launches.{name}_us": H100_LAUNCHES for name in ("call", "lane", "start", "next", "tail")},
    "device_launches.virtual_us": VIRTUAL_POOL,
    "host_link.mapped": ZERO_COPY, "host_link.mapped.read_gb_s": LANES, "host_link.mapped.write_gb_s": LANES,
    "host_link.mapped.latency_ns": UNPUBLISHED, "host_link.mapped.atomics": UNPUBLISHED,
    "host_link.mapped.requests_in_flight": Cite("PCI Express 4.0", "tags of 10 bits, for 768 requests", "recalled"),
    "host_link.peer": PEERS, "host_link.peer.read_gb_s": NVLINK, "host_link.peer.write_gb_s": NVLINK,
    "host_link": UNPUBLISHED, "host_link.managed": MANAGED, "host_link.pinned_h2d_gb_s": PCIE, "host_link.pinned_d2h_gb_s": PCIE,
    "host_link.concurrent_grids": TABLE, "host_link.work_queues": CONNECTIONS, "host_link.late_kernel_signals": QUEUES,
    "host_link.staging_bytes": STAGED, "host_link.peer_gb_s": NVLINK,
    "host_link.copy_engines": ENGINES, "units.tex": PAPER, "units.lsu": GUIDE, "units.xu": MULTIPROCESSOR, "units.tensor": TENSOR_CORES,
    **{f"schedulers.{name}": ISSUE for name in ("count", "issue_interval_cycles", "issue_width")},
    "schedulers.policy": SCHEDULING, "schedulers.instruction_gap_cycles": UNPUBLISHED, "warp.reconvergence": PAPER,
    **{f"chip.{name}": UNPUBLISHED for name in """multiprocessors_per_cluster block_launch_cycles
       launch_overhead_us""".split()},
    **{f"chip.{name}": BLOCKS for name in "block_turnover_cycles block_launch.setup_cycles block_launch.warp_cycles".split()},
    "clocks.core_mhz": UNPUBLISHED,
    **{f"limits.{name}": CALCULATOR for name in """blocks_per_multiprocessor registers_per_thread register_allocation_unit
       register_allocation_scope warp_allocation_granularity
       shared_bytes_per_multiprocessor shared_bytes_per_block shared_allocation_unit_bytes shared_reserved_bytes_per_block
       shared_carveouts""".split()},
    "limits.registers_reserved_per_thread": Cite("machine code of sm_80", "R1 holds the stack pointer", "inferred", "from memory"),
    "limits.kernel_instructions": INSTRUCTIONS_MOST, "limits.stack_bytes_per_thread": GUIDE, "limits.local_bytes_per_thread": TABLE,
    "limits.parameter_bytes": LARGE, "shared.banks": TABLE, "shared.wide_access": UNIFORM_LOADS,
    "isa.assembler": CODE, **{f"isa.assembler.{name}": PTXAS for name in ("merged_atomics", "shared_load_bytes")},
    "isa.float_mad": FUSED, "isa.fuse_multiply_add": MERGED,
    **{f"coalescing.{access}": SEGMENTS for access in ("store", "load_uncached")}, "coalescing.load": SECTORS,
    **{f"isa.operations.{name}.issues": RATES for name in """fp16_add fp16_mul fp16_fma fp32_add fp32_mul fp32_fma fp64_add fp64_mul fp64_fma
       fp32_rcp fp32_rsqrt fp32_transcendental int_add int_mul32 int_shift int_compare int_minmax fp32_compare fp32_minmax int_logic bit_count
       shuffle redux int_sad convert convert64""".split()},
    "units.bar": BARRIERS, "isa.operations.barrier.unit": BARRIERS, "isa.operations.barrier.issues": BARRIERS,
    "isa.operations": UNPUBLISHED, "isa.operations.int_mul24": PRODUCTS_24, "isa.matrix": BITWISE, "isa.matrix.groups": H100, "isa.matrix.groups_f16": H100,
    **{f"isa.operations.{name}": PRODUCTS for _, names in COSTS for name in names.split() if name.startswith("matrix_")},
    "isa.operations.matrix_transpose": H100,
    "isa.operations.matrix_f16_m8n8k4": H100, "isa.operations.matrix_f64_m8n8k4": H100,
    "isa.predication_max_instructions": CODE, "isa.operations.fp32_add": NOTES,
    **{f"isa.operations.{name}": ARAFA for name in """int_add int_mul32 int_mul_high int_compare bit_count fp32_mul fp32_fma
       fp32_compare fp32_rsqrt fp32_transcendental fp64_add fp64_fma""".split()},
    **{f"isa.operations.{name}": JIA for name in "shuffle fp16_add fp16_mul fp16_fma".split()},
    "shared.latency_cycles": SHARED, "shared.pass_latency_cycles": CONFLICTS,
    "caches.instruction.size_bytes": CODE_SIZES, "caches.instruction.scope": CODE_SIZES, "caches.instruction_l2.size_bytes": CODE_SIZES,
    **{f"caches.{c}.{name}": H100_CODE for c in ("instruction", "instruction_l2") for name in """ways line_bytes sector_bytes prefetch_degree
       latency_cycles""".split()}, "caches.instruction_preload_bytes": H100_CODE, "caches.instruction_memory_cycles": SPLIT,
    "isa.instruction_bytes": CODE_WIDTH,
    **{f"caches.{c}.replacement": UNPUBLISHED for c in ("l1", "constant", "constant_l2", "instruction", "instruction_l2", "texture_l1", "l2")},
    "caches.l1_global_loads": GUIDE, "caches.unified_l1_shared": MULTIPROCESSOR,
    **{f"caches.{c}.{name}": MULTIPROCESSOR for c in ("l1", "texture_l1") for name in ("size_bytes", "scope")},
    **{f"caches.{c}.{name}": SECTORS for c in ("l1", "texture_l1", "l2", "constant") for name in ("line_bytes", "sector_bytes")},
    "caches.l1": GUIDE, "caches.l1.ways": SETS, "caches.texture_l1.ways": SETS, "caches.carveout_takes": SETS, "caches.l1.tag_bank_masks": TAGS,
    "caches.l2.set_hash_bits": HASHED, "isa.operations.fp64_div": INCORE, "isa.operations.fp64_sqrt": INCORE,
    "isa.operations.fp64_sqrt.issues": ROOTS, "isa.forms.rsqrt_approx_f64": RECIPROCAL_ROOTS,
    **{f"caches.constant_l2.{name}": CONSTANTS for name in "size_bytes line_bytes sector_bytes latency_cycles".split()}, "caches.l1.latency_cycles": BENCHES,
    "caches.l1.misses_in_flight": UNPUBLISHED,
    "caches.texture_l1.enabled": PAPER,
    "caches.texture_l1.latency_cycles": BENCHES, "caches.constant.size_bytes": SMALL_CONSTANTS, "caches.constant.latency_cycles": JIA,
    "caches.l2.size_bytes": SLICES, "interconnect.partition_response_bytes_per_cycle": SLICE_RATE, "caches.l2.latency_cycles": SPLIT,
    "interconnect.request_latency_ns": SPLIT, "interconnect.response_latency_ns": SPLIT, "dram.extra_latency_ns": SPLIT,
    "interconnect.l2_partitions.count": SLICES, "interconnect.l2_partitions.far_latency_ns": HALVES, "dram.write_drain_high": COPIES,
    "dram.write_drain_low": COPIES,
    "dram.capacity_bytes": QUERY, "dram.bus_bits": QUERY, "dram.transfers_per_clock": QUERY, "dram.ecc_overhead_ratio": NATIVE_ECC,
    **{f"dram.{name}": REFRESHES for name in "t_refi_ns t_rfc_ns refresh_banks".split()},
    "dram.partitions": SLICES, "dram.burst_bytes": Cite("AMD PG313, Versal network on chip", "HBM topology: pseudo-channels of 64 bits, bursts of four")}
