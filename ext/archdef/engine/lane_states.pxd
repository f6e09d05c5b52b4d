"""What the lanes of warps do, cycle by cycle: together, on one path of a branch, waiting; docs/explanation/lane-states.md.

Only what is not coherent is counted: an issue of a full warp with all its lanes costs one comparison.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.program cimport Uop
from archdef.engine.state cimport Warp

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

cdef class LaneTracer:
    """The trace that a launch was asked for."""
    cdef LaneTrace trace
    cdef int64_t origin          # cycle of the session that the launch counts from
    cdef int begin(self, int64_t origin) except -1

cdef bint lanes_traced(const LaneTrace *trace, int64_t warp) noexcept nogil
cdef void lanes_apart(Warp *w, const Uop *u, int64_t begin, int64_t issue, int64_t end, int64_t slots) noexcept nogil

cdef inline void note_lanes(Warp *w, const Uop *u, int64_t begin, int64_t issue, int64_t end, int64_t slots) noexcept nogil:
    """The warp waits for an op from `begin` on and issues it in [issue, end), in so many slots; nothing has happened to its lanes yet.

    Some of them run: a traced warp of which none does is for `lanes_apart`.
    """
    if w.active != w.quiet:
        lanes_apart(w, u, begin, issue, end, slots)
