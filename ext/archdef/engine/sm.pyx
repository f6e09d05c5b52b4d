"""One multiprocessor: schedulers issue the ops of ready warps, from event to event.

At cycle `now` all events and wheel slots up to and including it have been handled; slots hold cycles now+1 … now+63. `waiting` says
where a warp is while it does not issue.
"""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from archdef.engine.asynchronous cimport copy_group, phase_barrier
from archdef.engine.barriers cimport barrier_arrive, barrier_open, barrier_settle, check_barriers, cluster_open
from archdef.engine.bits cimport count_bits, lowest_bit, rotate_right
from archdef.engine.block_cluster cimport cluster_receive
from archdef.engine.blocks cimport end_warp, start_block
from archdef.engine.bulk cimport bulk_issue
from archdef.engine.clock cimport NEVER
from archdef.engine.matrix_ops cimport GP_COMMIT, GP_FENCE
from archdef.engine.write_combining cimport write_combining_idle
from archdef.engine.compute cimport compute, compute_alu, exchange_apart
from archdef.engine.converge cimport converge_gather, converge_yield
from archdef.engine.counters cimport (ST_ALU_DEPENDENCY, ST_BARRIER, ST_BRANCH, ST_CONSTANT_DEPENDENCY, ST_MEMORY_DEPENDENCY, ST_MEMORY_THROTTLE,
                                      ST_NOT_SELECTED, ST_PIPE_BUSY, ST_SELECTED, StatementCounters)
from archdef.engine.events cimport (EV_BLOCK, EV_BULK, EV_CHILDREN, EV_CLUSTER, EV_COMBINED, EV_COPIED, EV_FILL, EV_GRIDS, EV_SWAPPED_OUT, EV_POSTED,
                                    EV_SWAPPED_IN,
                                    EV_STORE_DONE, EV_WAKE, Event,
                                    events_next, events_pop)
from archdef.engine.fault cimport warp_fault
from archdef.engine.fault_code cimport FAULT_BRANCH_INDEX, FAULT_INSTRUCTIONS, FAULT_LATE, FAULT_STACK, FAULT_TRAP
from archdef.engine.lsu cimport fill_mshr
from archdef.engine.lsu_pipeline cimport throttled_until
from archdef.engine.lane_states cimport note_lanes
from archdef.engine.lanes cimport set_fpenv
from archdef.engine.launch cimport PENDING, WS_CONSTANT, WS_COPIES, WS_DIVERGED, WS_REPLAY, WS_WAITING, Launch, Warp
from archdef.engine.loadstore cimport data_ready, replay_run, memory_issue, piece_arrived, resume_bulk, resume_lsu
from archdef.engine.machine cimport MachineTable
from archdef.engine.matrix cimport matrix_product
from archdef.engine.multiprocessor cimport WAITERS
from archdef.engine.observers cimport tell_warp_left
from archdef.engine.program cimport NAMES_ALL, Uop
from archdef.engine.queue cimport queue_access, queue_next, queue_other, queue_passes, queue_run
from archdef.engine.registers cimport registers_change
from archdef.engine.block_swap cimport block_swap_in, children_done
from archdef.engine.schedule cimport Scheduler
from archdef.engine.simt cimport simt_arrive, simt_branch, simt_branch_many, simt_call, simt_exit, simt_return
from archdef.engine.state cimport Sm
from archdef.engine.system cimport call_indirect, system_issue
from archdef.engine.throttle cimport throttle_held, throttle_next, throttle_time
from archdef.engine.timeline cimport timeline_issue, warps_recorded
from archdef.engine.types cimport (BAR_WARP, BR_JOIN, END_BRANCH, FL_YIELD, K_ALU, K_ATOM, K_BARRIER, K_BRANCH, K_BRANCH_INDEXED,
                                   K_BULK, K_CALL, K_CALL_INDIRECT, K_COPY, K_COPY_GROUP, K_EXIT, K_FENCE, K_GROUP,
                                   K_GROUP_PRODUCT, K_LOAD, K_MATCH, K_MATRIX, K_NOP, K_PHASE, K_REGISTERS, K_RETURN, K_STORE,
                                   K_SYSTEM, K_TRAP, SYS_STACK, SP_SHARED)
