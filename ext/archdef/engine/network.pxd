"""Everything beyond the multiprocessors: ports, partitions with their slice of L2, DRAM; driven by events in time order."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

from archdef.engine.cache cimport Cache, Line
from archdef.engine.counters cimport StatementCounters
from archdef.engine.dram cimport Dram
from archdef.engine.events cimport Events
from archdef.engine.machine cimport MachineTable

cpdef enum RequestKind:
    RQ_READ = 0
    RQ_WRITE = 1
    RQ_ATOMIC = 2
    RQ_TEXTURE = 3           # a read that may use another second cache

cdef struct Request:
    int64_t time_fs          # earliest time at the port
    uint64_t address         # first byte moved
    uint64_t line            # first byte of the line that `sectors` counts from
    uint32_t bytes
    uint32_t sectors
    int32_t slot             # in-flight read of the multiprocessor; a store: number of its launch
    uint8_t kind             # RequestKind
    uint8_t returns          # atomics: 1 if somebody wants old values
    int16_t serial           # atomics: operations on the most used address
    uint32_t covered         # bytes that it writes; 0: all that it moves
    uint8_t weight           # atomics: of an operation on the most used address, in eighths
    uint8_t operands         # … values that each lane sends
    int16_t apart            # … sectors that are counted besides, because operations on one word travel apart
    StatementCounters *counters  # of what asks the cluster's texture cache, else NULL

cdef struct Port:            # of one multiprocessor, or of its stores: requests leave in order
    Request *ring
    int32_t room             # power of two
    int32_t head
    int32_t count
    int32_t next_waiter      # port that waits behind this one for the same partition or slice, -1: none
    int32_t called           # 1: it has waited for a slice, and may go
    int64_t free_fs

cdef struct SharedTextures:  # the texture cache of one cluster
    Cache cache
    int64_t *arrives_fs      # [sets][ways]: when what a line waits for is there

cdef struct Fetch:           # of a slot: a read that fills a line of its cluster's texture cache, or waits for one
    Line *line               # that it fills, NULL: none
    int32_t first            # record that waits for the same line, -1: none
    int32_t next

cdef struct Partition:
    Dram dram
    Cache l2
    Cache texture_l2
    int64_t in_free_fs
    int64_t out_free_fs
    int64_t atomic_free_fs
    uint64_t atomic_word     # that its atomic unit operated on last
    int32_t first_waiter     # ports whose head request finds the queue full, first come first served
    int32_t last_waiter
    int32_t first_at_door    # the same where the slice has enough to do
    int32_t last_at_door

cdef struct Match:           # who of a part of the units comes first
    int64_t when
    int32_t unit

cdef struct Gather:          # where equal requests of a cluster wait together; see `gather.pyx`
    uint64_t key             # the line's number, times multiprocessors, plus the cluster's, plus 1; 0: empty
    int64_t until_fs         # when the answer leaves the partition; NEVER: not known yet
    int64_t arrival_fs       # when it arrives, at the nearest place of the cluster
    uint32_t sectors
    int32_t count            # requests together
    int32_t record           # of the first: sm * slots + slot

cdef struct Place:           # some cycles of a way in
    int64_t number           # since the machine began
    int64_t taken_fs

cdef struct Way:             # into a cluster, for answers, or into a side of the chip, for what comes from the others
    Place *places            # by number, modulo their count
    int64_t full_from        # numbers of places all of which are taken
    int64_t full_to

cdef struct Network:
    const MachineTable *m
    int32_t *cluster         # of each multiprocessor
    int64_t *place_fs        # by which answers take longer to each multiprocessor, NULL: all lie at one distance …
    int64_t *spread_fs       # [cluster][partition]: … and from each partition
    int64_t l2_latency_fs
    Gather *gathers          # [partitions][gathering_lines], NULL: requests are not gathered
    int32_t *gather_of       # [record]: the place that it opened and that waits for its answer, -1: none
    int32_t *follower        # [record]: first of those who wait with it, -1: none
    int32_t *follower_next
    int64_t slots            # in-flight reads per multiprocessor
    Port *ports              # of the multiprocessors, then, where there are such, those of their stores
    int32_t port_count
    Partition *partitions
    Events *inboxes          # per multiprocessor: where responses go
    int64_t *cluster_free_fs
    int64_t *cluster_out_fs
    Way *ways                # of the clusters, NULL: answers come in as fast as partitions give them
    Way *crossings           # of the sides, NULL: all that comes from the others comes at once
    uint32_t *parities       # [byte of an address][its value]: see `archdef.spec.ParityHash`
    int32_t *slice_of        # [record]: through whose ports it went, and whether its line is at home on the other side; NULL: its partition's
    SharedTextures *textures # of the clusters, NULL: every multiprocessor has its own
    Fetch *fetches           # [sm * slots + slot]
    int64_t *remaining       # [sm * slots + slot]: fills that the read waits for, from bit 4 on the atomic unit's work, from bit 36 on its bytes
    int32_t *waiter_next     # [(sm * slots + slot) * 4 + sector]: next request that waits for the same fill
    Match *tree              # tournament of units (ports, then partitions) by time of their next event: [1] the winner, [leaves + unit] each
    int32_t leaves           # power of two
    int32_t units
    int64_t landed_fs        # when the last store landed
    int64_t *landed          # the same of each launch, in cycles
    # how many partitions have work at a time: bytes may be even over a launch and yet come from one partition after another
    int32_t working          # partitions with a request queued or on its way to them
    int64_t changed_fs
    int64_t any_working_fs   # time in which at least one had work
    int64_t working_fs       # the same, times how many had

cdef inline int64_t network_cycle(const Network *n, int64_t time_fs) noexcept nogil:
    """The first cycle of the multiprocessors' clock that does not begin before a time."""
    return (time_fs + n.m.shader_period_fs - 1) // n.m.shader_period_fs

cdef int network_open(Network *n, const MachineTable *m, Events *inboxes) except -1
cdef void network_close(Network *n) noexcept nogil
cdef void network_send(Network *n, int32_t sm, const Request *request) noexcept nogil
cdef void network_run(Network *n, int64_t until_fs) noexcept nogil
cdef int64_t network_next(const Network *n) noexcept nogil
cdef int64_t partition_of(const MachineTable *m, uint64_t address, uint64_t *local) noexcept nogil
