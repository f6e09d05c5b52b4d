"""What instructions cost on Fermi, and where the figures of this plugin come from."""
from archdef.spec import (Cite, Form, FrozenMap, GlobalAtomic, Operation)

BOTH = "read in a copy in English and Korean"
TABLE = Cite("CUDA C Programming Guide 4.2", "table F-2, technical specifications, column 2.x", note=BOTH)
MULTIPROCESSOR = Cite(TABLE.document, "appendix F.4.1, architecture of 2.x", note=BOTH)
SEGMENTS = Cite(TABLE.document, "appendix F.4.2, global memory of 2.x", note=BOTH)
BANKS = Cite(TABLE.document, "appendix F.4.3, shared memory of 2.x", note=BOTH)
MERGED = Cite(TABLE.document, "appendix F.2: additions and multiplications are often combined, into FFMA", note=BOTH)
PARAMETERS = Cite("PTX ISA 9.1", "section 11.2.1, .entry: parameters of 4096 bytes for sm_2x and higher")
GUIDE = Cite("CUDA C Programming Guide 4.2", "chapter 5 and appendix F, compute capability 2.0",
             "recalled")
CALCULATOR = Cite("NVIDIA CUDA Occupancy Calculator", "GPU data of compute capability 2.0")
RATES_2_0 = Cite("CUDA C Programming Guide", "table 2, throughput of native arithmetic instructions, column 2.0",
                 note="read in PCSX2, plugins/GSdx_legacy/res/glsl/nvidia_throughput.txt")
BARRIERS = Cite(TABLE.document, "section 5.4.3: __syncthreads() has 16 operations a cycle on 2.x", note=BOTH)
LINEAGE = Cite("NVIDIA GPU Architecture Lineage", "GF100 tables")
PAPER = Cite("NVIDIA Fermi white paper 1.1", "third generation streaming multiprocessor and summary table", note="read in a copy of its pages")
ADDRESSES = Cite(PAPER.document, "a unified address space of 40 bits", "recalled", "addresses of the ISA have 64")
TEXTURES = Cite("NVIDIA GeForce GTX 680 white paper", "table of chips: 64 texture units of GF110", "inferred",
                "four a multiprocessor at the graphics clock, two a cycle of the shaders; read in a copy of its pages")
SHEET = Cite("vendor data sheet", "clocks", "recalled")
FIT = Cite("archdef timing trial on the reductions of Professional CUDA C Programming, chapter 3", "Tesla M2070", "fitted",
           "nine compiled kernels within 15 %, 7 % on average; another set of values may fit as well")
SCALED = Cite("the M2070 fit", "scaled to the clocks of the GTX 480", "fitted")
MEI = Cite("Mei and Chu, Dissecting GPU Memory Hierarchy, IEEE TPDS 28(1), 2017", "shared memory", "recalled", "a measurement")
QUERY_M2090 = Cite("deviceQuery of a Tesla M2090", "CUDA 4.2: clock rates, total amount of global memory", "measured", card="Tesla M2090")
DOMAINS = Cite("GPGPU-Sim 4.0", "configs/tested-cfgs/SM2_GTX480/gpgpusim.config, -gpgpu_clock_domains", "inferred", "a simulator's input, not a measurement")
GPGPUSIM = Cite("GPGPU-Sim 4.0", "GTX 480 configuration", "inferred", "a simulator's input, not a measurement")
FILTERING = Cite(TABLE.document, "appendix E.2, linear filtering", note=BOTH)
PREDICATION = Cite(TABLE.document, "section 5.4.2: up to 7 instructions if warps are likely to diverge", note=BOTH)
FETCHES = Cite("Texture fetches on an H100 80GB HBM3", "tests/hardware, textures", "assumed", "not measured on this machine")
ATOMICS = Cite("NVIDIA GeForce GTX 680 white paper", "table of rates a clock: atomics of GF110, shared address 1/9, independent addresses 24", "recalled",
               "taken to be of the chip: four a partition, so two cycles for a sector of eight words")
