"""Links of the network, whose traffic becomes known in another order than it comes: each takes the first time that nobody has."""
from libc.stdint cimport int64_t

from archdef.engine.arena cimport Arena

cdef enum:
    LINK_SLOT_CYCLES = 8     # of a link that are one slot …
    LINK_SLOTS = 1024        # … of so many that are looked after at a time

cdef struct LinkSlot:        # some cycles of a link
    int64_t number           # since the machine began
    int64_t taken_fs

cdef struct Link:            # into a cluster, for answers, or into an L2 partition, for what comes from the others
    LinkSlot *slots          # by number, modulo their count
    int64_t full_from        # numbers of slots all of which are reserved
    int64_t full_to          # -1: none was, and the slots are not cleared

cdef Link *links_open(int64_t count, Arena *arena) except NULL
cdef int64_t link_reserve(Link *link, int64_t period_fs, int64_t arrival_fs, int64_t takes_fs) noexcept nogil
