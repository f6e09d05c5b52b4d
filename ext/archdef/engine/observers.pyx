"""Optional components of a multiprocessor that are told what happens there: how they are told. `multiprocessor.pyx` lists them."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free


cdef void observers_close(Sm *sm) noexcept nogil:
    cdef Observers *all_ = <Observers *>sm.observers
    cdef int32_t i
    if all_ != NULL:
        for i in range(all_.count):
            all_.listed[i].close(all_.listed[i].state)
        free(all_)
        sm.observers = NULL


cdef inline void _tell(Sm *sm, Lookup *lookup, const LsuPipeline *lsu, const Transaction *t, Line *line) noexcept nogil:
    cdef const Observers *all_ = <const Observers *>sm.observers
    cdef int32_t i
    lookup.lsu = lsu
    lookup.transaction = t
    lookup.warp = sm.loads[lsu.load].warp
    lookup.op = sm.loads[lsu.load].op
    lookup.cache = &sm.l1
    lookup.line = line
    for i in range(all_.count):
        if all_.listed[i].looked_up != NULL:
            all_.listed[i].looked_up(sm, all_.listed[i].state, lookup)


cdef void tell_hit(Sm *sm, const LsuPipeline *lsu, const Transaction *t, bint pending, Line *line) noexcept nogil:
    """A transaction of a load has found all that it wanted in L1, there or, if `pending`, in part on its way."""
    cdef Lookup lookup
    lookup.hit = True
    lookup.pending = pending
    lookup.sectors = t.sectors
    lookup.evicted = 0
    _tell(sm, &lookup, lsu, t, line)


cdef void tell_miss(Sm *sm, const LsuPipeline *lsu, const Transaction *t, uint32_t missing, Line *line, uint64_t evicted) noexcept nogil:
    """A transaction of a load has looked into L1 in vain, and what it lacked is on its way."""
    cdef Lookup lookup
    lookup.hit = lookup.pending = False
    lookup.sectors = missing
    lookup.evicted = evicted
    _tell(sm, &lookup, lsu, t, line)


cdef void tell_warp_came(Sm *sm, const Warp *w, int64_t order) noexcept nogil:
    """A warp has come into a slot."""
    cdef const Observers *all_ = <const Observers *>sm.observers
    cdef int32_t i
    for i in range(all_.count):
        if all_.listed[i].warp_came != NULL:
            all_.listed[i].warp_came(sm, all_.listed[i].state, w, order)


cdef void tell_warp_left(Sm *sm, int32_t slot) noexcept nogil:
    """The warp of a slot has ended, or given its place away."""
    cdef const Observers *all_ = <const Observers *>sm.observers
    cdef int32_t i
    for i in range(all_.count):
        if all_.listed[i].warp_left != NULL:
            all_.listed[i].warp_left(sm, all_.listed[i].state, slot)
