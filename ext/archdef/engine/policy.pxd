"""Policies that a plugin brings: what they are asked, see policy.h, and how their answers are used."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.transaction cimport Transaction


cdef extern from "archdef/engine/policy.h":
    enum:
        ARCHDEF_POLICY_ABI
        ARCHDEF_POLICY_PARAMETERS
        ARCHDEF_POLICY_STATE
        ARCHDEF_POLICY_WAYS
        ARCHDEF_POLICY_WAY_WORDS
        ARCHDEF_POLICY_FETCHES
        ARCHDEF_CACHE_VICTIM
        ARCHDEF_CACHE_HIT
        ARCHDEF_CACHE_MISS
        ARCHDEF_CACHE_FILL
        ARCHDEF_CACHE_STORE
        ARCHDEF_THROTTLE_TIME
        ARCHDEF_THROTTLE_HIT
        ARCHDEF_THROTTLE_MISS
        ARCHDEF_THROTTLE_START
        ARCHDEF_THROTTLE_END
        ARCHDEF_DISPATCH_NOT_NOW
        ARCHDEF_DRAM_ROWS
        ARCHDEF_TOPOLOGY_HOPS
        ARCHDEF_TOPOLOGY_LINKS

    ctypedef struct PolicyHead "ArchdefPolicyHead":   # what every view begins with
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner

    ctypedef struct SchedulerView "ArchdefSchedulerView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        int64_t multiprocessor
        int64_t scheduler
        int64_t cycle
        uint64_t candidates
        uint64_t memory
        int64_t last
        const int64_t *issued_at
        const int64_t *launched
        const int64_t *issued
        const int64_t *blocks

    ctypedef struct PartitionView "ArchdefPartitionView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        uint64_t address
        int64_t interleave_bytes
        int64_t partitions

    ctypedef struct BankView "ArchdefBankView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        int64_t banks
        int64_t count
        const uint64_t *words
        int64_t *banks_of

    ctypedef struct CoalescingView "ArchdefCoalescingView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        int64_t lanes
        uint64_t mask
        const uint64_t *addresses
        int64_t bytes
        int64_t room
        uint64_t *starts
        int64_t *sizes

    ctypedef struct ReplacementView "ArchdefReplacementView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        uint64_t line
        int64_t set
        int64_t ways
        const uint64_t *lines
        const int64_t *used
        uint64_t busy
        const uint64_t *busy_ways
        int64_t event
        int64_t way
        int64_t sets
        int64_t accesses
        int64_t instruction
        int64_t warp
        int64_t line_words
        int64_t *words

    ctypedef struct DispatchView "ArchdefDispatchView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        int64_t block
        int64_t multiprocessors
        const int64_t *room
        const int64_t *blocks
        const int64_t *load
        int64_t cycle
        const int64_t *ended
        const int64_t *instructions
        int64_t *again

    ctypedef struct BranchView "ArchdefBranchView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        int64_t branch
        int64_t target
        int64_t meets
        uint64_t taken
        uint64_t rest
        int64_t depth

    ctypedef struct ThrottleView "ArchdefThrottleView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        int64_t multiprocessor
        int64_t cycle
        int64_t event
        int64_t warp
        uint64_t line
        int64_t place
        uint64_t evicted
        int64_t instructions
        int64_t lines
        int64_t warps
        const int64_t *resident
        const int64_t *launched
        int64_t *allowed

    ctypedef struct L1View "ArchdefL1View":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        int64_t multiprocessor
        int64_t cycle
        int64_t event
        uint64_t address
        uint64_t line
        uint64_t sectors
        int64_t set
        int64_t place
        uint64_t evicted
        uint64_t evicted_sectors
        int64_t warp
        int64_t launched
        int64_t block
        int64_t index
        int64_t instruction
        int64_t first
        int64_t pending
        int64_t busy
        int64_t sets
        int64_t ways
        int64_t line_bytes
        const uint64_t *tags
        const int64_t *used
        int64_t line_words
        int64_t *words
        int64_t room
        uint64_t *fetch

    ctypedef struct DramView "ArchdefDramView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        int64_t partition
        int64_t now_fs
        int64_t writes_next
        int64_t count
        const int64_t *arrival_fs
        const int64_t *ready_fs
        const int64_t *bank
        const int64_t *row
        const int64_t *row_hit
        const int64_t *write
        const int64_t *bytes
        const int64_t *multiprocessor

    ctypedef struct PlacementView "ArchdefPlacementView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        uint64_t page
        int64_t page_bytes
        int64_t multiprocessor
        int64_t l2_partition
        int64_t l2_partitions
        const int64_t *pages

    ctypedef struct TopologyView "ArchdefTopologyView":
        int64_t abi
        const int64_t *parameters
        int64_t parameter_count
        int64_t *state
        void *owner
        int64_t multiprocessor
        int64_t partition
        int64_t multiprocessors
        int64_t partitions
        int64_t room
        int64_t *links

cpdef enum PolicyKind:
    PK_SCHEDULER = 0
    PK_PARTITION = 1
    PK_BANKS = 2
    PK_COALESCING = 3
    PK_REPLACEMENT = 4
    PK_DISPATCH = 5
    PK_BRANCH = 6
    PK_THROTTLE = 7
    PK_ADMISSION = 8
    PK_PREFETCHER = 9
    PK_VICTIM_CACHE = 10
    PK_DRAM = 16
    PK_PLACEMENT = 17
    PK_TOPOLOGY = 18

ctypedef int64_t (*policy_function)(const void *view) noexcept nogil

cdef struct Hook:            # one policy of one field of the description
    int64_t kind             # PolicyKind
    policy_function function
    int64_t parameters[16]
    int64_t parameter_count
    int64_t state[16]        # of policies of the whole machine
    int64_t state_words      # of those that have a set for each multiprocessor or cache instance …
    int64_t line_words       # … and for each line of it, besides
    int64_t told             # 1: it hears of events that it is not asked about, too
    void *owner              # archdef.engine.prototype.Prototype of one in Python, else NULL
    # the first answer that was none
    int64_t failed
    int64_t answer
    uint64_t asked[3]        # by kind

cdef struct SchedulerHook:   # what a scheduler keeps for its policy
    Hook *hook
    SchedulerView view
    int64_t issued[64]
    int64_t blocks[64]
    int64_t state[16]

cdef void policy_refuse(Hook *hook, int64_t answer, uint64_t first, uint64_t second, uint64_t third) noexcept nogil
cdef void policy_head(PolicyHead *head, const Hook *hook, int64_t *state) noexcept nogil
cdef void place_warp(SchedulerHook *s, int64_t slot, int64_t block) noexcept nogil
cdef int ask_scheduler(SchedulerHook *s, uint64_t candidates, uint64_t memory, int64_t last, int64_t cycle) noexcept nogil
cdef int64_t ask_partition(Hook *hook, uint64_t address, int64_t interleave_bytes, int64_t partitions) noexcept nogil
cdef void ask_banks(Hook *hook, const uint64_t *words, int64_t count, int64_t banks, int64_t *banks_of) noexcept nogil
cdef int ask_coalescing(Hook *hook, const uint64_t *addresses, uint64_t mask, int lanes, int bytes, int64_t line_bytes,
                        int64_t sector_bytes, Transaction *out, int room) noexcept nogil
cdef int64_t ask_replacement(Hook *hook, ReplacementView *view) noexcept nogil
cdef int64_t ask_l1(Hook *hook, L1View *view, int64_t most) noexcept nogil
cdef int64_t ask_throttle(Hook *hook, ThrottleView *view) noexcept nogil
cdef void refuse_throttle(Hook *hook, int64_t warp, int64_t multiprocessor, int64_t cycle) noexcept nogil
cdef bint ask_branch(Hook *hook, int64_t branch, int64_t target, int64_t meets, uint64_t taken, uint64_t rest, int64_t depth) noexcept nogil
