"""One multiprocessor: blocks, warps, schedulers and scoreboard, run from event to event.

Every warp that can go on is in one of three places: in `ready` of its scheduler, in the scheduler's wheel (64 cycles ahead at
most), or behind a wake-up event. A warp that needs data on their way sleeps until the response; one at a barrier waits for
the block. Invariants of the loop:
- at cycle `now` all events and wheel slots up to and including it have been handled; slots hold cycles now+1 … now+63;
- a warp's time from launch to end is settled without gaps: [settled, since) counts as `cause`, [since, issue) as throttle,
  busy unit or not selected, and then one issue interval per warp instruction as selected.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from archdef.engine.access cimport Reach, access_memory
from archdef.engine.asynchronous cimport copies_pending, copy_async, phase_barrier
from archdef.engine.compute cimport compute
from archdef.engine.counters cimport (ST_ALU_DEPENDENCY, ST_BARRIER, ST_BRANCH, ST_MEMORY_DEPENDENCY, ST_MEMORY_THROTTLE, ST_NOT_SELECTED,
                                      ST_PIPE_BUSY, ST_SELECTED, StatementCounters)
from archdef.engine.dram cimport NEVER
from archdef.engine.events cimport (EV_BLOCK, EV_FILL, EV_STORE_DONE, EV_WAKE, Event, events_pop, events_push)
from archdef.engine.inject cimport fill_slot, give_load, inject_run, take_load, throttled_until
from archdef.engine.lanes cimport set_fpenv
from archdef.engine.machine cimport MachineTable
from archdef.engine.network cimport RQ_ATOMIC, RQ_READ, RQ_TEXTURE, RQ_WRITE
from archdef.engine.program cimport Uop
from archdef.engine.room cimport WAITERS
from archdef.engine.schedule cimport Scheduler, count_bits, lowest_bit, rotate_right
from archdef.engine.simt cimport (simt_arrive, simt_branch, simt_branch_many, simt_call, simt_exit, simt_return)
from archdef.engine.state cimport (BARRIERS, COPY_GROUPS, FAULT_BARRIER_NUMBER, FAULT_BRANCH_INDEX, FAULT_DIVERGENT_BARRIER,
                                   FAULT_INSTRUCTIONS, FAULT_LATE, FAULT_STACK, FAULT_TRAP, PENDING, WS_BARRIER, WS_COPIES, WS_EMPTY,
                                   WS_ENDED, WS_SLEEPING, WS_WAITING, Barrier, Block, Injection, Launch, Load, Sm,
                                   Warp)
from archdef.engine.system cimport call_indirect, system_call
from archdef.engine.texture cimport count_texture
from archdef.engine.types cimport (BAR_ARRIVE, BAR_RED_AND, BAR_RED_OR, BAR_RED_POPC, BAR_SYNC, BAR_WARP, CG_COMMIT, CG_WAIT_ALL, FL_BYPASS_L1,
                                   FL_READ_ONLY, K_ALU, K_ATOM,
                                   K_BARRIER, K_BRANCH, K_BRANCH_INDEXED, K_CALL, K_CALL_INDIRECT, K_COPY, K_COPY_GROUP, K_EXIT, K_FENCE, K_LOAD, K_NOP, K_PHASE, K_RETURN,
                                   K_STORE, K_SYSTEM, K_TRAP, SP_TEXTURE, SR_CTAID_X, SR_CTAID_Y, SR_CTAID_Z, SR_LANEID,
                                   SR_LANEMASK64_EQ, SR_LANEMASK64_GE, SR_LANEMASK64_GT, SR_LANEMASK64_LE, SR_LANEMASK64_LT,
                                   SR_LANEMASK_EQ, SR_LANEMASK_GE, SR_LANEMASK_GT, SR_LANEMASK_LE, SR_LANEMASK_LT,
                                   SR_NSMID, SR_NWARPID, SR_SMID, SR_TID_X, SR_TID_Y, SR_TID_Z, SR_WARPID)

cdef int _fault(Sm *sm, const Warp *w, int code, uint64_t lanes) noexcept nogil:
    """Record the first fault of the launch."""
    cdef Launch *launch = sm.launch
    if launch.fault.code == 0:
        launch.fault.code = code
        launch.fault.op = w.pc
        launch.fault.sm = sm.id
        launch.fault.warp = <int32_t>(w - sm.warps)
        launch.fault.lanes = lanes
        launch.fault.lane = lowest_bit(lanes) if lanes else 0
        launch.fault.cycle = sm.now
    return -1


# ----------------------------------------------------------------------------------------------------- when a warp goes on
cdef inline int64_t _occupied(const Sm *sm, const Scheduler *s, int unit, int64_t cycle) noexcept nogil:
    """Cycles up to `cycle` in which a unit could not start an op."""
    cdef int64_t until, total
    if sm.launch.m.unit_per_scheduler[unit]:
        until = s.unit_free[unit]
        total = s.unit_blocked[unit]
    else:
        until = sm.unit_free[unit]
        total = sm.unit_blocked[unit]
        if sm.injection.active and sm.injection.unit == unit:
            until = sm.injection.stalled
    return total - (until - cycle if until > cycle else 0)


cdef inline void _become_ready(Sm *sm, Scheduler *s, int bit, Warp *w) noexcept nogil:
    """The warp's dependencies are met now; from here on it waits for a unit or its turn."""
    s.ready |= <uint64_t>1 << bit
    w.pipe_mark = _occupied(sm, s, w.unit, sm.now)
    w.throttle_mark = throttled_until(sm, sm.now)


