"""What instructions cost on the H100, and where the figures of this plugin come from."""
from archdef.spec import MATRIX_CLASSES, Cite, Form, FrozenMap, GlobalAtomic, Operation, SharedAtomic, SlowPath


def measured(document: str, place: str, note: str = "") -> Cite:
    """Cite a measurement on this card."""
    return Cite(document, place, "measured", note, "H100 80GB HBM3")


MICRO = "archdef microbenchmarks, H100 80GB HBM3 SXM, driver 580.159.04, CUDA 13.0"
QUERY = measured("cudaDeviceProp of an H100 80GB HBM3", "device.json")
INSTRUCTIONS = measured(MICRO, "section instructions", "latency of a dependent chain, rate with 32 warps")
SHARED = measured(MICRO, "sections shared, shared_atomics")
GLOBAL = measured(MICRO, "sections global_latency, l1_hit_throughput, cache_bandwidth")
CONSTANT = measured(MICRO, "section constant_latency")
FIRST_CONSTANT = Cite(CONSTANT.document, CONSTANT.place, "inferred", "a hit in the second cache of constants; first warps wait some 250 cycles in all")
TOGETHER = measured("Stores of parts of sectors on an H100 80GB HBM3 SXM, Nsight Compute, 2026-11-22", "data/combined_stores.csv",
                    "sectors and requests at L2: 24 lines in between do not part two stores to one line, 32 do")
APART_IN_TIME = Cite(TOGETHER.document, TOGETHER.place, "inferred", "stores some 20 cycles apart go together, those 70 cycles apart do not; a warp's "
                     "stores in a row go together though seven other warps store")
HOT = Cite("Stores at random words by all multiprocessors of an H100 80GB HBM3 SXM, 2026-11-22", "data/hot_words.csv, scatter.csv", "inferred",
           "25 to 29 a cycle over 4 MiB; words of one place 3.3 cycles each, of a piece of 256 bytes 3.0 (data/repeated_stores.csv)")
MATCHED = measured("Loops of match.any in blocks of 1 to 32 warps on an H100 80GB HBM3 SXM, 2026-11-21", "data/constant_matches.csv",
                   "11 cycles for each further value; all schedulers together take one every two cycles")
WALKED = measured("Walks over tables in constant memory by blocks of one warp on an H100 80GB HBM3 SXM, 2026-11-22", "data/constant_walks.csv",
                  "a trip with one uniform load, by span and step, by which schedulers' warps walk, at one place or at several")
ATOMICS = measured(MICRO, "section global_atomics_latency")
BARRIERS = measured(MICRO, "section bar_sync")
LAUNCHES = Cite(MICRO, "section launch", "inferred", "empty kernels of 1 to 105600 blocks")
BLOCKS = Cite("Blocks that only live, on an H100 80GB HBM3 SXM, 2026-11-22", "data/streams.csv, live", "inferred",
              "a multiprocessor starts 32 blocks of one warp, 8 of 8 and 2 of 32 within 700, 316 and 126 cycles; ends are noted 1.18 cycles apart")
STORED = Cite("Loops of loads and stores on an H100 80GB HBM3 SXM, 2026-11-22", "data/streams.csv, trips 3; data/scatter.csv", "inferred",
              "what 8 to 32 warps store before they have to wait: some 10 KB of whole lines, more of single sectors")
DIRTY = Cite("Nsight Compute on an H100 80GB HBM3 SXM, 2026-11-22", "data/written_back.csv", "inferred",
             "25.0 MB of what is scaled in place stay in L2, whether 33, 50 or 67 MB are; half of the ways would be 26.2 MB")
CHILDREN = measured("Launches by kernels of an H100 80GB HBM3", "tests/data/h100/first_launches.txt and device_launches.txt",
                    "40 generations ran; more were not tried. A tail begins 3 us after a grid of the host, 4.8 us after a nested one")
FIXED_POOL = Cite("Launches by kernels of an H200", "tests/data/h200/device_runtime.txt: 2048 of 4096 refused with error 69", "inferred",
                  "another card with the same chip")
OCCUPANCY = measured("CUDA runtime's occupancy API", "2730 launches on an H100, data/occupancy.csv")
GUIDE = Cite("CUDA C Programming Guide 12", "compute capability 9.0", "recalled")
LARGE = Cite("NVIDIA technical blog, CUDA 12.1 Supports Large Kernel Parameters", "32,764 bytes on Volta and above; 4,096 before CUDA 12.1")
CALCULATOR = Cite("cuda_occupancy.h of CUDA 12", "compute capability 9.0")
PAPER = Cite("NVIDIA H100 white paper", "GH100 architecture", "recalled")
TABLE = Cite("CUDA C++ Programming Guide 13.1", "table 27, technical specifications, column 9.0")
MULTIPROCESSOR = Cite(TABLE.document, "section 20.8.1, architecture of 9.0")
INSTRUCTIONS_MOST = Cite("Wikipedia, CUDA", "technical specifications: maximum number of instructions per kernel, 512 million from 2.0 on")
FUSED = Cite("PTX ISA 9.1", "section 9.7.3.7, mad: fused for sm_20 and higher")
MERGED = Cite(TABLE.document, "section 17.2: sums and products are combined into FMADs")
BULK = measured("archdef microbenchmarks, H100 80GB HBM3 SXM", "data/bulk_copies.csv")
FIT = Cite(MICRO, "several sections", "fitted", "split so that the measured total comes out")
LOOKED = Cite("SASS of the microbenchmarks", "instruction mix per step", "inferred", "the class is not measured alone")
TEXTURES = measured("Fetches by one block on an H100 80GB HBM3 SXM", "microbench_h100.json, texture_latency; 4 fetches or 8 surface accesses a cycle",
                    "the split of a hit's 88 cycles between operation and cache follows from misses, which hit in L2, at 317; a surface's is 106")
