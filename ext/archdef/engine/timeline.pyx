"""The timeline of a launch, as its blocks and warps write it: records of them, and sums over buckets of time."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from archdef.engine.counters cimport ST_MEMORY_THROTTLE, ST_NOT_SELECTED, ST_PIPE_BUSY, ST_SELECTED
from archdef.engine.launch cimport Block, Launch, Warp
from archdef.engine.shared cimport bank_words
from archdef.engine.timeline_record cimport (DETAIL_BLOCKS, MOST_BANKS, Activity, BankRecord, BankUse, BlockRecord, MultiprocessorSums,
                                             MultiprocessorTimeline, PartitionSums, TimelineRecord, WarpRecord)
from archdef.engine.uop cimport Uop


# ---------------------------------------------------------------------------------------------------------------- buckets
cdef void _pair(int64_t *table, int64_t numbers, int64_t buckets) noexcept nogil:
    """Add every second bucket to the one before it, in place; the second half is free then. A bucket has so many numbers."""
    cdef int64_t i, k
    for i in range(buckets // 2):
        for k in range(numbers):
            table[i * numbers + k] = table[2 * i * numbers + k] + table[(2 * i + 1) * numbers + k]
    memset(table + buckets // 2 * numbers, 0, <size_t>(buckets // 2 * numbers) * sizeof(int64_t))


cdef void timeline_reach(TimelineRecord *t, int64_t cycle) noexcept nogil:
    """Make buckets as wide as it takes for a cycle of the window to be in one of them."""
    cdef int64_t i
    if (cycle - t.first) // t.width < t.buckets:
        return
    for i in range(t.multiprocessors if t.each != NULL else 0):     # none of them knows its bucket any more
        t.each[i].begin = t.each[i].end = 0
    while (cycle - t.first) // t.width >= t.buckets:
        _pair(<int64_t *>t.sums, t.multiprocessors * <int64_t>(sizeof(MultiprocessorSums) // sizeof(int64_t)), t.buckets)
        _pair(<int64_t *>t.memory, t.partitions * <int64_t>(sizeof(PartitionSums) // sizeof(int64_t)), t.buckets)
        if t.activity != NULL:
            _pair(<int64_t *>t.activity, t.multiprocessors * <int64_t>(sizeof(Activity) // sizeof(int64_t)), t.buckets)
            _pair(t.bank_words, t.banks.banks, t.buckets)
        t.width *= 2


cdef void _spend(TimelineRecord *t, int64_t sm, int32_t cause, int64_t begin, int64_t end) noexcept nogil:
    """A warp has spent [begin, end) so."""
    cdef int64_t stop, i
    begin = max(begin, t.first)
    end = min(end, t.last)
    if begin >= end:
        return
    timeline_reach(t, end - 1)
    while begin < end:
        i = (begin - t.first) // t.width
        stop = min(end, t.first + (i + 1) * t.width)
        t.activity[i * t.multiprocessors + sm].stall_cycles[cause] += stop - begin
        begin = stop


cdef inline void _see(MultiprocessorTimeline *of, int64_t cycle) noexcept nogil:
    """Let a multiprocessor know the bucket of a cycle, which lies in the window."""
    cdef TimelineRecord *t = of.timeline
    cdef int64_t i
    timeline_reach(t, cycle)
    i = (cycle - t.first) // t.width
    of.begin = t.first + i * t.width
    of.end = min(of.begin + t.width, t.last)
    of.bucket = t.activity + i * t.multiprocessors + of.number


# ---------------------------------------------------------------------------------------------------------------- records
cdef void timeline_block(TimelineRecord *t, const Block *b, int64_t sm, int64_t slot, int64_t end) noexcept nogil:
    """A block leaves its place."""
    cdef BlockRecord *record
    if t.detail < DETAIL_BLOCKS or end <= t.first or b.started >= t.last:
        return
    if t.block_count == t.block_room:
        t.blocks_lost += 1
        return
    record = t.blocks + t.block_count
    t.block_count += 1
    record.serial = b.launch.serial
    record.kernel = b.launch.kernel
    record.block = b.number
    record.multiprocessor = sm
    record.slot = slot
    record.begin = b.started
    record.end = end


cdef WarpRecord *_record(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t end) noexcept nogil:
    """A new record, NULL: there is none for it."""
    cdef TimelineRecord *t = of.timeline
    cdef WarpRecord *record
    if end <= t.first or begin >= t.last:
        return NULL
    if t.warp_count == t.warp_room:
        t.warps_lost += 1
        return NULL
    record = t.warps + t.warp_count
    t.warp_count += 1
    record.serial = w.launch.serial
    record.kernel = w.launch.kernel
    record.warp = w.number
    record.multiprocessor = of.number
    record.slot = w.slot
    record.statement = u.statement
    record.begin = begin
    record.end = end
    return record


cdef void timeline_record_issue(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t since, int64_t turns, int64_t issue,
                                int64_t end) noexcept nogil:
    """Keep an issue, as `note_issue` has it."""
    cdef WarpRecord *record = _record(of, w, u, begin, end)
    if record != NULL:
        record.unit = u.unit
        record.cause = w.cause
        record.since = since
        record.throttled = <int64_t><uint32_t>turns
        record.unit_busy = turns >> TURN_BITS
        record.issue = issue


cdef void timeline_issue(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t since, int64_t turns, int64_t issue,
                         int64_t end) noexcept nogil:
    """As `note_issue`, of what lies in more than one bucket, or in part outside of the window."""
    cdef TimelineRecord *t = of.timeline
    cdef int64_t throttled = <int64_t><uint32_t>turns, busy = turns >> TURN_BITS
    if t.first <= issue < t.last:
        _see(of, issue)
        of.bucket.unit_issues[u.unit] += u.issues
    if begin > issue:
        return
    _spend(t, of.number, w.cause, begin, since)
    _spend(t, of.number, ST_MEMORY_THROTTLE, since, since + throttled)
    _spend(t, of.number, ST_PIPE_BUSY, since + throttled, since + throttled + busy)
    _spend(t, of.number, ST_NOT_SELECTED, since + throttled + busy, issue)
    _spend(t, of.number, ST_SELECTED, issue, end)
    if of.records:
        timeline_record_issue(of, w, u, begin, since, turns, issue, end)


cdef void timeline_wait(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil:
    """A warp has waited in [begin, until) for something that ends with no issue, such as a barrier."""
    cdef WarpRecord *record
    if begin >= until:
        return
    _spend(of.timeline, of.number, cause, begin, until)
    if not of.records:
        return
    record = _record(of, w, u, begin, until)
    if record != NULL:
        record.unit = -1
        record.cause = cause
        record.since = record.issue = until
        record.throttled = record.unit_busy = 0


# ------------------------------------------------------------------------------------------------------------------ banks
cdef void _settle_uses(BankRecord *banks, BankUse *use) noexcept nogil:
    """Count the words of an op's pattern, as often as it was asked for from each bank on."""
    cdef int32_t first, k, n = banks.banks
    for first in range(n):
        if use.uses[first]:
            for k in range(n):
                banks.served[first + k if first + k < n else first + k - n] += use.uses[first] * use.words[k]
            use.uses[first] = 0
    use.used = 0


