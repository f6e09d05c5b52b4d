"""The L2, a slice at each partition: lookups, reads that wait for DRAM, answers.

A request comes in by the crossbar (`l2_arrive`). What the slice has is answered at once; what it has not waits for transactions of the
partition's DRAM controller, which come back by `l2_served`. A machine without an L2 has the controllers alone.
"""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.arena cimport Arena, arena_room, arena_zeroed
from archdef.engine.parameters cimport SECTORS
from archdef.engine.port cimport Request


cdef inline void note_asks(L2 *l2, int32_t which, int32_t index, const Request *r, int64_t time_fs) noexcept nogil:
    """Requests are not recorded here, as in `network.pyx`."""


cdef inline void note_joins(L2 *l2, int32_t which, int32_t index, const Request *r, int64_t time_fs) noexcept nogil:
    """Likewise."""


cdef inline void note_stored(L2 *l2, const Request *r, int64_t time_fs) noexcept nogil:
    """Likewise."""


cdef inline void note_gathered(L2 *l2, const Request *r) noexcept nogil:
    """Likewise."""


include "l2_slice.pxi"


cdef int l2_open(L2 *l2, Arena *arena) except -1:
    """Make room for what waits; the neighbours are there already. What a record holds is written when a request takes it."""
    cdef int64_t records = l2.m.chip.multiprocessors * l2.routing.slots
    l2.atomics = <AtomicUnit *>arena_zeroed(arena, <size_t>l2.m.dram.partitions * sizeof(AtomicUnit))
    l2.remaining = <int64_t *>arena_room(arena, <size_t>records * sizeof(int64_t))
    l2.waiter_next = <int32_t *>arena_room(arena, <size_t>(records * SECTORS) * sizeof(int32_t))
    if l2.atomics == NULL or l2.remaining == NULL or l2.waiter_next == NULL:
        raise MemoryError("L2 of the machine")
    return 0
