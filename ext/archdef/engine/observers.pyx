"""Optional components of a multiprocessor that are told what happens there: how they are told. `multiprocessor.pyx` lists them."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free


cdef void observers_close(Observers *observers) noexcept nogil:
    cdef int32_t i
    if observers != NULL:
        for i in range(observers.count):
            observers.listed[i].close(observers.listed[i].state)
        free(observers)


cdef void tell_lookup(const Observers *observers, const LsuPipeline *lsu, const Load *load, const Transaction *t, bint hit, Line *line,
                      uint64_t evicted) noexcept nogil:
    """A transaction of a load has looked into L1, and what it lacked is on its way."""
    cdef Lookup lookup
    cdef int32_t i
    lookup.lsu = lsu
    lookup.transaction = t
    lookup.warp = load.warp
    lookup.op = load.op
    lookup.hit = hit
    lookup.cache = lsu.cache
    lookup.line = line
    lookup.evicted = evicted
    for i in range(observers.count):
        if observers.listed[i].looked_up != NULL:
            observers.listed[i].looked_up(observers.listed[i].state, &lookup)


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
