"""What happens to the dispatcher at a known cycle."""
from libc.stdint cimport int32_t, int64_t

cdef enum HappeningKind:
    HP_PLACE = 0         # the place of block `index` of multiprocessor `sm` is free
    HP_READY = 1         # launch `index` can start
    HP_ASKED = 2         # a kernel's launch `index` reaches its stream
    HP_WAITING = 3       # block `index` of multiprocessor `sm` may have waited for its children for long
    HP_RETURN = 4        # the children of a block that gave its place away have ended; index: of the family

cdef struct Happening:
    int64_t cycle
    int32_t kind                 # HappeningKind
    int32_t sm
    int32_t index

cdef struct Ended:
    int64_t cycle
    int32_t slot
