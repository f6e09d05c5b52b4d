"""Things that will happen to a multiprocessor at a known cycle: a binary heap that grows only when it must.

Equal keys come in the heap's order, which is the same in every run: a fill may let an access go on that finds another fill's line
there, or still on its way.
"""
from libc.stdint cimport int16_t, int32_t, int64_t
from libc.stdlib cimport free, realloc

from archdef.engine.clock cimport NEVER

cdef enum EventKind:
    EV_FILL = 0          # the response to in-flight read `index` has arrived
    EV_STORE_DONE = 1    # a store of launch `index` has landed: its credit returns
    EV_WAKE = 2          # warp `index` becomes ready
    EV_BLOCK = 3         # a block starts in block slot `index`
    EV_BULK = 4          # the bulk unit can go on
    EV_CHILDREN = 6      # all that the block in slot `index` has launched is complete
    EV_SWAPPED_IN = 7    # a block that was swapped out is back, in slot `index`
    EV_COPIED = 5        # a bulk copy inside shared memory is done: load `index`
    EV_COMBINED = 9      # stores that wait for others of their lines may have waited long enough
    EV_CLUSTER = 10      # the barrier of its cluster lets the block in slot `index` go on
    EV_POSTED = 11       # operation `index` on an mbarrier comes from another block
    EV_SWAPPED_OUT = 12  # the warp in slot `index` is swapped out
    EV_GRIDS = 8         # the barrier of its grid, or of several, lets the block in slot `index` go on

cdef struct Event:
    int64_t cycle
    int16_t kind
    int16_t bytes        # that a store has carried
    int32_t index

cdef struct Events:
    int64_t first        # cycle of the first of them, NEVER: there is none
    int64_t own          # cycle of the next thing to do that no event announces; kept by `sm_run`
    Event *heap
    int32_t count
    int32_t room
    int32_t failed       # out of host memory

cdef inline void events_add(Events *e, int64_t cycle, int32_t kind, int32_t index, int32_t bytes) noexcept nogil:
    cdef int32_t i, parent
    cdef Event *grown
    if e.count == e.room:
        grown = <Event *>realloc(e.heap, <size_t>(2 * e.room + 64) * sizeof(Event))
        if grown == NULL:
            e.failed = 1
            return
        e.heap = grown
        e.room = 2 * e.room + 64
    i = e.count
    e.count += 1
    while i > 0:
        parent = (i - 1) >> 1
        if e.heap[parent].cycle <= cycle:
            break
        e.heap[i] = e.heap[parent]
        i = parent
    e.heap[i].cycle = cycle
    e.heap[i].kind = <int16_t>kind
    e.heap[i].bytes = <int16_t>bytes
    e.heap[i].index = index
    if cycle < e.first:
        e.first = cycle

cdef inline void events_push(Events *e, int64_t cycle, int32_t kind, int32_t index) noexcept nogil:
    events_add(e, cycle, kind, index, 0)

cdef inline Event events_pop(Events *e) noexcept nogil:
    cdef Event *heap = e.heap
    cdef Event top = heap[0]
    cdef int64_t i = 0, child = 1, count, last
    e.count -= 1
    count = e.count
    last = heap[count].cycle
    while child < count:
        child += heap[child + 1].cycle < heap[child].cycle       # behind the last child lies the one that is to be placed
        if heap[child].cycle >= last:
            break
        heap[i] = heap[child]
        i = child
        child = 2 * i + 1
    heap[i] = heap[count]
    e.first = heap[0].cycle if count else NEVER
    return top

cdef inline int64_t events_next(const Events *e) noexcept nogil:
    """Cycle of the next thing to do, NEVER if only a response can bring it on."""
    return e.first if e.first < e.own else e.own

cdef inline void events_close(Events *e) noexcept nogil:
    free(e.heap)
    e.heap = NULL
    e.count = e.room = 0