from archdef.engine.uniform cimport uniform_issue
from archdef.engine.waiting cimport become_ready, mark_wait, occupied, occupy, plan
from archdef.engine.warpgroup cimport group_commit, group_fence, group_hold, group_product, group_wait


cdef inline void _compute(Sm *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Execute with the op's rounding and flushing; the host's default is restored at once."""
    if u.fpenv:
        set_fpenv(u.fpenv)
        compute(&sm.core, w, u, lanes)
        set_fpenv(0)
    else:
        compute(&sm.core, w, u, lanes)


cdef uint64_t _gather(Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Wait for the lanes that an instruction names. Gives those that execute it now; 0: others of the warp go first."""
    cdef const Launch *launch = w.launch
    cdef const char *row
    cdef uint64_t named = 0, left = lanes
    cdef int lane
    if w.active == w.alive:
        return lanes
    if u.named == NAMES_ALL:
        named = ~<uint64_t>0
        left = 0
    else:
        row = (launch.constants if u.s_bank[u.named] else w.rows) + u.s[u.named]
    while left:
        lane = lowest_bit(left)
        left &= left - 1
        named |= (<const uint64_t *>row)[lane] if u.named_bytes == 8 else <uint64_t>(<const uint32_t *>row)[lane]
    lanes = converge_gather(w, named)
    if lanes and u.guarded:
        lanes &= w.predicates[u.guard_mask] ^ u.guard_flip
    return lanes


cdef int _further_values(const Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """How many values `match.any` has found beside the first: each is that of a lane which no lower one shares it with."""
    cdef const char *row = w.rows + u.d[0]
    cdef uint64_t left = lanes, mask
    cdef int lane, count = -1
    while left:
        lane = lowest_bit(left)
        mask = (<const uint64_t *>row)[lane] if u.direct == 8 else <uint64_t>(<const uint32_t *>row)[lane]
        left &= ~(mask | <uint64_t>1 << lane)
        count += 1
    return count


cdef inline int64_t _further_cycle(Scheduler *s, const Uop *u) noexcept nogil:
    """Whether the parts of a cycle that ops have occupied a unit for make one more by now: 1 or 0."""
    cdef uint32_t parts = <uint32_t>s.unit_parts[u.unit] + u.fraction
    s.unit_parts[u.unit] = <uint16_t>(parts & 255)
    return parts >> 8


cdef inline int64_t _branch_cycles(const MachineTable *m, const Uop *u, uint64_t lanes) noexcept nogil:
    """Cycles from a branch or end, which `lanes` take, to the next instruction."""
    return <int64_t>u.latency - (0 if lanes else m.untaken_branch_saving)


cdef int _branch_indexed(Sm *sm, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes) noexcept nogil:
    """Send each of `lanes` to the place that its index stands for, the others on. Returns -1 after a fault."""
    cdef Launch *launch = w.launch
    cdef int32_t targets[64]
    cdef uint32_t index
    cdef int i, split
    c.branches += 1
    for i in range(launch.lanes):
        targets[i] = w.pc + 1
        if lanes >> i & 1:
            index = (<const uint32_t *>((launch.constants if u.s_bank[0] else w.rows) + u.s[0]))[i]
            if index >= <uint32_t>u.count:
                return warp_fault(&sm.core, w, FAULT_BRANCH_INDEX, <uint64_t>1 << i)
            targets[i] = launch.targets[u.first + <int32_t>index]
    split = simt_branch_many(w, targets, launch.lanes, u.reconverge)
    if split < 0:
        return warp_fault(&sm.core, w, FAULT_STACK, lanes)
    c.divergent_branches += split
    return 0


cdef inline void _hold(Sm *sm, Scheduler *s, Warp *w, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil:
    """Hold the op's unit, once its turn in the queue has come if there is one."""
    if u.queued and not queue_passes(sm, s, u, cycle):
        queue_other(sm, s, w, u, cycles, -1)
    else:
        occupy(sm, w, u, cycle, cycles)


cdef inline void _result(Sm *sm, Scheduler *s, Warp *w, const Uop *u, int64_t cycle, int64_t cycles, int64_t latency, int32_t cause) noexcept nogil:
    """Hold the op's unit likewise; its result is there `latency` later."""
    cdef int i
    if u.queued and not queue_passes(sm, s, u, cycle):
        queue_other(sm, s, w, u, cycles, latency)
        return
    occupy(sm, w, u, cycle, cycles)
    for i in range(u.set_count):
        w.ready[u.sets[i]] = (cycle + latency) << 4 | cause


cdef int64_t _execute_rare(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                           int64_t earliest) noexcept nogil:
    """As `_execute`, for kinds that are rare: apart, so that registers and caches serve those that are not."""
    cdef const MachineTable *m = sm.m
    cdef int32_t slot = w.slot, cause = ST_ALU_DEPENDENCY
    cdef int i, split
    if u.kind == K_CALL:
        _hold(sm, s, w, u, cycle, u.interval)
        if lanes:
            if simt_call(w, u.target, lanes) < 0:
                return warp_fault(&sm.core, w, FAULT_STACK, lanes)
        else:
            w.pc += 1
            simt_arrive(w)
        earliest = max(earliest, cycle + <int64_t>u.latency)
        return earliest << 4 | ST_BRANCH
    elif u.kind == K_CALL_INDIRECT:
        _hold(sm, s, w, u, cycle, u.interval)
        if lanes == 0:
            w.pc += 1
            simt_arrive(w)
        elif call_indirect(&sm.core, w, u, lanes) < 0:
            return -1
        earliest = max(earliest, cycle + <int64_t>u.latency)
        return earliest << 4 | ST_BRANCH
    elif u.kind == K_BRANCH_INDEXED:
        _hold(sm, s, w, u, cycle, u.interval)
        if _branch_indexed(sm, w, u, c, lanes) < 0:
            return -1
        return max(earliest, cycle + <int64_t>u.latency) << 4 | ST_BRANCH
    elif u.kind == K_TRAP:
        if lanes:
            return warp_fault(&sm.core, w, FAULT_TRAP, lanes)
        w.pc += 1
    elif u.kind == K_COPY:
        sm.core.effects += 1
        if lanes and u.queued and not queue_passes(sm, s, u, cycle):
            if queue_access(sm, s, w, u, lanes, cycle) < 0:
                return -1
        elif lanes and memory_issue(sm, slot, w, u, lanes, cycle) < 0:
            return -1
        elif lanes == 0:
            _hold(sm, s, w, u, cycle, u.interval)
        w.pc += 1
    elif u.kind == K_COPY_GROUP:
        _hold(sm, s, w, u, cycle, u.interval)
        if lanes and copy_group(w, u):
            w.state = WS_COPIES
            return 0
        w.pc += 1
    elif u.kind == K_BULK:
        sm.core.effects += 1
        i = bulk_issue(sm, slot, w, u, lanes, cycle) if lanes else 1
        if i < 0:
            return -1
        _hold(sm, s, w, u, cycle, u.interval * i)
        w.pc += 1
    elif u.kind == K_PHASE:
        if lanes and phase_barrier(&sm.core, w, u, lanes) < 0:
            return -1
        _result(sm, s, w, u, cycle, u.interval, u.latency + m.shared.latency_cycles, u.cause)
        w.pc += 1
        if u.flags & FL_YIELD and w.splits != NULL:
            converge_yield(w)
    elif u.kind == K_MATRIX:
        if w.splits != NULL and lanes:
            lanes = _gather(w, u, lanes)
            if lanes == 0:
                return earliest << 4 | ST_BARRIER
        if lanes and matrix_product(&sm.core, w, u, lanes) < 0:
            return -1
        for i in range(u.set_count):
            w.ready[u.sets[i]] = (cycle + u.latency) << 4 | ST_ALU_DEPENDENCY
        _hold(sm, s, w, u, cycle, u.interval)
        w.pc += 1
    elif u.kind == K_GROUP_PRODUCT or u.kind == K_GROUP:
        if w.splits != NULL and lanes:
            lanes = _gather(w, u, lanes)
            if lanes == 0:
                return earliest << 4 | ST_BARRIER
        if u.kind == K_GROUP_PRODUCT:
            if lanes and group_product(sm, s, w, u, lanes, cycle) < 0:
                return -1
            _hold(sm, s, w, u, cycle, u.held_cycles)
            earliest = max(earliest, cycle + u.held_cycles)
        elif u.fn == GP_FENCE:
            _hold(sm, s, w, u, cycle, u.interval)
            if lanes:
                split = group_fence(sm, w, u, lanes, w.settled)
                if split:
                    return split if split < 0 else 0
                group_hold(w, u, ST_BARRIER, w.settled + <int64_t>u.latency)
                earliest = max(earliest, w.settled)
        else:
            _hold(sm, s, w, u, cycle, u.interval)
            if lanes and u.fn == GP_COMMIT:
                group_commit(w)
            elif lanes:
                group_hold(w, u, ST_ALU_DEPENDENCY, group_wait(w, u))
                earliest = max(earliest, w.settled)
        w.pc += 1
    elif u.kind == K_REGISTERS:
        if w.splits != NULL and lanes:
            lanes = _gather(w, u, lanes)
            if lanes == 0:
                return earliest << 4 | ST_BARRIER
        _hold(sm, s, w, u, cycle, u.interval)
        if lanes:
            sm.core.effects += 1
            split = registers_change(sm, w, u, lanes, w.settled)
            if split:
                return split if split < 0 else 0
        w.pc += 1
    elif u.kind == K_SYSTEM:
        _hold(sm, s, w, u, cycle, u.interval)
        sm.core.effects += u.fn != SYS_STACK
        split = system_issue(&sm.core, sm.chip.dispatcher, w, u, lanes, cycle, &earliest, &cause)
        if split:
            return split if split < 0 else 0
        w.pc += 1
    simt_arrive(w)
    return earliest << 4 | cause


cdef int64_t _execute(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                      int64_t earliest) noexcept nogil:
    """Do what an op other than plain arithmetic does. Gives what the warp waits for before the next, as `Warp.ready` says it, at
    `earliest` or later; 0: somebody else says when it goes on; -1: after a fault."""
    cdef Launch *launch = w.launch
    cdef const MachineTable *m = sm.m
    cdef int32_t slot = w.slot, cause = ST_ALU_DEPENDENCY
    cdef int i, split
    cdef bint goes_on
    if u.kind == K_LOAD or u.kind == K_STORE or u.kind == K_ATOM:
        if u.named == NAMES_ALL and w.splits != NULL and lanes:
            lanes = _gather(w, u, lanes)
            if lanes == 0:
                return earliest << 4 | ST_BARRIER
        if u.uniform and not w.by_load:
            if lanes and uniform_issue(&sm.core, w, u, lanes, cycle) < 0:
                return -1
            _hold(sm, s, w, u, cycle, u.interval)
        elif lanes and u.queued and not queue_passes(sm, s, u, cycle):
            sm.lsu.held = queue_access(sm, s, w, u, lanes, cycle)
            if sm.lsu.held < 0:
                return -1
        elif lanes:
            if memory_issue(sm, slot, w, u, lanes, cycle) < 0:
                return -1
            if sm.lsu.count > 1 and m.load_store.replay_cycles and cycle + (sm.lsu.count - 1) * m.load_store.replay_cycles > earliest:
                earliest = cycle + (sm.lsu.count - 1) * m.load_store.replay_cycles
                cause = ST_MEMORY_THROTTLE
            elif u.retry_cycles and sm.lsu.looping > earliest:
                earliest = sm.lsu.looping
                cause = ST_MEMORY_DEPENDENCY
        else:
            if u.space == SP_SHARED:        # executed all the same
                c.shared_loads += u.kind == K_LOAD
                c.shared_stores += u.kind == K_STORE
            _hold(sm, s, w, u, cycle, u.interval)
        w.pc += 1
        if u.flags & FL_YIELD and w.splits != NULL:
            converge_yield(w)
        if sm.lsu.held:
            sm.lsu.held = 0
            simt_arrive(w)
            w.since = earliest
            w.state = WS_REPLAY
            return 0
        if u.uniform and w.by_load and lanes and w.ready[u.sets[0]] >> 4 > earliest:
            cause = ST_CONSTANT_DEPENDENCY
            if w.ready[u.sets[0]] >> 4 >= PENDING:
                simt_arrive(w)
                w.since = earliest
                w.cause = cause
                w.state = WS_CONSTANT
                return 0
            earliest = w.ready[u.sets[0]] >> 4
    elif u.kind == K_BRANCH:
        c.branches += 1
        split = simt_branch(w, u.target, u.reconverge, lanes)
        if split < 0:
            return warp_fault(&sm.core, w, FAULT_STACK, lanes)
        if u.fn != BR_JOIN:
            c.divergent_branches += split
        _hold(sm, s, w, u, cycle, u.interval)
        earliest = max(earliest, cycle + _branch_cycles(m, u, lanes))
        return earliest << 4 | ST_BRANCH
    elif u.kind == K_EXIT or u.kind == K_RETURN:
        c.branches += u.fn == END_BRANCH
        _hold(sm, s, w, u, cycle, u.interval)
        earliest = max(earliest, cycle + _branch_cycles(m, u, lanes))
        i = count_bits(w.alive)
        if lanes == 0:
            w.pc += 1
            simt_arrive(w)
        elif u.kind == K_EXIT:
            simt_exit(w, lanes)
        else:
            simt_return(w, lanes)
        i -= count_bits(w.alive)
        goes_on = w.active != 0         # a barrier that opens for the lanes that are left plans the warp itself
        if i:
            sm.core.effects += 1
            sm.core.blocks[w.block].threads_alive -= i
            if w.alive == 0:
                end_warp(sm, w, w.settled)
            elif w.active == 0:
                barrier_settle(sm, slot, w, w.settled)
            if sm.core.blocks[w.block].threads_alive:
                check_barriers(sm, sm.core.blocks + w.block, cycle)
        if goes_on:
            return earliest << 4 | ST_BRANCH
        if w.alive and w.active == 0 and w.state == WS_WAITING:
            w.state = WS_DIVERGED
        return 0
    elif u.kind == K_BARRIER:
        _hold(sm, s, w, u, cycle, u.interval)
        if lanes and w.splits != NULL and u.fn == BAR_WARP:
            lanes = _gather(w, u, lanes)
            if lanes == 0:
                return earliest << 4 | ST_BARRIER
        if lanes:
            sm.core.effects += u.fn != BAR_WARP
            split = barrier_arrive(sm, slot, w, u, lanes, w.settled)
            if split == 2:
                return earliest << 4 | ST_BARRIER
            if split:
                return split if split < 0 else 0
        w.pc += 1
        earliest = max(earliest, cycle + <int64_t>u.latency) if u.fn == BAR_WARP else earliest
    elif u.kind in (K_CALL, K_CALL_INDIRECT, K_BRANCH_INDEXED, K_TRAP, K_COPY, K_COPY_GROUP, K_BULK, K_PHASE, K_MATRIX, K_GROUP_PRODUCT, K_GROUP,
                    K_REGISTERS, K_SYSTEM):
        return _execute_rare(sm, s, w, u, c, lanes, cycle, earliest)
    else:
        if w.splits != NULL and lanes and u.named >= 0:
            lanes = _gather(w, u, lanes)
            if lanes == 0:
                return earliest << 4 | ST_BARRIER
            if w.active != w.alive and exchange_apart(launch, w, u, lanes):
                lanes = 0
        if lanes and u.kind != K_NOP and u.kind != K_FENCE:
            _compute(sm, w, u, lanes)
        i = 0
        if u.kind == K_MATCH and m.match_value_cycles and u.fn == 0 and lanes:
            i = _further_values(w, u, lanes)
        _result(sm, s, w, u, cycle, <int64_t>u.interval * (i + 1) + (_further_cycle(s, u) if u.fraction else 0),
                u.latency + i * m.match_value_cycles, ST_ALU_DEPENDENCY)
        w.pc += 1
        if u.flags & FL_YIELD:
            if w.splits != NULL:
                converge_yield(w)
        elif u.kind == K_FENCE and cycle + <int64_t>u.latency > earliest:
            earliest = cycle + u.latency
            cause = ST_MEMORY_DEPENDENCY
    simt_arrive(w)
    return earliest << 4 | cause


cdef inline int64_t _settle(Sm *sm, const Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, int64_t cycle, int64_t spent) noexcept nogil:
    """Say where the warp's time went since it last issued. Gives how many cycles of its scheduler this issue takes."""
    cdef int64_t waited, part, begin = w.settled, throttled = 0, busy = 0
    note_lanes(w, u, w.settled, cycle, cycle + spent, u.issues)
    if w.since > w.settled:
        c.stall_cycles[w.cause] += w.since - w.settled
        w.settled = w.since
    waited = cycle - w.settled
    w.settled = cycle + spent
    if waited < 0:
        spent = 0       # a further one of the warp's slot, in the time of the first
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
        c.stall_cycles[<int>ST_PIPE_BUSY] += busy
        c.stall_cycles[<int>ST_NOT_SELECTED] += waited - busy
    c.stall_cycles[<int>ST_SELECTED] += spent
    if w.quiet == 0 and warps_recorded(w.launch.origin.timeline):
        timeline_issue(w, u, begin, max(begin, w.since), throttled, busy, cycle, w.settled)
    return spent


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
        w.residency.counters.issue_cycles += _settle(sm, s, w, u, c, cycle, spent)
        sm.chip.budget -= u.issues
        if sm.chip.budget < 0:
            return warp_fault(&sm.core, w, FAULT_INSTRUCTIONS, 0)
        if u.kind == K_ALU and not u.queued:
            if lanes and u.fpenv == 0:
                compute_alu(w, u, lanes)
            elif lanes:
                _compute(sm, w, u, lanes)
            w.ready[u.sets[0]] = (cycle + u.latency) << 4 | ST_ALU_DEPENDENCY
            if u.set_count > 1:
                w.ready[u.sets[1]] = w.ready[u.sets[0]]
            occupy(sm, w, u, cycle, u.interval + (_further_cycle(s, u) if u.fraction else 0))
            w.pc += 1
            simt_arrive(w)
        else:
            next_ = _execute(sm, s, w, u, c, lanes, cycle, earliest)
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
    cdef int32_t count, i
    cdef Warp *w
    if event.kind == EV_FILL:
        count = fill_mshr(sm, event.index, event.cycle, done)
        for i in range(count):
            data_ready(sm, done[i], event.cycle)
        if sm.lsu.active:
            resume_lsu(sm, event.cycle)
        if sm.bulk.count:
            resume_bulk(sm, event.cycle)
    elif event.kind == EV_STORE_DONE:
        sm.port.store_credits += 1
        sm.port.store_bytes -= event.bytes
        sm.chip.dispatcher.launches[event.index].stores -= 1
        if sm.lsu.active:
            resume_lsu(sm, event.cycle)
        if sm.bulk.count:
            resume_bulk(sm, event.cycle)
    elif event.kind == EV_BULK:
        resume_bulk(sm, event.cycle)
    elif event.kind == EV_COPIED:
        piece_arrived(sm, event.index, event.cycle)
        resume_bulk(sm, event.cycle)
    elif event.kind == EV_WAKE:
        w = sm.core.warps + event.index
        become_ready(sm, w.scheduler, w.bit, w)
    elif event.kind == EV_BLOCK:
        start_block(sm, event.index)
    elif event.kind == EV_COMBINED:
        write_combining_idle(&sm.write_combining, &sm.port, sm.core.inbox, event.cycle)
    elif event.kind == EV_CHILDREN:
        children_done(sm, event.index)
    elif event.kind == EV_SWAPPED_IN:
        block_swap_in(sm, event.index)
    elif event.kind == EV_SWAPPED_OUT:
        tell_warp_left(sm.core.observers, event.index)
    elif event.kind == EV_GRIDS:
        barrier_open(sm, event.index)
    elif event.kind == EV_CLUSTER:
        cluster_open(sm, event.index)
    elif event.kind == EV_POSTED:
        cluster_receive(&sm.core, event.index)        # a fault shows when the epoch is over


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
    if (s.unit_free[u.unit] if m.unit_per_scheduler[u.unit] else sm.units.free[u.unit]) > cycle:
        return False
    if s.held & bit and s.loads & bit:
        return False
    for i in range(u.dependencies):
        if w.ready[u.wait[i]] >> 4 > cycle:
            return False
    if u.guarded and (w.ready[u.guard_entry] >> 4) + m.guard_latency_cycles > cycle:
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
