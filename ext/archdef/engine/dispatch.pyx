"""Which block starts where and when: launches wait for their time and for each other, their blocks for a place.

Launches start their blocks in the order in which they became ready, all of one before the first of the next. A block goes to the
multiprocessor with the fewest resident warps that has room for it. What is decided here takes effect no earlier than the epoch
that follows, and everything that a decision depends on is known by then, so the length of epochs never shows.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, realloc

from archdef.engine.dram cimport NEVER
from archdef.engine.events cimport EV_BLOCK, events_push
from archdef.engine.machine cimport SCHEDULER_WARPS
from archdef.engine.room cimport room_give, room_take
from archdef.engine.schedule cimport lowest_bit
from archdef.engine.state cimport (HP_PLACE, HP_READY, LS_COMPLETE, LS_QUEUED, LS_STARTED, WHOLE, Block, Dispatcher, Happening, Launch, Sm)


# ---------------------------------------------------------------------------------------------------------- happenings
cdef inline bint _before(const Happening *a, const Happening *b) noexcept nogil:
    if a.cycle != b.cycle:
        return a.cycle < b.cycle
    if a.kind != b.kind:
        return a.kind < b.kind
    return a.sm < b.sm or (a.sm == b.sm and a.index < b.index)


cdef void dispatch_note(Dispatcher *d, int64_t cycle, int32_t kind, int32_t sm, int32_t index) noexcept nogil:
    """Something will happen that blocks may start after."""
    cdef Happening item
    cdef Happening *grown
    cdef int32_t i, parent
    if d.count == d.room:
        grown = <Happening *>realloc(d.heap, <size_t>(2 * d.room + 64) * sizeof(Happening))
        if grown == NULL:
            d.chip.out_of_memory = True
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
        if not _before(&item, d.heap + parent):
            break
        d.heap[i] = d.heap[parent]
        i = parent
    d.heap[i] = item


cdef Happening _next(Dispatcher *d) noexcept nogil:
    cdef Happening top = d.heap[0], last
    cdef int32_t i = 0, child
    d.count -= 1
    last = d.heap[d.count]
    while True:
        child = 2 * i + 1
        if child >= d.count:
            break
        if child + 1 < d.count and _before(d.heap + child + 1, d.heap + child):
            child += 1
        if not _before(d.heap + child, &last):
            break
        d.heap[i] = d.heap[child]
        i = child
    d.heap[i] = last
    return top


# -------------------------------------------------------------------------------------------------------------- places
cdef inline int32_t _lowest(uint64_t *bits) noexcept nogil:
    """Take the first free slot; -1: none."""
    cdef int32_t k, bit
    for k in range(8):
        if bits[k]:
            bit = lowest_bit(bits[k])
            bits[k] &= bits[k] - 1
            return 64 * k + bit
    return -1


cdef inline void _return(uint64_t *bits, int32_t slot) noexcept nogil:
    bits[slot >> 6] |= <uint64_t>1 << (slot & 63)


cdef inline bint _has_room(const Sm *sm, const Launch *launch) noexcept nogil:
    cdef int k
    for k in range(4):
        if sm.used[k] + launch.cost[k] > WHOLE:
            return False
    return True


cdef Sm *_choose(Dispatcher *d, const Launch *launch) noexcept nogil:
    """The multiprocessor with the fewest resident warps that has room for a block; NULL: none has."""
    cdef Sm *best = NULL
    cdef Sm *sm
    cdef int64_t i
    for i in range(d.chip.m.multiprocessors):
        sm = d.sms + i
        if (best == NULL or sm.used[0] < best.used[0]) and _has_room(sm, launch):
            best = sm
    return best


cdef bint _seat(Dispatcher *d, Sm *sm, Launch *launch, int64_t earliest) noexcept nogil:
    """Give the launch's next block a place on a multiprocessor that has room. False: the host has no memory for it."""
    cdef int32_t slot = _lowest(sm.free_blocks), i
    cdef Block *b = sm.blocks + slot
    cdef int64_t start = max(max(earliest, launch.ready), d.launch_free)
    b.launch = launch
    b.number = launch.next_block
    b.room = room_take(d.chip, launch)
    if b.room == NULL:
        d.chip.out_of_memory = True
        return False
    b.warps = <int32_t *>(<char *>b.room + launch.room.slots)
    for i in range(launch.block_warps):
        b.warps[i] = _lowest(sm.free_warps)
    for i in range(4):
        sm.used[i] += launch.cost[i]
    if launch.next_block == 0:
        launch.started = start
    launch.next_block += 1
    launch.seated += 1
    d.launch_free = start + d.chip.m.block_launch_cycles
    events_push(sm.inbox, start, EV_BLOCK, slot)
    return True


