# One multiprocessor, as `sm.pyx` and `sm_recorded.pyx` compile it, each with a `note_issue` of its own, and the others of these.
#
# At cycle `now` all events and wheel slots up to and including it have been handled; slots hold cycles now+1 … now+63. `waiting` says
# where a warp is while it does not issue.
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.bits cimport count_bits, lowest_bit, rotate_right
from archdef.engine.clock cimport NEVER
from archdef.engine.compute cimport compute_alu, compute_rounded
from archdef.engine.counters cimport (ST_ALU_DEPENDENCY, ST_CONSTANT_DEPENDENCY, ST_MEMORY_THROTTLE, ST_NOT_SELECTED, ST_PIPE_BUSY, ST_SELECTED,
                                      StatementCounters)
from archdef.engine.events cimport (EV_BULK, EV_COMBINED, EV_COPIED, EV_FILL, EV_STORE_DONE, EV_WAKE, Event, event_detail, event_index, event_kind,
                                    events_next, events_pop)
from archdef.engine.execute cimport execute
from archdef.engine.fault cimport warp_fault
from archdef.engine.fault_code cimport FAULT_INSTRUCTIONS, FAULT_LATE
from archdef.engine.launch cimport WS_WAITING, Launch, Warp
from archdef.engine.loadstore cimport data_ready, piece_arrived, replay_run, resume_bulk, resume_lsu
from archdef.engine.lsu cimport fill_mshr
from archdef.engine.lsu_pipeline cimport throttled_until
from archdef.engine.machine cimport MachineTable
from archdef.engine.multiprocessor cimport WAITERS
from archdef.engine.queue cimport queue_next, queue_run
from archdef.engine.schedule cimport Scheduler
from archdef.engine.simt cimport simt_arrive
from archdef.engine.state cimport Sm
from archdef.engine.throttle cimport throttle_held, throttle_next, throttle_time
from archdef.engine.types cimport (K_ALU, K_BARRIER, K_BRANCH, K_BRANCH_INDEXED, K_CALL, K_CALL_INDIRECT, K_EXIT, K_LOAD, K_RETURN, K_STORE, K_SYSTEM,
                                   K_TRAP)
from archdef.engine.units cimport further_cycle
from archdef.engine.uop cimport Uop
from archdef.engine.waiting cimport become_ready, mark_wait, occupied, occupy, plan

include "block_events.pxi"


cdef inline void _settle(Sm *sm, const Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, int64_t cycle, int64_t spent) noexcept nogil:
    """Say where the warp's time went since it last issued, and how many cycles of its scheduler this issue takes."""
    cdef int64_t waited, part, begin = w.settled, before = max(w.since - begin, 0), throttled = 0, busy = 0
    note_lanes(w, u, begin, cycle, cycle + spent, u.issues)
    c.stall_cycles[w.cause] += before
    waited = cycle - begin - before
    w.settled = cycle + spent
    if waited < 0:
        spent = waited = 0      # a further one of the warp's slot, in the time of the first
        begin = -1
    elif waited > 0:
        if u.memory:
            part = throttled_until(&sm.lsu, cycle) - w.throttle_mark
            if sm.throttle != NULL and u.kind == K_LOAD:
                part = max(part, throttle_held(sm.throttle, w, cycle - waited))
            throttled = min(max(part, 0), waited)
            c.stall_cycles[<int>ST_MEMORY_THROTTLE] += throttled
            waited -= throttled
        part = occupied(sm, s, u.unit, cycle) - w.pipe_mark
        busy = min(max(part, 0), waited)
        waited -= busy
        c.stall_cycles[<int>ST_PIPE_BUSY] += busy
        c.stall_cycles[<int>ST_NOT_SELECTED] += waited
    c.stall_cycles[<int>ST_SELECTED] += spent
    w.residency.counters.issue_cycles += spent
    note_issue(w, u, cycle, begin, before, throttled, busy, waited, spent)


