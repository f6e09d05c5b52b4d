"""What a multiprocessor does for one launch, and counts of it."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.timeline_record cimport MultiprocessorTimeline

cdef struct SmCounters:
    int64_t blocks
    int64_t warps
    int64_t active_cycles
    int64_t warp_cycles
    int64_t issue_cycles
    int64_t threads
    int64_t lanes

cdef struct Residency:           # what a multiprocessor does for one host launch and all that it launches
    SmCounters counters
    int32_t warps_alive
    int32_t resident             # blocks
    int32_t most_resident
    int64_t active_since
    int64_t ready                # when its first block has parameters and code
    MultiprocessorTimeline *recorded  # where what its warps do is recorded, NULL: nowhere
