"""The timeline of a launch, as its blocks and warps write it: records of them, and sums over buckets of time."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from archdef.engine.counters cimport ST_MEMORY_THROTTLE, ST_NOT_SELECTED, ST_PIPE_BUSY, ST_SELECTED
from archdef.engine.launch cimport Block, Warp
from archdef.engine.program cimport Uop
from archdef.engine.timeline_record cimport (DETAIL_BLOCKS, DETAIL_WARPS, Activity, BlockRecord, MultiprocessorSums, PartitionSums,
                                             TimelineRecord, WarpRecord)


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
    while (cycle - t.first) // t.width >= t.buckets:
        _pair(<int64_t *>t.sums, t.multiprocessors * <int64_t>(sizeof(MultiprocessorSums) // sizeof(int64_t)), t.buckets)
        _pair(<int64_t *>t.memory, t.partitions * <int64_t>(sizeof(PartitionSums) // sizeof(int64_t)), t.buckets)
        if t.activity != NULL:
            _pair(<int64_t *>t.activity, t.multiprocessors * <int64_t>(sizeof(Activity) // sizeof(int64_t)), t.buckets)
        t.width *= 2


cdef inline int64_t _of(const Warp *w) noexcept nogil:
    """The multiprocessor of a warp."""
    return w.residency - w.launch.origin.residencies


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


cdef inline Activity *_bucket_of_all(TimelineRecord *t, int64_t sm, int64_t begin, int64_t end) noexcept nogil:
    """The bucket that [begin, end) lies in, NULL: it does not lie in one, or in part outside of the window."""
    cdef int64_t i
    if begin < t.first or end > t.last or begin >= end:
        return NULL
    i = (end - 1 - t.first) // t.width
    if i >= t.buckets or begin < t.first + i * t.width:
        return NULL
    return t.activity + i * t.multiprocessors + sm


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


cdef WarpRecord *_record(TimelineRecord *t, const Warp *w, const Uop *u, int64_t sm, int64_t begin, int64_t end) noexcept nogil:
    """A new record, NULL: there is none for it."""
    cdef WarpRecord *record
    if t.detail < DETAIL_WARPS or end <= t.first or begin >= t.last or t.chosen != NULL and not t.chosen[sm]:
        return NULL
    if t.warp_count == t.warp_room:
        t.warps_lost += 1
        return NULL
    record = t.warps + t.warp_count
    t.warp_count += 1
    record.serial = w.launch.serial
    record.kernel = w.launch.kernel
    record.warp = w.number
    record.multiprocessor = sm
    record.slot = w.slot
    record.statement = u.statement
    record.begin = begin
    record.end = end
    return record


cdef void timeline_issue(const Warp *w, const Uop *u, int64_t begin, int64_t since, int64_t throttled, int64_t busy, int64_t issue,
                         int64_t end) noexcept nogil:
    """A warp issues an op in [issue, end); it has waited since `begin`, from `since` on only for its turn.

    One that goes along with another in the same slot waits for nothing: `begin` lies behind `issue` then.
    """
    cdef TimelineRecord *t = w.launch.origin.timeline
    cdef int64_t sm = _of(w)
    cdef WarpRecord *record
    cdef Activity *bucket = _bucket_of_all(t, sm, begin, end)
    if bucket != NULL and begin <= issue:       # as nearly always
        bucket.unit_issues[u.unit] += u.issues
        bucket.stall_cycles[w.cause] += since - begin
        bucket.stall_cycles[<int>ST_MEMORY_THROTTLE] += throttled
        bucket.stall_cycles[<int>ST_PIPE_BUSY] += busy
        bucket.stall_cycles[<int>ST_NOT_SELECTED] += issue - since - throttled - busy
        bucket.stall_cycles[<int>ST_SELECTED] += end - issue
    else:
        if t.first <= issue < t.last:
            timeline_reach(t, issue)
            t.activity[(issue - t.first) // t.width * t.multiprocessors + sm].unit_issues[u.unit] += u.issues
        if begin > issue:
            return
        _spend(t, sm, w.cause, begin, since)
        _spend(t, sm, ST_MEMORY_THROTTLE, since, since + throttled)
        _spend(t, sm, ST_PIPE_BUSY, since + throttled, since + throttled + busy)
        _spend(t, sm, ST_NOT_SELECTED, since + throttled + busy, issue)
        _spend(t, sm, ST_SELECTED, issue, end)
    record = _record(t, w, u, sm, begin, end)
    if record != NULL:
        record.unit = u.unit
        record.cause = w.cause
        record.since = since
        record.throttled = throttled
        record.unit_busy = busy
        record.issue = issue


cdef void timeline_wait(const Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil:
    """A warp has waited in [begin, until) for something that ends with no issue, such as a barrier."""
    cdef TimelineRecord *t = w.launch.origin.timeline
    cdef int64_t sm = _of(w)
    cdef WarpRecord *record
    if begin >= until:
        return
    _spend(t, sm, cause, begin, until)
    record = _record(t, w, u, sm, begin, until)
    if record != NULL:
        record.unit = -1
        record.cause = cause
        record.since = record.issue = until
        record.throttled = record.unit_busy = 0