cdef int _issue(Sm *sm, Scheduler *s, Warp *w, int bit, int64_t cycle) noexcept nogil:
    """Issue the warp's next op. Returns -1 after a fault."""
    cdef Launch *launch = w.launch
    cdef const MachineTable *m = sm.m
    cdef const Uop *u = launch.ops + w.pc
    cdef StatementCounters *c = launch.counters + u.statement
    cdef uint64_t lanes = w.active, clear = ~(<uint64_t>1 << bit)
    cdef int64_t spent = u.issues * m.schedulers.issue_interval_cycles, next_
    cdef int64_t earliest = cycle + (spent if spent > u.gap else u.gap)
    cdef int32_t cause = ST_ALU_DEPENDENCY
    cdef int i
    s.ready &= clear
    s.uses[u.unit] &= clear
    s.queueing &= clear
    if u.uniform and w.again:
        earliest = cycle + 1
        cause = ST_CONSTANT_DEPENDENCY
    else:
        s.memory &= clear
        s.loads &= clear
        s.last = bit
        if u.kind != K_STORE or u[1].kind != K_STORE or u[1].unit != u.unit or not m.load_store.pipeline.stores_in_a_row:
            s.issued_at[bit] = cycle
        if u.guarded:
            lanes &= w.predicates[u.guard_mask] ^ u.guard_flip
        i = count_bits(lanes)
        launch.issued[w.pc] += 1
        sm.issued += u.issues
        c.thread_instructions += i * (u.issues - u.rare)
        if u.guarded or u.rare:
            c.predicated_off += (count_bits(w.active) - i) * u.issues + i * u.rare
        _settle(sm, s, w, u, c, cycle, spent)
        sm.chip.budget -= u.issues
        if sm.chip.budget < 0:
            return warp_fault(&sm.core, w, FAULT_INSTRUCTIONS, 0)
        if u.kind == K_ALU and not u.queued:
            if lanes and u.fpenv == 0:
                compute_alu(w, u, lanes)
            elif lanes:
                compute_rounded(&sm.core, w, u, lanes)
            w.ready[u.sets[0]] = (cycle + u.latency) << 4 | ST_ALU_DEPENDENCY
            if u.set_count > 1:
                w.ready[u.sets[1]] = w.ready[u.sets[0]]
            occupy(sm, w, u, cycle, u.interval + (further_cycle(s, u) if u.fraction else 0))
            w.pc += 1
            simt_arrive(w)
        else:
            next_ = execute(sm, s, w, u, c, lanes, cycle, earliest)
            if next_ <= 0:
                return <int>next_
            earliest = next_ >> 4
            cause = <int32_t>(next_ & 15)
    plan(sm, w, earliest, cause)
    return 0


# ------------------------------------------------------------------------------------------------------------------- loop
cdef void _handle(Sm *sm, Event event) noexcept nogil:
    """One thing that happens now."""
    cdef int32_t done[WAITERS]
    cdef int32_t kind = event_kind(event), index = event_index(event), count, i
    cdef Warp *w
    if kind == EV_FILL:
        note_answer(sm, index, event.cycle)
        count = fill_mshr(sm, index, event.cycle, done)
        for i in range(count):
            data_ready(sm, done[i], event.cycle)
        if sm.lsu.active:
            resume_lsu(sm, event.cycle)
        if sm.bulk.count:
            resume_bulk(sm, event.cycle)
    elif kind == EV_STORE_DONE:
        sm.port.store_credits += 1
        sm.port.store_bytes -= event_detail(event)
        sm.chip.dispatcher.launches[index].stores -= 1
        if sm.lsu.active:
            resume_lsu(sm, event.cycle)
        if sm.bulk.count:
            resume_bulk(sm, event.cycle)
    elif kind == EV_BULK:
        resume_bulk(sm, event.cycle)
    elif kind == EV_COPIED:
        piece_arrived(sm, index, event.cycle)
        resume_bulk(sm, event.cycle)
    elif kind == EV_WAKE:
        w = sm.core.warps + index
        become_ready(sm, w.scheduler, w.bit, w)
    elif kind == EV_COMBINED:
        stores_idle(sm, event.cycle)
    else:
        block_event(sm, event)
        note_block(sm, event)


