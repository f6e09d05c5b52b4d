"""When the banks of L1 and shared memory are free, where accesses wait for them behind the load/store unit. Inlined where it is used.

Accesses that find their words there come to the banks in the order in which the unit took them; data that had to be fetched come when they
are there. The unit is held only while there is no room for another access to wait.
"""
from libc.stdint cimport int64_t

from archdef.engine.state cimport Sm


cdef inline int64_t banks_pass(Sm *sm, int64_t cycle, int64_t passes) noexcept nogil:
    """Have words read or written that the banks have so many passes with. Gives the cycle in which that begins."""
    cdef int64_t start = cycle if cycle > sm.banks_free else sm.banks_free
    sm.banks_free = start + passes
    return start


cdef inline int64_t banks_room(Sm *sm) noexcept nogil:
    """Let the access whose passes were the latest wait for them. Gives the cycle from which there is room for the next."""
    cdef int64_t room
    sm.bank_place += 1
    if sm.bank_place == sm.m.load_store.pipeline.data_stage_entries:
        sm.bank_place = 0
    room = sm.bank_queue[sm.bank_place]
    sm.bank_queue[sm.bank_place] = sm.banks_free
    return room
