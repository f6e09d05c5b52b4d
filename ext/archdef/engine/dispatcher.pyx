"""What happens to the dispatcher at known cycles: a heap of events."""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport realloc

from archdef.engine.dispatch_event cimport DISPATCH_BLOCK_RESUMES, DISPATCH_LAUNCH_ENQUEUED, DISPATCH_LAUNCH_READY, DispatchEvent
from archdef.engine.launch cimport ChildLaunches


cdef bint _before_at_once(const Dispatcher *d, const DispatchEvent *a, const DispatchEvent *b) noexcept nogil:
    """Which of two things of one kind comes first in one cycle: not that of the lower number where numbers depend on who asked first in an epoch."""
    cdef const ChildLaunches *x
    cdef const ChildLaunches *y
    if a.sm != b.sm:
        return a.sm < b.sm
    if a.kind == DISPATCH_LAUNCH_READY:
        return d.launches[a.index].order < d.launches[b.index].order
    if a.kind == DISPATCH_LAUNCH_ENQUEUED:      # of one multiprocessor
        return d.launches[a.index].serial < d.launches[b.index].serial
    if a.kind == DISPATCH_BLOCK_RESUMES:
        x = d.child_launches[a.index]
        y = d.child_launches[b.index]
        if x.block.launch != y.block.launch:
            return x.block.launch.order < y.block.launch.order
        return x.block.number < y.block.number
    return a.index < b.index


cdef inline bint _before(const Dispatcher *d, const DispatchEvent *a, const DispatchEvent *b) noexcept nogil:
    if a.cycle != b.cycle:
        return a.cycle < b.cycle
    if a.kind != b.kind:
        return a.kind < b.kind
    return _before_at_once(d, a, b)


cdef void dispatch_note(Dispatcher *d, int64_t cycle, int32_t kind, int32_t sm, int32_t index) noexcept nogil:
    """Something will happen that blocks may start after."""
    cdef DispatchEvent item
    cdef DispatchEvent *grown
    cdef int32_t i, parent
    if d.count == d.room:
        grown = <DispatchEvent *>realloc(d.heap, <size_t>(2 * d.room + 64) * sizeof(DispatchEvent))
        if grown == NULL:
            d.fault.out_of_memory = True
            return
        d.heap = grown
        d.room = 2 * d.room + 64
    item.cycle = cycle
    item.kind = kind
    item.sm = sm
    item.index = index
    i = d.count
    d.count += 1
    while i > 0:
        parent = (i - 1) >> 1
        if not _before(d, &item, d.heap + parent):
            break
        d.heap[i] = d.heap[parent]
        i = parent
    d.heap[i] = item


cdef DispatchEvent dispatch_take(Dispatcher *d) noexcept nogil:
    """Take the earliest of them; there is one."""
    cdef DispatchEvent top = d.heap[0], last
    cdef int32_t i = 0, child
    d.count -= 1
    last = d.heap[d.count]
    while True:
        child = 2 * i + 1
        if child >= d.count:
            break
        if child + 1 < d.count and _before(d, d.heap + child + 1, d.heap + child):
            child += 1
        if not _before(d, d.heap + child, &last):
            break
        d.heap[i] = d.heap[child]
        i = child
    d.heap[i] = last
    return top