cdef inline int64_t _next_slot(const Sm *sm, const Scheduler *s) noexcept nogil:
    """First cycle after `now` at which one of the ready warps may issue, as far as is known."""
    cdef uint64_t ready = s.ready, free_, others, held
    cdef uint32_t busy
    cdef int64_t first = NEVER, until
    cdef int unit
    if s.held:
        if s.loads & s.held & ready:
            first = throttle_next(sm.throttle)
        ready &= ~(s.loads & s.held)
    free_ = others = ready & ~s.queueing
    if s.next_issue > sm.core.now + 1:
        # nothing before the next issue slot; look again then
        return s.next_issue
    if ready & s.queueing and s.queue_count < sm.m.load_store.memory_instruction_queue.entries:
        return sm.core.now + 1
    if sm.lsu.active:
        free_ &= ~s.memory
    elif sm.lsu.time > sm.core.now + 1 and free_ & s.memory:
        first = min(first, sm.lsu.time)
        free_ &= ~s.memory
    busy = sm.units.busy
    while busy:
        unit = lowest_bit(busy)
        busy &= busy - 1
        until = sm.units.free[unit]
        held = others & s.uses[unit]
        if until > sm.core.now + 1 and held:
            free_ &= ~held
            if until < first:
                first = until
    busy = s.busy
    while busy:
        unit = lowest_bit(busy)
        busy &= busy - 1
        until = s.unit_free[unit]
        held = others & s.uses[unit]
        if until > sm.core.now + 1 and held:
            free_ &= ~held
            if until < first:
                first = until
    return sm.core.now + 1 if free_ else first


cdef inline uint64_t _candidates(Sm *sm, Scheduler *s, int64_t cycle) noexcept nogil:
    """Ready warps whose unit can start an op now, or whose op can be queued."""
    cdef uint64_t free_ = s.ready
    cdef uint32_t busy
    cdef int unit
    if sm.lsu.active or sm.lsu.time > cycle:
        free_ &= ~s.memory
    busy = sm.units.busy
    while busy:
        unit = lowest_bit(busy)
        busy &= busy - 1
        if sm.units.free[unit] > cycle:
            free_ &= ~s.uses[unit]
        else:
            sm.units.busy &= ~(<uint32_t>1 << unit)
    busy = s.busy
    while busy:
        unit = lowest_bit(busy)
        busy &= busy - 1
        if s.unit_free[unit] > cycle:
            free_ &= ~s.uses[unit]
        else:
            s.busy &= ~(<uint32_t>1 << unit)
    if s.queueing:
        free_ = free_ & ~s.queueing | (s.ready & s.queueing if s.queue_count < sm.m.load_store.memory_instruction_queue.entries else 0)
    if s.held and s.loads & s.held:
        throttle_time(sm.throttle)
        free_ &= ~(s.loads & s.held)
    return free_


cdef bint _goes_along(Sm *sm, Scheduler *s, Warp *w, int32_t before, uint64_t active, int64_t cycle) noexcept nogil:
    """Whether the op behind one that has just been issued, `before`, can go in the same slot; if so, the warp is taken out of the wheel."""
    cdef const MachineTable *m = sm.m
    cdef const Uop *u = w.launch.ops + before
    cdef uint64_t bit = <uint64_t>1 << w.bit
    cdef int64_t at = w.since & 63
    cdef int i
    # straight on, one issue each; the wheel holds the warp no longer than an issue keeps it from the next
    if (w.state != WS_WAITING or w.pc != before + 1 or w.active != active or u.issues != 1
            or u.kind in (K_BRANCH, K_BRANCH_INDEXED, K_CALL, K_CALL_INDIRECT, K_RETURN, K_EXIT, K_BARRIER, K_SYSTEM, K_TRAP)
            or w.since > cycle + max(m.schedulers.issue_interval_cycles, m.schedulers.instruction_gap_cycles) or w.since <= cycle):
        return False
    u += 1
    if not (m.schedulers.dual_issue[u[-1].unit] >> u.unit & 1) or u.issues != 1:
        return False
    if u.queued and s.queue_count == m.load_store.memory_instruction_queue.entries:
        return False
    if (u.memory or u.uniform) and (sm.lsu.active or sm.lsu.time > cycle):
        return False
    if (s.unit_free[u.unit] if m.units[u.unit].per_scheduler else sm.units.free[u.unit]) > cycle:
        return False
    if s.held & bit and s.loads & bit:
        return False
    for i in range(u.dependencies):
        if w.ready[u.wait[i]] >> 4 > cycle:
            return False
    if u.guarded and (w.ready[u.guard_entry] >> 4) + m.isa.branch_costs.guard_latency_cycles > cycle:
        return False
    s.wheel[at] &= ~bit
    if s.wheel[at] == 0:
        s.slots &= ~(<uint64_t>1 << at)
    w.since = cycle
    return True