FETCHES = measured("Texture fetches on an H100 80GB HBM3", "tests/hardware, textures", "fitted to the outputs, bit for bit")
WEIGHTS = Cite("CUDA C++ Programming Guide 13.1", "section 19.2, linear filtering", note="and measured: tests/hardware")
PRODUCTS = measured("tests/hardware/measure_matrix.py", "chains of products", "latency of one, rate of 64 in 16 warps")
ROUTINES = Cite("tests/hardware/measure_matrix.py", "chains of products; SASS of the routine", "inferred",
                "latency and rate are measured, the number of instructions is read off the machine code")
GROUPS = measured("clocks on an H100 80GB HBM3 SXM", "warpgroup.csv, groups of one, four and eight products of 8 to 256 columns",
                  "slopes over products, offsets over columns")
GROUP_SUMS = measured("tests/hardware/data/warpgroup/h100-2026-11-22.json", "671 products of 14 pairs of types, 12 kinds of operands",
                      "every number of them to the bit")
TILES = measured("microbenchmarks of ldmatrix and stmatrix", "1, 2, 4 tiles, rows 16 to 128 bytes apart",
                 "a pass takes a cycle of the banks and delays the result by two")
SUMS = measured("tests/hardware/data/matrix/h100-2026-11-21.xz", "208 forms of products", "every number of them to the bit")
SCATTER = Cite("Loads, stores and reductions by 1 to 132 multiprocessors of an H100 80GB HBM3 SXM, 2026-11-21", "data/scatter.csv", "inferred",
               "cycles per request of 12 lane patterns: a flit of 32 bytes a sector, one more where bytes are left out; all 132 at half the rate of 66")
PROMOTED = measured(MICRO, "coalescing.csv, sectors read from DRAM", "strides past 32 bytes read 64 bytes each")
PARTIAL = measured("Accesses to one set of an H100 80GB HBM3 SXM, 2026-11-23", "data/l2_sets.csv, data/partial_lines.csv",
                   "of 25600 sets, of 16 lines in order of use, each keeps two such lines, and a third until the next access, whatever that is")
MEETING = Cite("Stores of words on an H100 80GB HBM3 SXM, 2026-11-22", "data/partial_lines.csv; DRAM sectors of three kernels", "inferred",
               "not public; some 700 choices were scored by the stores, about ten run on transpose_naive, sha256_blocks and stencil7_slices: "
               "these bits are the least off in the three together")
DRAWN = Cite("Clocks of stores on an H100 80GB HBM3 SXM, 2026-11-22", "data/store_turns.csv, data/combined_stores.csv", "inferred",
             "schedulers that load and store drift apart, those that only store take turns; chosen of five rules by these and transpose_naive; "
             "data/passing.csv, measured afterwards, speaks for it")
WAITING = Cite("Loads that hit L1 on an H100 80GB HBM3 SXM, 2026-11-23", "data/l1_order.csv", "inferred",
               "by the oldest of eight blocks: 12 where warps load two at a time, 16 to 20 for four, 24 and more for eight")
SIDES = Cite(MICRO, "section global_latency_histogram", "inferred", "misses at 570 and at 760 cycles, equally often")
BUFFERED = Cite("Streams of reads and stores on an H100 80GB HBM3 SXM, 2026-11-22", "data/mixes.csv, data/streams.csv, trips 3", "inferred",
                "what is stored has been handed over only some 10 KB a multiprocessor before it is through")
CROSSED = Cite("Streams of reads and stores on an H100 80GB HBM3 SXM, 2026-11-22", "data/mixes.csv", "inferred",
               "streams that store 0.5 to 1 of what they read, or only store, move 2.0 to 2.1 TB/s for the other half of the chip, both ways together")
STREAMS = Cite(MICRO, "sections dram_bandwidth, hiding_loads", "fitted", "set so that sustained reads, writes, copies and latencies come out")
REFRESHED = measured("Loads at random, 32 at a time, by one block on an H100 80GB HBM3 SXM, 2026-11-21", "data/refresh.csv",
                     "one in eight waits, anything up to 237 ns; ends of waits repeat after 1906 and 3813 cycles; that half of the banks wait follows "
                     "from these two periods, and from the 93 % of the peak that streams reach")
LOADED = Cite("Streams, and single loads beside them, on an H100 80GB HBM3 SXM, 2026-11-21", "data/memory_load.csv", "inferred",
              "latencies by load; pieces of 128 bytes at random are as fast as lines in order, so rows do not stay open; bursts are faster than "
              "refreshes allow")
SASS = Cite("ptxas 13.0 for sm_90", "machine code of 23 calibration kernels and of some 500 conditionals written for it", "inferred",
            "which it unrolls, predicates and merges; what it adds; checked against issued instructions of 73 launches")
GUARDS = measured("ptxas 13.0 for sm_90, machine code of 170 kernels", "least distances by its stall counts; data/branches.csv",
                  "13 cycles from a comparison to what it guards, 4 to a selection; 10 from a branch to where it goes, 5 past one that is not taken")
CONVERGED = measured("Loops of branches on an H100 80GB HBM3 SXM, 2026-11-22", "data/branches.csv",
                     "41 cycles a branch around one addition, of which 26 are the stall counts of all but BSYNC")
