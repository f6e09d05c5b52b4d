"""Optional components of a multiprocessor that are told what happens there: how they are told. `multiprocessor.pyx` lists them."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free


cdef void observers_close(Observers *observers) noexcept nogil:
    cdef int32_t i
    if observers != NULL:
        for i in range(observers.count):
            observers.listed[i].close(observers.listed[i].state)
        free(observers)


cdef inline void _tell(const Observers *observers, Lookup *lookup, const LsuPipeline *lsu, const Load *load, const Transaction *t,
                       Line *line) noexcept nogil:
    cdef int32_t i
    lookup.lsu = lsu
    lookup.transaction = t
    lookup.warp = load.warp
    lookup.op = load.op
    lookup.cache = lsu.cache
    lookup.line = line
    for i in range(observers.count):
        if observers.listed[i].looked_up != NULL:
            observers.listed[i].looked_up(observers.listed[i].state, lookup)


cdef void tell_hit(const Observers *observers, const LsuPipeline *lsu, const Load *load, const Transaction *t, bint pending, Line *line) noexcept nogil:
    """A transaction of a load has found all that it wanted in L1, there or, if `pending`, in part on its way."""
    cdef Lookup lookup
    lookup.hit = True
    lookup.pending = pending
    lookup.sectors = t.sectors
    lookup.evicted = 0
    _tell(observers, &lookup, lsu, load, t, line)


cdef void tell_miss(const Observers *observers, const LsuPipeline *lsu, const Load *load, const Transaction *t, uint32_t missing, Line *line,
                    uint64_t evicted) noexcept nogil:
    """A transaction of a load has looked into L1 in vain, and what it lacked is on its way."""
    cdef Lookup lookup
    lookup.hit = lookup.pending = False
    lookup.sectors = missing
    lookup.evicted = evicted
    _tell(observers, &lookup, lsu, load, t, line)


cdef void tell_warp_came(const Observers *observers, const Warp *w, int64_t order) noexcept nogil:
    """A warp has come into a slot."""
    cdef int32_t i
    for i in range(observers.count):
        if observers.listed[i].warp_came != NULL:
            observers.listed[i].warp_came(observers.listed[i].state, w, order)


cdef void tell_warp_left(const Observers *observers, int32_t slot) noexcept nogil:
    """The warp of a slot has ended, or given its place away."""
    cdef int32_t i
    for i in range(observers.count):
        if observers.listed[i].warp_left != NULL:
            observers.listed[i].warp_left(observers.listed[i].state, slot)
