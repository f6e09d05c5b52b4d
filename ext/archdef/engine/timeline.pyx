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
        t.each[i].begin = t.each[i].end = t.each[i].least = t.each[i].most = 0
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
    of.least = of.begin - t.width if i else of.begin
    of.most = min(of.end + t.width, t.last) if i + 1 < t.buckets else of.end


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


cdef inline WarpRecord *_next(TimelineRecord *t) noexcept nogil:
    """Take the next record, NULL: there is none any more."""
    if t.warp_count == t.warp_room:
        t.warps_lost += 1
        return NULL
    t.warp_count += 1
    return t.warps + (t.warp_count - 1)


cdef inline void _name(WarpRecord *record, const MultiprocessorTimeline *of, const Warp *w, const Uop *u) noexcept nogil:
    """Say whose record it is."""
    record.serial = w.launch.serial
    record.kernel = w.launch.kernel
    record.warp = w.number
    record.multiprocessor = of.number
    record.slot = w.slot
    record.statement = u.statement


cdef inline bint _in_window(const TimelineRecord *t, int64_t begin, int64_t end) noexcept nogil:
    return end > t.first and begin < t.last


cdef void timeline_keep(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t since, int64_t turns,
                        int64_t issue) noexcept nogil:
    """Keep an issue, as `timeline_issue` has it, in the window."""
    cdef WarpRecord *record = _next(of.timeline)
    if record != NULL:
        _name(record, of, w, u)
        record.begin = begin
        record.end = w.settled
        record.unit = u.unit
        record.cause = w.cause
        record.since = since
        record.turns = turns
        record.issue = issue


cdef inline void _part(Activity *before, Activity *behind, int32_t cause, int64_t begin, int64_t middle, int64_t end) noexcept nogil:
    """Divide [begin, end) among two buckets, of which one ends and the other begins in the middle."""
    if end <= middle:
        before.stall_cycles[cause] += end - begin
    elif begin >= middle:
        behind.stall_cycles[cause] += end - begin
    else:
        before.stall_cycles[cause] += middle - begin
        behind.stall_cycles[cause] += end - middle


cdef void timeline_divide(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue) noexcept nogil:
    """As `timeline_issue`, of an issue that lies in two buckets: the known one, and that before or behind it."""
    cdef int64_t since = max(w.since, begin), middle = of.begin if begin < of.begin else of.end, at = since
    cdef Activity *before = of.bucket - of.timeline.multiprocessors if begin < of.begin else of.bucket
    cdef Activity *behind = before + of.timeline.multiprocessors
    (before if issue < middle else behind).unit_issues[u.unit] += u.issues
    _part(before, behind, w.cause, begin, middle, since)
    if turns:
        at += <int64_t><uint32_t>turns
        _part(before, behind, ST_MEMORY_THROTTLE, since, middle, at)
        _part(before, behind, ST_PIPE_BUSY, at, middle, at + (turns >> TURN_BITS))
        at += turns >> TURN_BITS
    _part(before, behind, ST_NOT_SELECTED, at, middle, issue)
    _part(before, behind, ST_SELECTED, issue, middle, w.settled)
    if of.records:
        timeline_keep(of, w, u, begin, since, turns, issue)


cdef void timeline_spread(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue) noexcept nogil:
    """As `timeline_issue`, wherever the issue's buckets are; it may lie outside of the window in part."""
    cdef TimelineRecord *t = of.timeline
    cdef int64_t since = max(w.since, begin), throttled = <int64_t><uint32_t>turns, busy = turns >> TURN_BITS
    if t.first <= issue < t.last:
        _see(of, issue)
        of.bucket.unit_issues[u.unit] += u.issues
    if begin > issue:
        return
    _spend(t, of.number, w.cause, begin, since)
    _spend(t, of.number, ST_MEMORY_THROTTLE, since, since + throttled)
    _spend(t, of.number, ST_PIPE_BUSY, since + throttled, since + throttled + busy)
    _spend(t, of.number, ST_NOT_SELECTED, since + throttled + busy, issue)
    _spend(t, of.number, ST_SELECTED, issue, w.settled)
    if of.records and _in_window(t, begin, w.settled):
        timeline_keep(of, w, u, begin, since, turns, issue)


