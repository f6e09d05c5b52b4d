"""The timeline of a launch, as its blocks and warps write it."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.launch cimport Block, Warp
from archdef.engine.program cimport Uop
from archdef.engine.timeline_record cimport TimelineRecord

cdef void timeline_reach(TimelineRecord *t, int64_t cycle) noexcept nogil
cdef void timeline_block(TimelineRecord *t, const Block *b, int64_t sm, int64_t slot, int64_t end) noexcept nogil
cdef void timeline_issue(const Warp *w, const Uop *u, int64_t begin, int64_t since, int64_t throttled, int64_t busy, int64_t issue,
                         int64_t end) noexcept nogil
cdef void timeline_wait(const Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil

cdef inline bint warps_recorded(const TimelineRecord *t) noexcept nogil:
    """Whether warps tell what they do."""
    return t != NULL and t.activity != NULL

cdef inline void note_wait(const Warp *w, const Uop *u, int64_t begin, int64_t until, int32_t cause) noexcept nogil:
    """The warp has waited for something that ends with no issue; its time is settled up to `until`."""
    if w.quiet == 0 and warps_recorded(w.launch.origin.timeline):
        timeline_wait(w, u, begin, until, cause)
