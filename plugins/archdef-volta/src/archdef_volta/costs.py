"""What instructions cost on Volta, and where the figures of this plugin come from."""
from archdef.spec import Cite, Operation

COPY = "read in HeKun-NVIDIA/CUDA-Programming-Guide-in-Chinese"
QUERY = Cite("deviceQuery of a Tesla V100-SXM2-16GB", "CUDA 10.2", "measured", card="Tesla V100-SXM2-16GB")
GUIDE = Cite("CUDA C Programming Guide 10", "compute capability 7.0", "recalled")
RATES = Cite("CUDA C++ Programming Guide 11", "table 3, throughput of native arithmetic instructions, column 7.x", note=COPY)
TABLE = Cite(RATES.document, "table 15, technical specifications, column 7.0", note=COPY)
MULTIPROCESSOR = Cite(RATES.document, "appendix K.6.1, architecture of 7.x; section 5.2.3", note=COPY)
BANKS = Cite(RATES.document, "appendices K.6.4 and K.4.3, shared memory of 7.x is that of 5.x", note=COPY)
SEGMENTS = Cite(RATES.document, "appendices K.6.3, K.4.2 and K.3.2, segments of global memory", note=COPY)
LARGE = Cite("NVIDIA technical blog, CUDA 12.1 Supports Large Kernel Parameters", "32,764 bytes on Volta and above; 4,096 before CUDA 12.1")
CALCULATOR = Cite("cuda_occupancy.h of CUDA 12.6", "compute capability 7.0")
LINEAGE = Cite("NVIDIA GPU Architecture Lineage", "GV100 tables")
PAPER = Cite("NVIDIA Tesla V100 white paper", "GV100 architecture", "recalled")
ARAFA = Cite("Arafa et al., Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs, HPEC 2019", "Volta", "inferred",
             "measured on a TITAN V, whose outputs are in NMSU-PEARL/GPUs-ISA-Latencies, ALU/output/Volta; PTX level, as shipped with PPT-GPU")
JIA = Cite("Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018", "V100 PCIe", "recalled",
           "a measurement")
TENSOR_CORES = Cite("NVIDIA Tesla V100 white paper", "8 tensor cores a multiprocessor, 64 fused multiply-adds a cycle each", "inferred",
                    "as HarleysZhang/dl_note sums it up: two cores, 128 multiply-adds a cycle and scheduler, are a warp's 1024 in eight")
SIDEBAND = Cite("NVIDIA Tesla V100 white paper", "ECC Memory Resiliency: no bandwidth or capacity penalty", note="quoted in the forums of AnandTech")
SLICE_RATE = Cite("NVIDIA A100 white paper", "section 4.6.3, L2 cache: 2048 bytes a clock on V100", "inferred",
                  "64 bytes of each of 32 channels; read in a copy of its text")
SUMMIT = Cite("OLCF Summit user guide, NVIDIA V100 GPUs", "4 texture units a multiprocessor")
RAIHAN = Cite("Raihan, Goli, Aamodt, Modeling Deep Learning Accelerator Enabled GPUs, ISPASS 2019", "wmma.mma m16n16k16 and its HMMA sets", "recalled",
              "a measurement; a Titan V; of wmma.mma as two halves the second starts 16 cycles later")
SUMS = Cite("Fasi et al., Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7:e330, 2021", "V100", "recalled",
            "a measurement; Xie et al., MMA-Sim, 2025, agree")
BITWISE = Cite("microsoft/MMA-Sim", "mmasim/simulator/nv_ptx.py, mma of Volta: 23 bits, products of four", "inferred",
               "a model that agrees with the hardware to the bit; on which board is not said")
SETS = Cite("Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018", "geometry of the L1 data cache: four sets", "recalled",
            "a measurement; V100 PCIe; Accel-Sim's SM7_QV100/gpgpusim.config, -gpgpu_cache:dl1 S:4:128:64 at 32 KiB, agrees")