WIDE = Cite("ptxas 13.0 for sm_90, machine code of 170 kernels", "least distances by its stall counts", "inferred",
            "4 cycles from IMAD.WIDE to the next that adds to it, 5 to an address; 7 to what reads its upper half alone")
SLOW = measured("Quotients and roots of zeros and others on an H100 80GB HBM3 SXM, by clock, 2026-11-22; machine code by ptxas 13.0", "data/slow_paths.csv",
                "latency and slow_path.cycles; which operands: the code's tests, and data/quotient_exponents.csv; "
                "slow_path.issues: the way of a zero through it")
LANES = measured("Loops of LDC on an H100 80GB HBM3 SXM, by clock, 2026-11-22", "data/constant_lanes.csv", "1 to 32 addresses a warp, 1 to 32 warps")
UNPUBLISHED = Cite("not published", "a plausible value", "assumed")
HOST = "tests/hardware/measure_host.c on an H100 80GB HBM3 SXM, driver 580.159.04"
COPIES = measured(HOST, "sections copy_events, copy_in_a_row", "64 MiB or more; 16 small ones in a row")
BOTH_WAYS = measured(HOST, "section both_ways", "128 MiB each")
STAGED = measured(HOST, "section async_call_behind_5ms", "256 KiB do not wait, 4 MiB do")
CALLS = measured(HOST, "section host_call", "200 calls behind a kernel")
GAPS = measured(HOST, "section turnaround")
NVLINK = Cite("Lockwood, glennklockwood.com, H100", "NVLink, 900 GB/s", "inferred", "a peak, half of it a direction")
ACCESSES = measured("Accesses of an H100 80GB HBM3 SXM to memory of the host and of another, by clock and event, 2026-11-27; code by nvcc 13",
                    "tests/data/h100/link_accesses.txt")
WAY_LESS = Cite(ACCESSES.document, "tests/data/h100/link_accesses.txt, chase", "inferred",
                "1212 ns to the host, 858 to another H100, less the way to the network and back, which a load of the model takes")
PIECES = Cite(ACCESSES.document, "tests/data/h100/link_accesses.txt, scattered lines", "inferred",
              "what 32, 64, 96 and 128 bytes of each line take at the rate of the lanes; to the host 96 take as long as 128, and 32 as 64")
AWAKE = Cite(HOST, "section launch_latency", "inferred",
             "6.2 us until the host sees the kernel's first store, 8.3 us beyond the kernel's own time until it goes on")
QUEUES = measured(HOST, "sections streams_of and overlap, 1 to 32 connections")

