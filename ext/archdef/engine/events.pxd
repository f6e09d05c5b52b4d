"""Things that will happen to a multiprocessor at a known cycle: a binary heap that grows only when it must.

Events of one cycle come in the order of `EventKind`, those of one kind in that of what else they say. So no order depends on when
an event was added, which is when the epoch of what announced it was over. Events that are equal in all of this are the same thing twice.
"""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, realloc

from archdef.engine.clock cimport NEVER

cdef enum EventKind:         # in the order in which they happen in one cycle: …
    # … what others give back or bring, …
    EV_STORE_DONE            # a store of launch `index` has landed: its credit returns
    EV_FILL                  # the response to in-flight read `index` has arrived
    EV_COPIED                # a bulk copy inside shared memory is done: load `index`
    EV_POSTED                # an operation on an mbarrier comes from another block: number `index` of its multiprocessor
    # … units that go on with it, …
    EV_BULK                  # the bulk unit can go on
    EV_COMBINED              # stores that wait for others of their lines may have waited long enough
    # … who leaves, comes back or begins, …
    EV_SWAPPED_OUT           # the warp in slot `index` is swapped out
    EV_SWAPPED_IN            # a block that was swapped out is back, in slot `index`
    EV_BLOCK                 # a block starts in block slot `index`
    # … and who need not wait any longer
    EV_CHILDREN              # all that the block in slot `index` has launched is complete
    EV_CLUSTER               # the barrier of its cluster lets the block in slot `index` go on
    EV_GRIDS                 # the barrier of its grid, or of several, lets the block in slot `index` go on
    EV_WAKE                  # warp `index` becomes ready

cdef struct Event:
    int64_t what             # EventKind << 48 | bytes that a store has carried, or multiprocessor that has posted << 32 | index
    int64_t cycle

cdef extern from *:
    """
    typedef struct { long long what, cycle; } archdef_event_key;
    /* One number of both: compilers subtract it with a borrow, where they would branch on two conditions. */
    static inline int archdef_event_before(const void *a, const void *b)
    {
        const archdef_event_key *x = (const archdef_event_key *)a, *y = (const archdef_event_key *)b;
        return ((__int128)x->cycle << 64 | (unsigned long long)x->what) < ((__int128)y->cycle << 64 | (unsigned long long)y->what);
    }
    """
    bint event_before "archdef_event_before"(const Event *a, const Event *b) nogil

cdef inline int32_t event_kind(Event e) noexcept nogil:
    return <int32_t>(e.what >> 48)

cdef inline int32_t event_index(Event e) noexcept nogil:
    return <int32_t>e.what

cdef inline int32_t event_detail(Event e) noexcept nogil:
    return <int32_t>(e.what >> 32 & 0xffff)

cdef struct Events:
    int64_t first        # cycle of the first of them, NEVER: there is none
    int64_t own          # cycle of the next thing to do that no event announces; kept by `sm_run`
    Event *heap
    int32_t count
    int32_t room
    int32_t failed       # out of host memory

cdef inline void events_add(Events *e, int64_t cycle, int32_t kind, int32_t index, int32_t detail) noexcept nogil:
    cdef int32_t i, parent
    cdef Event *grown
    cdef Event added
    if e.count == e.room:
        grown = <Event *>realloc(e.heap, <size_t>(2 * e.room + 64) * sizeof(Event))
        if grown == NULL:
            e.failed = 1
            return
        e.heap = grown
        e.room = 2 * e.room + 64
    added.what = <int64_t>kind << 48 | <int64_t>detail << 32 | index
    added.cycle = cycle
    i = e.count
    e.count += 1
    while i > 0:
        parent = (i - 1) >> 1
        if not event_before(&added, e.heap + parent):
            break
        e.heap[i] = e.heap[parent]
        i = parent
    e.heap[i] = added
    if cycle < e.first:
        e.first = cycle

cdef inline void events_push(Events *e, int64_t cycle, int32_t kind, int32_t index) noexcept nogil:
    events_add(e, cycle, kind, index, 0)

cdef inline Event events_pop(Events *e) noexcept nogil:
    cdef Event *heap = e.heap
    cdef Event top = heap[0], last
    cdef int64_t i = 0, child = 1, count
    e.count -= 1
    count = e.count
    last = heap[count]
    while child < count:
        child += event_before(heap + child + 1, heap + child)       # behind the last child lies the one that is to be placed
        if not event_before(heap + child, &last):
            break
        heap[i] = heap[child]
        i = child
        child = 2 * i + 1
    heap[i] = last
    e.first = heap[0].cycle if count else NEVER
    return top

cdef inline int64_t events_next(const Events *e) noexcept nogil:
    """Cycle of the next thing to do, NEVER if only a response can bring it on."""
    return e.first if e.first < e.own else e.own

cdef inline void events_close(Events *e) noexcept nogil:
    free(e.heap)
    e.heap = NULL
    e.count = e.room = 0
