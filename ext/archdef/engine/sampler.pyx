"""Sums over buckets of time, of multiprocessors and memory partitions, for the timeline of a launch.

Counters are read where a bucket ends: an epoch ends there too, which changes nothing, so what a bucket has is exact. Levels, of queues and of
resident warps, count as they are at the end of an epoch for all of it, and on to the next.
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
from archdef.engine.timeline cimport timeline_reach
from archdef.engine.timeline_record cimport MultiprocessorSums, PartitionSums, TimelineRecord


cdef int sampler_open(Sampler *s, TimelineRecord *record, const Launch *launch, const Network *network) except -1:
    """Get ready; `sampled` is for the caller to fill."""
    s.record = record
    s.launch = launch
    s.network = network
    s.time = -1
    s.sampled = <SampledMultiprocessor *>calloc(<size_t>record.multiprocessors, sizeof(SampledMultiprocessor))
    s.sums = <MultiprocessorSums *>calloc(<size_t>(3 * record.multiprocessors), sizeof(MultiprocessorSums))
    s.memory = <PartitionSums *>calloc(<size_t>(3 * record.partitions), sizeof(PartitionSums))
    if s.sampled == NULL or s.sums == NULL or s.memory == NULL:
        raise MemoryError("timeline of a launch")
    s.seen = s.sums + record.multiprocessors
    s.levels = s.seen + record.multiprocessors
    s.memory_seen = s.memory + record.partitions
    s.memory_levels = s.memory_seen + record.partitions
    return 0


cdef void sampler_close(Sampler *s) noexcept nogil:
    free(s.sampled)
    free(s.sums)
    free(s.memory)


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
        s.sums[i].issued = s.sampled[i].issued[0]
        s.sums[i].l1_hits = s.sampled[i].l1_hits[0]
        s.sums[i].l1_misses = s.sampled[i].l1_misses[0]
    for i in range(s.record.partitions):
        counters = &s.network.partitions[i].dram.counters
        s.memory[i].requests = counters.requests
        s.memory[i].bytes_read = counters.bytes_read
        s.memory[i].bytes_written = counters.bytes_written
        s.memory[i].row_hits = counters.row_hits
        s.memory[i].row_misses = counters.row_misses
        s.memory[i].l2_hits = counters.l2_hits
        s.memory[i].l2_misses = counters.l2_misses
        s.memory[i].busy_fs = counters.busy_fs


cdef void _add(int64_t *bucket, const int64_t *sums, int64_t *seen, int64_t numbers) noexcept nogil:
    """Put into a bucket what is in none yet."""
    cdef int64_t k
    for k in range(numbers):
        bucket[k] += sums[k] - seen[k]
        seen[k] = sums[k]


cdef void sampler_settle(Sampler *s) noexcept nogil:
    """Put everything up to `time` into the bucket of the cycle before."""
    cdef TimelineRecord *t = s.record
    cdef int64_t i
    if s.time <= t.first or s.over:
        return
    timeline_reach(t, s.time - 1)
    i = (s.time - 1 - t.first) // t.width
    _read(s)
    _add(<int64_t *>(t.sums + i * t.multiprocessors), <const int64_t *>s.sums, <int64_t *>s.seen,
         t.multiprocessors * <int64_t>(sizeof(MultiprocessorSums) // sizeof(int64_t)))
    _add(<int64_t *>(t.memory + i * t.partitions), <const int64_t *>s.memory, <int64_t *>s.memory_seen,
         t.partitions * <int64_t>(sizeof(PartitionSums) // sizeof(int64_t)))


cdef inline int64_t _bucket_end(const Sampler *s) noexcept nogil:
    """Where the bucket of `time` ends."""
    return s.record.first + ((s.time - s.record.first) // s.record.width + 1) * s.record.width


cdef void _pass(Sampler *s, int64_t until) noexcept nogil:
    """Time goes on, with the levels as they are."""
    cdef int64_t stop, i
    while s.time < until:
        stop = min(until, _bucket_end(s))
        for i in range(s.record.multiprocessors):
            s.sums[i].warp_cycles += s.levels[i].warp_cycles * (stop - s.time)
            s.sums[i].request_cycles += s.levels[i].request_cycles * (stop - s.time)
        for i in range(s.record.partitions):
            s.memory[i].queue_cycles += s.memory_levels[i].queue_cycles * (stop - s.time)
            s.memory[i].waiting_cycles += s.memory_levels[i].waiting_cycles * (stop - s.time)
        if stop == _bucket_end(s):
            s.time = stop
            sampler_settle(s)
        s.time = stop


cdef int64_t _begin(Sampler *s, int64_t epoch, int64_t until, bint alone) noexcept nogil:
    cdef TimelineRecord *t = s.record
    if epoch < t.first:
        return min(until, t.first)
    if s.time < 0:
        s.time = t.first
        _look(s)
        _read(s)
        memcpy(s.seen, s.sums, <size_t>t.multiprocessors * sizeof(MultiprocessorSums))
        memcpy(s.memory_seen, s.memory, <size_t>t.partitions * sizeof(PartitionSums))
    if epoch > s.time:
        _pass(s, min(epoch, t.last))
    # what other launches do is not waited for, as in the launch's own cycles
    if epoch >= t.last or not alone and s.launch.state == LS_COMPLETE and s.launch.origin.grids == 0:
        sampler_settle(s)
        s.over = True
        return until
    return min(until, min(_bucket_end(s), t.last))


cdef int64_t samplers_begin(Sampler *first, int64_t epoch, int64_t until, bint alone) noexcept nogil:
    """Before an epoch. `alone`: the session has but one launch. Gives where the epoch has to end."""
    cdef Sampler *s = first
    while s != NULL:
        if not s.over:
            until = _begin(s, epoch, until, alone)
        s = s.next
    return until


cdef void samplers_end(Sampler *first, int64_t until) noexcept nogil:
    """Everything before `until` has happened."""
    cdef Sampler *s = first
    while s != NULL:
        if s.time >= 0 and not s.over:
            _look(s)
            _pass(s, until)
        s = s.next