L2_SETS = Cite("accel-sim/gpgpu-sim_distribution", "configs/tested-cfgs/SM7_QV100/gpgpusim.config, -gpgpu_cache:dl2 S:32:128:24, hashed (P), 64 sub-partitions",
               "inferred", "a simulator's input, fitted to a Quadro GV100; which bits are folded is assumed")
TAGS = Cite("te42kyfo/gpu-benches", "README.md, gpu-strides, and a100.txt of it", "inferred",
            "an A100's strides and an H100's masks; a V100's lookups are said there to be a little slower, but NVIDIA has four tags a cycle "
            "for Volta")
LINES = Cite("NVIDIA developer forums, Pascal L1 cache", "an answer of NVIDIA's: Volta's L1 has lines of 128 bytes in four sectors, of which a miss "
             "fetches those that it asks for, and looks up four tags a cycle", note="read in a copy of the page")
SECTORS = Cite("caps-tum/mt4g", "sample_results/Tesla V100-PCIE-16GB.json, lineSize and fetchGranularity", "inferred",
               "measured on the PCIe board, which has the same chip")
SMALL_CONSTANTS = Cite("caps-tum/mt4g", "sample_results/Tesla V100-PCIE-16GB.json, memory.constant.l1.size", "inferred",
                       "V100 PCIe: 2112 bytes by a chase in steps of 64, one line more than fits")
CONSTANTS = Cite("caps-tum/mt4g", "sample_results/Tesla V100-PCIE-16GB.json, memory.constant", "inferred",
                 "V100 PCIe: 112.8 cycles, fetched by 256 bytes, 64 KiB at least")
INCORE = Cite("te42kyfo/gpu-benches", "README.md, cuda-incore, Tesla V100 PCIe: rows DDIV and DSQRT", "inferred",
              "latency in one warp, and cycles of a multiprocessor a warp: 111.5 and 7.51, 101.3 and 9.61, less the addition that main.cu has with each: "
              "8 cycles, and one of a multiprocessor a warp; how many issue slots a quotient takes is assumed")
ROOTS = Cite("machine code of ptxas 11.8, sm_70", "sqrt.rn.f64: 15 instructions, of which 8 are of doubles, and BSSY, BRA and BSYNC around the way of special "
             "operands; rsqrt.approx.f64: 11, of which 5 are", "inferred")
RECIPROCAL_ROOTS = Cite(ROOTS.document, ROOTS.place, "inferred",
                        "what a root takes (gpu-benches) without three instructions of doubles that wait for each other")
ACCELSIM = Cite("Khairy et al., Accel-Sim, ISCA 2020", "L1 of a Quadro V100", "inferred", "measured there")
CHANNELS = Cite("GPGPU-Sim 4.0", "QV100 configuration, 32 channels", "inferred", "a simulator's input; also 4 stacks of 8 channels")
BENCHES = Cite("te42kyfo/gpu-benches, results of cuda-latency", "Tesla V100 PCIe, a chase at random", "inferred", "measured there; read in a public repository")
SPLIT = Cite(BENCHES.document, "213 cycles to L2, 213 more at 1380 MHz to memory, divided over the stations", "inferred", BENCHES.note)
SHARED = Cite(JIA.document, "V100 PCIe, shared memory", "recalled",
              "a measurement; Arafa et al. have 18, mt4g 23.5 with what its loop adds, 2 to an L1 hit")
UNIFORM_LOADS = Cite("NVIDIA developer forums, Unexpected shared memory bank conflict", "an answer of NVIDIA's for 7.0 to 7.5: a load of 16 bytes "
                     "takes two requests, not four, where each lane reads what its neighbour does, or the next but one", note="read in a copy of the page")
CODE = Cite("machine code of ptxas 11.8, sm_70", "256 kernels, machine_code.csv of archdef-sass", "inferred",
            "rules that were read off code for 9.0, where they hold here, and what differs; judged by instructions of kernels and of their loops")
PTXAS = Cite("machine code of ptxas 11.8, sm_70", "a counter: S2R, VOTE, FLO, POPC and ISETP, then one lane's RED; five more for the old "
             "values; a tiled product: LDS.128 of neighbouring words", "inferred")
