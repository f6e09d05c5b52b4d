"""The timeline of a launch, as its blocks and warps write it: records of them, and sums over buckets of time."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from archdef.engine.bits cimport lowest_bit
from archdef.engine.counters cimport ST_MEMORY_THROTTLE, ST_NOT_SELECTED, ST_PIPE_BUSY, ST_SELECTED
from archdef.engine.launch cimport Block, Launch, Warp
from archdef.engine.shared cimport bank_words
from archdef.engine.timeline_record cimport (DETAIL_BLOCKS, MOST_BANKS, Activity, BankRecord, BankUse, BlockRecord, MultiprocessorSums,
                                             MultiprocessorTimeline, PartitionSums, TimelineRecord, WarpPlace, WarpRecord)
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
    if cycle - t.first < t.width * t.buckets:
        return
    for i in range(t.multiprocessors if t.each != NULL else 0):     # none of them knows its bucket any more
        t.each[i].begin = t.each[i].end = t.each[i].least = t.each[i].most = 0
    while cycle - t.first >= t.width * t.buckets:
        _pair(<int64_t *>t.sums, t.multiprocessors * <int64_t>(sizeof(MultiprocessorSums) // sizeof(int64_t)), t.buckets)
        _pair(<int64_t *>t.memory, t.partitions * <int64_t>(sizeof(PartitionSums) // sizeof(int64_t)), t.buckets)
        if t.activity != NULL:
            _pair(<int64_t *>t.activity, t.multiprocessors * <int64_t>(sizeof(Activity) // sizeof(int64_t)), t.buckets)
            _pair(t.bank_words, t.banks.banks, t.buckets)
        t.width *= 2


cdef void _spend(TimelineRecord *t, int64_t sm, int32_t cause, int64_t begin, int64_t end) noexcept nogil:
    """A warp has spent [begin, end) so."""
    cdef int64_t i, stop
    begin = max(begin, t.first)
    end = min(end, t.last)
    if begin >= end:
        return
    timeline_reach(t, end - 1)
    i = (begin - t.first) // t.width
    stop = t.first + (i + 1) * t.width
    while stop < end:
        t.activity[i * t.multiprocessors + sm].stall_cycles[cause] += stop - begin
        begin = stop
        stop += t.width
        i += 1
    t.activity[i * t.multiprocessors + sm].stall_cycles[cause] += end - begin


cdef void _find(MultiprocessorTimeline *of, int64_t cycle) noexcept nogil:
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


cdef inline void _see(MultiprocessorTimeline *of, int64_t cycle) noexcept nogil:
    """The same, as time goes on: mostly it is the bucket behind the known one, or still that."""
    cdef const TimelineRecord *t = of.timeline
    if of.begin <= cycle < of.end:
        return
    if not of.end <= cycle < of.most:
        _find(of, cycle)
        return
    of.least = of.begin
    of.begin = of.end
    of.end = of.most
    of.bucket += t.multiprocessors
    if of.bucket + t.multiprocessors < t.activity + t.buckets * t.multiprocessors:
        of.most = min(of.end + t.width, t.last)


cdef struct Walk:                # back in time, from bucket to bucket
    Activity *bucket
    int64_t begin                # of it
    int64_t end                  # of what is to be spent, in it
    int64_t least                # nothing before it is in the window


cdef inline void _walk(Walk *walk, const TimelineRecord *t, int32_t cause, int64_t begin) noexcept nogil:
    """A warp has spent its time so from `begin` on, to where its walk has come."""
    begin = max(begin, walk.least)
    while begin < walk.begin:
        walk.bucket.stall_cycles[cause] += walk.end - walk.begin
        walk.bucket -= t.multiprocessors
        walk.end = walk.begin
        walk.begin -= t.width
    walk.bucket.stall_cycles[cause] += walk.end - begin
    walk.end = begin


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


cdef void timeline_place(Warp *w, WarpRecord *record) noexcept nogil:
    """Say who a warp is that has its first record: there is room for as many as for records."""
    cdef MultiprocessorTimeline *of = w.residency.recorded
    cdef TimelineRecord *t = of.timeline
    cdef WarpPlace *place = t.places + t.place_count
    t.place_count += 1
    w.place = record.place = <int32_t>t.place_count
    place.serial = w.launch.serial
    place.kernel = w.launch.kernel
    place.warp = w.number
    place.multiprocessor = of.number
    place.slot = w.slot


cdef inline bint _in_window(const TimelineRecord *t, int64_t begin, int64_t end) noexcept nogil:
    return end > t.first and begin < t.last


cdef inline void _part(Activity *before, Activity *behind, int32_t cause, int64_t begin, int64_t middle, int64_t end) noexcept nogil:
    """Divide [begin, end) among two buckets, of which one ends and the other begins in the middle."""
    cdef int64_t early = min(end, middle) - min(begin, middle)
    before.stall_cycles[cause] += early
    behind.stall_cycles[cause] += end - begin - early


cdef inline bint _in_two(const MultiprocessorTimeline *of, int64_t begin, int64_t end) noexcept nogil:
    """Whether [begin, end), which is not in the known bucket, lies in it and one of its neighbours."""
    return of.least <= begin < of.end and end <= of.most and (begin >= of.begin or end <= of.end)


cdef void timeline_halve(Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue) noexcept nogil:
    """As `timeline_elsewhere`, of an issue whose turn comes while one bucket ends and the other begins, or that is being issued then."""
    cdef MultiprocessorTimeline *of = w.residency.recorded
    cdef int64_t since = max(w.since, begin), middle = of.begin if begin < of.begin else of.end, at = since
    cdef Activity *before = of.bucket - of.timeline.multiprocessors if begin < of.begin else of.bucket
    cdef Activity *behind = before + of.timeline.multiprocessors
    (before if issue < middle else behind).unit_issues[u.unit] += u.issues
    before.stall_cycles[w.cause] += since - begin
    if turns:
        at += <int64_t><uint32_t>turns
        _part(before, behind, ST_MEMORY_THROTTLE, since, middle, at)
        _part(before, behind, ST_PIPE_BUSY, at, middle, at + (turns >> TURN_BITS))
        at += turns >> TURN_BITS
    _part(before, behind, ST_NOT_SELECTED, at, middle, issue)
    _part(before, behind, ST_SELECTED, issue, middle, w.settled)
    if of.records:
        keep(of, w, begin, since - begin, turns, issue, w.pc, w.cause)


cdef void timeline_elsewhere(Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue, int64_t spent) noexcept nogil:
    """As `note_issue`, of an issue that is not in the known bucket alone.

    Most wait, for what they depend on, for their unit, or because another warp is issued, while one bucket ends and the next begins.
    """
    cdef MultiprocessorTimeline *of = w.residency.recorded
    cdef int64_t since = max(w.since, begin), throttled = <int64_t><uint32_t>turns, busy = turns >> TURN_BITS, at = since + throttled + busy
    cdef int64_t middle = of.begin
    cdef Activity *before
    cdef Activity *behind = of.bucket
    if not _in_two(of, begin, w.settled):
        timeline_spread(w, u, begin, turns, issue, spent)
        return
    if begin >= middle:
        behind += of.timeline.multiprocessors
        middle = of.end
    before = behind - of.timeline.multiprocessors
    if middle > issue or since < middle < since + throttled:
        timeline_halve(w, u, begin, turns, issue)
        return
    behind.unit_issues[u.unit] += u.issues
    behind.stall_cycles[<int>ST_SELECTED] += spent
    if since >= middle:
        before.stall_cycles[w.cause] += middle - begin
        behind.stall_cycles[w.cause] += since - middle
        behind.stall_cycles[<int>ST_NOT_SELECTED] += issue - at
        if turns:
            behind.stall_cycles[<int>ST_MEMORY_THROTTLE] += throttled
            behind.stall_cycles[<int>ST_PIPE_BUSY] += busy
    else:
        before.stall_cycles[w.cause] += since - begin
        before.stall_cycles[<int>ST_MEMORY_THROTTLE] += throttled
        if at <= middle:
            before.stall_cycles[<int>ST_PIPE_BUSY] += busy
            before.stall_cycles[<int>ST_NOT_SELECTED] += middle - at
            behind.stall_cycles[<int>ST_NOT_SELECTED] += issue - middle
        else:
            before.stall_cycles[<int>ST_PIPE_BUSY] += middle - since - throttled
            behind.stall_cycles[<int>ST_PIPE_BUSY] += at - middle
            behind.stall_cycles[<int>ST_NOT_SELECTED] += issue - at
    if of.records:
        keep(of, w, begin, since - begin, turns, issue, w.pc, w.cause)


cdef void timeline_spread(Warp *w, const Uop *u, int64_t begin, int64_t turns, int64_t issue, int64_t spent) noexcept nogil:
    """As `note_issue`, wherever the issue's buckets are; it may lie outside of the window in part."""
    cdef MultiprocessorTimeline *of = w.residency.recorded
    cdef TimelineRecord *t = of.timeline
    cdef int64_t since = max(w.since, begin), throttled = <int64_t><uint32_t>turns, busy = turns >> TURN_BITS
    cdef Walk walk
    if t.first <= issue < t.last:
        _see(of, issue)
        of.bucket.unit_issues[u.unit] += u.issues
    if spent == 0:
        return
    if of.begin < w.settled <= of.end:
        walk.bucket = of.bucket
        walk.begin = of.begin
        walk.end = w.settled
        walk.least = t.first
        _walk(&walk, t, ST_SELECTED, issue)
        _walk(&walk, t, ST_NOT_SELECTED, since + throttled + busy)
        if turns:
            _walk(&walk, t, ST_PIPE_BUSY, since + throttled)
            _walk(&walk, t, ST_MEMORY_THROTTLE, since)
        _walk(&walk, t, w.cause, begin)
    else:
        _spend(t, of.number, w.cause, begin, since)
        _spend(t, of.number, ST_MEMORY_THROTTLE, since, since + throttled)
        _spend(t, of.number, ST_PIPE_BUSY, since + throttled, since + throttled + busy)
        _spend(t, of.number, ST_NOT_SELECTED, since + throttled + busy, issue)
        _spend(t, of.number, ST_SELECTED, issue, w.settled)
    if of.records and _in_window(t, begin, w.settled):
        keep(of, w, begin, since - begin, turns, issue, w.pc, w.cause)


