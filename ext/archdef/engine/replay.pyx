"""Loads that failed to reserve a line of L1, replayed when they can: all lines of the set are being filled.

Where the machine declares it (`load_store.replay.on_reservation_fail`), such a load leaves the load/store unit to others, holds its warp, and is issued
again when a line of the set has come. Where there are more of them than places here, the unit waits after all.
"""
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy

from archdef.engine.arena cimport Arena, arena_room
from archdef.engine.cache cimport Cache, cache_has_room, cache_probe, cache_set
from archdef.engine.in_flight cimport InFlight
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.machine cimport MachineTable
from archdef.engine.port cimport RQ_READ
from archdef.engine.transaction cimport Transaction
from archdef.engine.units cimport Units, held_until


cdef int replay_open(ReplayList *replays, const MachineTable *m, Arena *arena) noexcept nogil:
    """Make room for them, if the machine issues them again. Returns -1 if the host has no memory for it."""
    cdef int32_t i
    if not m.load_store.replay_on_reservation_fail or m.caches.l1.sets == 0:
        return 0
    replays.entries = <ReplayEntry *>arena_room(arena, REPLAY_ENTRIES * sizeof(ReplayEntry))
    replays.order = <int32_t *>arena_room(arena, REPLAY_ENTRIES * sizeof(int32_t))
    if replays.entries == NULL or replays.order == NULL:
        return -1
    for i in range(REPLAY_ENTRIES):
        replays.order[i] = i
    return 0


cdef int32_t replay_put(ReplayList *replays, LsuPipeline *lsu, const Cache *l1, InFlight *flight, Units *units, int32_t warp) noexcept nogil:
    """Set the rest of the access aside. Returns 1 if it is, 0: there is no place, or the machine does not issue loads again."""
    cdef ReplayEntry *entry
    if replays.entries == NULL or lsu.cache != l1 or replays.count == REPLAY_ENTRIES or lsu.count - lsu.next > REPLAY_TRANSACTIONS:
        return 0
    entry = replays.entries + replays.order[replays.count]
    replays.count += 1
    entry.warp = warp
    entry.load = lsu.load
    entry.unit = lsu.unit
    entry.counters = lsu.counters
    entry.launch = lsu.launch
    entry.cache = lsu.cache
    entry.passes = lsu.passes
    entry.begun = lsu.begun
    replay_keep(entry, lsu, flight, units)
    return 1


cdef void replay_keep(ReplayEntry *entry, LsuPipeline *lsu, InFlight *flight, Units *units) noexcept nogil:
    """Keep the transactions that are left of the access, and free the load/store unit."""
    entry.count = lsu.count - lsu.next
    memcpy(entry.transactions, lsu.transactions + lsu.next, <size_t>entry.count * sizeof(Transaction))
    entry.set_bit = <uint64_t>1 << (cache_set(lsu.cache, entry.transactions[0].line // <uint64_t>lsu.cache.table.line_bytes) & 63)
    flight.loads[entry.load].remaining += 1
    lsu.active = 0
    lsu.stalled = -1
    held_until(units, lsu.unit, max(lsu.floor, lsu.time), 0)


cdef bint replay_ready(const ReplayEntry *entry) noexcept nogil:
    """Whether L1 would take the next piece now: its line is there, or one of its set may go."""
    cdef uint64_t number = entry.transactions[0].line // <uint64_t>entry.cache.table.line_bytes
    return cache_probe(entry.cache, number) != NULL or cache_has_room(entry.cache, number)


cdef void replay_issue(const ReplayEntry *entry, LsuPipeline *lsu, InFlight *flight, const Units *units) noexcept nogil:
    """Give it to the load/store unit once more, behind what that has taken."""
    lsu.count = entry.count
    lsu.next = 0
    lsu.again = 1
    lsu.load = entry.load
    lsu.unit = entry.unit
    lsu.counters = entry.counters
    lsu.launch = entry.launch
    lsu.cache = entry.cache
    lsu.passes = entry.passes
    lsu.begun = entry.begun
    lsu.kind = RQ_READ
    lsu.serial = 1
    lsu.weight = 8
    lsu.operands = 1
    lsu.returns = 1
    lsu.floor = 0 if units.m.units[entry.unit].per_scheduler else units.free[entry.unit]
    lsu.stalled = -1
    memcpy(lsu.transactions, entry.transactions, <size_t>entry.count * sizeof(Transaction))
    flight.loads[entry.load].remaining -= 1


cdef void replay_drop(ReplayList *replays, int32_t place) noexcept nogil:
    """One has been sent; those behind it move up."""
    cdef int32_t number = replays.order[place], i
    replays.count -= 1
    for i in range(place, replays.count):
        replays.order[i] = replays.order[i + 1]
    replays.order[replays.count] = number