MASKS = Cite("Scattered stores of an H100 80GB HBM3", "scatter.csv of archdef-hopper-evidence: a part of a sector takes as long as two whole ones", "fitted",
             "taken over because naive transposes come out so; not measured on this machine")
PARTS = Cite("Debdeep23, GPU-Perf", "runs_titanv_final.csv: naive transposes of 1024 and 2048 rows on a TITAN V at 1335 MHz", "fitted",
             "2 makes them 8 % too slow, 1.6 a tenth too fast; an H100 has 2.4")
PRODUCTS_24 = Cite("NMSU-PEARL/GPUs-ISA-Latencies", "ALU/output/Volta/TITANV/Mul24Lo: SGXT and IMAD, 8 cycles", "inferred",
                   "measured on a TITAN V, one factor ready; ptxas 11.8 writes three instructions for sm_70, two of them for `alu`")
FILTERING = Cite("CUDA C++ Programming Guide 13.1", "section 19.2, linear filtering")
FETCHES = Cite("Texture fetches on an H100 80GB HBM3", "tests/hardware, textures", "assumed", "not measured on this machine")
NESTING = Cite("CUDA C++ Programming Guide 13.1", "sections 13.6.3.3.1.2 and 13.6.3.3.1.4, nesting depth and configuration of the first device runtime")
VIRTUAL_POOL = Cite("CUDA C Programming Guide 8.0", "appendix D.4.3.1.2, pending kernel launches", "assumed",
                    "\"a virtualized pool with lower performance\": as long again as a launch in the fixed pool")
GPCS = Cite("NVIDIA Tesla V100 GPU Architecture white paper", "six GPCs of 14 SMs, of which 80 are in use", "recalled", "which ones are not is not said")
GPC_SIZES = Cite(GPCS.document, GPCS.place, "assumed", "80 of 84 are in use; that two GPCs lack two each is a guess")
GPC_RATE = Cite("te42kyfo/gpu-benches", "gpu-cache/v100.txt, Tesla V100 PCIe: 2438 GB/s from L2 at 1380 MHz to blocks that have the same to read", "fitted",
                "86 % of what the slices could give, 22 bytes a cycle of each multiprocessor, 309 of a GPC of 14; an H100's GPCs take 552. Whether "
                "it is these or the slices that take longer is not known")
BINS = Cite("R100001, Programming Massively Parallel Processors, performance tests",
            "histogram/BenchResults, RTX 2060 and GTX 1650: tables of 2 KiB, 11.4 and 11.1 ns a block of 32 to 128 threads", "assumed",
            "of other machines, five cycles a line; tables of 1 KiB take a TITAN V 15.9 ns a block (GPU-Perf), 21 cycles of 1335 MHz, where that makes 20")
SPREAD = Cite("Contention of atomic operations on an H100 80GB HBM3", "slice_map.csv of archdef-hopper-evidence: 1 KiB lies in two slices", "assumed",
              "not measured on this machine, taken over because histograms of a TITAN V come out so; GPGPU-Sim's QV100 has 256 bytes")
H100_LAUNCHES = Cite("Launches by kernels of an H100 80GB HBM3", "tests/data/h100/first_launches.txt and device_launches.txt", "assumed",
                     "not measured on this machine")
H100_CODE = Cite("Loops of instructions on an H100 80GB HBM3", "code_loops.csv of archdef-hopper-evidence", "assumed", "not measured on this machine")
SCHEDULING = Cite("Clocks of warps on an H100 80GB HBM3", "scheduling.csv of archdef-hopper-evidence", "assumed", "not measured on this machine")
BARRIERS = Cite("CUDA C++ Best Practices Guide 13.2", "synchronization instructions: __syncthreads() has 16 operations a cycle on 7.x and 8.x",
                note="read in a copy of its pages")
CONFLICTS = Cite("Microbenchmarks of ldmatrix on an H100 80GB HBM3", "1, 2, 4 tiles, rows 16 to 128 bytes apart", "inferred",
                 "a pass delays the result by two cycles there; so does a conflict on a GTX 980 (Mei and Chu, quoted from memory)")