WAYS_BY_CHANCE = Cite(MEI.document, "replacement of the L1: its four ways give way with probabilities of 1/6, 1/2, 1/6 and 1/6", "inferred",
                      "quoted from memory; all alike here: what goes round 24 KiB of a GTX 480 (gpumembench) is faster than its L2, as it would not be by age")
CONFLICT_LATENCY = Cite(MEI.document, "latency of shared memory by bank conflict, GTX 560 Ti", "recalled",
                        "a measurement: 87, 162, 311, 611 and 1209 cycles for two to 32 lanes of a bank, where one takes 50")
WIDE = Cite(TABLE.document, "appendix F.4.3.2: the majority of 128-bit accesses conflict two-way: one is added to the conflicts of each quarter of a warp",
            "fitted", "which do not is not said: loads and stores in turn reach 982 GB/s on a GTX 480 (gpumembench), as if stores did not")
ANDERSCH = Cite("Andersch et al., On Latency in GPU Microarchitectures, ISPASS 2015", "GF106, a smaller chip of compute capability 2.1",
                "inferred", "45, 310 and 685 cycles to L1, L2 and DRAM there; divided over the stations; quoted from memory")
CONFIGURATION = "configs/tested-cfgs/SM2_GTX480/gpgpusim.config of accel-sim/gpgpu-sim_distribution"
CONSTANT_SETS = Cite(GPGPUSIM.document, f"{CONFIGURATION}, line 85, -gpgpu_const_cache:l1 N:64:64:2", "inferred", GPGPUSIM.note)
TEXTURE_SETS = Cite(GPGPUSIM.document, f"{CONFIGURATION}, line 84, -gpgpu_tex_cache:l1 N:4:128:24", "inferred",
                    "four sets, by bits 7 and 8 of the address. Mei and Chu, from memory, have those bits too, and 96 lines of 32 bytes a set: "
                    "the sectors of 24 of these lines; " + GPGPUSIM.note)
FETCHED = Cite("NVIDIA Nsight, Memory Statistics - Caches", "data cache hierarchy of 2.x and 3.x: transactions of texture caches are 32 bytes",
               note="docs.nvidia.com/gameworks, kernel-level experiments")
NO_ECC = Cite("GeForce boards", "no error correction", "recalled")
L2_SETS = Cite(GPGPUSIM.document, f"{CONFIGURATION}, line 77, -gpgpu_cache:dl2 S:64:128:8", "inferred", "64 sets of eight in each half of a partition; "
               + GPGPUSIM.note)
MAPPING = Cite(GPGPUSIM.document, f"{CONFIGURATION}, line 126, -gpgpu_mem_addr_mapping: dramid@8, twelve bits of column", "inferred", GPGPUSIM.note)
CLUSTERS = Cite(TABLE.document, "appendix F.4.1, architecture of 2.x: a GPC includes four multiprocessors", note=BOTH)
PRODUCTS_24 = Cite(TABLE.document, "section 5.4.1: __[u]mul24 is implemented using multiple instructions from 2.x on", "inferred",
                   "how many is not said; two that extract and one that multiplies, as ptxas 11.8 writes for sm_70")
CACHEBENCH = Cite("gpumembench, cachebench of a GeForce GTX 480", "README of github.com/ekondis/gpumembench", "inferred",
                  "read from L2, 271 GB/s at 775 MHz: 58 bytes a cycle of each of six partitions; responses of 64, requests taken to be as wide")
CODE = Cite("Wikipedia, CUDA", "multiprocessor architecture: instruction caches of compute capability 3.x, 8 and 32 KiB a multiprocessor", "assumed",
            "not published of Fermi, whose instructions the GK104 keeps; GPGPU-Sim has 4 sets of 4 lines of 128 bytes, and for a GTX TITAN half of these 8 KiB")
