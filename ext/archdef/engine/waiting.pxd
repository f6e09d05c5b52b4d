"""When a warp goes on: its next op's operands, its unit, its place with the scheduler. Inlined where it is used.

A warp that can go on is in one of three places: in `ready` of its scheduler, in the scheduler's wheel (64 cycles ahead at most), or
behind a wake-up event. Its time is settled without gaps: [settled, since) counts as `cause`, [since, issue) as throttle, busy unit
or not selected, and then one issue interval per warp instruction as selected.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.move_elimination cimport execute_eliminated
from archdef.engine.clock cimport NEVER
from archdef.engine.counters cimport ST_CONSTANT_DEPENDENCY, ST_FETCH
from archdef.engine.events cimport EV_WAKE, events_push
from archdef.engine.fetch cimport fetch
from archdef.engine.launch cimport PENDING, WS_DIVERGED, WS_SLEEPING, WS_WAITING, Warp
from archdef.engine.lsu_pipeline cimport throttled_until
from archdef.engine.schedule cimport Scheduler
from archdef.engine.state cimport Sm
from archdef.engine.types cimport K_LOAD
from archdef.engine.uniform cimport uniform_wait
from archdef.engine.units cimport ALONE, occupy_alone, occupy_counted
from archdef.engine.uop cimport Uop


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define host_bring(place) __builtin_prefetch(place)
    #else
    #define host_bring(place) ((void)(place))
    #endif
    """
    void host_bring(const void *place) noexcept nogil


cdef inline int64_t occupied(const Sm *sm, const Scheduler *s, int unit, int64_t cycle) noexcept nogil:
    """Cycles up to `cycle` in which a unit could not start an op."""
    cdef int64_t until, total
    if sm.m.units[unit].per_scheduler:
        until = s.unit_free[unit]
        total = s.unit_blocked[unit]
    else:
        until = sm.units.free[unit]
        total = sm.units.blocked[unit]
        if sm.lsu.active and until == NEVER:
            until = sm.lsu.stalled
    return total - (until - cycle if until > cycle else 0)


cdef inline void mark_wait(const Sm *sm, const Scheduler *s, int bit, Warp *w) noexcept nogil:
    """A warp whose dependencies are met does not issue now: keep what tells afterwards what it waited for."""
    host_bring(w)        # what issuing it reads first; its marks lie in the next line
    w.pipe_mark = occupied(sm, s, s.unit[bit], sm.core.now)
    if s.memory >> bit & 1:
        w.throttle_mark = throttled_until(&sm.lsu, sm.core.now)


cdef inline void become_ready(Sm *sm, Scheduler *s, int bit, Warp *w) noexcept nogil:
    """The warp's dependencies are met now; from here on it waits for a unit or its turn."""
    s.ready |= <uint64_t>1 << bit
    if sm.core.now < s.wake:
        s.wake = sm.core.now
    mark_wait(sm, s, bit, w)


cdef inline void plan(Sm *sm, Warp *w, int64_t earliest, int32_t cause) noexcept nogil:
    """Find when the warp's next op can issue, and file the warp accordingly; not before `earliest`, for `cause`."""
    cdef const Uop *u = w.launch.ops + w.pc
    cdef int bit = w.bit
    cdef Scheduler *s = w.scheduler
    cdef int64_t latest = 0, ready
    cdef int i
    if u.issues == 0 and w.active:
        u = execute_eliminated(&sm.core, w, &sm.chip.budget)
    if w.active == 0:
        w.state = WS_DIVERGED
        return
    if u.code_last != w.code_line:
        ready = fetch(&sm.code, &sm.core, w, u)
        if ready > earliest:
            earliest = ready
            cause = ST_FETCH
    for i in range(u.dependencies):
        ready = w.ready[u.wait[i]]
        if ready > latest:
            latest = ready
    if u.guarded:
        ready = w.ready[u.guard_entry] + (sm.m.isa.branch_costs.guard_latency_cycles << 4)
        if ready > latest:
            latest = ready
    w.cause = cause
    w.since = earliest
    if latest >> 4 > earliest:
        w.cause = <int32_t>(latest & 15)
        if latest >> 4 >= PENDING:
            w.state = WS_SLEEPING
            return
        w.since = latest >> 4
    if u.uniform:
        ready = uniform_wait(&sm.constants, w, u, w.since)
        if ready > w.since:
            w.since = ready
            w.cause = ST_CONSTANT_DEPENDENCY
    w.state = WS_WAITING
    s.unit[bit] = u.unit
    s.uses[u.unit] |= <uint64_t>1 << bit
    if u.queued:
        s.queueing |= <uint64_t>1 << bit
    if u.memory or u.uniform and w.by_load:
        s.memory |= <uint64_t>1 << bit
        if sm.throttle != NULL and u.kind == K_LOAD and u.memory:
            s.loads |= <uint64_t>1 << bit
    earliest = w.since - sm.core.now
    if earliest <= 0:
        w.since = sm.core.now
        become_ready(sm, s, bit, w)
    elif earliest < 64:
        s.wheel[w.since & 63] |= <uint64_t>1 << bit
        s.slots |= <uint64_t>1 << (w.since & 63)
        if w.since < s.wake:
            s.wake = w.since
    else:
        events_push(sm.core.inbox, w.since, EV_WAKE, w.slot)


cdef inline void occupy(Sm *sm, const Warp *w, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil:
    """Hold the op's unit; a single cycle matters only to other schedulers that share it."""
    cdef Scheduler *s = w.scheduler
    if cycles < sm.chip.units.held_from[u.unit]:
        return
    if sm.m.units[u.unit].per_scheduler:
        s.unit_free[u.unit] = cycle + cycles
        s.unit_blocked[u.unit] += cycles
        s.busy |= <uint32_t>1 << u.unit
        return
    sm.units.turn = s.number + 1
    if sm.chip.units.counted[u.unit]:
        if sm.chip.units.counted[u.unit] == ALONE:
            occupy_alone(&sm.units, s.number, u.unit, cycle, cycles)
        else:
            occupy_counted(&sm.units, sm.schedulers, s.number, u, cycle, cycles)
        return
    sm.units.free[u.unit] = cycle + cycles
    sm.units.blocked[u.unit] += cycles
    sm.units.busy |= <uint32_t>1 << u.unit
