"""Units that the schedulers of a multiprocessor share, where there are several of a kind, or one that needs all issue slots."""
from libc.stdint cimport int64_t, uint32_t

from archdef.engine.program cimport Uop
from archdef.engine.schedule cimport Scheduler, lowest_bit
from archdef.engine.state cimport Sm


cdef void occupy_counted(Sm *sm, int scheduler, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil:
    """Hold the unit that became free first; the kind is blocked until the next one is free.

    One that is exclusive takes a slot of the other schedulers: this one, or their next if they have used it already.
    """
    cdef Scheduler *s
    cdef int i
    if sm.taken != cycle:
        sm.taken = cycle
        sm.first = scheduler + 1
    sm.turn = sm.first      # else the one that gets what others leave over would be the same every time
    if sm.m.unit_exclusive[u.unit]:
        for i in range(<int>sm.m.schedulers):
            s = sm.schedulers + i
            if i != scheduler:
                s.next_issue = max(s.next_issue, cycle) + u.issues * sm.m.issue_interval_cycles
    _hold(sm, u.unit, cycle, cycles)


cdef inline void _hold(Sm *sm, int unit, int64_t cycle, int64_t cycles) noexcept nogil:
    """Hold a copy; a kind is blocked until the next of its copies is free. Those that fewer kinds can use are taken first."""
    cdef int whole = <int>sm.m.unit_within[unit]
    cdef int64_t *copies = sm.copy_free[whole]
    cdef int64_t free_
    cdef int i, kind, taken = 0, count = <int>sm.m.unit_copies[unit]
    cdef uint32_t sharing = sm.chip.sharing[whole]
    for i in range(1, count):
        if copies[i] <= cycle or copies[i] < copies[taken]:
            taken = i
    copies[taken] = cycle + cycles
    while sharing:
        kind = lowest_bit(sharing)
        sharing &= sharing - 1
        free_ = copies[0]
        for i in range(1, <int>sm.m.unit_copies[kind]):
            if copies[i] < free_:
                free_ = copies[i]
        if free_ > cycle:
            sm.unit_blocked[kind] += free_ - max(cycle, sm.unit_free[kind])
            sm.unit_free[kind] = free_
            sm.busy |= <uint32_t>1 << kind