COSTS = [  # SM cycles; `fma` and `alu` are the two pipes of a scheduler, `xu` its multi-function unit
    (Operation("fma", 4), "move fp32_add fp32_mul fp32_fma"), (Operation("fma", 5), "int_add"),
    (Operation("fma", 4, 2), "int_mul32 int_mul16 int_dot"),
    (Operation("fma", 10, 1.036, issues=2), "int_mul24"), (Operation("fma", 9, 4), "int_mul_high"), (Operation("fma", 5, 4), "int_mul_wide"),
    (Operation("alu", 4), """int_logic int_shift int_minmax int_compare int_sad byte_permute funnel_shift select predicate
        fp32_minmax fp32_compare fp16_minmax"""),
    (Operation("alu", 13), "vote"), (Operation("alu", 8, 4, issues=2), "bit_field"),
    (Operation("alu", 63, 1.07, issues=14, slow_path=SlowPath(guarded_issues=3)), "int_div32"),
    (Operation("alu", 6, 1.026, issues=2), "int64_add"), (Operation("alu", 4, issues=2), "int64_logic"),
    (Operation("alu", 12, issues=4), "int64_minmax"), (Operation("alu", 8, issues=2), "int64_shift int64_compare"),
    (Operation("fma", 17, 2.094, issues=4), "int64_mul"), (Operation("fma", 345, 2.15, issues=70), "int64_div"),
    (Operation("xu", 17), "bit_count fp16_transcendental"), (Operation("xu", 39, 2, issues=4), "fp32_rsqrt fp32_sqrt"),
    (Operation("xu", 41, 1.2, issues=7), "fp32_rcp"), (Operation("xu", 41, 1.6, issues=5), "fp32_div"),
    (Operation("xu", 23, 4, issues=2), "fp32_transcendental"), (Operation("alu", 5), "convert"), (Operation("xu", 18, 8.5), "convert64"),
    (Operation("fma", 58, 17 / 9, issues=9, slow_path=SlowPath(paths=1, issues=33, branches=8, cycles=213, instructions=103)),
        "fp32_div_exact"),
    (Operation("fma", 56, 11 / 9, issues=9, slow_path=SlowPath(paths=1, issues=11, branches=4, cycles=105, instructions=23)), "fp32_sqrt_exact"),
    (Operation("dp", 8), "fp64_add fp64_mul fp64_fma"), (Operation("dp", 10), "fp64_compare"),
    (Operation("dp", 25, 1, issues=7), "fp64_minmax"),
    (Operation("dp", 124, 25 / 15, issues=15, slow_path=SlowPath(paths=1, issues=64, branches=7, cycles=299, instructions=93)),
        "fp64_div"),
    (Operation("dp", 92, 25 / 17, issues=17, slow_path=SlowPath(paths=1, issues=15, branches=4, cycles=135, instructions=48)), "fp64_sqrt"),
    (Operation("cbu", 10), "branch call exit"), (Operation("bar", 13), "barrier"), (Operation("alu", 20), "special_register"), (Operation("alu", 2), "clock"),
    (Operation("fma", 8, 1.028), "fp16_add fp16_mul fp16_fma"), (Operation("alu", 8), "fp16_compare"),
    (Operation("xu", 44), "redux"), (Operation("alu", 4, issues=100), "system_call"),
    (Operation("lsu", 24), "shuffle matrix_transpose"), (Operation("lsu", 28, 2), "match"), (Operation("lsu", 8), "fence"),
    (Operation("lsu", 4), "load_global store_global load_local store_local"), (Operation("lsu", 3), "atomic_global atomic_shared"),
    (Operation("tex", 38), "load_texture"), (Operation("tex", 56, 4), "load_surface"), (Operation("tex", 4, 4), "store_surface"),
    (Operation("tma", 41, 52), "bulk_copy"),
    (Operation("lsu", 0), "load_shared store_shared load_matrix store_matrix"), (Operation("lsu", 0, 2), "load_constant"),
    (Operation("tensor", 17, 4), """matrix_f16_m16n8k8 matrix_tf32_m16n8k4 matrix_int8_m16n8k16 matrix_and_m16n8k128"""),
    (Operation("tensor", 24, 6), """matrix_f16_m16n8k16 matrix_tf32_m16n8k8 matrix_int8_m16n8k32 matrix_and_m16n8k256"""),
    (Operation("tensor", 14, 4), "matrix_int8_m8n8k16 matrix_and_m8n8k128"),
    (Operation("tensor", 26, 16), "matrix_f64_m8n8k4"), (Operation("tensor", 34, 16), "matrix_f64_m16n8k4"),
    (Operation("tensor", 50, 32), "matrix_f64_m16n8k8"), (Operation("tensor", 82, 64), "matrix_f64_m16n8k16"),
    (Operation("tensor", 32, 4), "warpgroup_f16 warpgroup_tf32 warpgroup_fp8"), (Operation("tensor", 30, 4), "warpgroup_int8"),
    (Operation("cbu", 11, 1), "warpgroup_fence"), (Operation("cbu", 4, 1), "warpgroup_wait"),
    # no units of their own: loops of other instructions
    (Operation("tensor", 91, 2, issues=13), "matrix_xor_m8n8k128"), (Operation("tensor", 94, 2, issues=14), "matrix_xor_m16n8k128"),
    (Operation("tensor", 114, 2, issues=19), "matrix_xor_m16n8k256"), (Operation("tensor", 97, 2, issues=16), "matrix_u4_m8n8k32"),
    (Operation("tensor", 106, 2, issues=20), "matrix_u4_m16n8k32"), (Operation("tensor", 131, 2, issues=27), "matrix_u4_m16n8k64"),
    (Operation("tensor", 172, 2, issues=53), "matrix_s4_m8n8k32"), (Operation("tensor", 227, 2, issues=80), "matrix_s4_m16n8k32"),
    (Operation("tensor", 416, 2, issues=150), "matrix_s4_m16n8k64"), (Operation("tensor", 278, 2, issues=60), "matrix_f16_m8n8k4")]

FORMS = [  # that differ from the rest of their class
    (Operation("xu", 17), """fp32_transcendental:ex2.approx.ftz.f32 fp32_transcendental:lg2.approx.ftz.f32 fp32_transcendental:tanh.approx.f32
        fp32_rsqrt:rsqrt.approx.ftz.f32 fp32_sqrt:sqrt.approx.ftz.f32 convert:cvt.r?i*.f32.f32"""),
    (Operation("xu", 39, 2, issues=4, slow_path=SlowPath(guarded_issues=2)), """fp32_transcendental:ex2.approx.f32 fp32_transcendental:lg2.approx.f32
        fp32_rsqrt:rsqrt.approx.f32 fp32_sqrt:sqrt.approx.f32"""),
    (Operation("xu", 41, 1.6, issues=5, slow_path=SlowPath(guarded_issues=2)), "fp32_div:div.approx.f32"),
    (Operation("xu", 19), """fp32_rcp:rcp.approx.ftz.f32 fp32_rcp:div.full.* bit_field:brev.b32 convert:cvt.*[su]32.f32 convert:cvt.*[su]16.f32
        convert:cvt.*[su]8.f32"""), (Operation("xu", 23, 4, issues=2), "fp32_div:div.approx.ftz.f32 bit_count:clz.b32"),
    (Operation("xu", 19, 4, issues=2), "fp32_rcp:rcp.approx.ftz.f64 fp32_rsqrt:rsqrt.approx.ftz.f64"),      # the lower half of the result is 0
    (Operation("fma", 77, 12 / 9, issues=9, slow_path=SlowPath(paths=1, instructions=53)), "fp32_div_exact:rcp.r?.f32"),
    (Operation("fma", 12, 6), "int_mul_wide:mad.wide.*"),       # the upper half of its sum goes to `fma`, too
    (Operation("xu", 17, 8, issues=2), "fp16_transcendental:ex2.*x2 fp16_transcendental:tanh.*x2"),
    (Operation("alu", 66, 1.17, issues=12, slow_path=SlowPath(guarded_issues=3)), "int_div32:rem.s*"),
    (Operation("alu", 57, 1.17, issues=10, slow_path=SlowPath(guarded_issues=2)), "int_div32:div.u*"),
    (Operation("alu", 63, 1.67, issues=9, slow_path=SlowPath(guarded_issues=2)), "int_div32:rem.u*"),
    (Operation("alu", 10, 2, issues=4), "bit_field:bfi.b32"), (Operation("lsu", 26), "shuffle:shfl*.idx.b32"),
    # conversions: of integers to floats and among narrow integers by `alu`, of halves by `fma`, to integers and to whole numbers by `xu`
    (Operation("alu", 4), "convert:cvt.*f32.[su]*"),
    (Operation("alu", 14), "barrier:bar.warp.sync"), (Operation("lsu", 663, issues=4), "fence:membar.gl fence:membar.sys fence:fence.*.gpu fence:fence.*.sys"),
    (Operation("lsu", 663, issues=3), "fence:atom.* fence:red.* fence:st.*"),     # before a release
    (Operation("fma", 5), "convert:cvt.*f16.f32 convert:cvt.*f32.f16"), (Operation("udp", 0), "load_constant:*:uniform"),
    (Operation("lsu", 28), "move:*:brought")]

