"""Whether every warp waits for what nobody will do: at barriers, or in loops that look again and again at what nobody writes.

What a warp does next follows from its state (where its lanes are, registers, predicates, how they diverged) and from what memory
holds. While memory stays as it is, a warp that comes back to a state it has been in goes round for ever. So when each warp that lives is
stopped or has been in a state twice, nothing was stored between, and nothing else is due, the machine is livelocked: that is
a proof, whatever the loops look like. What counts its rounds never comes back, and ends with its budget.

Effects that end a livelock (`SmCore.effects`): stores, atomics that change a value, arrivals at barriers, copies, system calls, ends of
lanes; and, since what a warp does next may follow from them, looks at a clock. A look costs a pass over the registers, so looks become
rarer the longer nothing happens: 32 to each doubling of the time.
"""
from libc.stdint cimport int64_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from archdef.engine.clock cimport NEVER
from archdef.engine.dispatch cimport dispatch_next, dispatch_wishes_alone
from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.divergence cimport Frame, Split
from archdef.engine.launch cimport WS_BARRIER, WS_CHILDREN, WS_ENDED, WS_DIVERGED, WS_REGISTERS, Block, Launch, Warp
from archdef.engine.machine cimport SCHEDULER_WARPS
from archdef.engine.state cimport Sm

cdef enum:
    QUIET_CYCLES = 16384     # without an effect, before states are remembered: a matter of cost only
    LOOKS = 32
    MOST_REFUSALS = 64       # of a plugin's dispatch of blocks to place one, in a row, before it counts as what nobody will do


cdef void watch_start(Watch *watch) noexcept nogil:
    """Begin to watch."""
    memset(watch, 0, sizeof(Watch))
    watch.begin = -1
    watch.next = QUIET_CYCLES


cdef void watch_close(Watch *watch) noexcept nogil:
    """Free what was remembered."""
    free(watch.states)
    free(watch.found)
    watch.states = NULL
    watch.found = NULL


cdef inline uint64_t _mix(uint64_t h, uint64_t x) noexcept nogil:
    h = (h ^ x) * <uint64_t>0x9e3779b97f4a7c15
    return h ^ h >> 29