cdef int _take_turn(Sm *sm, Scheduler *s, int64_t cycle) noexcept nogil:
    """What one scheduler does in a cycle: warps whose time has come become ready, one or some of them issue. Returns -1 after a fault."""
    cdef const MachineTable *m = sm.m
    cdef int nsched = <int>m.schedulers.count, bit, _
    cdef int32_t k, unit, pc = 0
    cdef uint64_t candidates = 0, woken = 0, allowed, active = 0
    cdef uint32_t pairs
    cdef Warp *w
    if s.queue_count:
        queue_run(sm, s, cycle)
    if s.slots >> (cycle & 63) & 1:
        woken = s.wheel[cycle & 63]
        s.wheel[cycle & 63] = 0
        s.slots &= ~(<uint64_t>1 << (cycle & 63))
        s.ready |= woken
    if s.ready and s.next_issue <= cycle:
        candidates = _candidates(sm, s, cycle)
    bit = sm.chip.pick(m, s, candidates, cycle) if candidates else -1
    while woken:
        k = lowest_bit(woken)
        woken &= woken - 1
        if k != bit:
            mark_wait(sm, s, k, sm.core.warps + k * nsched + s.number)
    if bit < 0:
        return 0
    w = sm.core.warps + bit * nsched + s.number
    unit = s.unit[bit]
    pc = w.pc
    active = w.active
    s.next_issue = cycle + m.schedulers.issue_interval_cycles * w.launch.ops[pc].issues
    if _issue(sm, s, w, bit, cycle) < 0:
        return -1
    if m.schedulers.superscalar:
        for _ in range(1, m.schedulers.issue_width):
            if not _goes_along(sm, s, w, pc, active, cycle):
                break
            pc += 1
            if _issue(sm, s, w, bit, cycle) < 0:
                return -1
        return 0
    allowed = ~<uint64_t>0
    for _ in range(1, m.schedulers.issue_width):
        # the rest of the slot is for units that may go together with this one
        pairs = <uint32_t>m.schedulers.dual_issue[unit]
        woken = 0
        while pairs:
            woken |= s.uses[lowest_bit(pairs)]
            pairs &= pairs - 1
        allowed &= woken
        if allowed == 0:
            break
        candidates = _candidates(sm, s, cycle) & allowed
        if candidates == 0:
            break
        bit = sm.chip.pick(m, s, candidates, cycle)
        unit = s.unit[bit]
        if _issue(sm, s, sm.core.warps + bit * nsched + s.number, bit, cycle) < 0:
            return -1
    return 0


cdef inline int64_t _next_turn(const Sm *sm, const Scheduler *s) noexcept nogil:
    """Cycle of the next thing that a scheduler has to do, as far as is known."""
    cdef int64_t best = NEVER, at
    if s.slots:
        best = sm.core.now + 1 + lowest_bit(rotate_right(s.slots, <int>((sm.core.now + 1) & 63)))
    if s.ready:
        at = _next_slot(sm, s)
        if at < best:
            best = at
    if s.queue_count:
        at = queue_next(sm, s)
        if at < best:
            best = at
    return best


cdef int sm_run(Sm *sm, int64_t until) noexcept nogil:
    """Advance to `until` (exclusive). Returns -1 after a fault."""
    cdef int nsched = <int>sm.m.schedulers.count, i, _
    cdef Scheduler *s
    cdef int64_t cycle
    cdef bint held, all_
    while True:
        cycle = NEVER
        for i in range(nsched):
            if sm.schedulers[i].wake < cycle:
                cycle = sm.schedulers[i].wake
        sm.core.inbox.own = cycle if cycle > sm.core.now else sm.core.now + 1       # it may have been woken when it had had its turn
        cycle = events_next(sm.core.inbox)
        if cycle >= until:
            note_ends(sm)
            return 0
        if cycle <= sm.core.now:
            sm.core.fault.sm = sm.core.id
            sm.core.fault.code = FAULT_LATE
            return -1
        sm.core.now = cycle
        all_ = False        # the load/store unit is free again, which may concern every scheduler
        while sm.core.inbox.first <= cycle:
            held = sm.lsu.active
            _handle(sm, events_pop(sm.core.inbox))
            all_ |= held and not sm.lsu.active
        if sm.replays.freed:        # after all fills of the cycle: their order must not show
            replay_run(sm, cycle)
        i = sm.units.turn
        for _ in range(nsched):     # they take turns at the units that they share
            if i == nsched:
                i = 0
            s = sm.schedulers + i
            if s.wake <= cycle or all_:
                if _take_turn(sm, s, cycle) < 0:
                    return -1
                s.wake = _next_turn(sm, s)
            i += 1