TECHNIQUES = FrozenMap({   # techniques of atomic operations; the rest of `atomic_shared` the memory does by itself
    name: Form(operation=operation, pattern=pattern, unit="lsu", latency_cycles=latency, **{operation.removeprefix("atomic_") + "_atomic": technique})
    for name, operation, pattern, latency, technique in (
        ("shared_counter", "atomic_shared", "*.add.[us]32:1", 3, SharedAtomic(lanes_merged=True)),
        ("shared_cas", "atomic_shared", "*.cas.b32", 10, SharedAtomic(bank_passes=2)),
        ("shared_cas64", "atomic_shared", "*.cas.b64", 18, SharedAtomic(bank_passes=2)),
        ("shared_exch64", "atomic_shared", "*.exch.b64", 7, None),
        ("shared_add_f32", "atomic_shared", "*.add*.f32", 68, SharedAtomic(retry_cycles=95)),
        ("shared_add_f64", "atomic_shared", "*.add*.f64", 85, SharedAtomic(retry_cycles=108)),
        ("shared_add_f16x2", "atomic_shared", "*.add*f16x2", 70, SharedAtomic(retry_cycles=97)),
        ("shared_add64", "atomic_shared", "*.add.[us]64", 86, SharedAtomic(retry_cycles=109)),
        ("shared_logic64", "atomic_shared", "[ar]*b64", 86, SharedAtomic(retry_cycles=109)),
        ("shared_order64", "atomic_shared", "*.m??.[us]64", 42, None),
        ("shared_half", "atomic_shared", "*.add*f16", 71, SharedAtomic(bank_passes=2)),
        ("shared_cas16", "atomic_shared", "*.cas.b16", 69, SharedAtomic(bank_passes=2)),
        ("global_cas", "atomic_global", "*.cas.*", 10, GlobalAtomic(operands=2)),
        ("global_float", "atomic_global", "*.add*.*f*", 5, GlobalAtomic(address_cycles=3.5)))})

MEASURED = """fp32_add fp32_mul fp32_fma int_add int_mul32 int_dot int_mul_high int_logic int_shift int_minmax int_compare int_sad
    byte_permute funnel_shift select fp32_minmax fp32_compare vote bit_field bit_count int_div32 int64_add int64_shift int64_mul
    int64_div fp32_rsqrt fp32_rcp fp32_div fp32_transcendental convert convert64 fp32_div_exact fp32_sqrt_exact fp64_add
    fp64_mul fp64_fma fp64_minmax fp64_compare fp64_div fp64_sqrt shuffle match fp16_add fp16_fma redux""".split()

NATIVE = """f16_m16n8k8 f16_m16n8k16 tf32_m16n8k4 tf32_m16n8k8 f64_m8n8k4 f64_m16n8k4 f64_m16n8k8 f64_m16n8k16 int8_m8n8k16 int8_m16n8k16
    int8_m16n8k32 and_m8n8k128 and_m16n8k128 and_m16n8k256""".split()
"""Matrix products that are instructions of the machine; the others call routines made of them."""

COUNTED = "Nsight Compute and clocks on an H100 80GB HBM3 SXM"
GATHERING = measured(COUNTED, "gathering.csv, lts__t_sectors_srcunit_tex and lrc__request_sectors_op_read_coalescing_achieved",
                     "equal requests of two to sixteen multiprocessors, by how far apart in time they come")
LINES = measured(COUNTED, "hot_lines.csv, all multiprocessors on 1 to 65536 lines",
                 "1.45 cycles a sector, 1.16 where all its words are operated on, 1.16 for each of two values")
PAIRED = measured(COUNTED, "slice_pairs.csv, half of all accesses to each of two slices",
                  "of 3160 pairs the 40 opposite ones share ways in, 40 others a link; one word 2.0 cycles at a way in, a sector 2.3, a line 5.8")
PLACES = measured(COUNTED, "placement.csv, %smid of every block", "sizes differ from card to card")
BANKED = Cite(COUNTED, "l1_conflicts.csv, 68 patterns of addresses that hit", "inferred", "the two masks of 12 bits that explain every pattern")
DIVIDED = measured(COUNTED, "l1_capacity.csv, carveouts.csv", "what hits beside each carveout; launch__shared_mem_config_size")
CLUSTERS = Cite("clocks on an H200, which is the same chip", "clusters.csv, made by tests/clusters.cu", "inferred",
                "Luo et al. 2024 give 180 cycles and 3.3 TB/s, which is 14 bytes a cycle and multiprocessor, on another card; stores in a "
                "full chip 16 to 18.5, loads 14 to 17")