cdef uint64_t _state(const Warp *w) noexcept nogil:
    """A number for all that decides what the warp does next."""
    cdef uint64_t h = _mix(<uint64_t>w.pc, w.active)
    cdef const uint64_t *words
    cdef const Frame *frame
    cdef const Split *split
    cdef int64_t i
    h = _mix(_mix(_mix(h, w.alive), <uint64_t>w.reconverge), w.arriving)
    h = _mix(_mix(_mix(h, <uint64_t>w.depth), <uint64_t>w.frame), <uint64_t>w.join)
    h = _mix(_mix(h, <uint64_t>w.turn), <uint64_t>w.passed)
    for i in range(w.depth):
        frame = w.stack + i
        h = _mix(_mix(_mix(h, frame.mask), frame.waiting), <uint64_t>frame.pc)
        h = _mix(_mix(_mix(h, <uint64_t>frame.reconverge), <uint64_t>frame.call), <uint64_t>frame.caller)
    for i in range(w.split_room if w.splits != NULL else 0):
        split = w.splits + i
        if split.mask:
            h = _mix(_mix(_mix(_mix(h, <uint64_t>i), split.mask), <uint64_t>split.pc), <uint64_t>split.join)
            h = _mix(_mix(_mix(h, split.named), <uint64_t>split.state), <uint64_t>split.passed)
    for i in range(w.launch.predicates):
        h = _mix(h, w.predicates[i])
    words = <const uint64_t *>w.rows
    for i in range(w.launch.rows * w.launch.pitch // 8):
        h = _mix(h, words[i])
    return h


cdef inline bint _lives(const Sm *sm, const Warp *w) noexcept nogil:
    return w.launch != NULL and sm.core.blocks[w.block].running and w.alive != 0 and w.state != WS_ENDED


cdef inline bint _stopped(const Warp *w) noexcept nogil:
    """Whether the warp goes on only when another does something."""
    return w.state == WS_BARRIER or w.state == WS_DIVERGED or w.state == WS_CHILDREN or w.state == WS_REGISTERS


cdef void _remember(Watch *watch, Sm **sms, int64_t count, int64_t slots) noexcept nogil:
    """Remember the state of each warp that has not been found going round."""
    cdef int64_t i, k
    for i in range(count):
        for k in range(slots if sms[i] != NULL else 0):
            if _lives(sms[i], sms[i].core.warps + k) and not watch.found[i * slots + k]:
                watch.states[i * slots + k] = _state(sms[i].core.warps + k)


cdef bint _all_found(Watch *watch, Sm **sms, int64_t count, int64_t slots, int64_t nsched) noexcept nogil:
    """Look whether each warp is stopped or has been in its state twice, and issued between; and at least one goes round."""
    cdef int64_t i, k
    cdef bint all_ = True, any_ = False
    cdef const Warp *w
    cdef const Block *b
    for i in range(count):
        if sms[i] == NULL:
            continue
        if sms[i].bulk.count or sms[i].bulk.loads:
            all_ = False
        for k in range(slots):
            b = sms[i].core.blocks + k
            if b.running and (b.draining or b.warps_alive == 0):
                all_ = False        # its place will be free for another
            w = sms[i].core.warps + k
            if not _lives(sms[i], w) or _stopped(w):
                continue
            any_ = True
            if watch.found[i * slots + k]:
                continue
            if sms[i].schedulers[k % nsched].issued_at[k // nsched] > watch.begin and _state(w) == watch.states[i * slots + k]:
                watch.found[i * slots + k] = 1
            else:
                all_ = False
    return all_ and any_


cdef bint _nothing_due(const Dispatcher *dispatcher) noexcept nogil:
    """Whether no block starts or ends by itself: no time is set for anything, and nothing lands that a grid waits for."""
    cdef const Launch *launch = dispatcher.running
    while launch != NULL:
        if launch.stores:
            return False
        launch = launch.next_running
    if dispatch_wishes_alone(dispatcher) and dispatcher.policy.in_a_row >= MOST_REFUSALS:
        return dispatcher.leaving == 0
    return dispatch_next(dispatcher) >= NEVER and dispatcher.leaving == 0


cdef int watch_look(Watch *watch, Sm **sms, int64_t count, const Dispatcher *dispatcher, int64_t cycle) noexcept nogil:
    """Look at the machine between two epochs, at `watch.next` or later. Returns 1 if nothing will ever change, -1 without memory, else 0."""
    cdef int64_t effects = 0, i, slots = SCHEDULER_WARPS * dispatcher.m.schedulers.count
    for i in range(count):
        effects += sms[i].core.effects if sms[i] != NULL else 0
    if effects != watch.effects or watch.since == 0:
        watch.effects = effects
        watch.since = cycle
        watch.begin = -1
        watch.next = cycle + QUIET_CYCLES
        return 0
    if watch.states == NULL:
        watch.room = count * slots
        watch.states = <uint64_t *>calloc(<size_t>watch.room, sizeof(uint64_t))
        watch.found = <uint8_t *>malloc(<size_t>watch.room)
        if watch.states == NULL or watch.found == NULL:
            return -1
    if watch.begin < 0:
        memset(watch.found, 0, <size_t>watch.room)
    elif _all_found(watch, sms, count, slots, dispatcher.m.schedulers.count) and _nothing_due(dispatcher):
        return 1
    if watch.begin < 0 or cycle >= watch.end:
        _remember(watch, sms, count, slots)
        watch.begin = cycle
        watch.end = cycle + (cycle - watch.since)
    watch.next = cycle + max((watch.end - watch.begin) // LOOKS, 1)
    return 0