cdef void timeline_wait_elsewhere(MultiprocessorTimeline *of, Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil:
    """As `timeline_wait`, wherever the wait's buckets are; it may lie outside of the window in part."""
    cdef TimelineRecord *t = of.timeline
    if not _in_window(t, begin, until):
        return
    _spend(t, of.number, cause, begin, until)
    if t.first < until <= t.last:
        _see(of, until - 1)
    if of.records:
        keep(of, w, begin, until - begin, NO_TURN, until, u - w.launch.ops, cause)


cdef void timeline_wait(MultiprocessorTimeline *of, Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil:
    """A warp has waited in [begin, until) for something that ends with no issue, such as a barrier."""
    cdef Activity *bucket = of.bucket
    if begin >= until:
        return
    if begin >= of.begin and until <= of.end:
        bucket.stall_cycles[cause] += until - begin
    elif not _in_two(of, begin, until):
        timeline_wait_elsewhere(of, w, u, begin, until, cause)
        return
    elif begin < of.begin:
        bucket.stall_cycles[cause] += until - of.begin
        (bucket - of.timeline.multiprocessors).stall_cycles[cause] += of.begin - begin
    else:
        bucket.stall_cycles[cause] += of.end - begin
        (bucket + of.timeline.multiprocessors).stall_cycles[cause] += until - of.end
    if of.records:
        keep(of, w, begin, until - begin, NO_TURN, until, u - w.launch.ops, cause)


# ------------------------------------------------------------------------------------------------------------------ banks
cdef void _settle_uses(BankRecord *banks, BankUse *use) noexcept nogil:
    """Count the words of an op's pattern, as often as it was asked for from each bank on."""
    cdef int64_t uses
    cdef int64_t *served = banks.served
    cdef int32_t first, k, n = banks.banks
    if use.alike:
        uses = use.uses[0] * use.words[0]
        use.uses[0] = 0
        for k in range(n):
            served[k] += uses
        return
    for first in range(n):
        uses = use.uses[first]
        if uses:
            use.uses[first] = 0
            for k in range(use.behind):
                served[first + k & n - 1] += uses * use.words[k]


cdef void banks_settle(BankRecord *banks) noexcept nogil:
    """Count all words in `served`."""
    cdef int64_t i
    for i in range(banks.pending_count):
        _settle_uses(banks, banks.uses + banks.pending[i])
        banks.uses[banks.pending[i]].pending = False
    banks.pending_count = 0


cdef void timeline_pends(BankRecord *banks, BankUse *use) noexcept nogil:
    """An op has uses that are not in `served`."""
    use.pending = True
    banks.pending[banks.pending_count] = use - banks.uses
    banks.pending_count += 1


cdef void timeline_pattern(BankUse *use, const Launch *launch, const Uop *u, BankRecord *banks, const uint64_t *address, uint64_t lanes,
                           uint64_t base) noexcept nogil:
    """An op accesses words of shared memory in a new pattern, its first lane at `base`."""
    cdef uint16_t words[MOST_BANKS]
    cdef int32_t k, n = banks.banks
    if use.pending:
        _settle_uses(banks, use)
    use.width_bits = lowest_bit(<uint64_t>launch.m.shared.bank_width_bytes)
    bank_words(&launch.m.shared, address, lanes, launch.lanes, u.lane_bytes, words)
    use.behind = 0
    use.alike = True
    for k in range(n):
        use.words[k] = words[(base >> use.width_bits) + <uint64_t>k & <uint64_t>(n - 1)]
        use.alike &= use.words[k] == use.words[0]
        if use.words[k]:
            use.behind = k + 1
    use.bank_mask = 0 if use.alike else <uint64_t>(n - 1)


cdef void timeline_tile(TimelineRecord *t, const Launch *launch, const uint64_t *address) noexcept nogil:
    """The eight rows of a tile of 8 x 8 numbers of 16 bits are accessed."""
    cdef uint16_t words[MOST_BANKS]
    cdef int32_t k
    bank_words(&launch.m.shared, address, 0xff, 8, 16, words)
    for k in range(t.banks.banks):
        t.banks.served[k] += words[k]
