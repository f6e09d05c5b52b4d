"""Units that the schedulers of a multiprocessor share, where there are several of a kind, or one that needs all issue slots."""
from libc.stdint cimport int64_t, uint32_t

from archdef.engine.program cimport Uop
from archdef.engine.schedule cimport Scheduler
from archdef.engine.state cimport Sm


cdef void occupy_counted(Sm *sm, int scheduler, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil:
    """Hold the unit that became free first; the kind is blocked until the next one is free.

    One that is exclusive takes a slot of the other schedulers: this one, or their next if they have used it already.
    """
    cdef Scheduler *s
    cdef int i
    if sm.m.unit_exclusive[u.unit]:
        for i in range(<int>sm.m.schedulers):
            s = sm.schedulers + i
            if i != scheduler:
                s.next_issue = max(s.next_issue, cycle) + u.issues * sm.m.issue_interval_cycles
    _occupy_first(sm, u, cycle, cycles)


cdef inline void _occupy_first(Sm *sm, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil:
    cdef int64_t *copies = sm.copy_free[u.unit]
    cdef int64_t free_
    cdef int i, taken = 0, count = <int>sm.m.unit_copies[u.unit]
    for i in range(1, count):
        if copies[i] < copies[taken]:
            taken = i
    copies[taken] = cycle + cycles
    free_ = copies[0]
    for i in range(1, count):
        if copies[i] < free_:
            free_ = copies[i]
    if free_ > cycle:
        sm.unit_free[u.unit] = free_
        sm.unit_blocked[u.unit] += free_ - cycle
        sm.busy |= <uint32_t>1 << u.unit