cdef void timeline_issue(const Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue) noexcept nogil:
    """A warp issues an op from `issue` to where its time is settled; it has waited since `begin`, from its `since` on only for its turn.

    One that goes along with another in the same slot waits for nothing: `begin` lies behind `issue` then. What is called here is called last, so that the
    usual case keeps nothing on the stack.
    """
    cdef MultiprocessorTimeline *of = w.residency.recorded
    cdef Activity *bucket = of.bucket
    cdef int64_t since
    if begin < of.begin or w.settled > of.end or begin > issue:
        if begin < of.least or w.settled > of.most or begin >= of.end or begin > issue or begin < of.begin and w.settled > of.end:
            timeline_spread(of, w, u, begin, turns, issue)
        else:
            timeline_divide(of, w, u, begin, turns, issue)
        return
    since = w.since if w.since > begin else begin
    bucket.unit_issues[u.unit] += u.issues
    bucket.stall_cycles[w.cause] += since - begin
    bucket.stall_cycles[<int>ST_NOT_SELECTED] += issue - since
    bucket.stall_cycles[<int>ST_SELECTED] += w.settled - issue
    if turns:
        bucket.stall_cycles[<int>ST_MEMORY_THROTTLE] += <int64_t><uint32_t>turns
        bucket.stall_cycles[<int>ST_PIPE_BUSY] += turns >> TURN_BITS
        bucket.stall_cycles[<int>ST_NOT_SELECTED] -= <int64_t><uint32_t>turns + (turns >> TURN_BITS)
    if of.records:
        timeline_keep(of, w, u, begin, since, turns, issue)


cdef void timeline_wait(MultiprocessorTimeline *of, const Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil:
    """A warp has waited in [begin, until) for something that ends with no issue, such as a barrier."""
    cdef WarpRecord *record
    if begin >= until:
        return
    _spend(of.timeline, of.number, cause, begin, until)
    if not of.records or not _in_window(of.timeline, begin, until):
        return
    record = _next(of.timeline)
    if record != NULL:
        _name(record, of, w, u)
        record.begin = begin
        record.end = until
        record.unit = -1
        record.cause = cause
        record.since = record.issue = until
        record.turns = 0


# ------------------------------------------------------------------------------------------------------------------ banks
cdef void _settle_uses(BankRecord *banks, BankUse *use) noexcept nogil:
    """Count the words of an op's pattern, as often as it was asked for from each bank on."""
    cdef int64_t uses
    cdef int32_t first = 0, k, n = banks.banks
    use.used = 0
    for first in range(n):
        uses = use.uses[first]
        if uses:
            use.uses[first] = 0
            for k in range(n - first):
                banks.served[first + k] += uses * use.words[k]
            for k in range(n - first, n):
                banks.served[first + k - n] += uses * use.words[k]


cdef void banks_settle(BankRecord *banks) noexcept nogil:
    """Count all words in `served`."""
    cdef int64_t i
    for i in range(banks.pending_count):
        _settle_uses(banks, banks.uses + banks.pending[i])
    banks.pending_count = 0


cdef void timeline_pattern(BankUse *use, const Launch *launch, const Uop *u, BankRecord *banks, const uint64_t *address, uint64_t lanes,
                           int64_t first) noexcept nogil:
    """An op accesses words of shared memory in a new pattern, that of its first lane in the bank `first`."""
    cdef uint16_t words[MOST_BANKS]
    cdef int32_t k, n = banks.banks
    if use.used:
        _settle_uses(banks, use)
        use.used = 1             # it is pending already
    bank_words(&launch.m.shared, address, lanes, launch.lanes, u.lane_bytes, words)
    for k in range(n):
        use.words[k] = words[(first + k) % n]


cdef void timeline_tile(TimelineRecord *t, const Launch *launch, const uint64_t *address) noexcept nogil:
    """The eight rows of a tile of 8 x 8 numbers of 16 bits are accessed."""
    cdef uint16_t words[MOST_BANKS]
    cdef int32_t k
    bank_words(&launch.m.shared, address, 0xff, 8, 16, words)
    for k in range(t.banks.banks):
        t.banks.served[k] += words[k]
