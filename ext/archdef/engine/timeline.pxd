"""The timeline of a launch, as its blocks and warps write it."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.counters cimport ST_MEMORY_THROTTLE, ST_NOT_SELECTED, ST_PIPE_BUSY, ST_SELECTED
from archdef.engine.launch cimport Block, Launch, Warp
from archdef.engine.timeline_record cimport Activity, BankRecord, MultiprocessorTimeline, TimelineRecord
from archdef.engine.uop cimport Uop

cdef void timeline_reach(TimelineRecord *t, int64_t cycle) noexcept nogil
cdef void timeline_block(TimelineRecord *t, const Block *b, int64_t sm, int64_t slot, int64_t end) noexcept nogil
cdef void timeline_issue(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t since, int64_t turns, int64_t issue,
                         int64_t end) noexcept nogil
cdef void timeline_wait(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil
cdef void timeline_record_issue(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t since, int64_t turns, int64_t issue,
                                int64_t end) noexcept nogil
cdef void timeline_banks(TimelineRecord *t, const Launch *launch, const Uop *u, const uint64_t *address, uint64_t lanes, int64_t first,
                         bint learned) noexcept nogil
cdef void timeline_tile(TimelineRecord *t, const Launch *launch, const uint64_t *address) noexcept nogil
cdef void banks_settle(BankRecord *banks) noexcept nogil

cdef enum:
    TURN_BITS = 32               # turns: cycles for which a warp waits for the load/store unit, and from this bit on for its unit

cdef inline void note_issue(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue,
                            int64_t end) noexcept nogil:
    """A warp issues an op in [issue, end); it has waited since `begin`, from its `since` on only for its turn.

    One that goes along with another in the same slot waits for nothing: `begin` lies behind `issue` then.
    """
    cdef int64_t since = w.since if w.since > begin else begin
    cdef Activity *bucket = of.bucket
    if begin < of.begin or end > of.end or begin > issue:
        timeline_issue(of, w, u, begin, since, turns, issue, end)
        return
    bucket.unit_issues[u.unit] += u.issues
    bucket.stall_cycles[w.cause] += since - begin
    bucket.stall_cycles[<int>ST_NOT_SELECTED] += issue - since
    bucket.stall_cycles[<int>ST_SELECTED] += end - issue
    if turns:
        bucket.stall_cycles[<int>ST_MEMORY_THROTTLE] += <int64_t><uint32_t>turns
        bucket.stall_cycles[<int>ST_PIPE_BUSY] += turns >> TURN_BITS
        bucket.stall_cycles[<int>ST_NOT_SELECTED] -= <int64_t><uint32_t>turns + (turns >> TURN_BITS)
    if of.records:
        timeline_record_issue(of, w, u, begin, since, turns, issue, end)

cdef inline void note_wait(const Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil:
    """The warp has waited for something that ends with no issue; its time is settled up to `until`."""
    if w.residency.recorded != NULL:
        timeline_wait(w.residency.recorded, w, u, begin, until, cause)
