"""The timeline of a launch, as its blocks and warps write it."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.launch cimport Block, Launch, Warp
from archdef.engine.timeline_record cimport BankRecord, BankUse, MultiprocessorTimeline, TimelineRecord
from archdef.engine.uop cimport Uop

cdef void timeline_reach(TimelineRecord *t, int64_t cycle) noexcept nogil
cdef void timeline_block(TimelineRecord *t, const Block *b, int64_t sm, int64_t slot, int64_t end) noexcept nogil
# parts of `timeline_issue`, which stay out of it as they are declared here
cdef void timeline_keep(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t since, int64_t turns, int64_t issue) noexcept nogil
cdef void timeline_divide(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue) noexcept nogil
cdef void timeline_spread(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue) noexcept nogil
cdef void timeline_issue(const Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue) noexcept nogil
cdef void timeline_wait(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil
cdef void timeline_pattern(BankUse *use, const Launch *launch, const Uop *u, BankRecord *banks, const uint64_t *address, uint64_t lanes,
                           int64_t first) noexcept nogil
cdef void timeline_tile(TimelineRecord *t, const Launch *launch, const uint64_t *address) noexcept nogil
cdef void banks_settle(BankRecord *banks) noexcept nogil

cdef enum:
    TURN_BITS = 32               # turns: cycles for which a warp waits for the load/store unit, and from this bit on for its unit

cdef inline BankUse *bank_use(const BankRecord *banks, const Launch *launch, const Uop *u) noexcept nogil:
    """What is recorded of an op that accesses shared memory."""
    return banks.uses + banks.first_op[launch.kernel] + (u - launch.ops)

cdef inline void note_banks(BankRecord *banks, BankUse *use, int64_t first) noexcept nogil:
    """An op accesses words of shared memory in the pattern of its last access, that of its first lane in the bank `first`."""
    if use.used == 0:
        banks.pending[banks.pending_count] = use - banks.uses
        banks.pending_count += 1
    use.used += 1
    use.uses[first] += 1

cdef inline void note_wait(const Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil:
    """The warp has waited for something that ends with no issue; its time is settled up to `until`."""
    if w.residency.recorded != NULL:
        timeline_wait(w.residency.recorded, w, u, begin, until, cause)
