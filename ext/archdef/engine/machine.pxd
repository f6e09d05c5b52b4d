"""The machine as the engine sees it: integers only, packed from a description by `archdef.pack`.

The structs of its components are in `parameters.pxd`, which is made of the classes that describe them (`archdef.parameters`).

Times of the multiprocessor are cycles of its own (shader) clock; times of everything beyond it are femtoseconds, so that
clock domains meet without rounding drift (a signed 64-bit count of femtoseconds lasts two and a half hours of guest time).
"""
from libc.stdint cimport int64_t

from archdef.engine.parameters cimport (BlockClustersParameters, CachesParameters, ChipParameters, DeviceLaunchesParameters, DramParameters,
                                        InterconnectParameters, LimitsParameters, LoadStoreParameters, MatrixArithmeticParameters,
                                        SchedulersParameters, SharedMemoryParameters, TextureUnitsParameters)

cpdef enum:
    MAX_UNITS = 16
    MAX_SCHEDULERS = 8
    SCHEDULER_WARPS = 64         # one scheduler's warps are the bits of one word

cpdef enum SchedulerPolicy:
    SCH_ROUND_ROBIN = 0          # loose: the next ready warp after the last one issued
    SCH_GREEDY_OLDEST = 1        # stay with a warp until it stalls, then the oldest
    SCH_OLDEST = 2
    SCH_TWO_LEVEL = 3            # round robin in a small active set; a = size of the set
    SCH_ASKED = 5                # a plugin's
    SCH_GREEDY_ROUND_ROBIN = 6   # stay with a warp until it stalls, then the next ready one before it
    SCH_WEIGHTED = 4             # a = weight of memory instructions, b = weight of cycles waited

cpdef enum CoalescingRule:
    CO_STRICT = 0                # lane k reads word k of an aligned segment, else one transaction a lane
    CO_SHRINKING = 1             # segments served lowest lane first, halved while one half is unused
    CO_LINES = 2                 # distinct lines (and sectors of them) in a group of lanes

cpdef enum SumRule:              # of the products of one number of a matrix product
    SUM_NONE = 0                 # not declared
    SUM_ALIGNED = 1              # shifted to the largest exponent, cut off, added exactly
    SUM_CHAINED = 2              # single-precision fused multiply-adds from +0 on, then the number that is added to
    SUM_PAIRED = 3               # the same in pairs, each added to that number in turn

cdef struct CoalescingTable:
    int64_t rule
    int64_t group_lanes          # lanes looked at together
    int64_t line_bytes           # CO_LINES; CO_STRICT: most that a start must be aligned to
    int64_t sector_bytes         # CO_LINES; CO_STRICT: bytes of an uncoalesced transaction; CO_SHRINKING: smallest segment
    int64_t segment_bytes[5]     # CO_SHRINKING: by log2 of the word's bytes
    int64_t coverage             # CO_LINES: also tell how many bytes of the sectors lanes cover, 1: always, 2: of atomics
    int64_t hook                 # address of the Hook of a plugin's policy, 0: none; here and below

cdef struct MachineTable:
    LimitsParameters limits
    ChipParameters chip
    SchedulersParameters schedulers
    SharedMemoryParameters shared
    CachesParameters caches
    LoadStoreParameters load_store
    TextureUnitsParameters texture
    InterconnectParameters interconnect
    DramParameters dram
    BlockClustersParameters block_clusters
    DeviceLaunchesParameters device_launches
    MatrixArithmeticParameters matrix
    # what is no field of a component: several together decide it
    int64_t warp_size            # lanes, 1 to 64
    int64_t independent_lanes    # 1: lanes that diverged progress independently; 0: a stack of them
    int64_t shader_period_fs
    int64_t core_period_fs
    # schedulers
    int64_t policy               # SchedulerPolicy
    int64_t policy_a
    int64_t policy_b
    int64_t units
    int64_t unit_per_scheduler[16]  # 1: each scheduler has its own
    int64_t shared_units         # bit u: the schedulers share unit u
    int64_t unit_copies[16]      # units of that kind that the schedulers share, 1 to 8
    int64_t unit_within[16]      # unit some of whose copies they are; by itself: itself …
    int64_t unit_first[16]       # … from which of those on
    int64_t unit_exclusive[16]   # 1: an op for it takes an issue slot of every scheduler
    int64_t branch_hook
    int64_t match_value_cycles   # by which each further value among the lanes delays `match.any`; 0: it is done at once
    int64_t guard_latency_cycles  # by which a predicate is later as a guard than as an operand
    int64_t untaken_branch_saving  # cycles by which a branch that no lane takes is shorter than one that is taken
    int64_t products_pass_cycles  # … as many times as long while products of warpgroups read shared memory
    CoalescingTable load
    CoalescingTable store
    CoalescingTable load_uncached
    int64_t instruction_bytes
    int64_t read_only_loads      # loads that are promised to be read-only go through the texture cache
