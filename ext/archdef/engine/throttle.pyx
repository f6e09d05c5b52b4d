"""A plugin's warp throttle: which warps of a multiprocessor may issue loads from memory.

The policy is asked when a load has looked into L1, when a warp comes or goes, and when it said that it wants to be. What it answers is kept with the
schedulers as a mask (`Scheduler.held`), so that nothing is asked to find the candidates of a cycle.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.bits cimport lowest_bit
from archdef.engine.clock cimport NEVER
from archdef.engine.machine cimport SCHEDULER_WARPS, MachineTable
from archdef.engine.observers cimport Lookup, Observer
from archdef.engine.policy cimport (ARCHDEF_THROTTLE_END, ARCHDEF_THROTTLE_HIT, ARCHDEF_THROTTLE_MISS, ARCHDEF_THROTTLE_START, ARCHDEF_THROTTLE_TIME,
                                    Hook, PolicyHead, ask_throttle, policy_head, refuse_throttle)
from archdef.engine.schedule cimport Scheduler


cdef Observer throttle_open(const MachineTable *m, const SmCore *core, Scheduler *schedulers, const Cache *l1, const int64_t *issued) except *:
    """Prepare what the policy is asked."""
    cdef Observer observer
    cdef Hook *hook = <Hook *><size_t>m.schedulers.throttle_hook
    cdef int64_t slots = SCHEDULER_WARPS * m.schedulers.count
    cdef Throttle *t
    observer.state = NULL
    observer.looked_up = _looked_up
    observer.warp_came = _warp_came
    observer.warp_left = _warp_left
    observer.close = _close
    if hook == NULL:
        return observer
    t = <Throttle *>calloc(1, sizeof(Throttle))
    if t == NULL:
        raise MemoryError("state of a warp throttle")
    t.numbers = <int64_t *>calloc(<size_t>(4 * slots + hook.state_words), sizeof(int64_t))
    if t.numbers == NULL:
        free(t)
        raise MemoryError("state of a warp throttle")
    observer.state = t
    t.m = m
    t.core = core
    t.schedulers = schedulers
    t.l1 = l1
    t.issued = issued
    t.hook = hook
    t.again = NEVER
    t.resident = t.numbers
    t.launched = t.numbers + slots
    t.allowed = t.numbers + 2 * slots
    t.allowed_since = t.numbers + 3 * slots
    policy_head(<PolicyHead *>&t.view, hook, t.numbers + 4 * slots)
    t.view.multiprocessor = core.id
    t.view.resident = t.resident
    t.view.launched = t.launched
    t.view.allowed = t.allowed
    return observer


cdef void _close(void *state) noexcept nogil:
    free((<Throttle *>state).numbers)
    free(state)


cdef void _enter(Throttle *t) noexcept nogil:
    """Let the schedulers know whom the policy holds back, and wake those that can go on."""
    cdef int64_t slot, schedulers = t.m.schedulers.count
    cdef Scheduler *s
    cdef uint64_t bit
    for slot in range(t.view.warps):
        s = t.schedulers + slot % schedulers
        bit = <uint64_t>1 << slot // schedulers
        if not t.allowed[slot]:
            s.held |= bit
        elif s.held & bit:
            s.held &= ~bit
            t.allowed_since[slot] = t.core.now
            if s.ready & bit and s.wake > t.core.now + 1:
                s.wake = t.core.now + 1
    for slot in range(schedulers):      # those that hold somebody back ask when the policy wants to be asked
        s = t.schedulers + slot
        if s.ready & s.loads & s.held and t.again < s.wake:
            s.wake = max(t.again, t.core.now + 1)


cdef void _ask(Throttle *t, int64_t event, int64_t slot) noexcept nogil:
    """Ask about what the view says; an answer that is none holds nobody back."""
    cdef int64_t i, again
    t.view.cycle = t.core.now
    t.view.event = event
    t.view.warp = slot
    t.view.instructions = t.issued[0]
    again = ask_throttle(t.hook, &t.view)
    t.again = again if again > 0 else NEVER
    if again < 0:
        for i in range(t.view.warps):
            t.allowed[i] = 1
    _enter(t)


cdef void _ask_without_line(Throttle *t, int64_t event, int64_t slot) noexcept nogil:
    t.view.line = t.view.evicted = ~<uint64_t>0
    t.view.place = -1
    t.view.lines = t.l1.table.sets * t.l1.table.ways
    _ask(t, event, slot)


cdef void _warp_came(void *state, const Warp *w, int64_t order) noexcept nogil:
    cdef Throttle *t = <Throttle *>state
    t.resident[w.slot] = t.allowed[w.slot] = 1
    t.launched[w.slot] = order
    t.allowed_since[w.slot] = 0
    if t.view.warps <= w.slot:
        t.view.warps = w.slot + 1
    _ask_without_line(t, ARCHDEF_THROTTLE_START, w.slot)


cdef void _warp_left(void *state, int32_t slot) noexcept nogil:
    cdef Throttle *t = <Throttle *>state
    t.resident[slot] = 0
    _ask_without_line(t, ARCHDEF_THROTTLE_END, slot)


cdef void throttle_time(Throttle *t) noexcept nogil:
    """Ask where the policy wanted to be asked by now."""
    if t.again <= t.core.now:
        _ask_without_line(t, ARCHDEF_THROTTLE_TIME, -1)


cdef void _looked_up(void *state, const Lookup *lookup) noexcept nogil:
    cdef Throttle *t = <Throttle *>state
    t.view.line = lookup.line.tag - 1
    t.view.place = lookup.line - lookup.cache.lines
    t.view.evicted = lookup.evicted - 1
    t.view.lines = lookup.cache.table.sets * lookup.cache.table.ways
    _ask(t, ARCHDEF_THROTTLE_HIT if lookup.hit else ARCHDEF_THROTTLE_MISS, lookup.warp)


cdef int64_t throttle_next(const Throttle *t) noexcept nogil:
    """The cycle at which the policy wants to be asked."""
    return t.again


cdef int64_t throttle_held(const Throttle *t, const Warp *w, int64_t ready) noexcept nogil:
    """Cycles for which a warp was held back that could have gone on at `ready`."""
    return max(t.allowed_since[w.slot] - ready, 0)


cdef void throttle_blame(Throttle *t) noexcept nogil:
    """Nothing can go on any more: refuse the policy if it holds back a warp that could."""
    cdef Scheduler *s
    cdef uint64_t held
    cdef int64_t i
    if t == NULL:
        return
    for i in range(t.m.schedulers.count):
        s = t.schedulers + i
        held = s.ready & s.loads & s.held
        if held:
            refuse_throttle(t.hook, lowest_bit(held) * t.m.schedulers.count + i, t.core.id, t.core.now)
            return
