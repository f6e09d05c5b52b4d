"""Units that the schedulers of a multiprocessor share, where there are several of a kind, or one that needs all issue slots."""
from libc.stdint cimport int64_t, uint32_t

from archdef.engine.bits cimport lowest_bit
from archdef.engine.machine cimport MachineTable
from archdef.engine.schedule cimport Scheduler
from archdef.engine.uop cimport Uop


cdef void units_open(UnitSharing *sharing, const MachineTable *m) noexcept nogil:
    """Find the units for which more is to be done than to say until when one is held."""
    cdef int i, k, together
    for i in range(<int>m.schedulers.units):
        sharing.held_from[i] = 2 if m.units[i].per_scheduler or m.schedulers.count == 1 else 1
        together = 0
        for k in range(<int>m.schedulers.units):
            together += m.units[k].within == m.units[i].within
        sharing.counted[i] = SHARED if m.units[i].copies > 1 or m.units[i].exclusive or together > 1 else 0


cdef uint32_t units_need(UnitSharing *sharing, const MachineTable *m, uint32_t kinds) noexcept nogil:
    """Keep these kinds up to date from here on: a program that has ops for them is to run. Gives those that are new.

    Where a unit for double precision stands in place of one that nearly all ops are for, few programs pay for knowing both.
    """
    cdef uint32_t left
    cdef int kind, whole, i
    kinds &= ~sharing.needed
    sharing.needed |= kinds
    left = kinds
    while left:
        kind = lowest_bit(left)
        left &= left - 1
        whole = <int>m.units[kind].within
        sharing.sharing[whole] |= <uint32_t>1 << kind
        for i in range(<int>m.units[kind].first, <int>m.units[kind].first + <int>m.units[kind].copies):
            sharing.using[whole][i] |= <uint32_t>1 << kind
    for i in range(<int>m.schedulers.units):       # who was alone may be so no longer
        if sharing.counted[i] and m.units[i].copies == 1 and not m.units[i].exclusive:
            sharing.counted[i] = ALONE if sharing.using[<int>m.units[i].within][<int>m.units[i].first] == <uint32_t>1 << i else SHARED
    return kinds


cdef void units_join(Units *units, uint32_t kinds) noexcept nogil:
    """Find, of kinds that are kept up to date from here on, when a multiprocessor's are free."""
    cdef int kind
    while kinds:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        if units.sharing.counted[kind]:
            units.free[kind] = _first_free(units, kind, units.copy_free[<int>units.m.units[kind].within])
            units.busy |= <uint32_t>1 << kind


cdef void occupy_counted(Units *units, Scheduler *schedulers, int scheduler, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil:
    """Hold the unit that became free first; the kind is blocked until the next one is free."""
    if units.taken != cycle:
        units.taken = cycle
        units.first = scheduler + 1
    units.turn = units.first      # else the one that gets what others leave over would be the same every time
    if units.m.units[u.unit].exclusive:
        _take_slots(units, schedulers, scheduler, u, cycle)
    _hold(units, u.unit, cycle, cycle + cycles)


cdef void _take_slots(const Units *units, Scheduler *schedulers, int scheduler, const Uop *u, int64_t cycle) noexcept nogil:
    """Let an exclusive unit's op take a slot of the other schedulers: this one, or their next if they have used it already."""
    cdef Scheduler *s
    cdef int i
    for i in range(<int>units.m.schedulers.count):
        s = schedulers + i
        if i != scheduler:
            s.next_issue = max(s.next_issue, cycle) + u.issues * units.m.schedulers.issue_interval_cycles


cdef void others_held(Units *units, int unit, int64_t until, int64_t cycles) noexcept nogil:
    """Of units that are the same one, hold the others as the load/store unit is held: until then, for so many cycles more than they knew."""
    cdef int whole = <int>units.m.units[unit].within, first = <int>units.m.units[unit].first, i, kind
    cdef int64_t *copies = units.copy_free[whole]
    cdef uint32_t sharing = units.sharing.sharing[whole] & ~(<uint32_t>1 << unit)
    if units.m.units[unit].copies > 1:
        return
    copies[first] = until
    while sharing:
        kind = lowest_bit(sharing)
        sharing &= sharing - 1
        i = <int>units.m.units[kind].first
        if i > first or first >= i + <int>units.m.units[kind].copies:
            continue
        units.free[kind] = _first_free(units, kind, copies)
        units.busy |= <uint32_t>1 << kind
        if units.m.units[kind].copies == 1:
            units.blocked[kind] += cycles


cdef inline int64_t _first_free(const Units *units, int kind, const int64_t *copies) noexcept nogil:
    """When the next of a kind's copies is free."""
    cdef int first = <int>units.m.units[kind].first, i
    cdef int64_t free_ = copies[first]
    for i in range(first + 1, first + <int>units.m.units[kind].copies):
        if copies[i] < free_:
            free_ = copies[i]
    return free_


cdef inline void _hold(Units *units, int unit, int64_t cycle, int64_t until) noexcept nogil:
    """Hold a copy; a kind is blocked until the next of its copies is free. Those that fewer kinds can use are taken first."""
    cdef const MachineTable *m = units.m
    cdef int whole = <int>m.units[unit].within, first = <int>m.units[unit].first
    cdef int64_t *copies = units.copy_free[whole]
    cdef int i, kind, taken = first
    cdef uint32_t using
    for i in range(first + 1, first + <int>m.units[unit].copies):
        if copies[i] <= cycle or copies[i] < copies[taken]:
            taken = i
    copies[taken] = until
    using = units.sharing.using[whole][taken]     # the others wait for copies of which nothing has changed
    if m.units[unit].copies == 1:
        using &= ~(<uint32_t>1 << unit)
        _block(units, unit, cycle, until)
    while using:
        kind = lowest_bit(using)
        using &= using - 1
        _block(units, kind, cycle, until if m.units[kind].copies == 1 else _first_free(units, kind, copies))


cdef inline void _block(Units *units, int kind, int64_t cycle, int64_t until) noexcept nogil:
    """Say until when no unit of a kind is free."""
    if until > cycle:
        units.blocked[kind] += until - max(cycle, units.free[kind])
        units.free[kind] = until
        units.busy |= <uint32_t>1 << kind
