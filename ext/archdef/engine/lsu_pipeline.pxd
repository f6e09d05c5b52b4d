"""The access whose transactions the load/store unit is sending."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from archdef.engine.cache cimport Cache
from archdef.engine.counters cimport StatementCounters
from archdef.engine.launch cimport Launch
from archdef.engine.transaction cimport Transaction

cdef enum:
    PIECES = 512                 # transactions of an access at most: eight texels of each of 64 lanes

cdef struct LsuPipeline:         # the access whose transactions the load/store unit is sending
    int32_t active
    int32_t count
    int32_t next
    int32_t kind                 # RequestKind
    int32_t load                 # index of the Load, -1: a store …
    int32_t warp                 # … of this warp
    int32_t serial
    int32_t apart                # as in Memo
    uint8_t weight               # as in Request
    uint8_t operands
    uint8_t returns
    uint8_t again                # it is what was left of an access that was refused
    uint8_t sent                 # the latest transaction took a slot of reads
    uint8_t reservation_fail  # a set of L1 has no place for the next one
    int32_t unit
    StatementCounters *counters  # of its statement
    Launch *launch
    Cache *cache                 # looked up for reads, NULL: none
    int64_t time                 # cycle at which the next transaction can go
    int64_t floor                # cycle up to which the op holds its unit anyway
    int64_t stalled              # cycle since which it waits for a credit, -1: it does not
    int64_t passes               # cycles for which banks of tags and of words are busy with what hits; 0: it is not known, lines follow each other
    int64_t begun                # cycle of the first
    int64_t taken                # cycle at which the store was begun
    int64_t throttled            # cycles so far in which it waited for a credit
    int64_t looping              # cycle up to which the atomic operation issued last holds its warp
    int32_t held                 # 1: the access that was just issued holds its warp
    int32_t drawn                # accesses that chance decides the order of, behind the latest load of device memory
    Transaction transactions[PIECES]

cdef inline int64_t throttled_until(const LsuPipeline *lsu, int64_t cycle) noexcept nogil:
    """Cycles so far in which the unit waited for a credit."""
    if lsu.active and lsu.stalled >= 0 and cycle > lsu.stalled:
        return lsu.throttled + cycle - lsu.stalled
    return lsu.throttled