CODE_SETS = Cite("Loops of instructions on an H100 80GB HBM3", "code_loops.csv of archdef-hopper-evidence", "assumed", "not measured on this machine")
CODE_LEVELS = Cite("envytools", "docs/hw/graph/fermi/cuda/isa.rst: code has three levels of cache, of all, of a GPC and of a multiprocessor")
CODE_WAITS = Cite("Wikipedia, CUDA", "multiprocessor architecture: L3 instruction cache, use L2 Data Cache", "inferred",
                  "as long as a load that the L2 serves, less the load's own ten cycles")
UNPUBLISHED = Cite("not published", "a plausible value", "assumed")
PCIE = Cite("PCI Express 2.0", "16 lanes, 8 GB/s a direction", "inferred",
            "three quarters of it, as bandwidth tests of the time print; quoted from memory")
GRIDS = Cite(TABLE.document, "section 3.2.5.3: at most sixteen kernels at a time", note=BOTH)
QUEUES = Cite("NVIDIA Kepler GK110/210 white paper", "Hyper-Q: a single connection on Fermi", note="read in a copy of its pages")
LANES = Cite("PCI Express 2.0", "16 lanes, 8 GB/s a direction", "recalled")
ZERO_COPY = Cite("Min et al., EMOGI, VLDB 2021", "Tesla V100 by PCIe 3.0: 12.2 GB/s by aligned requests of 128 bytes, 4.7 by those of 32, 256 in flight",
                 "inferred", "measured on another card: requests carry 36 bytes beside their data, whole pieces of 64; quoted from memory")
STAGED = Cite("CUDA C Programming Guide 3.2", "concurrent execution: copies of 64 KB or less to the device do not wait",
              note="quoted in a lecture of ME964, Madison, March 2011")
SIGNALS = Cite("Rennich, CUDA C/C++ Streams and Concurrency, 2011", "Fermi: signals after sequential kernels are delayed",
               "recalled")
ENGINES = Cite("CUDA C Programming Guide 4.2", "asyncEngineCount: 1 on GeForce, 2 on Tesla boards", "recalled")

NUGTEREN = Cite("Nugteren et al., A Detailed GPU Cache Model Based on Reuse Distance Theory, HPCA 2014", "set index of the L1", "recalled",
                "a measurement")
COPIES = Cite("Professional CUDA C Programming, chapters 3 and 4", "copies by rows and columns, sums of matrices, reads at an offset", "fitted",
              "copies of rows run at the rate of L2 lines without headers; those of columns need sets and partitions that are hashed")
REPLAYS = Cite("CUDA Profiler User's Guide 4.2", "instructions are issued again, for L1 misses among others", "inferred",
               "from memory; sums of matrices on rows of 64 KiB, which meet in four sets of the L1, are a third too slow if refused lines hold all others")
CONFLICTS = Cite("CUDA Profiler User's Guide 5.0", "shared_replay_overhead: conflicts have instructions issued again", "recalled")
SASS = Cite("machine code of compute capability 2.0", "stack pointer first; SSY and NOP.S around a branch that may diverge; division", "inferred",
            "from memory; instructions per warp of the book's reductions agree within 2 %")

