"""Sums over buckets of time, of multiprocessors and memory partitions, for the timeline of a launch.

Whoever records must not be noticed: epochs are as they would be anyway, and counters are read between them. What is counted in an epoch is in the
bucket in which the epoch begins; a bucket is no shorter than an epoch. Levels, of queues and of resident warps, count as they are at the end of
an epoch for all of it, and on to the next.
"""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from archdef.engine.device_runtime cimport LS_COMPLETE
from archdef.engine.dram cimport PartitionCounters
from archdef.engine.launch cimport Launch
from archdef.engine.network cimport Network
from archdef.engine.partition cimport Partition
from archdef.engine.port cimport PortQueue, Ports
from archdef.engine.timeline cimport banks_settle, timeline_reach
from archdef.engine.timeline_record cimport MultiprocessorSums, PartitionSums, TimelineRecord


cdef int sampler_open(Sampler *s, TimelineRecord *record, const Launch *launch, const Network *network) except -1:
    """Get ready; `sampled` is for the caller to fill."""
    s.record = record
    s.launch = launch
    s.network = network
    s.since = -1
    s.sampled = <SampledMultiprocessor *>calloc(<size_t>record.multiprocessors, sizeof(SampledMultiprocessor))
    s.read = <MultiprocessorSums *>calloc(<size_t>(3 * record.multiprocessors), sizeof(MultiprocessorSums))
    s.memory_read = <PartitionSums *>calloc(<size_t>(3 * record.partitions), sizeof(PartitionSums))
    if s.sampled == NULL or s.read == NULL or s.memory_read == NULL:
        raise MemoryError("timeline of a launch")
    s.seen = s.read + record.multiprocessors
    s.levels = s.seen + record.multiprocessors
    s.memory_seen = s.memory_read + record.partitions
    s.memory_levels = s.memory_seen + record.partitions
    return 0


cdef void sampler_close(Sampler *s) noexcept nogil:
    free(s.sampled)
    free(s.read)
    free(s.memory_read)


cdef int64_t _waiting(const Ports *ports, const PortQueue *queue) noexcept nogil:
    """Ports in a queue."""
    cdef int64_t count = 0
    cdef int32_t at = queue.first
    while at >= 0:
        count += 1
        at = ports.port[at].next_waiter
    return count


cdef void _look(Sampler *s) noexcept nogil:
    """See how much there is of everything that counts as a level."""
    cdef const Network *n = s.network
    cdef const Partition *p
    cdef int64_t i
    for i in range(s.record.multiprocessors):
        s.levels[i].warp_cycles = s.launch.origin.residencies[i].warps_alive
        s.levels[i].request_cycles = n.ports.port[i].count
        if n.ports.count > s.record.multiprocessors:        # stores have ports of their own
            s.levels[i].request_cycles += n.ports.port[s.record.multiprocessors + i].count
    for i in range(s.record.partitions):
        p = n.partitions + i
        s.memory_levels[i].queue_cycles = p.dram.queued
        s.memory_levels[i].waiting_cycles = _waiting(&n.ports, &p.waiting)


cdef void _read(Sampler *s) noexcept nogil:
    """Read all counters."""
    cdef const PartitionCounters *counters
    cdef int64_t i
    for i in range(s.record.multiprocessors):
        s.read[i].issued = s.sampled[i].issued[0]
        s.read[i].l1_hits = s.sampled[i].l1_hits[0]
        s.read[i].l1_misses = s.sampled[i].l1_misses[0]
    for i in range(s.record.partitions):
        counters = &s.network.partitions[i].dram.counters
        s.memory_read[i].requests = counters.requests
        s.memory_read[i].bytes_read = counters.bytes_read
        s.memory_read[i].bytes_written = counters.bytes_written
        s.memory_read[i].row_hits = counters.row_hits
        s.memory_read[i].row_misses = counters.row_misses
        s.memory_read[i].l2_hits = counters.l2_hits
        s.memory_read[i].l2_misses = counters.l2_misses
        s.memory_read[i].busy_fs = counters.busy_fs


cdef void _add(int64_t *bucket, const int64_t *sums, int64_t *seen, int64_t numbers) noexcept nogil:
    """Put into a bucket what is in none yet."""
    cdef int64_t k
    for k in range(numbers):
        bucket[k] += sums[k] - seen[k]
        seen[k] = sums[k]


