"""What the lanes of warps do, cycle by cycle: together, on one path of a branch, waiting; docs/explanation/lane-states.md.

Only what is not coherent is counted: an issue of a full warp with all its lanes costs one comparison.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.lane_trace cimport LaneTrace
from archdef.engine.launch cimport Warp
from archdef.engine.uop cimport Uop

cdef class LaneTracer:
    """The trace that a launch was asked for."""
    cdef LaneTrace trace
    cdef int64_t origin          # cycle of the session that the launch counts from
    cdef int begin(self, int64_t origin) except -1

cdef bint lanes_traced(const LaneTrace *trace, int64_t warp) noexcept nogil
# `issue`: NO_ISSUE minus the Stall if the warp has waited for something that ends with none, see `note_wait`
cdef void lanes_apart(Warp *w, const Uop *u, int64_t begin, int64_t issue, int64_t end, int64_t slots) noexcept nogil

cdef enum:
    NO_ISSUE = -1

cdef inline void note_lanes(Warp *w, const Uop *u, int64_t begin, int64_t issue, int64_t end, int64_t slots) noexcept nogil:
    """The warp waits for an op from `begin` on and issues it in [issue, end), in so many slots; nothing has happened to its lanes yet.

    Some of them run: a traced warp of which none does is for `lanes_apart`.
    """
    if w.active != w.quiet:
        lanes_apart(w, u, begin, issue, end, slots)

cdef inline void note_wait(Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil:
    """The warp has waited at an op for something that ends with no issue, and is settled up to `until` next; some of its lanes run."""
    if w.active != w.quiet:
        lanes_apart(w, u, begin, NO_ISSUE - cause, until, 0)

cdef inline void note_group_wait(Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil:
    """The same if none of its lanes may run, because all paths wait."""
    if w.active == 0 or w.active != w.quiet:
        lanes_apart(w, u, begin, NO_ISSUE - cause, until, 0)