BLOCKS = Cite("Blocks that only live, and empty kernels, on an H100 80GB HBM3", "data/streams.csv, live, and section launch, of archdef-hopper-evidence",
              "inferred", "measured there, taken over: streams of a V100 (gpu-benches, init, blocks of 64 to 192) come within 4 %")
UNPUBLISHED = Cite("not published", "a plausible value", "assumed")
PCIE = Cite("PCI Express 3.0", "16 lanes, 15.75 GB/s a direction", "inferred",
            "three quarters of it, as bandwidth tests of the time print; quoted from memory")
QUEUES = Cite("NVIDIA Kepler GK110 white paper", "Hyper-Q: 32 work queues", "recalled")
PEERS = Cite("Accesses of an H100 80GB HBM3 SXM to memory of another", "tests/data/h100/link_accesses.txt", "assumed", "not measured on this machine")
LANES = Cite("PCI Express 3.0", "16 lanes, 15.75 GB/s a direction", "recalled")
ZERO_COPY = Cite("Min et al., EMOGI, VLDB 2021", "Tesla V100 by PCIe 3.0: 12.2 GB/s by aligned requests of 128 bytes, 4.7 by those of 32, 256 in flight",
                 "inferred", "requests carry 36 bytes beside their data, whole pieces of 64; quoted from memory")
STAGED = Cite("CUDA C++ Programming Guide 13.1", "section 6.2.8.1: copies of 64 KB or less to the device do not wait")
INSTRUCTIONS_MOST = Cite("Wikipedia, CUDA", "technical specifications: maximum number of instructions per kernel, 512 million from 2.0 on")
CONNECTIONS = Cite("CUDA C++ Programming Guide 13.1", "section 22, CUDA_DEVICE_MAX_CONNECTIONS: up to 32 work queues from 3.5 on")
FUSED = Cite("PTX ISA 9.1", "section 9.7.3.7, mad: fused for sm_20 and higher")
MERGED = Cite("CUDA C++ Programming Guide 13.1", "section 17.2: sums and products are combined into FMADs")
NVLINK = Cite("NVIDIA Tesla V100 white paper", "NVLink: 25 GB/s a link and direction", "inferred",
              "two links, as between neighbours of a DGX-1; from memory")

COSTS = [  # SM cycles; `fma` and `alu` are the two pipes of 16 lanes of a scheduler, `xu` its special-function unit
    (Operation("fma", 4), "move fp32_add fp32_mul fp32_fma int_mul16 int_mul32 int_dot"), (Operation("alu", 8, 4 / 3, issues=3), "int_mul24"),
    (Operation("fma", 12, 4), "int_mul_high int_mul_wide"),
    (Operation("alu", 4), """int_add int_logic int_shift int_minmax int_compare int_sad byte_permute funnel_shift select predicate
        fp32_minmax fp32_compare vote clock"""),
    (Operation("alu", 8, issues=2), "bit_field int64_add int64_logic int64_compare"), (Operation("alu", 8, issues=3), "int64_minmax"),
    (Operation("alu", 8, issues=2, interval_cycles=4), "int64_shift"), (Operation("fma", 18, issues=4), "int64_mul"),
    (Operation("alu", 127, issues=14), "int_div32"), (Operation("alu", 400, issues=70), "int64_div"),
    (Operation("xu", 15), "bit_count convert"), (Operation("xu", 20), "convert64"),
    (Operation("xu", 31), "fp32_rcp fp32_rsqrt"), (Operation("xu", 31, issues=2), "fp32_sqrt fp32_div"),
    (Operation("xu", 22), "fp32_transcendental"),
    (Operation("fma", 201, issues=14), "fp32_div_exact"), (Operation("fma", 60, issues=12), "fp32_sqrt_exact"),
    (Operation("dp", 8), "fp64_add fp64_mul fp64_fma fp64_compare"), (Operation("dp", 16, issues=2), "fp64_minmax"),
    (Operation("dp", 104, 26 / 15, issues=15), "fp64_div"), (Operation("dp", 93, 34.4 / 18, issues=18), "fp64_sqrt"),
    (Operation("fma", 6), "fp16_add fp16_mul fp16_fma"), (Operation("alu", 6), "fp16_compare"),
    (Operation("alu", 12), "branch call exit"), (Operation("bar", 12), "barrier"), (Operation("alu", 20), "special_register"),
    (Operation("alu", 4, issues=100), "system_call"), (Operation("lsu", 22), "shuffle"), (Operation("lsu", 26, 2), "match"),
    (Operation("lsu", 4), "load_global store_global load_local store_local store_surface fence"), (Operation("lsu", 50), "atomic_global"),
    (Operation("tex", 60), "load_texture load_surface"), (Operation("lsu", 0), "load_shared store_shared load_constant"),
    (Operation("lsu", 9), "atomic_shared"),
    # two tensor cores of a scheduler do 128 multiply-adds a cycle; four HMMA make a set of 1024, wmma.mma is four sets
    (Operation("tensor", 38, 2, issues=8), "matrix_f16_m16n8k16"), (Operation("tensor", 18, 2, issues=4), "matrix_f16_m8n8k4")]