COSTS = [  # SM cycles; of the groups of 16 lanes, one has multipliers, shifters and converters of integers
    (Operation("sp", 18), """move select predicate int_add int_minmax int_logic fp32_add fp32_mul fp32_fma fp32_minmax
        fp32_compare int_compare special_register clock branch call exit fence"""),
    (Operation("int", 18), """int_shift int_mul16 int_mul32 int_mul_high int_sad bit_field bit_count
        byte_permute convert vote barrier"""),
    (Operation("sp", 18, issues=2), "int64_add int64_logic int64_compare"), (Operation("sp", 18, issues=3), "int64_minmax"),
    (Operation("int", 36, issues=3), "int_mul24"), (Operation("int", 18, issues=2), "int_mul_wide"),
    (Operation("int", 18, issues=3), "funnel_shift"), (Operation("int", 18, issues=4), "int64_shift int64_mul"),
    (Operation("int", 18, issues=6), "int_dot"), (Operation("int", 290, 1, issues=17), "int_div32"),
    (Operation("int", 1200, 1, issues=70), "int64_div"),
    (Operation("sfu", 22), "fp32_rcp fp32_rsqrt"), (Operation("sfu", 22, issues=2), "fp32_sqrt fp32_div"),
    (Operation("sp", 18, issues=9), "fp32_div_exact fp32_sqrt_exact"),
    (Operation("dp", 24), "fp64_add fp64_mul fp64_fma fp64_minmax fp64_compare"),
    (Operation("dp", 24, issues=9), "fp64_div"), (Operation("dp", 24, issues=11), "fp64_sqrt"),
    (Operation("sp", 18, issues=100), "system_call"),
    (Operation("lsu", 10), "load_global store_global load_local store_local atomic_global store_surface"),
    (Operation("tex", 10), "load_texture load_surface"),
    (Operation("lsu", 0), "load_shared store_shared load_constant"), (Operation("lsu", 0, issues=4), "atomic_shared")]

COSTS_2_0 = [
    (Operation("dp", 18), "convert64"), (Operation("sfu", 22, 4, issues=2), "fp32_transcendental")]
COSTS_2_1 = [
    (Operation("dp", 18), "convert64"), (Operation("sfu", 22, 2, issues=2), "fp32_transcendental")]

FORMS = FrozenMap({"atomic_global_any": Form(operation="atomic_global", pattern="*", unit="lsu", latency_cycles=10,
                                             global_atomic=GlobalAtomic(address_cycles=9))})

NATIVE = """fp32_add fp32_mul fp32_fma fp32_compare fp32_minmax fp32_rcp fp32_rsqrt int_add int_mul32 int_shift int_compare int_minmax int_logic int_sad
    bit_field bit_count convert""".split()
REFRESH = Cite("gem5, dram_interfaces/gddr.py", "class GDDR5_4000_2x32: tRFC 65 ns, of SK Hynix H5GQ1H24AFR", "inferred", "chips of another order")
REFRESHES = Cite("Ramulator, src/GDDR5.cpp", "init_speed: a refresh in 3.9 us up to 1 Gb, in 1.9 us beyond", "inferred",
                 "chips of 1 Gb, of 2 Gb on Tesla boards")