CLUSTER_SIZES = Cite("NVIDIA Hopper Tuning Guide 12", "1.4.1.1, thread block clusters: 8 blocks are portable, 16 with an attribute")
DISTANCES = measured(COUNTED, "l2_distances.csv, hits of 384 lines from every multiprocessor", "by pair of multiprocessors in its cluster; by line")
SCHEDULING = measured("clocks on an H100 80GB HBM3 SXM", "scheduling.csv, clocks of up to eight warps of a scheduler")
READ = Cite("Nsight Compute on an H100 80GB HBM3 SXM", "dram__sectors_read of 178 kernels against the size of their code", "inferred",
            "72 sectors and 8 for every 256 bytes of code; caches are flushed before each launch")
CODE = measured("clocks on an H100 80GB HBM3 SXM", "code_loops.csv, loops of 64 to 32768 additions", "waits from slopes and steps")
CODE_SETS = Cite(CODE.document, CODE.place, "inferred", "over how many bytes a step rises; lines that come together, from gaps between waits")
APART = Cite(COUNTED, "cycles of transpose_naive at n=256", "inferred", "loads behind scattered stores of earlier iterations are not held up")

MANAGED = Cite("tests/data/h200/device_runtime.txt", "managed memory of an H200, 32 KiB to 1 GiB", "inferred",
               "a first touch of 32 or 256 KiB by a kernel takes 92 to 98 us more than a launch; 1 GiB 113.8 ms, which is 92 us for each MiB and the "
               "link's rate; the host takes 17.4 us for each 64 KiB that comes back")
