"""Sums over buckets of time, of multiprocessors and memory partitions, for the timeline of a launch."""
from libc.stdint cimport int64_t

from archdef.engine.launch cimport Launch
from archdef.engine.network cimport Network
from archdef.engine.timeline_record cimport MultiprocessorSums, PartitionSums, TimelineRecord

cdef struct SampledMultiprocessor:      # where its counters are
    const int64_t *issued
    const int64_t *l1_hits
    const int64_t *l1_misses

cdef struct Sampler:
    Sampler *next
    TimelineRecord *record
    const Launch *launch
    const Network *network
    SampledMultiprocessor *sampled      # [multiprocessors]
    int64_t since                # first epoch whose counts are in no bucket yet; -1: it has not begun
    int64_t time                 # cycle up to which levels are in buckets
    bint over                    # nothing comes any more
    MultiprocessorSums *read     # counters, as they were read last, …
    MultiprocessorSums *seen     # … what of them is in buckets …
    MultiprocessorSums *levels   # … and levels since `time`, in the members that count them
    PartitionSums *memory_read
    PartitionSums *memory_seen
    PartitionSums *memory_levels

cdef int sampler_open(Sampler *s, TimelineRecord *record, const Launch *launch, const Network *network) except -1
cdef void sampler_close(Sampler *s) noexcept nogil
cdef void samplers_begin(Sampler *first, int64_t epoch, bint alone) noexcept nogil
cdef void samplers_end(Sampler *first, int64_t until) noexcept nogil
cdef void sampler_settle(Sampler *s) noexcept nogil
