"""Optional components of a multiprocessor that are told what happens there: where they are listed, and how they are told.

A component is one module with a function that opens it: it gives an `Observer`, whose state is NULL on a machine that has no such component.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.prefetch cimport prefetch_open
from archdef.engine.throttle cimport throttle_open


cdef int observers_open(Sm *sm) except -1:
    """Open the components of a multiprocessor that the machine has, in the order in which they are told."""
    _list(sm, throttle_open(sm))
    _list(sm, prefetch_open(sm))
    return 0


cdef int _list(Sm *sm, Observer observer) except -1:
    cdef Observers *all_ = <Observers *>sm.observers
    if observer.state == NULL:
        return 0
    if all_ == NULL:
        all_ = <Observers *>calloc(1, sizeof(Observers))
        if all_ == NULL:
            observer.close(observer.state)
            raise MemoryError("components of a multiprocessor")
        sm.observers = all_
    all_.listed[all_.count] = observer
    all_.count += 1
    return 0


cdef void observers_close(Sm *sm) noexcept nogil:
    cdef Observers *all_ = <Observers *>sm.observers
    cdef int32_t i
    if all_ != NULL:
        for i in range(all_.count):
            all_.listed[i].close(all_.listed[i].state)
        free(all_)
        sm.observers = NULL


cdef void tell_lookup(Sm *sm, const Injection *inject, const Transaction *t, bint hit, Line *line, uint64_t evicted) noexcept nogil:
    """A transaction of a load has looked into L1, and what it lacked is on its way."""
    cdef const Observers *all_ = <const Observers *>sm.observers
    cdef Lookup lookup
    cdef int32_t i
    lookup.inject = inject
    lookup.transaction = t
    lookup.warp = sm.loads[inject.load].warp
    lookup.op = sm.loads[inject.load].op
    lookup.hit = hit
    lookup.cache = &sm.l1
    lookup.line = line
    lookup.evicted = evicted
    for i in range(all_.count):
        if all_.listed[i].looked_up != NULL:
            all_.listed[i].looked_up(sm, all_.listed[i].state, &lookup)


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