EVIDENCE = {
    "warp": QUERY, "chip": QUERY, "limits": QUERY, "clocks": QUERY, "schedulers": MULTIPROCESSOR, "schedulers.issue_width": MULTIPROCESSOR, "units": PAPER,
    "isa": GUIDE, **{f"units.{name}": MULTIPROCESSOR for name in ("fma", "alu", "xu", "dp")}, "isa.float_mad": FUSED, "isa.fuse_multiply_add": MERGED,
    "isa.operations": UNPUBLISHED, "isa.forms": INSTRUCTIONS, "units.bar": BARRIERS,
    "isa.serial_match": MATCHED, "isa.branch_costs.guard_latency_cycles": GUARDS, "isa.branch_costs.untaken_cycles": GUARDS,
    "isa.branch_costs.convergence_cycles": CONVERGED, "isa.operations.int_mul_wide": WIDE,
    "isa.forms.uniform": WALKED, "isa.forms.brought": CONSTANT, "units.udp": LOOKED,
    "units.cbu": Cite("Nsight Compute documentation", "pipelines: the convergence barrier unit takes branches", "recalled", note="its rate is assumed"),
    **{f"isa.forms.{name}": ATOMICS for name in "membar_gl membar_sys fence_gpu fence_sys".split()},
    "isa.forms.bar_warp_sync": UNPUBLISHED, **{f"isa.operations.{name}": INSTRUCTIONS for name in MEASURED},
    **{f"isa.operations.{name}": LOOKED for name in "move int_mul16 predicate int64_logic fp32_sqrt".split()},
    **{f"isa.operations.{name}": INSTRUCTIONS for name in "int_mul24 int64_compare int64_minmax fp16_minmax fp16_transcendental".split()},
    **{f"isa.operations.{name}": BARRIERS for name in "barrier clock".split()},
    **{f"isa.operations.{name}": SLOW for name in "fp32_div_exact fp32_sqrt_exact fp64_div fp64_sqrt".split()},
    "isa.operations.branch": GUARDS,
    **{f"isa.operations.{name}": FIT for name in "load_global store_global load_shared store_shared".split()},
    "isa.operations.atomic_global": ATOMICS, "isa.operations.fence": ATOMICS, "isa.operations.atomic_shared": SHARED,
    **{f"isa.operations.{name}": ROUTINES for name in MATRIX_CLASSES if name.startswith("matrix_")},
    **{f"isa.operations.matrix_{name}": PRODUCTS for name in NATIVE}, "isa.operations.matrix_transpose": PRODUCTS,
    **{f"isa.operations.{name}": GROUPS for name in MATRIX_CLASSES if name.startswith("warpgroup_")}, "isa.warpgroup": GROUPS,
    "isa.matrix.fp8": GROUP_SUMS,
    "isa.operations.load_matrix": TILES, "isa.operations.store_matrix": TILES, "isa.matrix": SUMS, "shared.pass_latency_cycles": TILES,
    "isa.operations.bulk_copy": BULK, "load_store.bulk_copies.read_bytes_per_cycle": BULK, "load_store.bulk_copies.write_bytes_per_cycle": BULK,
    "isa.predication_max_instructions": SASS, "isa.assembler": SASS,
    "isa.assembler.operand_read_cycles": Cite("ptxas 13.0 for sm_90, machine code of covariance_triangle", "stall counts of its rounds of sixteen loads",
                                              "inferred", "370 of 416 cycles a round; loads of its address registers come some 20 cycles apart"),
    "isa.assembler.unroll_known_instructions": Cite("ptxas 13.0 for sm_90, machine code of 560 loops of 17 to 250 trips", "trips of a round by length",
                                                    "inferred", "27 of 29 changes between 4 and 139 operations, with up to five loads"),
    **{f"isa.assembler.unroll_{name}": Cite("ptxas 13.0 for sm_90, machine code of 50 loops", "which of them it unrolls", "inferred")
       for name in ("access_instructions", "atomic_instructions")},
    **{f"isa.assembler.{name}": SASS for name in ("unroll_full_trips", "unroll_full_trip_instructions", "unroll_known_max_instructions",
                                                  "list_scheduling_barriers")},
    "caches.l1.set_hash_bits": Cite("Nsight Compute on an H100 80GB HBM3 SXM", "hits of matmul_naive at n=1024, rows 4 KiB apart", "inferred",
                                    "they do not camp; which bits is not public, three keep any carveout's sets equally full"),
    "interconnect.request_coalescer.requests": GATHERING, "interconnect.distances.hop_cycles": DISTANCES, "interconnect.distances.partition_ns": DISTANCES,
    "interconnect.byte_masks.partial_write_cycles": HOT, "interconnect.request_coalescer.lines": UNPUBLISHED, "interconnect.store_ports": APART,
    "caches.l1.tag_bank_masks": BANKED, "caches.l1.size_bytes": DIVIDED, "caches.unified_l1_shared": DIVIDED,
    **{f"block_clusters.{name}": CLUSTERS for name in ("latency_cycles", "bytes_per_cycle", "barrier_cycles")},
    "block_clusters": CLUSTER_SIZES,
    "limits.carveout_headroom": DIVIDED, "chip.cluster_sizes": PLACES,
    "caches.code_fetch.tail_instructions": SASS, "caches.code_fetch.alignment_bytes": SASS, "caches.code_fetch.fill_bytes": READ,
    "caches.code_fetch.launch_bytes": READ,
    "isa.instruction_bytes": Cite("SASS of the microbenchmarks", "128 bits an instruction", "inferred"),
    **{f"caches.{name}": CODE for name in """instruction.size_bytes instruction.latency_cycles instruction.scope instruction_l2.size_bytes
       instruction_l2.latency_cycles instruction_memory_cycles instruction_preload_bytes""".split()},
    **{f"caches.{c}.{name}": CODE_SETS for c in ("instruction", "instruction_l2") for name in "ways line_bytes sector_bytes prefetch_degree".split()},
    **{f"caches.{c}.misses_in_flight": UNPUBLISHED for c in ("instruction", "instruction_l2")},
    "caches.l2.fetch_bytes": PROMOTED, "caches.l2.partial_dirty_ways": PARTIAL, "caches.l2.ways": PARTIAL,
    "caches.l2.replacement": PARTIAL, "caches.l2.set_hash_bits": MEETING, "caches.l2.dirty_ways": DIRTY,
    "interconnect.l2_partitions.count": SIDES, "interconnect.l2_partitions.far_latency_ns": SIDES, "interconnect.l2_partitions.link_bytes_per_cycle": CROSSED,
    **{f"interconnect.{name}": SCATTER for name in """header_bytes byte_masks.mask_bytes injection_bytes_per_cycle injection_scope
       cluster_ports.request_bytes_per_cycle""".split()},
    **{f"dram.{name}": REFRESHED for name in "t_refi_ns t_rfc_ns refresh_banks".split()},
    **{f"dram.{name}": LOADED for name in "queue_entries scheduling extra_latency_ns".split()},
    **{f"dram.{name}": STREAMS for name in "t_rrd_ns t_wtr_ns t_rtw_ns write_drain_high write_drain_low".split()},
    "shared": SHARED, "coalescing": measured(MICRO, "coalescing.csv, sectors per request"),
    "caches": GLOBAL, "caches.constant": CONSTANT, "caches.constant_l2": CONSTANT, "caches.constant_uniform": WALKED,
    **{f"caches.constant_l2.{name}": measured("A first walk over a table of an H100 80GB HBM3 SXM, by clock, 2026-11-22", "data/README.md",
                                              "of 64-byte steps every fourth waits for memory") for name in ("line_bytes", "sector_bytes")},
    "caches.constant_port.pass_bytes": Cite(COUNTED, "cycles of dct8x8 at n=1024", "inferred", "eight LDC.64 a thread, four addresses each"),
    "caches.constant_port.pass_latency_cycles": LANES, "isa.operations.load_constant": LANES,
    "caches.uniform_fill.latency_cycles": WALKED, "caches.uniform_fill.interval_cycles": WALKED, "caches.l2.size_bytes": QUERY,
    **{f"caches.{c}.replacement": UNPUBLISHED for c in ("constant", "constant_l2", "constant_uniform", "instruction", "instruction_l2")},
    **{f"caches.{c}.replacement": Cite(DIVIDED.document, DIVIDED.place, "inferred", "half of what does not fit hits where a third more is read at random")
       for c in ("l1", "texture_l1")},
    **{f"caches.{name}": UNPUBLISHED for name in """l1.ways l1.misses_in_flight texture_l1.ways
       texture_l1.misses_in_flight constant.ways constant.misses_in_flight constant_l2.ways constant_l2.misses_in_flight constant_uniform.misses_in_flight
       l2.misses_in_flight l2.latency_cycles l1.write""".split()},
    **{f"isa.operations.{name}": TEXTURES for name in "load_texture load_surface store_surface".split()}, "units.tex": TEXTURES,
    "texture": FETCHES, "texture.weight_bits": WEIGHTS, "caches.texture_l1": TEXTURES, "caches.texture_l1.size_bytes": GLOBAL,
    "load_store": UNPUBLISHED, "load_store.memory_instruction_queue": SCHEDULING,
    "load_store.write_combining.lines": TOGETHER, "load_store.write_combining.idle_cycles": APART_IN_TIME,
    "load_store.pipeline.issue_interval_cycles": Cite(
        MICRO, "section l1_throughput", "inferred", "machine code by ptxas 13.0 has no two accesses of a warp closer"),
    "load_store.pipeline.data_stage_entries": WAITING, "load_store.pipeline.stores_in_a_row": APART_IN_TIME, "load_store.pipeline.arbitration": DRAWN,
    "load_store.transaction_cycles": FIT,
    "load_store.stores_in_flight_per_multiprocessor": STORED, "load_store.store_buffer.size_bytes": BUFFERED,
    "interconnect": FIT,
    "load_store.atomic_cycles": LINES, "load_store.atomic_sector_cycles": LINES,
    "interconnect.partition_request_bytes_per_cycle": PAIRED, "interconnect.l2_partitions.links": PAIRED,
    "interconnect.slices.atomic_packet_cycles": Cite(COUNTED, "hot_lines.csv, slice_pairs.csv", "inferred", "1.9 over all slices, 2.0 at a pair of them"),
    "interconnect.slices.queue_cycles": UNPUBLISHED,
    "interconnect.byte_masks.sector_mask_bytes": Cite(COUNTED, "atomics.csv, global rate of one block", "inferred",
                                                      "6 cycles for four sectors, 12 for eight, at 32 bytes a cycle"),
    "interconnect.slices.map": measured("contention of atomic operations on an H100 80GB HBM3 SXM", "slice_map.csv",
                                       "every chunk of 2 MiB in two allocations, five of each of 1100 pages; bits from 4 GiB on are not known"),
    "interconnect.cluster_ports.response_bytes_per_cycle": measured(COUNTED, "l2_rates.csv, all multiprocessors of a cluster, half, six of them",
                                                              "16 MiB and more, where few requests go together"),
    "dram": UNPUBLISHED,
    "dram.interleave_bytes": Cite(COUNTED, "atomics.csv, 256 words for all threads; histograms of nvrtc_2026_11_21a_kernels.csv", "inferred",
                                  "with 512 bytes few words of many threads lie in too few slices"),
    "dram.capacity_bytes": QUERY, "dram.bus_bits": QUERY, "dram.transfers_per_clock": QUERY,
    "dram.partitions": Cite("Phoronix, JEDEC publishes HBM3", "16 channels a stack", "inferred", "5 stacks, as Lockwood, glennklockwood.com, H100, has them"),
    "dram.burst_bytes": Cite("JEDEC HBM3", "pseudo-channel of 32 bits, burst of 8", "recalled"),
    "device_launches": CHILDREN, "device_launches.pool": FIXED_POOL, "device_launches.virtual_us": FIXED_POOL,
    "host_link": COPIES, "host_link.managed": MANAGED, "host_link.mapped": PIECES, "host_link.mapped.latency_ns": WAY_LESS,
    "host_link.mapped.read_gb_s": Cite("PCI Express 5.0", "16 lanes, 63 GB/s a direction", "recalled"),
    "host_link.mapped.write_gb_s": Cite("PCI Express 5.0", "16 lanes, 63 GB/s a direction", "recalled"),
    "host_link.mapped.requests_in_flight": Cite("PCI Express 5.0", "tags of 10 bits, for 768 requests", "recalled"),
    "host_link.mapped.atomics": ACCESSES, "host_link.peer": PIECES, "host_link.peer.latency_ns": WAY_LESS, "host_link.peer.atomics": ACCESSES,
    "host_link.peer.read_gb_s": NVLINK, "host_link.peer.write_gb_s": NVLINK, "host_link.copy_engines": QUERY,
    "host_link.duplex_ratio": BOTH_WAYS, "host_link.staging_bytes": STAGED, "host_link.call_us": CALLS,
    "host_link.submit_us": AWAKE, "host_link.wakeup_us": AWAKE, "host_link.dependency_us": GAPS, "host_link.event_us": GAPS, "host_link.work_queues": QUEUES,
    "host_link.late_kernel_signals": QUEUES, "host_link.concurrent_grids": QUEUES, "host_link.peer_latency_us": UNPUBLISHED,
    "host_link.peer_gb_s": NVLINK,
    "schedulers.policy": SCHEDULING, "schedulers.instruction_gap_cycles": INSTRUCTIONS,
    "chip.multiprocessors_per_cluster": SCATTER, "chip.block_launch.dispatch": PLACES, "chip.block_launch_cycles": BLOCKS,
    "chip.block_launch.end_cycles": BLOCKS, "chip.block_launch.setup_cycles": BLOCKS, "chip.block_launch.warp_cycles": BLOCKS,
    "chip.block_launch.first_cycles": FIRST_CONSTANT,
    "chip.block_turnover_cycles": LAUNCHES, "chip.launch_overhead_us": CALLS, "clocks.core_mhz": UNPUBLISHED,
    **{f"limits.{name}": OCCUPANCY for name in """register_allocation_unit register_allocation_scope warp_allocation_granularity
       shared_allocation_unit_bytes""".split()},
    "limits.shared_carveouts": CALCULATOR,
    "limits.register_allocation_rules.minimum_per_thread": measured(
        COUNTED, "kernels.csv of div_even_odd and others of 8 registers, launch__registers_per_thread"),
    "limits.registers_reserved_per_thread": Cite("SASS of the microbenchmarks", "R1 holds the stack pointer", "inferred"),
    "limits.kernel_instructions": INSTRUCTIONS_MOST, "limits.registers_per_thread": TABLE, "limits.local_bytes_per_thread": TABLE,
    "limits.parameter_bytes": LARGE}
