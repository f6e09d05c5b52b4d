"""Which blocks of a cluster a bulk copy goes to, and which mbarriers count it."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from archdef.engine.copying cimport BulkCopy
from archdef.engine.in_flight cimport Load
from archdef.engine.launch cimport Warp
from archdef.engine.sm_core cimport SmCore

cdef enum:
    ONE_BLOCK = -1               # as a mask: the block that the address names
    MOST_RECEIVERS = 16          # bits of a mask

cdef struct Receivers:
    uint64_t address             # as the kernel has it, or the offset in the block's own memory
    uint32_t offset              # in the shared memory of each
    uint32_t ranks               # mask of them, 0: the one that the address names
    int count
    char *memory[MOST_RECEIVERS]  # where their shared memory begins

cdef int receivers(SmCore *sm, const Warp *w, int lane, uint32_t address, int64_t bytes, int64_t mask, Receivers *found) noexcept nogil
cdef int receivers_barrier(SmCore *sm, const Warp *w, int lane, uint32_t address, int64_t mask, BulkCopy *copy) noexcept nogil
cdef void delivered(SmCore *sm, const Load *load) noexcept nogil
