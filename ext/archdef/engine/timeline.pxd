"""The timeline of a launch, as its blocks and warps write it."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.counters cimport ST_MEMORY_THROTTLE, ST_NOT_SELECTED, ST_PIPE_BUSY, ST_SELECTED
from archdef.engine.launch cimport Block, Launch, Warp
from archdef.engine.timeline_record cimport Activity, BankRecord, BankUse, MultiprocessorTimeline, TimelineRecord, WarpRecord
from archdef.engine.uop cimport Uop

cdef void timeline_reach(TimelineRecord *t, int64_t cycle) noexcept nogil
cdef void timeline_block(TimelineRecord *t, const Block *b, int64_t sm, int64_t slot, int64_t end) noexcept nogil
cdef void timeline_place(Warp *w, WarpRecord *record) noexcept nogil
# what is called last keeps nothing on the stack; rare cases stay out of usual ones as they are declared here
cdef void timeline_spread(Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue, int64_t spent) noexcept nogil
cdef void timeline_halve(Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue) noexcept nogil
cdef void timeline_elsewhere(Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue, int64_t spent) noexcept nogil
cdef void timeline_wait_elsewhere(MultiprocessorTimeline *of, Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil
cdef void timeline_wait(MultiprocessorTimeline *of, Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil
cdef void timeline_pattern(BankUse *use, const Launch *launch, const Uop *u, BankRecord *banks, const uint64_t *address, uint64_t lanes,
                           uint64_t base) noexcept nogil
cdef void timeline_tile(TimelineRecord *t, const Launch *launch, const uint64_t *address) noexcept nogil
cdef void banks_settle(BankRecord *banks) noexcept nogil

cdef enum:
    TURN_BITS = 32               # turns: cycles for which a warp waits for the load/store unit, and from this bit on for its unit …
    NO_TURN = -1                 # … and this: it waits for something that ends with no issue

cdef inline void keep(MultiprocessorTimeline *of, Warp *w, int64_t begin, int64_t before, int64_t turns, int64_t issue, int64_t op,
                      int64_t cause) noexcept nogil:
    """Keep an issue, or a wait, if there is room."""
    cdef TimelineRecord *t = of.timeline
    cdef WarpRecord *record = t.next_warp
    if record == t.warps_end:
        t.warps_lost += 1
        return
    t.next_warp = record + 1
    record.begin = begin
    record.before = before
    record.turns = turns
    record.issue = issue
    record.op = op
    record.cause = cause
    record.place = w.place
    if w.place == 0:
        timeline_place(w, record)

cdef inline void note_issue(Warp *w, const Uop *u, int64_t issue, int64_t begin, int64_t before, int64_t throttled, int64_t busy, int64_t rest,
                            int64_t spent) noexcept nogil:
    """A warp issues an op at `issue` and is settled up to its end.

    Since `begin` it has waited for what the op depends on, then for its turn: throttled, for the unit, for no other reason. What goes along with another op
    in the same slot waits for nothing and has no time `spent`; it begins before everything.
    """
    cdef MultiprocessorTimeline *of = w.residency.recorded
    cdef Activity *bucket
    cdef int64_t turns = throttled | busy << TURN_BITS
    if of == NULL:
        return
    if begin < of.begin or w.settled > of.end:
        timeline_elsewhere(w, u, begin, turns, issue, spent)
        return
    bucket = of.bucket
    bucket.unit_issues[u.unit] += u.issues
    bucket.stall_cycles[w.cause] += before
    bucket.stall_cycles[<int>ST_NOT_SELECTED] += rest
    bucket.stall_cycles[<int>ST_SELECTED] += spent
    if turns:
        bucket.stall_cycles[<int>ST_MEMORY_THROTTLE] += throttled
        bucket.stall_cycles[<int>ST_PIPE_BUSY] += busy
    if of.records:
        keep(of, w, begin, before, turns, issue, w.pc, w.cause)

cdef inline BankUse *bank_use(const BankRecord *banks, const Launch *launch, const Uop *u) noexcept nogil:
    """What is recorded of an op that accesses shared memory."""
    return banks.uses + banks.first_op[launch.kernel] + (u - launch.ops)

cdef void timeline_pends(BankRecord *banks, BankUse *use) noexcept nogil

cdef inline void note_banks(const Warp *w, BankUse *use, uint64_t address) noexcept nogil:
    """An op accesses words of shared memory in the pattern of its last access, its first lane at an address."""
    use.uses[address >> use.width_bits & use.bank_mask] += 1
    if not use.pending:
        timeline_pends(&w.residency.recorded.timeline.banks, use)
