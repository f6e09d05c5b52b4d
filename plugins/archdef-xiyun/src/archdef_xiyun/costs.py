"""What instructions cost on the C500, and where the figures of this plugin come from; much of it is not public."""
from archdef.spec import Cite, Operation

GUIDE = Cite("MetaX performance tuning guide", "chapters 2 and 3", note="as restated by a C500 profiling skill")
PROPERTIES = Cite("mcGetDeviceProperties and mcModuleOccupancy on a C500", "register prefetch and AP residency check", "measured", card="C500")
USAGE = Cite("mxcc -resource-usage reports for xcore1000", "MTregisters against staticMaxWarps/PEU, 18 pairs", "inferred")
PROFILER = Cite("mcProfiler reports of a C500", "roofline peaks, clocks, counter names", "measured", card="C500")
LATENCY = Cite(GUIDE.document, "microbenchmark reference values", note=GUIDE.note)
SPLIT = Cite(GUIDE.document, "L2 latency of 170 cycles and DRAM latency of 420, divided over the stations", "inferred")
EMPTY = Cite("c500-kernel-wiki", "empty kernels, grids of 416 and 1664 blocks", "measured", "on a 25 % slice", card="C500")
LAUNCHES = Cite("Series of launches on a MetaX C500",
                "c500-kernel-wiki: empty kernels, stores by blocks of 32 to 1024 threads; README of vecadd_bench (cuda-oxide for MetaX)", "fitted",
                "20 times, grids of 1 to 262,144 blocks of 1 to 16 waves: 3.2 us, 0.39 ns a block and 0.79 ns a wave fit them to 3 % in the mean, "
                "11 % at most; cycles at 1125 MHz, as which clock the boards held is not said")
PROBE = Cite("MXFlashAttn decode notes", "62-66 ns per shuffle, 20 times a multiply-add", "inferred")
INTRINSICS = Cite("DeepSelect for MACA, notes on wave64 intrinsics", "instruction counts and mask semantics", "inferred",
                  "on which card they were found is not said")
API = Cite("mcModuleOccupancy", "32 blocks of 64 threads; the device property says 16", "assumed")
BROADCAST = Cite("mhc_post optimisation review on a MetaX C500", "times of the kernel, whose waves all read one address, by shape", "inferred",
                 "16 lanes make a transaction (tuning guide); groups of one wave that share a line do not take it again")
STREAMS = Cite("streams on a MetaX C500", "fill, x * 2, copy, read (data/streams.toml)", "inferred", "by the rates of all of them together")
PORTS = Cite(GUIDE.document, "4096 bytes per cycle from L2: 32 ports of 128 bytes without a header", "inferred")
ACCESSES = Cite("Accesses of an H100 80GB HBM3 SXM to memory of the host", "tests/data/h100/link_accesses.txt", "assumed", "not measured on this machine")
UNPUBLISHED = Cite("not published", "a plausible value", "assumed")
PROGRESS = Cite("not published", "whether lanes of a wave progress independently", "assumed",
                "MXMACA texts give each thread a program counter of its own; so does the CUDA C Programming Guide 4.2, section 4.1 "
                "(\"their own instruction address counter\"), of machines whose warps have one. No test of a lock within a wave is public")
PCIE = Cite("PCI Express 5.0", "16 lanes, 63 GB/s a direction", "inferred", "what an H100 reaches of it, rounded down")
BARRIERS = Cite("c500-kernel-wiki", "200 rounds of a loop of 256 threads, with 1, 2 and 4 barriers in each", "inferred",
                "42.7 ns each from the first to the second and on to the fourth: 48 cycles, less those of issue")

FEATURES = """fp64 fp32_fma fp32_tanh fp16 fp16_minmax fp16_transcendental minmax_nan minmax_xorsign
    atomics_global atomics_global_64 atomics_shared atomics_shared_64 atomics_minmax_64 atomics_float_add
    atomics_double_add vote vote_ballot match shuffle lane_masks_64 barrier_count barrier_reduce read_only_loads
    unified_addressing device_calls indirect_calls device_print device_heap clock clock64 globaltimer cooperative_launch
    bit_operations byte_permute carry_chain funnel_shift int_dot bit_masks convert_pack"""

COSTS = [  # core cycles; a wave of 64 takes 4 on 16 lanes; special functions and double precision take 16
    (Operation("valu", 4), """move select predicate int_add int_minmax int_logic int_shift int_compare int_mul16
        int_mul24 int_sad int_dot bit_field bit_count byte_permute funnel_shift fp32_add fp32_mul fp32_fma fp32_minmax
        fp32_compare fp16_add fp16_mul fp16_fma fp16_minmax fp16_compare convert special_register vote"""),
    (Operation("valu", 16, 16), """int_mul32 int_mul_high fp32_rcp fp32_rsqrt fp32_sqrt fp32_transcendental fp16_transcendental convert64
        fp64_add fp64_mul fp64_fma fp64_minmax fp64_compare"""),
    (Operation("valu", 4, issues=2), "int64_add int64_logic int64_shift int64_compare fp32_div"),
    (Operation("valu", 16, 16, issues=2), "int_mul_wide"),
    (Operation("valu", 4, issues=3), "int64_minmax"), (Operation("valu", 16, 16, issues=4), "int64_mul"),
    (Operation("valu", 4, issues=10), "fp32_div_exact fp32_sqrt_exact"), (Operation("valu", 4, issues=24), "int_div32"),
    (Operation("valu", 4, issues=110), "int64_div"), (Operation("valu", 16, 16, issues=9), "fp64_div fp64_sqrt"),
    (Operation("valu", 4, issues=64), "match"), (Operation("misc", 4, issues=100), "system_call"),
    (Operation("misc", 4), "branch call exit fence clock"), (Operation("misc", 44), "barrier"),
    (Operation("vmem", 8), "load_global store_global load_local store_local atomic_global"),
    (Operation("wsm", 72), "shuffle"), (Operation("wsm", 0), "load_shared store_shared load_constant atomic_shared")]