cdef inline int64_t _bucket(const TimelineRecord *t, int64_t cycle) noexcept nogil:
    return (cycle - t.first) // t.width


cdef void sampler_settle(Sampler *s) noexcept nogil:
    """Put what has been counted since `since` into that bucket."""
    cdef TimelineRecord *t = s.record
    cdef int64_t i
    if s.since < 0 or s.over:
        return
    timeline_reach(t, s.since)
    i = _bucket(t, s.since)
    _read(s)
    _add(<int64_t *>(t.sums + i * t.multiprocessors), <const int64_t *>s.read, <int64_t *>s.seen,
         t.multiprocessors * <int64_t>(sizeof(MultiprocessorSums) // sizeof(int64_t)))
    _add(<int64_t *>(t.memory + i * t.partitions), <const int64_t *>s.memory_read, <int64_t *>s.memory_seen,
         t.partitions * <int64_t>(sizeof(PartitionSums) // sizeof(int64_t)))
    if t.bank_words != NULL:
        _settle_banks(t, i)


cdef void _settle_banks(TimelineRecord *t, int64_t bucket) noexcept nogil:
    """Put the words that banks have served since the last time into a bucket, -1: into none."""
    cdef int32_t k
    banks_settle(&t.banks)
    for k in range(t.banks.banks):
        if bucket >= 0:
            t.bank_words[bucket * t.banks.banks + k] += t.banks.served[k]
        t.banks.served[k] = 0


cdef void _pass(Sampler *s, int64_t until) noexcept nogil:
    """Time goes on, with the levels as they are."""
    cdef TimelineRecord *t = s.record
    cdef MultiprocessorSums *sums
    cdef PartitionSums *memory
    cdef int64_t stop, spent, i
    until = min(until, t.last)
    if s.time >= until:
        return
    timeline_reach(t, until - 1)
    while s.time < until:
        stop = min(until, t.first + (_bucket(t, s.time) + 1) * t.width)
        spent = stop - s.time
        sums = t.sums + _bucket(t, s.time) * t.multiprocessors
        for i in range(t.multiprocessors):
            sums[i].warp_cycles += s.levels[i].warp_cycles * spent
            sums[i].request_cycles += s.levels[i].request_cycles * spent
        memory = t.memory + _bucket(t, s.time) * t.partitions
        for i in range(t.partitions):
            memory[i].queue_cycles += s.memory_levels[i].queue_cycles * spent
            memory[i].waiting_cycles += s.memory_levels[i].waiting_cycles * spent
        s.time = stop


cdef void _begin(Sampler *s, int64_t epoch, bint alone) noexcept nogil:
    cdef TimelineRecord *t = s.record
    if epoch < t.first:
        return
    if s.since < 0:
        s.since = epoch
        s.time = t.first
        _look(s)
        _read(s)
        memcpy(s.seen, s.read, <size_t>t.multiprocessors * sizeof(MultiprocessorSums))
        memcpy(s.memory_seen, s.memory_read, <size_t>t.partitions * sizeof(PartitionSums))
        if t.bank_words != NULL:
            _settle_banks(t, -1)
    _pass(s, epoch)
    # what other launches do is not waited for, as in the launch's own cycles
    if epoch >= t.last or not alone and s.launch.state == LS_COMPLETE and s.launch.origin.grids == 0:
        sampler_settle(s)
        s.over = True
    elif _bucket(t, epoch) != _bucket(t, s.since):
        sampler_settle(s)
        s.since = epoch


cdef void samplers_begin(Sampler *first, int64_t epoch, bint alone) noexcept nogil:
    """Before an epoch. `alone`: the session has but one launch."""
    cdef Sampler *s = first
    while s != NULL:
        if not s.over:
            _begin(s, epoch, alone)
        s = s.next


cdef void samplers_end(Sampler *first, int64_t until) noexcept nogil:
    """Everything before `until` has happened."""
    cdef Sampler *s = first
    while s != NULL:
        if s.since >= 0 and not s.over:
            _look(s)
            _pass(s, until)
        s = s.next