cdef void _fill(Dispatcher *d, Sm *only, int64_t cycle) noexcept nogil:
    """Start as many blocks as have room; if all was full before, `only` that multiprocessor has changed."""
    cdef Launch *launch
    cdef Sm *sm
    while d.first != NULL:
        launch = d.first
        while launch.next_block < launch.blocks:
            if d.full:
                sm = only if only != NULL and _has_room(only, launch) else NULL
            else:
                sm = _choose(d, launch)
            if sm == NULL:
                d.full = True
                return
            if not _seat(d, sm, launch, cycle):
                return
        launch.state = LS_STARTED
        d.full = False
        d.first = launch.next_queued
        if d.first == NULL:
            d.last = NULL


cdef void _leave(Dispatcher *d, Sm *sm, int32_t slot) noexcept nogil:
    """A block's place is free."""
    cdef Block *b = sm.blocks + slot
    cdef Launch *launch = b.launch
    cdef int32_t i
    for i in range(launch.block_warps):
        _return(sm.free_warps, b.warps[i])
    for i in range(4):
        sm.used[i] -= launch.cost[i]
    _return(sm.free_blocks, slot)
    room_give(d.chip, launch, b.room)
    b.room = NULL
    launch.seated -= 1


# --------------------------------------------------------------------------------------------------------------- epochs
cdef void _collect(Dispatcher *d) noexcept nogil:
    """Note the blocks that ended in this epoch."""
    cdef int64_t i
    cdef int32_t k
    cdef Sm *sm
    cdef Launch *launch
    for i in range(d.chip.m.multiprocessors):
        sm = d.sms + i
        for k in range(sm.ended_count):
            launch = sm.blocks[sm.ended[k].slot].launch
            launch.done_blocks += 1
            launch.ended = max(launch.ended, sm.ended[k].cycle)
            dispatch_note(d, sm.ended[k].cycle + d.chip.m.block_turnover_cycles, HP_PLACE, <int32_t>i, sm.ended[k].slot)
        sm.ended_count = 0


cdef void _complete(Dispatcher *d) noexcept nogil:
    """Find launches that nothing is left of."""
    cdef Launch **link = &d.running
    cdef Launch *launch
    while link[0] != NULL:
        launch = link[0]
        if launch.done_blocks == launch.blocks and launch.stores == 0:
            link[0] = launch.next_running
            launch.ended = max(launch.ended, d.chip.landed[launch.number])
            launch.state = LS_COMPLETE
            launch.origin.grids -= 1
        else:
            link = &launch.next_running


cdef void dispatch_collect(Dispatcher *d) noexcept nogil:
    """After an epoch: see what has ended."""
    _collect(d)
    _complete(d)


cdef void dispatch_run(Dispatcher *d, int64_t until) noexcept nogil:
    """Before an epoch up to `until`: handle what happens in it."""
    cdef Happening item
    cdef Launch *launch
    cdef Sm *freed
    d.horizon = until
    while d.count and d.heap[0].cycle < until:
        item = _next(d)
        freed = NULL
        if item.kind == HP_PLACE:
            freed = d.sms + item.sm
            _leave(d, freed, item.index)
        else:
            launch = d.chip.launches[item.index]
            launch.state = LS_QUEUED
            launch.next_queued = NULL
            if d.last == NULL:
                d.first = launch
            else:
                d.last.next_queued = launch
            d.last = launch
            launch.next_running = d.running
            d.running = launch
        _fill(d, freed, item.cycle)


cdef int64_t dispatch_next(const Dispatcher *d) noexcept nogil:
    """Cycle of the next thing known; NEVER if there is none."""
    return d.heap[0].cycle if d.count else NEVER


cdef void dispatch_close(Dispatcher *d) noexcept nogil:
    free(d.heap)
