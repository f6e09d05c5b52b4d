"""What a launch records of the lanes of some of its warps."""
from libc.stdint cimport int64_t, uint64_t

cdef struct LaneRecord:          # of a warp, from one issue to the next
    int64_t warp                 # of the grid: block times warps of a block, plus its number in the block
    int64_t begin                # cycles; [begin, issue) waiting for the issue of the op, [issue, end) issuing
    int64_t issue
    int64_t end
    int64_t statement
    uint64_t running
    uint64_t alive
    int64_t path                 # LanePart of the running lanes if not all that live run

cdef struct LaneTrace:
    const int64_t *warps         # ascending
    int64_t warp_count
    int64_t first                # cycles of the session
    int64_t last
    LaneRecord *records
    int64_t count
    int64_t room
    int64_t lost                 # records that found none
