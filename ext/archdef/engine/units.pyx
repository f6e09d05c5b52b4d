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


cdef void others_held(Sm *sm, int unit, int64_t until, int64_t cycles) noexcept nogil:
    """Of units that are the same one, hold the others as the load/store unit is held: until then, for so many cycles more than they knew."""
    cdef int whole = <int>sm.m.unit_within[unit], first = <int>sm.m.unit_first[unit], i, kind
    cdef int64_t *copies = sm.copy_free[whole]
    cdef uint32_t sharing = sm.chip.sharing[whole] & ~(<uint32_t>1 << unit)
    if sm.m.unit_copies[unit] > 1:
        return
    copies[first] = until
    while sharing:
        kind = lowest_bit(sharing)
        sharing &= sharing - 1
        i = <int>sm.m.unit_first[kind]
        if i > first or first >= i + <int>sm.m.unit_copies[kind]:
            continue
        sm.unit_free[kind] = _first_free(sm, kind, copies)
        sm.busy |= <uint32_t>1 << kind
        if sm.m.unit_copies[kind] == 1:
            sm.unit_blocked[kind] += cycles


cdef inline int64_t _first_free(const Sm *sm, int kind, const int64_t *copies) noexcept nogil:
    """When the next of a kind's copies is free."""
    cdef int first = <int>sm.m.unit_first[kind], i
    cdef int64_t free_ = copies[first]
    for i in range(first + 1, first + <int>sm.m.unit_copies[kind]):
        if copies[i] < free_:
            free_ = copies[i]
    return free_


cdef inline void _hold(Sm *sm, int unit, int64_t cycle, int64_t cycles) noexcept nogil:
    """Hold a copy; a kind is blocked until the next of its copies is free. Those that fewer kinds can use are taken first."""
    cdef int whole = <int>sm.m.unit_within[unit], first = <int>sm.m.unit_first[unit]
    cdef int64_t *copies = sm.copy_free[whole]
    cdef int64_t free_, until = cycle + cycles
    cdef int i, kind, taken = first
    cdef uint32_t using
    for i in range(first + 1, first + <int>sm.m.unit_copies[unit]):
        if copies[i] <= cycle or copies[i] < copies[taken]:
            taken = i
    copies[taken] = until
    using = sm.chip.using[whole][taken]     # the others wait for copies of which nothing has changed
    while using:
        kind = lowest_bit(using)
        using &= using - 1
        free_ = until if sm.m.unit_copies[kind] == 1 else _first_free(sm, kind, copies)
        if free_ > cycle:
            sm.unit_blocked[kind] += free_ - max(cycle, sm.unit_free[kind])
            sm.unit_free[kind] = free_
            sm.busy |= <uint32_t>1 << kind
