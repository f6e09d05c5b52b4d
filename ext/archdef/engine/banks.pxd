"""When the banks of L1 and shared memory are free, where accesses wait for them behind the load/store unit. Inlined where it is used.

Accesses that find their words there come to the banks in the order in which the unit took them; data that had to be fetched come when they
are there. The unit is held only while there is no room for another access to wait.
"""
from libc.stdint cimport int64_t

cdef struct BankQueue:
    int64_t free                 # cycle from which the banks have nothing to do
    int64_t products_until       # cycle up to which queued products of warpgroups read shared memory
    int64_t place                # the latest of …
    int64_t through[64]          # … a ring: cycles in which the latest accesses that waited for the banks are through


cdef inline int64_t banks_pass(BankQueue *banks, int64_t cycle, int64_t passes) noexcept nogil:
    """Have words read or written that the banks have so many passes with. Gives the cycle in which that begins."""
    cdef int64_t start = cycle if cycle > banks.free else banks.free
    banks.free = start + passes
    return start


cdef inline int64_t banks_room(BankQueue *banks, int64_t entries) noexcept nogil:
    """Let the access whose passes were the latest wait for them. Gives the cycle from which there is room for the next."""
    cdef int64_t room
    banks.place += 1
    if banks.place == entries:
        banks.place = 0
    room = banks.through[banks.place]
    banks.through[banks.place] = banks.free
    return room