cdef void banks_settle(BankRecord *banks) noexcept nogil:
    """Count all words in `served`."""
    cdef int64_t i
    for i in range(banks.pending_count):
        _settle_uses(banks, banks.uses + banks.pending[i])
    banks.pending_count = 0


cdef void timeline_banks(TimelineRecord *t, const Launch *launch, const Uop *u, const uint64_t *address, uint64_t lanes, int64_t first,
                         bint learned) noexcept nogil:
    """An op accesses words of shared memory, that of its first lane in the bank `first`; `learned`: not in the pattern of its last access."""
    cdef BankRecord *banks = &t.banks
    cdef int64_t op = banks.first_op[launch.kernel] + (u - launch.ops)
    cdef BankUse *use = banks.uses + op
    cdef uint16_t words[MOST_BANKS]
    cdef int32_t k, n = banks.banks
    if learned:
        if use.used:
            _settle_uses(banks, use)
            use.used = 1             # it is pending already
        bank_words(&launch.m.shared, address, lanes, launch.lanes, u.lane_bytes, words)
        for k in range(n):
            use.words[k] = words[(first + k) % n]
    if use.used == 0:
        banks.pending[banks.pending_count] = op
        banks.pending_count += 1
    use.used += 1
    use.uses[first] += 1


cdef void timeline_tile(TimelineRecord *t, const Launch *launch, const uint64_t *address) noexcept nogil:
    """The eight rows of a tile of 8 x 8 numbers of 16 bits are accessed."""
    cdef uint16_t words[MOST_BANKS]
    cdef int32_t k
    bank_words(&launch.m.shared, address, 0xff, 8, 16, words)
    for k in range(t.banks.banks):
        t.banks.served[k] += words[k]
