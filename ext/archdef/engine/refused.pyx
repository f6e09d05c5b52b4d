"""Loads that L1 has no place for, set aside until it has: all lines of the set are being filled.

Where the machine declares it (`load_store.replay_refused`), such a load leaves the load/store unit to others, holds its warp, and is issued
again when a line of the set has come. Where there are more of them than places here, the unit waits after all.
"""
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from archdef.engine.cache cimport cache_find, cache_set, cache_victim
from archdef.engine.injection cimport REFUSED, REFUSED_PIECES, Injection, Refused
from archdef.engine.port cimport RQ_READ
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction
from archdef.engine.units cimport held_until


cdef int refused_open(Sm *sm) except -1:
    """Make room for them, if the machine issues them again."""
    cdef int32_t i
    if not sm.m.load_store.replay_refused or sm.m.caches.l1.sets == 0:
        return 0
    sm.refused = <Refused *>calloc(REFUSED, sizeof(Refused))
    sm.refused_order = <int32_t *>calloc(REFUSED, sizeof(int32_t))
    if sm.refused == NULL or sm.refused_order == NULL:
        raise MemoryError("loads of a multiprocessor")
    for i in range(REFUSED):
        sm.refused_order[i] = i
    return 0


cdef void refused_close(Sm *sm) noexcept nogil:
    free(sm.refused)
    free(sm.refused_order)
    sm.refused = NULL
    sm.refused_order = NULL


cdef int32_t put_aside(Sm *sm, int32_t warp) noexcept nogil:
    """Set the rest of the injection aside. Returns 1 if it is, 0: there is no place, or the machine does not issue loads again."""
    cdef Injection *inject = &sm.injection
    cdef Refused *refused
    if sm.refused == NULL or inject.cache != &sm.l1 or sm.refused_count == REFUSED or inject.count - inject.next > REFUSED_PIECES:
        return 0
    refused = sm.refused + sm.refused_order[sm.refused_count]
    sm.refused_count += 1
    refused.warp = warp
    refused.load = inject.load
    refused.unit = inject.unit
    refused.counters = inject.counters
    refused.launch = inject.launch
    refused.cache = inject.cache
    refused.passes = inject.passes
    refused.begun = inject.begun
    keep_aside(sm, refused)
    return 1


cdef void keep_aside(Sm *sm, Refused *refused) noexcept nogil:
    """Keep what is left of the injection, and free the load/store unit of it."""
    cdef Injection *inject = &sm.injection
    refused.count = inject.count - inject.next
    memcpy(refused.transactions, inject.transactions + inject.next, <size_t>refused.count * sizeof(Transaction))
    refused.set_bit = <uint64_t>1 << (cache_set(&sm.l1, refused.transactions[0].line // <uint64_t>sm.l1.table.line_bytes) & 63)
    sm.loads[refused.load].remaining += 1
    inject.active = 0
    inject.stalled = -1
    held_until(sm, inject.unit, max(inject.floor, inject.time), 0)


cdef bint has_place(Sm *sm, const Refused *refused) noexcept nogil:
    """Whether L1 would take the next piece now: its line is there, or one of its set may go."""
    cdef uint64_t number = refused.transactions[0].line // <uint64_t>sm.l1.table.line_bytes
    return cache_find(&sm.l1, number) != NULL or cache_victim(&sm.l1, number) != NULL


cdef void bring_back(Sm *sm, const Refused *refused) noexcept nogil:
    """Give it to the load/store unit once more, behind what that has taken."""
    cdef Injection *inject = &sm.injection
    inject.count = refused.count
    inject.next = 0
    inject.again = 1
    inject.load = refused.load
    inject.unit = refused.unit
    inject.counters = refused.counters
    inject.launch = refused.launch
    inject.cache = refused.cache
    inject.passes = refused.passes
    inject.begun = refused.begun
    inject.kind = RQ_READ
    inject.serial = 1
    inject.weight = 8
    inject.operands = 1
    inject.returns = 1
    inject.floor = 0 if sm.m.unit_per_scheduler[refused.unit] else sm.unit_free[refused.unit]
    inject.stalled = -1
    memcpy(inject.transactions, refused.transactions, <size_t>refused.count * sizeof(Transaction))
    sm.loads[refused.load].remaining -= 1


cdef void drop_aside(Sm *sm, int32_t place) noexcept nogil:
    """One has been handed over; those behind it move up."""
    cdef int32_t number = sm.refused_order[place], i
    sm.refused_count -= 1
    for i in range(place, sm.refused_count):
        sm.refused_order[i] = sm.refused_order[i + 1]
    sm.refused_order[sm.refused_count] = number
