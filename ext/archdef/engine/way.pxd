"""Ways in, whose traffic becomes known in another order than it comes: each takes the first time that nobody has."""
from libc.stdint cimport int64_t

cdef enum:
    WAY_CYCLES = 8           # of a way in that are one place …
    WAY_PLACES = 1024        # … of so many that are looked after at a time

cdef struct Place:           # some cycles of a way in
    int64_t number           # since the machine began
    int64_t taken_fs

cdef struct Way:             # into a cluster, for answers, or into a side of the chip, for what comes from the others
    Place *places            # by number, modulo their count
    int64_t full_from        # numbers of places all of which are taken
    int64_t full_to

cdef Way *ways_open(int64_t count) except NULL
cdef void ways_close(Way *ways) noexcept nogil
cdef int64_t way_take(Way *way, int64_t period_fs, int64_t arrival_fs, int64_t takes_fs) noexcept nogil