MANAGED = Cite("not published", "as of machines with page faults of about that time", "assumed")
EVIDENCE = {
    "warp": GUIDE, "chip": GUIDE, "limits": PROPERTIES, "schedulers": GUIDE, "units": GUIDE, "isa": UNPUBLISHED, "shared": GUIDE,
    "coalescing": GUIDE, **{f"coalescing.{what}.group_lanes": BROADCAST for what in ("load", "store", "load_uncached")},
    "caches": GUIDE, "caches.instruction_memory_cycles": UNPUBLISHED,
    "caches.instruction_preload_bytes": UNPUBLISHED, "isa.instruction_bytes": UNPUBLISHED, "clocks": PROFILER,
    "load_store": UNPUBLISHED, "interconnect": UNPUBLISHED,
    "dram": UNPUBLISHED, **{f"dram.{name}": STREAMS for name in "partition_map banks t_refi_ns t_rfc_ns".split()},
    "interconnect.header_bytes": PORTS, "host_link": UNPUBLISHED, "host_link.mapped": ACCESSES, "host_link.managed": MANAGED,
    **{f"host_link.mapped.{name}": ACCESSES for name in ("latency_ns", "header_bytes", "atomics")},
    "host_link.pinned_h2d_gb_s": PCIE, "host_link.pinned_d2h_gb_s": PCIE,
    "isa.features": INTRINSICS, "dram.bus_bits": PROPERTIES,
    "warp.reconvergence": PROGRESS, "chip.block_launch_cycles": LAUNCHES,
    "chip.block_launch.chip_warp_cycles": LAUNCHES,
    "chip.block_turnover_cycles": UNPUBLISHED, "chip.launch_overhead_us": EMPTY,
    **{f"limits.{name}": USAGE for name in """register_allocation_unit register_allocation_scope register_file_partitions
       warp_allocation_granularity""".split()},
    "limits.registers_reserved_per_thread": UNPUBLISHED, "limits.blocks_per_multiprocessor": API, "limits.local_bytes_per_thread": PROPERTIES,
    **{f"limits.{name}": UNPUBLISHED for name in """shared_allocation_unit_bytes shared_reserved_bytes_per_block
       shared_carveouts block_dimensions kernel_instructions parameter_bytes
       constant_bytes""".split()},
    "schedulers.policy": UNPUBLISHED, "schedulers.instruction_gap_cycles": PROBE, "schedulers.issue_width": PROFILER,
    "schedulers.dual_issue": GUIDE, "units.vmem": UNPUBLISHED, "units.misc": UNPUBLISHED,
    "units.vmem.copies": GUIDE, "units.misc.copies": GUIDE,
    **{f"isa.operations.{name}": PROBE for name in "fp32_add fp32_mul fp32_fma shuffle".split()},
    "isa.operations.fp32_transcendental": PROFILER, "isa.operations.fp32_rcp": PROFILER, "isa.operations.match": INTRINSICS,
    "isa.operations.barrier.latency_cycles": BARRIERS,
    "shared.latency_cycles": LATENCY, "shared.wide_access": UNPUBLISHED, "shared.broadcast": UNPUBLISHED,
    **{f"caches.{c}.replacement": UNPUBLISHED for c in ("l1", "constant", "l2")},
    "caches.l1.latency_cycles": LATENCY, "caches.l2.latency_cycles": SPLIT, "caches.l2.size_bytes": Cite(
        GUIDE.document, "8 MiB, divided over the assumed 32 channels", "assumed"),
    **{f"caches.{level}.{name}": UNPUBLISHED for level in ("l1", "constant", "l2")
       for name in "ways misses_in_flight write".split()},
    "caches.constant.line_bytes": UNPUBLISHED, "caches.constant.sector_bytes": UNPUBLISHED,
    "caches.constant.latency_cycles": UNPUBLISHED, "caches.l2.scope": UNPUBLISHED,
    "interconnect.request_latency_ns": SPLIT, "interconnect.response_latency_ns": SPLIT, "dram.extra_latency_ns": SPLIT,
    "interconnect.partition_response_bytes_per_cycle": Cite(
        GUIDE.document, "4096 bytes per cycle from L2, divided over the assumed 32 channels", "assumed"),
    "dram.capacity_bytes": PROPERTIES, "dram.transfers_per_clock": PROFILER}