cdef inline void _plan(Sm *sm, int32_t slot, Warp *w, int64_t earliest, int32_t cause) noexcept nogil:
    """Find when the warp's next op can issue, and file the warp accordingly; not before `earliest`, for `cause`."""
    cdef const MachineTable *m = sm.launch.m
    cdef const Uop *u = sm.launch.ops + w.pc
    cdef int32_t which = <int32_t>(slot % m.schedulers), bit = <int32_t>(slot // m.schedulers)
    cdef Scheduler *s = sm.schedulers + which
    cdef int64_t latest = 0, ready
    cdef int i
    for i in range(u.dependencies):
        ready = w.ready[u.wait[i]]
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
    w.state = WS_WAITING
    w.unit = u.unit
    s.uses[u.unit] |= <uint64_t>1 << bit
    if u.memory:
        s.memory |= <uint64_t>1 << bit
    earliest = w.since - sm.now
    if earliest <= 0:
        w.since = sm.now
        _become_ready(sm, s, bit, w)
    elif earliest < 64:
        s.wheel[w.since & 63] |= <uint64_t>1 << bit
        s.slots |= <uint64_t>1 << (w.since & 63)
    else:
        events_push(sm.inbox, w.since, EV_WAKE, slot)


cdef void _data_ready(Sm *sm, int32_t index, int64_t cycle) noexcept nogil:
    """A load is complete: its registers become usable, and a warp that sleeps on them wakes."""
    cdef Load *load = sm.loads + index
    cdef const Uop *u = sm.launch.ops + load.op
    cdef Warp *w = sm.warps + load.warp
    cdef int32_t warp = load.warp
    cdef int i
    for i in range(u.set_count):
        w.ready[u.sets[i]] = (cycle + u.latency) << 4 | u.cause
    if u.kind == K_COPY:
        w.copies[load.group % COPY_GROUPS] -= 1
    give_load(sm, index)
    w.loads -= 1
    if w.state == WS_COPIES and u.kind == K_COPY and not copies_pending(w, w.copy_target):
        u = sm.launch.ops + w.pc
        cycle = max(cycle + u.latency, w.settled)
        sm.launch.counters[u.statement].stall_cycles[<int>ST_MEMORY_DEPENDENCY] += cycle - w.settled
        w.settled = cycle
        w.pc += 1
        simt_arrive(w)
        _plan(sm, warp, w, w.settled, ST_MEMORY_DEPENDENCY)
    elif w.state == WS_SLEEPING:
        _plan(sm, warp, w, w.since, w.cause if w.since > cycle + u.latency else u.cause)
    elif w.state == WS_ENDED and w.loads == 0:
        sm.blocks[w.block].draining -= 1
        _end_block(sm, w.block, cycle)


# ------------------------------------------------------------------------------------------------------ blocks and warps
cdef void _preset(const Launch *launch, const Sm *sm, Warp *w, const Block *b) noexcept nogil:
    """Put the special registers that the kernel reads into their rows."""
    cdef int32_t k, lane, n = launch.lanes
    cdef uint32_t which, value, linear
    cdef uint32_t *row
    cdef uint64_t bit
    for k in range(launch.special_count):
        which = launch.special_of[k]
        row = <uint32_t *>(w.rows + launch.special_row[k] * launch.pitch)
        for lane in range(n):
            linear = <uint32_t>(w.index * n + lane)
            bit = <uint64_t>1 << lane
            if which == SR_TID_X:
                value = linear % launch.block[0]
            elif which == SR_TID_Y:
                value = linear // launch.block[0] % launch.block[1]
            elif which == SR_TID_Z:
                value = linear // (launch.block[0] * launch.block[1])
            elif which == SR_CTAID_X:
                value = b.index[0]
            elif which == SR_CTAID_Y:
                value = b.index[1]
            elif which == SR_CTAID_Z:
                value = b.index[2]
            elif which == SR_LANEID:
                value = <uint32_t>lane
            elif which == SR_WARPID:
                value = <uint32_t>(w - sm.warps)
            elif which == SR_NWARPID:
                value = <uint32_t>sm.warp_slots
            elif which == SR_SMID:
                value = <uint32_t>sm.id
            elif which == SR_NSMID:
                value = <uint32_t>launch.m.multiprocessors
            elif which == SR_LANEMASK_EQ:
                value = <uint32_t>bit
            elif which == SR_LANEMASK_LE:
                value = <uint32_t>(bit | (bit - 1))
            elif which == SR_LANEMASK_LT:
                value = <uint32_t>(bit - 1)
            elif which == SR_LANEMASK_GE:
                value = <uint32_t>~(bit - 1)
            elif which == SR_LANEMASK_GT:
                value = <uint32_t>~(bit | (bit - 1))
            else:
                if which == SR_LANEMASK64_LE:
                    bit = bit | (bit - 1)
                elif which == SR_LANEMASK64_LT:
                    bit = bit - 1
                elif which == SR_LANEMASK64_GE:
                    bit = ~(bit - 1)
                elif which == SR_LANEMASK64_GT:
                    bit = ~(bit | (bit - 1))
                (<uint64_t *>row)[lane] = bit
                continue
            row[lane] = value


cdef void _start_block(Sm *sm, int32_t slot) noexcept nogil:
    """Launch the block that was assigned to this slot."""
    cdef Launch *launch = sm.launch
    cdef Block *b = sm.blocks + slot
    cdef Warp *w
    cdef int64_t number = sm.pending_blocks[slot], rest
    cdef int32_t i, at, threads, k, nsched = <int32_t>launch.m.schedulers
    b.running = 1
    b.number = number
    b.started = sm.now
    b.index[0] = <uint32_t>(number % launch.grid[0])
    rest = number // launch.grid[0]
    b.index[1] = <uint32_t>(rest % launch.grid[1])
    b.index[2] = <uint32_t>(rest // launch.grid[1])
    b.threads_alive = launch.block_threads
    b.warps_alive = launch.block_warps
    b.draining = 0
    memset(b.shared, 0, <size_t>launch.shared_bytes)
    for k in range(BARRIERS):
        memset(&b.barriers[k], 0, sizeof(Barrier))
        b.barriers[k].first_waiting = -1
        b.barriers[k].all = 1
    if sm.warps_alive == 0:
        sm.active_since = sm.now
    sm.warps_alive += launch.block_warps
    sm.resident += 1
    if sm.resident > sm.most_resident:
        sm.most_resident = sm.resident
    sm.counters.blocks += 1
    sm.counters.warps += launch.block_warps
    sm.counters.threads += launch.block_threads
    sm.counters.lanes += launch.block_warps * launch.lanes
    for i in range(launch.block_warps):
        at = slot * launch.block_warps + i
        w = sm.warps + at
        threads = launch.block_threads - i * launch.lanes
        w.launched = ~<uint64_t>0 if threads >= 64 else (<uint64_t>1 << threads) - 1
        if launch.lanes < 64:
            w.launched &= (<uint64_t>1 << launch.lanes) - 1
        w.active = w.alive = w.launched
        w.pc = 0
        w.reconverge = -1
        w.depth = w.frame = 0
        w.loads = 0
        w.copy_group = 0
        memset(w.copies, 0, sizeof(w.copies))
        w.settled = sm.now
        memset(w.rows, 0, <size_t>(launch.rows * launch.pitch))
        memset(w.ready, 0, <size_t>(launch.rows + launch.predicates) * sizeof(int64_t))
        memset(w.predicates, 0, <size_t>launch.predicates * sizeof(uint64_t))
        w.predicates[0] = ~<uint64_t>0
        if launch.local_bytes:
            memset(w.local, 0, <size_t>(launch.lanes * launch.local_bytes))
        _preset(launch, sm, w, b)
        sm.schedulers[at % nsched].order[at // nsched] = sm.launched_warps
        sm.schedulers[at % nsched].issued_at[at // nsched] = sm.now
        sm.launched_warps += 1
        _plan(sm, at, w, sm.now, ST_BRANCH)


cdef void _end_block(Sm *sm, int32_t slot, int64_t cycle) noexcept nogil:
    """If nothing of the block is left, free its slot."""
    cdef Block *b = sm.blocks + slot
    if b.running and b.warps_alive == 0 and b.draining == 0:
        b.running = 0
        sm.resident -= 1
        sm.ended[sm.ended_count].cycle = cycle
        sm.ended[sm.ended_count].slot = slot
        sm.ended_count += 1


cdef void _end_warp(Sm *sm, Warp *w, int64_t cycle) noexcept nogil:
    """All lanes have ended."""
    cdef Block *b = sm.blocks + w.block
    w.state = WS_ENDED
    sm.counters.warp_cycles += w.settled - b.started
    sm.warps_alive -= 1
    if sm.warps_alive == 0:
        sm.counters.active_cycles += cycle - sm.active_since
    b.warps_alive -= 1
    if w.loads:
        b.draining += 1
    _end_block(sm, w.block, cycle)


# --------------------------------------------------------------------------------------------------------------- barriers
cdef void _release(Sm *sm, Block *b, Barrier *barrier, int64_t cycle) noexcept nogil:
    """Let every waiting warp go on, with the reduction's result if there is one."""
    cdef int32_t at = barrier.first_waiting
    cdef Warp *w
    cdef const Uop *u
    cdef int64_t when
    cdef int lane
    while at >= 0:
        w = sm.warps + at
        u = sm.launch.ops + w.barrier_op
        if u.fn == BAR_RED_POPC and u.d[0] >= 0:
            for lane in range(sm.launch.lanes):
                if w.active >> lane & 1:
                    (<uint32_t *>(w.rows + u.d[0]))[lane] = <uint32_t>barrier.popc
        elif u.d[1] >= 0:
            if (u.fn == BAR_RED_AND and barrier.all) or (u.fn == BAR_RED_OR and barrier.any):
                w.predicates[u.d[1]] |= w.active
            else:
                w.predicates[u.d[1]] &= ~w.active
        when = cycle + u.latency
        sm.launch.counters[u.statement].stall_cycles[<int>ST_BARRIER] += max(when - w.settled, 0)
        if when > w.settled:
            w.settled = when
        w.pc += 1
        simt_arrive(w)
        lane = w.next_waiting
        _plan(sm, at, w, w.settled, ST_BARRIER)
        at = lane
    barrier.first_waiting = -1
    barrier.arrived = 0
    barrier.expected = 0
    barrier.popc = 0
    barrier.all = 1
    barrier.any = 0


cdef inline void _check_barriers(Sm *sm, Block *b, int64_t cycle) noexcept nogil:
    """Threads have ended: a barrier may now be complete."""
    cdef int k
    for k in range(BARRIERS):
        if b.barriers[k].first_waiting >= 0 and b.barriers[k].expected == 0 and b.barriers[k].arrived >= b.threads_alive:
            _release(sm, b, &b.barriers[k], cycle)


cdef int _barrier(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Arrive at a barrier. Returns 1 if the warp waits, 0 if it goes on, -1 after a fault."""
    cdef Launch *launch = sm.launch
    cdef Block *b = sm.blocks + w.block
    cdef Barrier *barrier
    cdef uint32_t number = 0
    cdef uint64_t holds
    cdef int first
    if u.fn == BAR_WARP:
        return 0        # under stack reconvergence the lanes that get here together are the ones there are
    launch.counters[u.statement].barriers += 1
    if lanes != w.alive:
        return _fault(sm, w, FAULT_DIVERGENT_BARRIER, w.alive & ~lanes)
    first = lowest_bit(lanes)
    if u.s[0] >= 0:
        number = (<const uint32_t *>((launch.constants if u.s_bank[0] else w.rows) + u.s[0]))[first]
    if number >= BARRIERS:
        return _fault(sm, w, FAULT_BARRIER_NUMBER, lanes)
    barrier = &b.barriers[number]
    if u.s[1] >= 0:
        barrier.expected = (<const int32_t *>((launch.constants if u.s_bank[1] else w.rows) + u.s[1]))[first]
    if u.fn == BAR_RED_POPC or u.fn == BAR_RED_AND or u.fn == BAR_RED_OR:
        holds = (w.predicates[u.s[2] >> 1] ^ (<uint64_t>0 - <uint64_t>(u.s[2] & 1))) & lanes
        barrier.popc += count_bits(holds)
        barrier.any |= holds != 0
        barrier.all &= holds == lanes
    # counts are of whole warps, as hardware's are: a warp that arrives stands for all its lanes
    if barrier.expected:
        barrier.arrived += launch.lanes
    else:
        barrier.arrived += count_bits(lanes)
    if u.fn != BAR_ARRIVE:
        w.state = WS_BARRIER
        w.barrier_op = w.pc
        w.next_waiting = barrier.first_waiting
        barrier.first_waiting = slot
    if barrier.arrived >= (barrier.expected if barrier.expected else b.threads_alive):
        _release(sm, b, barrier, cycle)
        return 1 if u.fn != BAR_ARRIVE else 0
    return 1 if u.fn != BAR_ARRIVE else 0


# ------------------------------------------------------------------------------------------------------------------ issue
cdef int _access(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Issue a memory op: move the data, then let the load/store unit hand over what it costs."""
    cdef Launch *launch = sm.launch
    cdef const MachineTable *m = launch.m
    cdef StatementCounters *c = launch.counters + u.statement
    cdef Injection *inject = &sm.injection
    cdef Reach reach
    cdef int64_t latency = u.latency, extra
    cdef int32_t load
    cdef int i
    inject.count = 0
    inject.serial = 1
    if (copy_async(sm, w, u, lanes, inject, &reach) if u.kind == K_COPY else access_memory(sm, w, u, lanes, inject, &reach)) < 0:
        return -1
    if reach.shared_groups:
        extra = reach.shared_passes * m.shared_pass_cycles
        if u.kind == K_LOAD:
            c.shared_loads += 1
            c.shared_load_passes += reach.shared_passes
            c.shared_load_groups += reach.shared_groups
        elif u.kind == K_STORE:
            c.shared_stores += 1
            c.shared_store_passes += reach.shared_passes
            c.shared_store_groups += reach.shared_groups
        else:
            c.shared_atomics += 1
            c.shared_atomic_passes += reach.shared_passes
        latency += extra - m.shared_pass_cycles + m.shared_latency_cycles
        _occupy(sm, slot, u, cycle, max(extra, <int64_t>u.interval))
    elif reach.constant_passes:
        c.constant_loads += 1
        c.constant_passes += reach.constant_passes
        latency += (reach.constant_passes - 1) * max(<int64_t>u.interval, 1)
        _occupy(sm, slot, u, cycle, reach.constant_passes * <int64_t>u.interval)
    else:
        _occupy(sm, slot, u, cycle, <int64_t>u.interval)
    if reach.global_lanes:
        if u.kind == K_LOAD or u.kind == K_COPY:
            c.global_loads += 1
            c.global_load_transactions += reach.pieces
            c.global_load_bytes_asked += reach.global_lanes * u.lane_bytes
            c.global_load_bytes_moved += reach.bytes_moved
        elif u.kind == K_STORE:
            c.global_stores += 1
            c.global_store_transactions += reach.pieces
            c.global_store_bytes_asked += reach.global_lanes * u.lane_bytes
            c.global_store_bytes_moved += reach.bytes_moved
        else:
            c.atomics += 1
            c.atomic_transactions += reach.pieces
    elif reach.texture_lanes:
        count_texture(c, u, &reach)
    elif reach.local_lanes:
        if u.kind == K_LOAD:
            c.local_loads += 1
            c.local_load_transactions += reach.pieces
        else:
            c.local_stores += 1
            c.local_store_transactions += reach.pieces
    if inject.count == 0:
        for i in range(u.set_count):
            w.ready[u.sets[i]] = (cycle + latency) << 4 | u.cause
        return 0
    inject.active = 1
    inject.next = 0
    inject.unit = u.unit
    inject.statement = u.statement
    inject.stalled = -1
    inject.time = cycle
    inject.floor = 0 if m.unit_per_scheduler[u.unit] else sm.unit_free[u.unit]
    inject.load = -1
    inject.cache = NULL
    if u.kind == K_STORE:
        inject.kind = RQ_WRITE
        inject_run(sm, cycle)
        return 0
    inject.kind = RQ_ATOMIC if u.kind == K_ATOM else RQ_TEXTURE if u.space >= SP_TEXTURE else RQ_READ
    if u.kind != K_ATOM:
        if reach.constant_passes:
            inject.cache = &sm.constant
        elif sm.texture.table.sets and (u.space >= SP_TEXTURE or m.read_only_loads and u.flags & FL_READ_ONLY):
            inject.cache = &sm.texture
        elif sm.l1.table.sets and not u.flags & FL_BYPASS_L1 and u.space < SP_TEXTURE:
            inject.cache = &sm.l1
    load = take_load(sm, slot, <int32_t>(u - launch.ops))
    inject.load = load
    w.loads += 1
    if u.kind == K_COPY:
        sm.loads[load].group = w.copy_group
        w.copies[w.copy_group % COPY_GROUPS] += 1
    # until the response, or until it is clear that no response is needed
    for i in range(u.set_count):
        w.ready[u.sets[i]] = <int64_t>PENDING << 4 | u.cause
    inject_run(sm, cycle)
    if not inject.active and sm.loads[load].remaining == 0:
        latency += sm.loads[load].latest     # every piece was in the cache
        if u.kind == K_COPY:
            w.copies[sm.loads[load].group % COPY_GROUPS] -= 1
        give_load(sm, load)
        w.loads -= 1
        for i in range(u.set_count):
            w.ready[u.sets[i]] = latency << 4 | u.cause
    return 0


cdef inline void _occupy(Sm *sm, int32_t slot, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil:
    """Hold the op's unit, a shared one for at least this cycle: other schedulers may want it yet."""
    cdef Scheduler *s
    cdef int64_t *copies
    cdef int i, taken = 0
    if sm.launch.m.unit_per_scheduler[u.unit]:
        if cycles <= 1:     # nobody else can ask before the next issue slot
            return
        s = sm.schedulers + slot % sm.launch.m.schedulers
        s.unit_free[u.unit] = cycle + cycles
        s.unit_blocked[u.unit] += cycles
        s.busy |= <uint32_t>1 << u.unit
        return
    if cycles < 1:
        cycles = 1
    if sm.launch.m.unit_copies[u.unit] > 1:     # the kind is blocked until the first of its units is free
        copies = sm.copy_free[u.unit]
        for i in range(1, sm.launch.m.unit_copies[u.unit]):
            if copies[i] < copies[taken]:
                taken = i
        copies[taken] = cycle + cycles
        cycles = copies[0]
        for i in range(1, sm.launch.m.unit_copies[u.unit]):
            if copies[i] < cycles:
                cycles = copies[i]
        cycles -= cycle
        if cycles <= 0:
            return
    sm.unit_free[u.unit] = cycle + cycles
    sm.unit_blocked[u.unit] += cycles
    sm.busy |= <uint32_t>1 << u.unit


cdef inline void _compute(Sm *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Execute with the op's rounding and flushing; the host's default is restored at once."""
    if u.fpenv:
        set_fpenv(u.fpenv)
        compute(sm, w, u, lanes)
        set_fpenv(0)
    else:
        compute(sm, w, u, lanes)


cdef int _issue(Sm *sm, Scheduler *s, int32_t slot, int bit, int64_t cycle) noexcept nogil:
    """Issue the warp's next op. Returns -1 after a fault."""
    cdef Launch *launch = sm.launch
    cdef const MachineTable *m = launch.m
    cdef Warp *w = sm.warps + slot
    cdef const Uop *u = launch.ops + w.pc
    cdef StatementCounters *c = launch.counters + u.statement
    cdef uint64_t lanes = w.active, clear = ~(<uint64_t>1 << bit)
    cdef int64_t spent = u.issues * m.issue_interval_cycles, waited, part
    cdef int64_t earliest = cycle + (spent if spent > m.instruction_gap_cycles else m.instruction_gap_cycles)
    cdef int32_t cause = ST_ALU_DEPENDENCY
    cdef int32_t targets[64]
    cdef uint32_t index
    cdef int i, split
    # where the warp's time went since it last issued
    if w.since > w.settled:
        c.stall_cycles[w.cause] += w.since - w.settled
        w.settled = w.since
    waited = cycle - w.settled
    if waited > 0:
        part = 0
        if u.memory:
            part = throttled_until(sm, cycle) - w.throttle_mark
            part = min(max(part, 0), waited)
            c.stall_cycles[<int>ST_MEMORY_THROTTLE] += part
            waited -= part
        part = _occupied(sm, s, u.unit, cycle) - w.pipe_mark
        part = min(max(part, 0), waited)
        c.stall_cycles[<int>ST_PIPE_BUSY] += part
        c.stall_cycles[<int>ST_NOT_SELECTED] += waited - part
    c.stall_cycles[<int>ST_SELECTED] += spent
    w.settled = cycle + spent
    s.ready &= clear
    s.uses[u.unit] &= clear
    s.memory &= clear
    s.last = bit
    s.issued_at[bit] = cycle
    if u.guarded:
        lanes &= w.predicates[u.guard_mask] ^ u.guard_flip
    i = count_bits(lanes)
    c.instructions += u.issues
    c.thread_instructions += i * u.issues
    if u.guarded:
        c.predicated_off += (count_bits(w.active) - i) * u.issues
    sm.counters.issue_cycles += spent
    launch.budget -= u.issues
    if launch.budget < 0:
        return _fault(sm, w, FAULT_INSTRUCTIONS, 0)
    if u.kind == K_ALU:
        if lanes:
            _compute(sm, w, u, lanes)
        w.ready[u.sets[0]] = (cycle + u.latency) << 4 | ST_ALU_DEPENDENCY
        if u.set_count > 1:
            w.ready[u.sets[1]] = w.ready[u.sets[0]]
        _occupy(sm, slot, u, cycle, u.interval)
        w.pc += 1
    elif u.kind == K_LOAD or u.kind == K_STORE or u.kind == K_ATOM:
        if lanes:
            if _access(sm, slot, w, u, lanes, cycle) < 0:
                return -1
        else:
            _occupy(sm, slot, u, cycle, u.interval)
        w.pc += 1
    elif u.kind == K_BRANCH:
        c.branches += 1
        split = simt_branch(w, u.target, u.reconverge, lanes)
        if split < 0:
            return _fault(sm, w, FAULT_STACK, lanes)
        c.divergent_branches += split
        _occupy(sm, slot, u, cycle, u.interval)
        earliest = max(earliest, cycle + <int64_t>u.latency)
        _plan(sm, slot, w, earliest, ST_BRANCH)
        return 0
    elif u.kind == K_EXIT or u.kind == K_RETURN:
        _occupy(sm, slot, u, cycle, u.interval)
        earliest = max(earliest, cycle + <int64_t>u.latency)
        i = count_bits(w.alive)
        if lanes == 0:
            w.pc += 1
            simt_arrive(w)
        elif u.kind == K_EXIT:
            simt_exit(w, lanes)
        else:
            simt_return(w, lanes)
        i -= count_bits(w.alive)
        if i:
            sm.blocks[w.block].threads_alive -= i
            if w.alive == 0:
                _end_warp(sm, w, w.settled)
            if sm.blocks[w.block].threads_alive:
                _check_barriers(sm, sm.blocks + w.block, cycle)
        if w.alive:
            _plan(sm, slot, w, earliest, ST_BRANCH)
        return 0
    elif u.kind == K_BARRIER:
        _occupy(sm, slot, u, cycle, u.interval)
        if lanes:
            split = _barrier(sm, slot, w, u, lanes, w.settled)
            if split:
                return split if split < 0 else 0
        w.pc += 1
        earliest = max(earliest, cycle + <int64_t>u.latency) if u.fn == BAR_WARP else earliest
    elif u.kind == K_CALL:
        if lanes:
            if simt_call(w, u.target, lanes) < 0:
                return _fault(sm, w, FAULT_STACK, lanes)
        else:
            w.pc += 1
            simt_arrive(w)
        earliest = max(earliest, cycle + <int64_t>u.latency)
        _plan(sm, slot, w, earliest, ST_BRANCH)
        return 0
    elif u.kind == K_CALL_INDIRECT:
        if lanes == 0:
            w.pc += 1
            simt_arrive(w)
        elif call_indirect(sm, w, u, lanes) < 0:
            return -1
        earliest = max(earliest, cycle + <int64_t>u.latency)
        _plan(sm, slot, w, earliest, ST_BRANCH)
        return 0
    elif u.kind == K_BRANCH_INDEXED:
        c.branches += 1
        for i in range(launch.lanes):
            targets[i] = w.pc + 1
            if lanes >> i & 1:
                index = (<const uint32_t *>((launch.constants if u.s_bank[0] else w.rows) + u.s[0]))[i]
                if index >= <uint32_t>u.count:
                    return _fault(sm, w, FAULT_BRANCH_INDEX, <uint64_t>1 << i)
                targets[i] = launch.targets[u.target + <int32_t>index]
        split = simt_branch_many(w, targets, launch.lanes, u.reconverge)
        if split < 0:
            return _fault(sm, w, FAULT_STACK, lanes)
        c.divergent_branches += split
        earliest = max(earliest, cycle + <int64_t>u.latency)
        _plan(sm, slot, w, earliest, ST_BRANCH)
        return 0
    elif u.kind == K_TRAP:
        if lanes:
            return _fault(sm, w, FAULT_TRAP, lanes)
        w.pc += 1
    elif u.kind == K_COPY:
        if lanes and _access(sm, slot, w, u, lanes, cycle) < 0:
            return -1
        w.pc += 1
    elif u.kind == K_COPY_GROUP:
        _occupy(sm, slot, u, cycle, u.interval)
        if lanes and u.fn == CG_COMMIT:
            if w.copies[(w.copy_group + 1) % COPY_GROUPS] == 0 and w.copy_group < 1 << 30:
                w.copy_group += 1       # else it joins the group before: only its time is concerned
        elif lanes:
            w.copy_target = w.copy_group if u.fn == CG_WAIT_ALL else w.copy_group - 1 - u.count
            if copies_pending(w, w.copy_target):
                w.state = WS_COPIES
                return 0
        w.pc += 1
    elif u.kind == K_PHASE:
        if lanes and phase_barrier(sm, w, u, lanes) < 0:
            return -1
        for i in range(u.set_count):
            w.ready[u.sets[i]] = (cycle + u.latency + m.shared_latency_cycles) << 4 | u.cause
        _occupy(sm, slot, u, cycle, u.interval)
        w.pc += 1
    elif u.kind == K_SYSTEM:
        if lanes and system_call(sm, w, u, lanes) < 0:
            return -1
        for i in range(u.set_count):
            w.ready[u.sets[i]] = (cycle + u.latency) << 4 | ST_ALU_DEPENDENCY
        _occupy(sm, slot, u, cycle, u.interval)
        w.pc += 1
    else:
        if lanes and u.kind != K_NOP and u.kind != K_FENCE:
            _compute(sm, w, u, lanes)
        for i in range(u.set_count):
            w.ready[u.sets[i]] = (cycle + u.latency) << 4 | ST_ALU_DEPENDENCY
        _occupy(sm, slot, u, cycle, u.interval)
        w.pc += 1
    simt_arrive(w)
    _plan(sm, slot, w, earliest, cause)
    return 0


# ------------------------------------------------------------------------------------------------------------------- loop
cdef void _handle(Sm *sm, Event event) noexcept nogil:
    """One thing that happens now."""
    cdef int32_t done[WAITERS]
    cdef int32_t count, i, nsched
    cdef Warp *w
    if event.kind == EV_FILL:
        count = fill_slot(sm, event.index, event.cycle, done)
        for i in range(count):
            _data_ready(sm, done[i], event.cycle)
        if sm.injection.active:
            _resume_injection(sm, event.cycle)
    elif event.kind == EV_STORE_DONE:
        sm.store_credits += 1
        if sm.injection.active:
            _resume_injection(sm, event.cycle)
    elif event.kind == EV_WAKE:
        w = sm.warps + event.index
        nsched = <int32_t>sm.launch.m.schedulers
        _become_ready(sm, sm.schedulers + event.index % nsched, event.index // nsched, w)
    elif event.kind == EV_BLOCK:
        _start_block(sm, event.index)


cdef void _resume_injection(Sm *sm, int64_t cycle) noexcept nogil:
    """A credit is back: hand over more; a load whose pieces are all here already is complete."""
    cdef Injection *inject = &sm.injection
    cdef int32_t load = inject.load
    inject_run(sm, cycle)
    if not inject.active and load >= 0 and sm.loads[load].remaining == 0:
        _data_ready(sm, load, max(sm.loads[load].latest, cycle))


cdef int64_t sm_next(const Sm *sm) noexcept nogil:
    """Cycle of the next thing to do, NEVER if only a response can bring it on."""
    if sm.inbox.count and sm.inbox.heap[0].cycle < sm.next_own:
        return sm.inbox.heap[0].cycle
    return sm.next_own


cdef inline int64_t _next_own(const Sm *sm) noexcept nogil:
    """Cycle of the next thing that the schedulers have to do."""
    cdef int64_t best = NEVER, at
    cdef const Scheduler *s
    cdef int i
    for i in range(sm.launch.m.schedulers):
        s = sm.schedulers + i
        if s.slots:
            at = sm.now + 1 + lowest_bit(rotate_right(s.slots, <int>((sm.now + 1) & 63)))
            if at < best:
                best = at
        if s.ready:
            at = _next_slot(sm, s)
            if at < best:
                best = at
    return best


cdef inline int64_t _next_slot(const Sm *sm, const Scheduler *s) noexcept nogil:
    """First cycle after `now` at which one of the ready warps may issue, as far as is known."""
    cdef uint64_t free_ = s.ready, held
    cdef uint32_t busy
    cdef int64_t first = NEVER, until
    cdef int unit
    if s.next_issue > sm.now + 1:
        # nothing before the next issue slot; look again then
        return s.next_issue
    if sm.injection.active:
        free_ &= ~s.memory
    elif sm.injection.time > sm.now + 1 and free_ & s.memory:
        first = sm.injection.time
        free_ &= ~s.memory
    busy = sm.busy
    while busy:
        unit = lowest_bit(busy)
        busy &= busy - 1
        until = sm.unit_free[unit]
        held = s.ready & s.uses[unit]
        if until > sm.now + 1 and held:
            free_ &= ~held
            if until < first:
                first = until
    busy = s.busy
    while busy:
        unit = lowest_bit(busy)
        busy &= busy - 1
        until = s.unit_free[unit]
        held = s.ready & s.uses[unit]
        if until > sm.now + 1 and held:
            free_ &= ~held
            if until < first:
                first = until
    return sm.now + 1 if free_ else first


cdef inline uint64_t _candidates(Sm *sm, Scheduler *s, int64_t cycle) noexcept nogil:
    """Ready warps whose unit can start an op now."""
    cdef uint64_t free_ = s.ready
    cdef uint32_t busy
    cdef int unit
    if sm.injection.active or sm.injection.time > cycle:
        free_ &= ~s.memory
    busy = sm.busy
    while busy:
        unit = lowest_bit(busy)
        busy &= busy - 1
        if sm.unit_free[unit] > cycle:
            free_ &= ~s.uses[unit]
        else:
            sm.busy &= ~(<uint32_t>1 << unit)
    busy = s.busy
    while busy:
        unit = lowest_bit(busy)
        busy &= busy - 1
        if s.unit_free[unit] > cycle:
            free_ &= ~s.uses[unit]
        else:
            s.busy &= ~(<uint32_t>1 << unit)
    return free_


cdef int sm_run(Sm *sm, int64_t until) noexcept nogil:
    """Advance to `until` (exclusive). Returns -1 after a fault."""
    cdef const MachineTable *m = sm.launch.m
    cdef int nsched = <int>m.schedulers, i, bit, width
    cdef Scheduler *s
    cdef uint64_t candidates, woken, allowed
    cdef int64_t cycle
    cdef int32_t slot, k
    cdef uint32_t pairs
    while True:
        sm.next_own = _next_own(sm)
        cycle = sm_next(sm)
        if cycle >= until:
            return 0
        if cycle <= sm.now:
            sm.launch.fault.sm = sm.id
            sm.launch.fault.code = FAULT_LATE
            return -1
        sm.now = cycle
        while sm.inbox.count and sm.inbox.heap[0].cycle <= cycle:
            _handle(sm, events_pop(sm.inbox))
        for i in range(nsched):
            s = sm.schedulers + i
            if s.slots >> (cycle & 63) & 1:
                woken = s.wheel[cycle & 63]
                s.wheel[cycle & 63] = 0
                s.slots &= ~(<uint64_t>1 << (cycle & 63))
                while woken:
                    bit = lowest_bit(woken)
                    woken &= woken - 1
                    _become_ready(sm, s, bit, sm.warps + bit * nsched + i)
            if s.ready == 0 or s.next_issue > cycle:
                continue
            allowed = ~<uint64_t>0
            for width in range(m.issue_width):
                candidates = _candidates(sm, s, cycle) & allowed
                if candidates == 0:
                    break
                bit = sm.launch.pick(m, s, candidates, cycle)
                slot = bit * nsched + i
                pairs = <uint32_t>m.dual_issue[sm.launch.ops[sm.warps[slot].pc].unit]
                if width == 0:
                    s.next_issue = cycle + m.issue_interval_cycles * sm.launch.ops[sm.warps[slot].pc].issues
                if _issue(sm, s, slot, bit, cycle) < 0:
                    return -1
                # the rest of the slot is for units that may go together with this one
                woken = 0
                for k in range(m.units):
                    if pairs >> k & 1:
                        woken |= s.uses[k]
                allowed &= woken
                if allowed == 0:
                    break