EVIDENCE = {
    "warp": TABLE, "limits": TABLE, "limits.shared_bytes_per_block": GUIDE, "limits.parameter_bytes": PARAMETERS, "shared": BANKS, "isa": GUIDE,
    "isa.predication_max_instructions": PREDICATION, "isa.fuse_multiply_add": MERGED, "isa.float_mad": MERGED,
    "caches.l1": MULTIPROCESSOR, "caches.constant": GUIDE,
    **{f"caches.l1.{name}": SEGMENTS for name in ("line_bytes", "sector_bytes")}, "caches.constant.size_bytes": TABLE,
    **{f"shared.{name}": BANKS for name in ("bank_width_bytes", "bank_map")}, "caches.constant.scope": MULTIPROCESSOR, "coalescing": SEGMENTS,
    "caches.l1.enabled": SEGMENTS, "chip": LINEAGE, "clocks": LINEAGE, "schedulers": MULTIPROCESSOR,
    "schedulers.issue_width": MULTIPROCESSOR, "units": PAPER, "units.tex": TEXTURES, "isa.pointer_bits": PAPER,
    "units.sp": MULTIPROCESSOR, "units.sfu": MULTIPROCESSOR,
    "units.int": RATES_2_0, **{f"isa.operations.{name}.issues": RATES_2_0 for name in NATIVE}, "caches": UNPUBLISHED,
    "caches.texture_tile_rows": UNPUBLISHED, "caches.l1_global_loads": SEGMENTS, "texture": FETCHES, "texture.weight_bits": FILTERING,
    **{f"caches.{c}.size_bytes": CODE for c in ("instruction", "instruction_l2")},
    **{f"caches.{c}.scope": CODE_LEVELS for c in ("instruction", "instruction_l2")},
    **{f"caches.{c}.{name}": CODE_SETS for c in ("instruction", "instruction_l2")
       for name in "ways line_bytes sector_bytes prefetch_degree latency_cycles".split()},
    "caches.instruction_preload_bytes": CODE_SETS, "caches.instruction_memory_cycles": CODE_WAITS,
    "caches.l2": LINEAGE, "dram": LINEAGE, "load_store": FIT, "interconnect": FIT,
    "host_link.mapped": ZERO_COPY, "host_link.mapped.read_gb_s": LANES, "host_link.mapped.write_gb_s": LANES,
    "host_link.mapped.latency_ns": UNPUBLISHED, "host_link.mapped.atomics": UNPUBLISHED,
    "host_link": UNPUBLISHED, "host_link.pinned_h2d_gb_s": PCIE, "host_link.pinned_d2h_gb_s": PCIE,
    "host_link.concurrent_grids": GRIDS, "host_link.work_queues": QUEUES, "host_link.late_kernel_signals": SIGNALS,
    "host_link.staging_bytes": STAGED,
    "host_link.copy_engines": ENGINES,
    "units.dp": LINEAGE, "units.dp.scope": MULTIPROCESSOR, "schedulers.policy": FIT, "schedulers.instruction_gap_cycles": UNPUBLISHED,
    "chip.multiprocessors_per_cluster": CLUSTERS, "chip.block_launch_cycles": UNPUBLISHED,
    "chip.block_turnover_cycles": FIT, "chip.launch_overhead_us": UNPUBLISHED,
    **{f"limits.{name}": CALCULATOR for name in """registers_per_multiprocessor registers_per_block registers_per_thread
       register_allocation_unit register_allocation_scope register_allocation_rules warp_allocation_granularity
       shared_allocation_unit_bytes shared_carveouts shared_reserved_bytes_per_block""".split()},
    "limits.address_bits": ADDRESSES,
    "limits.registers_reserved_per_thread": Cite("SASS of compute capability 2.0", "R1 holds the stack pointer", "inferred", "from memory"),
    "isa.operations": UNPUBLISHED, "isa.assembler": SASS, "isa.operations.int_div32": SASS, "isa.operations.int_mul24": PRODUCTS_24,
    **{f"isa.operations.{name}": Cite("Volkov, Understanding Latency Hiding on GPUs, 2016", "GTX 480", "recalled", "a measurement")
       for name in "int_add int_logic fp32_add fp32_mul fp32_fma int_shift int_compare int_mul32".split()},
    "isa.operations.barrier.unit": BARRIERS, "isa.operations.barrier.issues": BARRIERS, "isa.forms": ATOMICS,
    "load_store.atomic_sector_cycles": ATOMICS, "shared.pass_latency_cycles": CONFLICT_LATENCY,
    "shared.latency_cycles": MEI, "shared.conflicts_hold_issue": CONFLICTS, "shared.wide_access": WIDE,
    "caches.l1.set_hash_bits": NUGTEREN, "caches.l1.ways": GPGPUSIM, "caches.l1.latency_cycles": ANDERSCH,
    **{f"caches.{c}.replacement": UNPUBLISHED for c in ("constant", "texture_l1", "l2")}, "caches.l1.replacement": WAYS_BY_CHANCE,
    **{f"caches.texture_l1.{name}": TEXTURE_SETS for name in "size_bytes line_bytes ways".split()}, "caches.texture_l1.sector_bytes": FETCHED,
    "caches.l1.misses_in_flight": FIT, "caches.l1.write": FIT, "caches.constant.line_bytes": CONSTANT_SETS,
    "caches.constant.sector_bytes": CONSTANT_SETS, "caches.constant.ways": CONSTANT_SETS,
    "caches.constant.latency_cycles": UNPUBLISHED, "caches.constant.misses_in_flight": UNPUBLISHED,
    "caches.l2.ways": L2_SETS, "caches.l2.latency_cycles": FIT, "caches.l2.misses_in_flight": UNPUBLISHED,
    "load_store.atomic_cycles": UNPUBLISHED, "load_store.reads_in_flight_per_multiprocessor": FIT, "load_store.replay.cycles": FIT,
    "load_store.replay.on_reservation_fail": REPLAYS,
    "interconnect.partition_request_bytes_per_cycle": CACHEBENCH, "interconnect.partition_response_bytes_per_cycle": CACHEBENCH,
    "interconnect.header_bytes": COPIES, "caches.l2.set_hash_bits": COPIES, "interconnect.injection_bytes_per_cycle": UNPUBLISHED,
    "interconnect.injection_scope": UNPUBLISHED, "dram.interleave_bytes": MAPPING, "dram.partition_map": COPIES,
    "dram.row_bytes": MAPPING, "dram.queue_entries": UNPUBLISHED, "dram.scheduling": UNPUBLISHED,
    "dram.write_drain_high": UNPUBLISHED, "dram.write_drain_low": UNPUBLISHED, "dram.t_rtw_ns": UNPUBLISHED,
    "dram.t_rfc_ns": REFRESH, "dram.t_refi_ns": REFRESHES,
    "dram.extra_latency_ns": FIT, "dram.ecc_overhead_ratio": COPIES, "dram.burst_bytes": GPGPUSIM,
    **{f"dram.{name}": GPGPUSIM for name in "banks t_rcd_ns t_rp_ns t_ras_ns t_rrd_ns t_cl_ns t_wl_ns t_wtr_ns t_wr_ns".split()}}

