"""Units that the schedulers of a multiprocessor share, where there are several of a kind, or one that needs all issue slots."""
from libc.stdint cimport int64_t, uint32_t

from archdef.engine.bits cimport lowest_bit
from archdef.engine.machine cimport MachineTable
from archdef.engine.program cimport Uop
from archdef.engine.schedule cimport Scheduler
from archdef.engine.state cimport Chip, Sm


cdef void units_open(Chip *chip) noexcept nogil:
    """Find the units for which more is to be done than to say until when one is held."""
    cdef const MachineTable *m = chip.m
    cdef int i, k, sharing
    for i in range(<int>m.units):
        chip.held_from[i] = 2 if m.unit_per_scheduler[i] or m.schedulers.count == 1 else 1
        sharing = 0
        for k in range(<int>m.units):
            sharing += m.unit_within[k] == m.unit_within[i]
        chip.counted[i] = SHARED if m.unit_copies[i] > 1 or m.unit_exclusive[i] or sharing > 1 else 0


cdef void units_need(Chip *chip, Sm *sms, uint32_t kinds) noexcept nogil:
    """Keep these kinds up to date from here on: a program that has ops for them is to run.

    Where a unit for double precision stands in place of one that nearly all ops are for, few programs pay for knowing both.
    """
    cdef const MachineTable *m = chip.m
    cdef int64_t k
    cdef int kind, whole, i
    kinds &= ~chip.needed
    chip.needed |= kinds
    while kinds:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        whole = <int>m.unit_within[kind]
        chip.sharing[whole] |= <uint32_t>1 << kind
        for i in range(<int>m.unit_first[kind], <int>m.unit_first[kind] + <int>m.unit_copies[kind]):
            chip.using[whole][i] |= <uint32_t>1 << kind
        for k in range(m.chip.multiprocessors if chip.counted[kind] else 0):
            sms[k].unit_free[kind] = _first_free(sms + k, kind, sms[k].copy_free[whole])
            sms[k].busy |= <uint32_t>1 << kind
    for i in range(<int>m.units):       # who was alone may be so no longer
        if chip.counted[i] and m.unit_copies[i] == 1 and not m.unit_exclusive[i]:
            chip.counted[i] = ALONE if chip.using[<int>m.unit_within[i]][<int>m.unit_first[i]] == <uint32_t>1 << i else SHARED


cdef void occupy_counted(Sm *sm, int scheduler, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil:
    """Hold the unit that became free first; the kind is blocked until the next one is free."""
    if sm.taken != cycle:
        sm.taken = cycle
        sm.first = scheduler + 1
    sm.turn = sm.first      # else the one that gets what others leave over would be the same every time
    if sm.m.unit_exclusive[u.unit]:
        _take_slots(sm, scheduler, u, cycle)
    _hold(sm, u.unit, cycle, cycle + cycles)


cdef void _take_slots(Sm *sm, int scheduler, const Uop *u, int64_t cycle) noexcept nogil:
    """Let an exclusive unit's op take a slot of the other schedulers: this one, or their next if they have used it already."""
    cdef Scheduler *s
    cdef int i
    for i in range(<int>sm.m.schedulers.count):
        s = sm.schedulers + i
        if i != scheduler:
            s.next_issue = max(s.next_issue, cycle) + u.issues * sm.m.schedulers.issue_interval_cycles


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


cdef inline void _hold(Sm *sm, int unit, int64_t cycle, int64_t until) noexcept nogil:
    """Hold a copy; a kind is blocked until the next of its copies is free. Those that fewer kinds can use are taken first."""
    cdef const MachineTable *m = sm.m
    cdef int whole = <int>m.unit_within[unit], first = <int>m.unit_first[unit]
    cdef int64_t *copies = sm.copy_free[whole]
    cdef int i, kind, taken = first
    cdef uint32_t using
    for i in range(first + 1, first + <int>m.unit_copies[unit]):
        if copies[i] <= cycle or copies[i] < copies[taken]:
            taken = i
    copies[taken] = until
    using = sm.chip.using[whole][taken]     # the others wait for copies of which nothing has changed
    if m.unit_copies[unit] == 1:
        using &= ~(<uint32_t>1 << unit)
        _block(sm, unit, cycle, until)
    while using:
        kind = lowest_bit(using)
        using &= using - 1
        _block(sm, kind, cycle, until if m.unit_copies[kind] == 1 else _first_free(sm, kind, copies))


cdef inline void _block(Sm *sm, int kind, int64_t cycle, int64_t until) noexcept nogil:
    """Say until when no unit of a kind is free."""
    if until > cycle:
        sm.unit_blocked[kind] += until - max(cycle, sm.unit_free[kind])
        sm.unit_free[kind] = until
        sm.busy |= <uint32_t>1 << kind
