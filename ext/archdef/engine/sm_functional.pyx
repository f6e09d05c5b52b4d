"""The same multiprocessor as that of `sm.pyx`, which executes warps and times nothing: no scoreboard, no units, no memory behind the data.

One warp at a time issues one instruction a cycle, so that clocks go on and what is known to happen at a cycle still does. A warp goes on until
it waits, its turn is over, or something else is due; then the next that can comes. What does not wait only because of time, is ready at once:
the wheels and `ready` of the schedulers are but lists of warps here.
"""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.clock cimport NEVER
from archdef.engine.compute cimport compute_alu, compute_rounded
from archdef.engine.counters cimport StatementCounters
from archdef.engine.events cimport EV_WAKE, Event, event_index, event_kind, events_next, events_pop
from archdef.engine.execute_functional cimport execute
from archdef.engine.fault cimport warp_fault
from archdef.engine.fault_code cimport FAULT_INSTRUCTIONS, FAULT_LATE
from archdef.engine.launch cimport WS_DIVERGED, Launch, Warp
from archdef.engine.move_elimination cimport execute_eliminated
from archdef.engine.schedule cimport Scheduler
from archdef.engine.simt cimport simt_arrive
from archdef.engine.sm cimport Sm
from archdef.engine.types cimport FL_BYPASS_L1, FL_YIELD, K_ALU, K_ATOM, K_LOAD, K_PHASE
from archdef.engine.uop cimport Uop

include "block_events.pxi"

cdef enum:
    TURN_INSTRUCTIONS = 1024     # after so many another warp has its turn: no loop may keep those away that it waits for


cdef inline int _step(Sm *sm, Scheduler *s, Warp *w, const Uop *u) noexcept nogil:
    """Execute the warp's next op. Returns 1 if the warp can go on, 0 if somebody else says when it does, -1 after a fault."""
    cdef Launch *launch = w.launch
    cdef StatementCounters *c = launch.counters + u.statement
    cdef uint64_t lanes = w.active
    cdef int64_t next_
    cdef int i
    if u.guarded:
        lanes &= w.predicates[u.guard_mask] ^ u.guard_flip
    i = count_bits(lanes)
    launch.issued[w.pc] += 1
    sm.issued += u.issues
    c.thread_instructions += i * (u.issues - u.rare)
    if u.guarded or u.rare:
        c.predicated_off += (count_bits(w.active) - i) * u.issues + i * u.rare
    sm.chip.budget -= u.issues
    if sm.chip.budget < 0:
        return warp_fault(&sm.core, w, FAULT_INSTRUCTIONS, 0)
    if u.kind == K_ALU:
        if lanes and u.fpenv == 0:
            compute_alu(w, u, lanes)
        elif lanes:
            compute_rounded(&sm.core, w, u, lanes)
        w.pc += 1
        simt_arrive(w)
        return 1
    w.settled = sm.core.now + 1
    next_ = execute(sm, s, w, u, c, lanes, sm.core.now, w.settled)
    return -1 if next_ < 0 else next_ > 0


cdef inline bint _looks(const Uop *u) noexcept nogil:
    """Whether it may be by this op that a warp looks for what others do."""
    return u.flags & FL_YIELD or u.kind == K_ATOM or u.kind == K_PHASE or u.kind == K_LOAD and u.flags & FL_BYPASS_L1


cdef inline int _go_on(Sm *sm, Scheduler *s, Warp *w, int64_t until) noexcept nogil:
    """Let a warp go on up to a cycle, or until it waits. Returns -1 after a fault."""
    cdef const Uop *u
    cdef int64_t effects = -1
    cdef int goes_on, bit = w.bit
    s.ready &= ~(<uint64_t>1 << bit)
    s.issued_at[bit] = sm.core.now
    while True:
        u = w.launch.ops + w.pc
        if u.issues == 0:
            u = execute_eliminated(&sm.core, w, &sm.chip.budget)
            if w.active == 0:
                w.state = WS_DIVERGED
                return 0
        goes_on = _step(sm, s, w, u)
        if goes_on <= 0:
            return goes_on
        if w.active == 0:
            w.state = WS_DIVERGED
            return 0
        if _looks(u):
            if sm.core.effects == effects:
                s.next_issue = 0        # it goes round until somebody else has done something
                break
            effects = sm.core.effects
        if sm.core.now + 1 >= until or sm.core.now + 1 >= sm.core.inbox.first:
            break
        sm.core.now += 1
    s.ready |= <uint64_t>1 << bit
    return 0


cdef inline bint _can_go_on(Scheduler *s) noexcept nogil:
    """Whether some warp of a scheduler can go on. Those in its wheel would wait for nothing but time."""
    while s.slots:
        s.ready |= s.wheel[lowest_bit(s.slots)]
        s.wheel[lowest_bit(s.slots)] = 0
        s.slots &= s.slots - 1
    return s.ready != 0


cdef inline Warp *_whose_turn(Sm *sm) noexcept nogil:
    """The warp that goes on: the same as before unless it waits or its turn is over, else the next of the next scheduler; NULL: none can."""
    cdef int count = <int>sm.m.schedulers.count, _
    cdef Scheduler *s = sm.schedulers + sm.units.turn % count
    cdef uint64_t behind
    if not (_can_go_on(s) and s.last >= 0 and s.ready >> s.last & 1 and sm.core.now < s.next_issue):
        for _ in range(count):
            sm.units.turn = (sm.units.turn + 1) % count
            s = sm.schedulers + sm.units.turn
            if _can_go_on(s):
                break
        else:
            return NULL
        behind = s.ready & ~((<uint64_t>2 << s.last) - 1) if s.last >= 0 else s.ready
        s.last = lowest_bit(behind if behind else s.ready)
        s.next_issue = sm.core.now + TURN_INSTRUCTIONS
    return sm.core.warps + s.last * count + s.number


cdef inline bint _any(Sm *sm) noexcept nogil:
    """Whether some warp can go on."""
    cdef int i
    for i in range(<int>sm.m.schedulers.count):
        if sm.schedulers[i].ready | sm.schedulers[i].slots:
            return True
    return False


cdef int sm_run(Sm *sm, int64_t until) noexcept nogil:
    """Advance to `until` (exclusive). Returns -1 after a fault."""
    cdef int64_t cycle
    cdef Event event
    cdef Warp *w
    while True:
        sm.core.inbox.own = sm.core.now + 1 if _any(sm) else NEVER
        cycle = events_next(sm.core.inbox)
        if cycle >= until:
            return 0
        if cycle <= sm.core.now:
            sm.core.fault.sm = sm.core.id
            sm.core.fault.code = FAULT_LATE
            return -1
        sm.core.now = cycle
        while sm.core.inbox.first <= cycle:
            event = events_pop(sm.core.inbox)
            if event_kind(event) == EV_WAKE:
                w = sm.core.warps + event_index(event)
                w.scheduler.ready |= <uint64_t>1 << w.bit
            else:
                block_event(sm, event)
        w = _whose_turn(sm)
        if w != NULL and _go_on(sm, w.scheduler, w, min(until, w.scheduler.next_issue)) < 0:
            return -1