FORMS = [  # that differ from the rest of their class; sets of f16 results are two HMMA
    (Operation("tensor", 48, 4, issues=4), "matrix_f16_m16n8k16:wmma.mma.*.f16.f16"),
    (Operation("tensor", 21, 4, issues=2), "matrix_f16_m8n8k4:mma.*.f16.f16.f16.f16"),
    (Operation("xu", 11), "fp32_transcendental:sin.* fp32_transcendental:cos.*"), (Operation("xu", 31), "fp32_transcendental:lg2.*"),
    (Operation("dp", 69, 22.4 / 14, issues=14), "fp64_sqrt:rsqrt.approx.f64"),
    (Operation("alu", 125, issues=14), "int_div32:rem.s32"), (Operation("alu", 122, issues=14), "int_div32:div.u32"),
    (Operation("alu", 117, issues=14), "int_div32:rem.u32"), (Operation("fma", 60, issues=14), "fp32_div_exact:rcp.r?.f32")]

MANAGED = Cite("Sakharnykh, Maximizing Unified Memory Performance in CUDA (NVIDIA, 2017); Zheng et al., HPCA 2016; Ganguly et al., ISCA 2019",
               "page faults of the device", "inferred", "quoted from memory: 20 to 50 us a fault, 45 us where it is simulated; blocks of 64 KiB "
               "fetched ahead by a tree over 2 MiB; 512 KiB a group gives the half of the link's rate that is published for streaming on demand; "
               "the host's side as measured on an H200")
REFRESHES = Cite("Ramulator 2, python/ramulator/dram/hbm2.py", "nRFCpb and nREFIpb: 160 ns for one bank, each of 32 once in 3.9 us", "inferred",
                 "JEDEC's figures as it gives them; that banks are refreshed alone follows from writes at 99 % of the peak (gpu-benches)")