ISSUE = Cite(TABLE.document, "appendix F.4.1: two schedulers, each issues two independent instructions of a warp", note=BOTH)
RATES = Cite("CUDA C Programming Guide 5.0", "throughput of native arithmetic instructions, column 2.1", note="read in a copy")
BOARD = Cite("GPU database of techpowerup.com", "GeForce GTX 460 1 GB, GF104", note="read in reviews of the time too")
TAKEN_OVER = Cite("the description of GF100", "taken over", "inferred", "the multiprocessor's memory path is the same")
EVIDENCE_2_1 = {
    "chip": BOARD, "clocks": BOARD, "dram": UNPUBLISHED, "dram.partitions": BOARD, "dram.bus_bits": BOARD, "dram.capacity_bytes": BOARD,
    "dram.transfers_per_clock": BOARD, "dram.ecc_overhead_ratio": NO_ECC, "caches.l2.size_bytes": BOARD, "schedulers": ISSUE, "schedulers.issue_width": ISSUE,
    "schedulers.dual_issue": Cite(ISSUE.document, ISSUE.place, "inferred", "any two, but for double precision"),
    "units": RATES, "units.tex": BOARD, "units.dp": RATES, "units.sp": RATES, "units.sfu": RATES, "units.int": RATES,
    **{f"isa.operations.{name}.issues": RATES for name in (*NATIVE, "convert64")}, "caches.l1.latency_cycles": ANDERSCH,
    "caches.l2.latency_cycles": ANDERSCH, "interconnect.request_latency_ns": ANDERSCH, "interconnect.response_latency_ns": ANDERSCH,
    "dram.extra_latency_ns": ANDERSCH, "load_store": TAKEN_OVER, "load_store.atomic_sector_cycles": ATOMICS,
    "caches.l1.misses_in_flight": TAKEN_OVER, "interconnect": TAKEN_OVER}
