"""Loads that failed to reserve a line of L1, replayed when they can: all lines of the set are being filled.

Where the machine declares it (`load_store.replay.on_reservation_fail`), such a load leaves the load/store unit to others, holds its warp, and is issued
again when a line of the set has come. Where there are more of them than places here, the unit waits after all.
"""
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from archdef.engine.cache cimport cache_find, cache_set, cache_victim
from archdef.engine.lsu_pipeline cimport REPLAY_ENTRIES, REPLAY_TRANSACTIONS, LsuPipeline, ReplayEntry
from archdef.engine.port cimport RQ_READ
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction
from archdef.engine.units cimport held_until


cdef int replay_open(Sm *sm) except -1:
    """Make room for them, if the machine issues them again."""
    cdef int32_t i
    if not sm.m.load_store.replay_on_reservation_fail or sm.m.caches.l1.sets == 0:
        return 0
    sm.replay = <ReplayEntry *>calloc(REPLAY_ENTRIES, sizeof(ReplayEntry))
    sm.replay_order = <int32_t *>calloc(REPLAY_ENTRIES, sizeof(int32_t))
    if sm.replay == NULL or sm.replay_order == NULL:
        raise MemoryError("loads of a multiprocessor")
    for i in range(REPLAY_ENTRIES):
        sm.replay_order[i] = i
    return 0


cdef void replay_close(Sm *sm) noexcept nogil:
    free(sm.replay)
    free(sm.replay_order)
    sm.replay = NULL
    sm.replay_order = NULL


cdef int32_t replay_put(Sm *sm, int32_t warp) noexcept nogil:
    """Set the rest of the access aside. Returns 1 if it is, 0: there is no place, or the machine does not issue loads again."""
    cdef LsuPipeline *lsu = &sm.lsu
    cdef ReplayEntry *replay
    if sm.replay == NULL or lsu.cache != &sm.l1 or sm.replay_count == REPLAY_ENTRIES or lsu.count - lsu.next > REPLAY_TRANSACTIONS:
        return 0
    replay = sm.replay + sm.replay_order[sm.replay_count]
    sm.replay_count += 1
    replay.warp = warp
    replay.load = lsu.load
    replay.unit = lsu.unit
    replay.counters = lsu.counters
    replay.launch = lsu.launch
    replay.cache = lsu.cache
    replay.passes = lsu.passes
    replay.begun = lsu.begun
    replay_keep(sm, replay)
    return 1


cdef void replay_keep(Sm *sm, ReplayEntry *replay) noexcept nogil:
    """Keep the transactions that are left of the access, and free the load/store unit."""
    cdef LsuPipeline *lsu = &sm.lsu
    replay.count = lsu.count - lsu.next
    memcpy(replay.transactions, lsu.transactions + lsu.next, <size_t>replay.count * sizeof(Transaction))
    replay.set_bit = <uint64_t>1 << (cache_set(&sm.l1, replay.transactions[0].line // <uint64_t>sm.l1.table.line_bytes) & 63)
    sm.loads[replay.load].remaining += 1
    lsu.active = 0
    lsu.stalled = -1
    held_until(sm, lsu.unit, max(lsu.floor, lsu.time), 0)


cdef bint replay_ready(Sm *sm, const ReplayEntry *replay) noexcept nogil:
    """Whether L1 would take the next piece now: its line is there, or one of its set may go."""
    cdef uint64_t number = replay.transactions[0].line // <uint64_t>sm.l1.table.line_bytes
    return cache_find(&sm.l1, number) != NULL or cache_victim(&sm.l1, number) != NULL


cdef void replay_issue(Sm *sm, const ReplayEntry *replay) noexcept nogil:
    """Give it to the load/store unit once more, behind what that has taken."""
    cdef LsuPipeline *lsu = &sm.lsu
    lsu.count = replay.count
    lsu.next = 0
    lsu.again = 1
    lsu.load = replay.load
    lsu.unit = replay.unit
    lsu.counters = replay.counters
    lsu.launch = replay.launch
    lsu.cache = replay.cache
    lsu.passes = replay.passes
    lsu.begun = replay.begun
    lsu.kind = RQ_READ
    lsu.serial = 1
    lsu.weight = 8
    lsu.operands = 1
    lsu.returns = 1
    lsu.floor = 0 if sm.m.unit_per_scheduler[replay.unit] else sm.unit_free[replay.unit]
    lsu.stalled = -1
    memcpy(lsu.transactions, replay.transactions, <size_t>replay.count * sizeof(Transaction))
    sm.loads[replay.load].remaining -= 1


cdef void replay_drop(Sm *sm, int32_t place) noexcept nogil:
    """One has been sent; those behind it move up."""
    cdef int32_t number = sm.replay_order[place], i
    sm.replay_count -= 1
    for i in range(place, sm.replay_count):
        sm.replay_order[i] = sm.replay_order[i + 1]
    sm.replay_order[sm.replay_count] = number
