"""A scheduler's queue of ops that their warps have issued and a unit which schedulers share has not begun."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from archdef.engine.launch cimport Warp
from archdef.engine.reach cimport Reach
from archdef.engine.schedule cimport Scheduler
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction
from archdef.engine.uop cimport Uop

cdef enum:
    FEW = 4

cdef struct Queued:
    const Uop *u
    int32_t warp                 # slot
    int32_t group                # of an asynchronous copy
    bint held                    # its warp waits until it begins
    bint access                  # else the unit is held for …
    int64_t cycles
    int64_t latency              # … and the result comes after so many, -1: there is none
    Reach reach                  # accesses: as in Injection
    int32_t count
    int32_t serial
    int32_t apart
    uint8_t weight
    uint8_t operands
    uint8_t returns
    Transaction few[4]           # transactions, up to FEW …
    Transaction *many            # … or up to PIECES

cdef int queue_open(Sm *sm) noexcept nogil
cdef int queue_access(Sm *sm, Scheduler *s, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil
cdef void queue_other(Sm *sm, Scheduler *s, Warp *w, const Uop *u, int64_t cycles, int64_t latency) noexcept nogil
cdef void queue_run(Sm *sm, Scheduler *s, int64_t cycle) noexcept nogil
cdef int64_t queue_next(const Sm *sm, const Scheduler *s) noexcept nogil
cdef bint queue_passes(const Sm *sm, const Scheduler *s, const Uop *u, int64_t cycle) noexcept nogil