EVIDENCE = {
    "texture": FETCHES, "texture.weight_bits": FILTERING,
    "warp": TABLE, "chip": QUERY, "limits": QUERY, "clocks": QUERY, "schedulers": PAPER, "units": RATES, "isa": GUIDE, "isa.forms": ARAFA,
    "coalescing": GUIDE, "caches": UNPUBLISHED, "load_store": UNPUBLISHED, "interconnect": UNPUBLISHED, "dram": UNPUBLISHED,
    "device_launches": NESTING,
    **{f"device_launches.{name}_us": H100_LAUNCHES for name in ("call", "lane", "start", "next", "tail")},
    "device_launches.virtual_us": VIRTUAL_POOL,
    "host_link.mapped": ZERO_COPY, "host_link.mapped.read_gb_s": LANES, "host_link.mapped.write_gb_s": LANES,
    "host_link.mapped.latency_ns": UNPUBLISHED, "host_link.mapped.atomics": UNPUBLISHED,
    "host_link.peer": PEERS, "host_link.peer.read_gb_s": NVLINK, "host_link.peer.write_gb_s": NVLINK,
    "host_link": UNPUBLISHED, "host_link.managed": MANAGED, "host_link.pinned_h2d_gb_s": PCIE, "host_link.pinned_d2h_gb_s": PCIE,
    "host_link.concurrent_grids": TABLE, "host_link.work_queues": CONNECTIONS, "host_link.late_kernel_signals": QUEUES,
    "host_link.staging_bytes": STAGED, "host_link.peer_gb_s": NVLINK,
    "host_link.copy_engines": QUERY, "units.tex": SUMMIT, "units.lsu": LINEAGE, "units.xu": LINEAGE, "units.tensor": TENSOR_CORES,
    "isa.matrix": SUMS, "isa.matrix.f16": BITWISE, "isa.operations.matrix_f16_m16n8k16": RAIHAN, "isa.operations.matrix_f16_m8n8k4": RAIHAN,
    **{f"isa.operations.matrix_f16_{shape}.interval_cycles": TENSOR_CORES for shape in ("m16n8k16", "m8n8k4")},
    "isa.forms.wmma_mma_f16_f16": RAIHAN, "isa.forms.mma_f16_f16_f16_f16": RAIHAN,
    **{f"schedulers.{name}": MULTIPROCESSOR for name in ("count", "issue_interval_cycles", "issue_width")},
    "schedulers.policy": SCHEDULING, "schedulers.instruction_gap_cycles": UNPUBLISHED, "warp.reconvergence": PAPER,
    **{f"chip.{name}": UNPUBLISHED for name in """block_launch_cycles
       launch_overhead_us""".split()},
    **{f"chip.{name}": BLOCKS for name in "block_turnover_cycles block_launch.setup_cycles block_launch.warp_cycles".split()},
    "clocks.core_mhz": UNPUBLISHED,
    **{f"limits.{name}": CALCULATOR for name in """blocks_per_multiprocessor registers_per_thread register_allocation_unit
       register_allocation_scope warp_allocation_granularity
       shared_bytes_per_multiprocessor shared_bytes_per_block shared_allocation_unit_bytes shared_reserved_bytes_per_block
       shared_carveouts""".split()},
    "limits.registers_reserved_per_thread": Cite("machine code of ptxas 11.8, sm_70", "R1 holds the stack pointer", "inferred"),
    "limits.kernel_instructions": INSTRUCTIONS_MOST, "limits.stack_bytes_per_thread": GUIDE, "limits.local_bytes_per_thread": TABLE,
    "limits.parameter_bytes": LARGE,
    "shared": BANKS, "shared.wide_access": UNIFORM_LOADS, "interconnect.byte_masks": MASKS, "interconnect.byte_masks.partial_write_cycles": PARTS,
    "interconnect.header_bytes": SLICE_RATE, "interconnect.cluster_ports.response_bytes_per_cycle": GPC_RATE,
    "chip.multiprocessors_per_cluster": GPCS, "chip.cluster_sizes": GPC_SIZES, "load_store.atomic_sector_cycles": BINS, "dram.interleave_bytes": SPREAD,
    "shared.banks": TABLE, "shared.bank_width_bytes": BANKS, "shared.bank_map": BANKS,
    **{f"coalescing.{access}": SEGMENTS for access in ("store", "load_uncached")}, "coalescing.load": SECTORS,
    "isa.float_mad": FUSED, "isa.fuse_multiply_add": MERGED,
    "isa.assembler": CODE, **{f"isa.assembler.{name}": PTXAS for name in ("merged_atomics", "shared_load_bytes")},
    **{f"isa.operations.{name}.issues": RATES for name in """fp16_add fp16_mul fp16_fma fp32_add fp32_mul fp32_fma fp64_add fp64_mul fp64_fma
       fp32_rcp fp32_rsqrt fp32_transcendental int_add int_mul32 int_shift int_compare int_minmax fp32_compare fp32_minmax int_logic bit_count
       shuffle int_sad convert convert64""".split()},
    "units.bar": BARRIERS, "isa.operations.barrier.unit": BARRIERS, "isa.operations.barrier.issues": BARRIERS,
    "isa.operations": UNPUBLISHED, "isa.operations.int_mul24": PRODUCTS_24, "isa.predication_max_instructions": CODE,
    **{f"isa.operations.{name}": ARAFA for name in """int_add int_mul32 int_mul_high int_compare int_div32 bit_count fp32_add fp32_mul fp32_fma
       fp32_div_exact fp32_sqrt_exact fp32_compare fp32_rsqrt fp32_transcendental fp64_add fp64_fma""".split()},
    **{f"isa.operations.{name}": JIA for name in "shuffle fp16_add fp16_mul fp16_fma".split()},
    "shared.latency_cycles": SHARED, "shared.pass_latency_cycles": CONFLICTS,
    **{f"caches.{c}.replacement": UNPUBLISHED for c in ("l1", "constant", "instruction", "instruction_l2", "texture_l1", "l2")},
    "caches.l1_global_loads": GUIDE, "caches.unified_l1_shared": MULTIPROCESSOR,
    "isa.instruction_bytes": JIA, "caches.instruction.size_bytes": JIA, "caches.instruction.scope": JIA, "caches.instruction_l2.size_bytes": JIA,
    "caches.instruction_memory_cycles": SPLIT,
    **{f"caches.{c}.{name}": H100_CODE for c in ("instruction", "instruction_l2") for name in """ways line_bytes sector_bytes prefetch_degree
       latency_cycles""".split()}, "caches.instruction_preload_bytes": H100_CODE,
    **{f"caches.{c}.{name}": MULTIPROCESSOR for c in ("l1", "texture_l1") for name in ("size_bytes", "scope")},
    **{f"caches.{c}.{name}": LINES for c in ("l1", "texture_l1") for name in ("line_bytes", "sector_bytes")},
    **{f"caches.{c}.{name}": SECTORS for c in ("l2", "constant") for name in ("line_bytes", "sector_bytes")},
    "caches.l1": GUIDE, "caches.l1.ways": SETS, "caches.texture_l1.ways": SETS, "caches.carveout_takes": SETS, "caches.l1.tag_bank_masks": TAGS,
    "caches.l2.ways": L2_SETS, "caches.l2.set_hash_bits": L2_SETS, "isa.operations.fp64_div": INCORE, "isa.operations.fp64_sqrt": INCORE,
    "isa.operations.fp64_sqrt.issues": ROOTS, "isa.forms.rsqrt_approx_f64": RECIPROCAL_ROOTS,
    **{f"caches.constant_l2.{name}": CONSTANTS for name in "size_bytes line_bytes sector_bytes latency_cycles".split()}, "caches.l1.latency_cycles": ACCELSIM,
    "caches.l1.misses_in_flight": UNPUBLISHED,
    "caches.texture_l1.enabled": PAPER,
    "caches.texture_l1.latency_cycles": ACCELSIM, "caches.constant.size_bytes": SMALL_CONSTANTS, "caches.constant.latency_cycles": JIA,
    "caches.l2.size_bytes": QUERY, "caches.l2.latency_cycles": SPLIT,
    "interconnect.partition_response_bytes_per_cycle": SLICE_RATE,
    "interconnect.request_latency_ns": SPLIT, "interconnect.response_latency_ns": SPLIT, "dram.extra_latency_ns": SPLIT,
    "dram.capacity_bytes": QUERY, "dram.bus_bits": QUERY, "dram.transfers_per_clock": QUERY, "dram.ecc_overhead_ratio": SIDEBAND,
    **{f"dram.{name}": REFRESHES for name in "t_refi_ns t_rfc_ns refresh_banks".split()},
    "dram.partitions": CHANNELS, "dram.burst_bytes": Cite("AMD PG313, Versal network on chip", "HBM topology: pseudo-channels of 64 bits, bursts of four")}
