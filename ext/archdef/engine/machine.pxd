"""The machine as the engine sees it: integers only, packed from a description by `archdef.pack`.

The structs of its components are in `parameters.pxd`, which is made of the classes that describe them (`archdef.parameters`).

Times of the multiprocessor are cycles of its own (shader) clock; times of everything beyond it are femtoseconds, so that
clock domains meet without rounding drift (a signed 64-bit count of femtoseconds lasts two and a half hours of guest time).
"""
from libc.stdint cimport int64_t

from archdef.engine.parameters cimport (BlockClustersParameters, CachesParameters, ChipParameters, ClocksParameters, DeviceLaunchesParameters,
                                        DramParameters, HostLinkParameters, InterconnectParameters, IsaParameters, LimitsParameters, LoadStoreParameters,
                                        SchedulersParameters, SharedMemoryParameters, TextureUnitsParameters, UnitParameters, WarpParameters)

cpdef enum:
    MAX_UNITS = 16
    MAX_SCHEDULERS = 8
    SCHEDULER_WARPS = 64         # one scheduler's warps are the bits of one word

cpdef enum SchedulerPolicy:
    SCH_ROUND_ROBIN = 0          # loose: the next ready warp after the last one issued
    SCH_GREEDY_OLDEST = 1        # stay with a warp until it stalls, then the oldest
    SCH_OLDEST = 2
    SCH_TWO_LEVEL = 3            # round robin in a small active set; a = size of the set
    SCH_WEIGHTED = 4             # a = weight of memory instructions, b = weight of cycles waited
    SCH_GREEDY_ROUND_ROBIN = 5   # stay with a warp until it stalls, then the next ready one before it
    SCH_ASKED = 6                # a plugin's

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
    WarpParameters warp
    ClocksParameters clocks
    LimitsParameters limits
    ChipParameters chip
    SchedulersParameters schedulers
    UnitParameters units[MAX_UNITS]
    IsaParameters isa
    SharedMemoryParameters shared
    CachesParameters caches
    LoadStoreParameters load_store
    TextureUnitsParameters texture
    InterconnectParameters interconnect
    DramParameters dram
    BlockClustersParameters block_clusters
    DeviceLaunchesParameters device_launches
    HostLinkParameters host_link
    CoalescingTable load
    CoalescingTable store
    CoalescingTable load_uncached
