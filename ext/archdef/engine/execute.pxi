# What ops do, whatever their kind, as `execute.pyx` and `execute_functional.pyx` compile it: a function for each family, and a table that says which.
#
# Either says first what a unit is held for, how an access reaches memory, and how what is copied gets there: `_hold`, `_hold_for_result`,
# `_load_store`, `_copy_lanes`, `_copy_in_bulk`. All others have the parameters of `execute`, and give what it gives.
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.asynchronous cimport copy_group, phase_barrier
from archdef.engine.barriers cimport barrier_arrive, barrier_settle, check_barriers
from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.blocks cimport end_warp
from archdef.engine.compute cimport compute_rounded, exchange_apart
from archdef.engine.converge cimport converge_yield
from archdef.engine.counters cimport ST_ALU_DEPENDENCY, ST_BARRIER, ST_BRANCH, ST_CONSTANT_DEPENDENCY, ST_MEMORY_DEPENDENCY, StatementCounters
from archdef.engine.fault cimport warp_fault
from archdef.engine.fault_code cimport FAULT_BRANCH_INDEX, FAULT_STACK, FAULT_TRAP
from archdef.engine.launch cimport PENDING, WS_CONSTANT, WS_COPIES, WS_DIVERGED, WS_REPLAY, WS_WAITING, Launch, Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.matrix cimport matrix_product
from archdef.engine.matrix_ops cimport GP_COMMIT, GP_FENCE
from archdef.engine.named_lanes cimport gather_named
from archdef.engine.registers cimport registers_change
from archdef.engine.schedule cimport Scheduler
from archdef.engine.simt cimport simt_arrive, simt_branch, simt_branch_many, simt_call, simt_exit, simt_return
from archdef.engine.state cimport Sm
from archdef.engine.system cimport call_indirect, system_issue
from archdef.engine.types cimport (BAR_WARP, BR_JOIN, END_BRANCH, FL_YIELD, K_ALU, K_ATOM, K_BARRIER, K_BRANCH, K_BRANCH_INDEXED, K_BULK, K_CALL,
                                   K_CALL_INDIRECT, K_CARRY, K_COPY, K_COPY_GROUP, K_EXIT, K_FENCE, K_GROUP, K_GROUP_PRODUCT, K_LOAD, K_MATCH,
                                   K_MATRIX, K_NOP, K_P2R, K_PHASE, K_PRED, K_REDUX, K_REGISTERS, K_RETURN, K_SELP, K_SETP, K_SHUFFLE, K_SPECIAL,
                                   K_STORE, K_SYSTEM, K_TRAP, K_VOTE, SYS_STACK)
from archdef.engine.units cimport further_cycle
from archdef.engine.uop cimport NAMES_ALL, Uop
from archdef.engine.waiting cimport plan
from archdef.engine.warpgroup cimport GROUP_WARPS, group_commit, group_fence, group_hold, group_product, group_wait


# ---------------------------------------------------------------------------------------- arithmetic, exchanges, fences
cdef inline void _go_on(Warp *w, const Uop *u) noexcept nogil:
    """Go to the next op; other lanes first, if it says so."""
    w.pc += 1
    if u.flags & FL_YIELD and w.splits != NULL:
        converge_yield(w)
    simt_arrive(w)


cdef int64_t _arithmetic(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                         int64_t earliest) noexcept nogil:
    if lanes and u.kind != K_NOP:
        compute_rounded(&sm.core, w, u, lanes)
    _hold_for_result(sm, s, w, u, cycle, <int64_t>u.interval + (further_cycle(s, u) if u.fraction else 0), u.latency, ST_ALU_DEPENDENCY)
    _go_on(w, u)
    return earliest << 4 | ST_ALU_DEPENDENCY


cdef int _further_values(const Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """How many values `match.any` has found beside the first: each is that of a lane which no lower one shares it with."""
    cdef const char *row = w.rows + u.d[0]
    cdef uint64_t left = lanes, mask
    cdef int lane, count = -1
    while left:
        lane = lowest_bit(left)
        mask = (<const uint64_t *>row)[lane] if u.width == 8 else <uint64_t>(<const uint32_t *>row)[lane]
        left &= ~(mask | <uint64_t>1 << lane)
        count += 1
    return count


cdef int64_t _exchange(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                       int64_t earliest) noexcept nogil:
    cdef int64_t match_cycles = sm.m.isa.serial_match.value_cycles
    cdef int further = 0
    if w.splits != NULL and lanes and u.named >= 0:
        lanes = gather_named(w, u, lanes)
        if lanes == 0:
            return earliest << 4 | ST_BARRIER
        if w.active != w.alive and exchange_apart(w.launch, w, u, lanes):
            lanes = 0
    if lanes:
        compute_rounded(&sm.core, w, u, lanes)
    if u.kind == K_MATCH and match_cycles and u.fn == 0 and lanes:
        further = _further_values(w, u, lanes)
    _hold_for_result(sm, s, w, u, cycle, <int64_t>u.interval * (further + 1) + (further_cycle(s, u) if u.fraction else 0),
                     u.latency + further * match_cycles, ST_ALU_DEPENDENCY)
    _go_on(w, u)
    return earliest << 4 | ST_ALU_DEPENDENCY


cdef int64_t _fence(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                    int64_t earliest) noexcept nogil:
    _hold_for_result(sm, s, w, u, cycle, <int64_t>u.interval + (further_cycle(s, u) if u.fraction else 0), u.latency, ST_ALU_DEPENDENCY)
    _go_on(w, u)
    if not u.flags & FL_YIELD and cycle + <int64_t>u.latency > earliest:
        return (cycle + <int64_t>u.latency) << 4 | ST_MEMORY_DEPENDENCY
    return earliest << 4 | ST_ALU_DEPENDENCY


# ----------------------------------------------------------------------------------------------------- accesses, copies
cdef int64_t _access(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                     int64_t earliest) noexcept nogil:
    cdef int64_t next_
    if u.named == NAMES_ALL and w.splits != NULL and lanes:
        lanes = gather_named(w, u, lanes)
        if lanes == 0:
            return earliest << 4 | ST_BARRIER
    next_ = _load_store(sm, s, w, u, c, lanes, cycle, earliest)
    if next_ < 0:
        return -1
    w.pc += 1
    if u.flags & FL_YIELD and w.splits != NULL:
        converge_yield(w)
    if sm.lsu.held:
        sm.lsu.held = 0
        simt_arrive(w)
        w.since = next_ >> 4
        w.state = WS_REPLAY
        return 0
    if u.uniform and w.by_load and lanes and w.ready[u.sets[0]] >> 4 > next_ >> 4:
        if w.ready[u.sets[0]] >> 4 >= PENDING:
            simt_arrive(w)
            w.since = next_ >> 4
            w.cause = ST_CONSTANT_DEPENDENCY
            w.state = WS_CONSTANT
            return 0
        next_ = w.ready[u.sets[0]] >> 4 << 4 | ST_CONSTANT_DEPENDENCY
    simt_arrive(w)
    return next_


cdef int64_t _copy(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                   int64_t earliest) noexcept nogil:
    sm.core.effects += 1
    if _copy_lanes(sm, s, w, u, lanes, cycle) < 0:
        return -1
    w.pc += 1
    simt_arrive(w)
    return earliest << 4 | ST_ALU_DEPENDENCY


cdef int64_t _copy_group(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                         int64_t earliest) noexcept nogil:
    _hold(sm, s, w, u, cycle, u.interval)
    if lanes and copy_group(w, u):
        w.state = WS_COPIES
        return 0
    w.pc += 1
    simt_arrive(w)
    return earliest << 4 | ST_ALU_DEPENDENCY


cdef int64_t _bulk(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                   int64_t earliest) noexcept nogil:
    cdef int32_t times = 1
    sm.core.effects += 1
    if lanes:
        times = _copy_in_bulk(sm, w, u, lanes, cycle)
        if times < 0:
            return -1
    _hold(sm, s, w, u, cycle, u.interval * times)
    w.pc += 1
    simt_arrive(w)
    return earliest << 4 | ST_ALU_DEPENDENCY


cdef int64_t _phase(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                    int64_t earliest) noexcept nogil:
    if lanes and phase_barrier(&sm.core, w, u, lanes) < 0:
        return -1
    _hold_for_result(sm, s, w, u, cycle, u.interval, u.latency + sm.m.shared.latency_cycles, u.cause)
    w.pc += 1
    if u.flags & FL_YIELD and w.splits != NULL:
        converge_yield(w)
    simt_arrive(w)
    return earliest << 4 | ST_ALU_DEPENDENCY


# ------------------------------------------------------------------------------------------------ branches, calls, ends
cdef inline int64_t _branch_cycles(const MachineTable *m, const Uop *u, uint64_t lanes) noexcept nogil:
    """Cycles from a branch or end, which `lanes` take, to the next instruction."""
    return <int64_t>u.latency - (0 if lanes else m.isa.branch_costs.untaken_saving_cycles)


cdef int64_t _branch(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                     int64_t earliest) noexcept nogil:
    cdef int split = simt_branch(w, u.target, u.reconverge, lanes)
    c.branches += 1
    if split < 0:
        return warp_fault(&sm.core, w, FAULT_STACK, lanes)
    if u.fn != BR_JOIN:
        c.divergent_branches += split
    _hold(sm, s, w, u, cycle, u.interval)
    return max(earliest, cycle + _branch_cycles(sm.m, u, lanes)) << 4 | ST_BRANCH


cdef int _send_by_index(Sm *sm, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes) noexcept nogil:
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
            if index >= <uint32_t>u.target_count:
                return warp_fault(&sm.core, w, FAULT_BRANCH_INDEX, <uint64_t>1 << i)
            targets[i] = launch.targets[u.first_target + <int32_t>index]
    split = simt_branch_many(w, targets, launch.lanes, u.reconverge)
    if split < 0:
        return warp_fault(&sm.core, w, FAULT_STACK, lanes)
    c.divergent_branches += split
    return 0


cdef int64_t _branch_indexed(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                             int64_t earliest) noexcept nogil:
    _hold(sm, s, w, u, cycle, u.interval)
    if _send_by_index(sm, w, u, c, lanes) < 0:
        return -1
    return max(earliest, cycle + <int64_t>u.latency) << 4 | ST_BRANCH


cdef int64_t _call(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                   int64_t earliest) noexcept nogil:
    _hold(sm, s, w, u, cycle, u.interval)
    if lanes == 0:
        w.pc += 1
        simt_arrive(w)
    elif simt_call(w, u.target, lanes) < 0:
        return warp_fault(&sm.core, w, FAULT_STACK, lanes)
    return max(earliest, cycle + <int64_t>u.latency) << 4 | ST_BRANCH


cdef int64_t _call_indirect(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                            int64_t earliest) noexcept nogil:
    _hold(sm, s, w, u, cycle, u.interval)
    if lanes == 0:
        w.pc += 1
        simt_arrive(w)
    elif call_indirect(&sm.core, w, u, lanes) < 0:
        return -1
    return max(earliest, cycle + <int64_t>u.latency) << 4 | ST_BRANCH


cdef void _lanes_ended(Sm *sm, Warp *w, int count, int64_t cycle) noexcept nogil:
    """Lanes of a warp have ended, which may be what others of its block wait for."""
    sm.core.effects += 1
    sm.core.blocks[w.block].threads_alive -= count
    if w.alive == 0:
        end_warp(sm, w, w.settled)
    elif w.active == 0:
        barrier_settle(sm, w.slot, w, w.settled)
    if sm.core.blocks[w.block].threads_alive:
        check_barriers(sm, sm.core.blocks + w.block, cycle)


cdef int64_t _end(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                  int64_t earliest) noexcept nogil:
    cdef int alive = count_bits(w.alive)
    cdef bint goes_on
    c.branches += u.fn == END_BRANCH
    _hold(sm, s, w, u, cycle, u.interval)
    earliest = max(earliest, cycle + _branch_cycles(sm.m, u, lanes))
    if lanes == 0:
        w.pc += 1
        simt_arrive(w)
    elif u.kind == K_EXIT:
        simt_exit(w, lanes)
    else:
        simt_return(w, lanes)
    goes_on = w.active != 0         # a barrier that opens for the lanes that are left plans the warp itself
    if count_bits(w.alive) < alive:
        _lanes_ended(sm, w, alive - count_bits(w.alive), cycle)
    if goes_on:
        return earliest << 4 | ST_BRANCH
    if w.alive and w.active == 0 and w.state == WS_WAITING:
        w.state = WS_DIVERGED
    return 0


cdef int64_t _trap(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                   int64_t earliest) noexcept nogil:
    if lanes:
        return warp_fault(&sm.core, w, FAULT_TRAP, lanes)
    w.pc += 1
    simt_arrive(w)
    return earliest << 4 | ST_ALU_DEPENDENCY


cdef int64_t _system(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                     int64_t earliest) noexcept nogil:
    cdef int32_t cause = ST_ALU_DEPENDENCY
    cdef int waits
    _hold(sm, s, w, u, cycle, u.interval)
    sm.core.effects += u.fn != SYS_STACK
    waits = system_issue(&sm.core, sm.chip.dispatcher, w, u, lanes, cycle, &earliest, &cause)
    if waits:
        return waits if waits < 0 else 0
    w.pc += 1
    simt_arrive(w)
    return earliest << 4 | cause


# -------------------------------------------------------------------------------------------------- barriers, registers
cdef int64_t _barrier(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                      int64_t earliest) noexcept nogil:
    cdef int waits
    _hold(sm, s, w, u, cycle, u.interval)
    if lanes and w.splits != NULL and u.fn == BAR_WARP:
        lanes = gather_named(w, u, lanes)
        if lanes == 0:
            return earliest << 4 | ST_BARRIER
    if lanes:
        sm.core.effects += u.fn != BAR_WARP
        waits = barrier_arrive(sm, w.slot, w, u, lanes, w.settled)
        if waits == 2:
            return earliest << 4 | ST_BARRIER
        if waits:
            return waits if waits < 0 else 0
    w.pc += 1
    if u.fn == BAR_WARP:
        earliest = max(earliest, cycle + <int64_t>u.latency)
    simt_arrive(w)
    return earliest << 4 | ST_ALU_DEPENDENCY


cdef int64_t _registers(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                        int64_t earliest) noexcept nogil:
    cdef int waits
    if w.splits != NULL and lanes:
        lanes = gather_named(w, u, lanes)
        if lanes == 0:
            return earliest << 4 | ST_BARRIER
    _hold(sm, s, w, u, cycle, u.interval)
    if lanes:
        sm.core.effects += 1
        waits = registers_change(sm, w, u, lanes, w.settled)
        if waits:
            return waits if waits < 0 else 0
    w.pc += 1
    simt_arrive(w)
    return earliest << 4 | ST_ALU_DEPENDENCY


# ------------------------------------------------------------------------------------------------------------- matrices
cdef int64_t _matrix(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                     int64_t earliest) noexcept nogil:
    cdef int i
    if w.splits != NULL and lanes:
        lanes = gather_named(w, u, lanes)
        if lanes == 0:
            return earliest << 4 | ST_BARRIER
    if lanes and matrix_product(&sm.core, w, u, lanes) < 0:
        return -1
    for i in range(u.set_count):
        w.ready[u.sets[i]] = (cycle + u.latency) << 4 | ST_ALU_DEPENDENCY
    _hold(sm, s, w, u, cycle, u.interval)
    w.pc += 1
    simt_arrive(w)
    return earliest << 4 | ST_ALU_DEPENDENCY


cdef int64_t _product(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                      int64_t earliest) noexcept nogil:
    if w.splits != NULL and lanes:
        lanes = gather_named(w, u, lanes)
        if lanes == 0:
            return earliest << 4 | ST_BARRIER
    if lanes and group_product(&sm.core, s, w, u, lanes, cycle, &sm.banks.products_until) < 0:
        return -1
    _hold(sm, s, w, u, cycle, u.held_cycles)
    w.pc += 1
    simt_arrive(w)
    return max(earliest, cycle + u.held_cycles) << 4 | ST_ALU_DEPENDENCY


cdef void _plan_group(Sm *sm, const Warp *w) noexcept nogil:
    """The other warps of a group go on behind the fence at which they have waited for this one."""
    cdef const int32_t *warps = sm.core.blocks[w.block].warps
    cdef Warp *other
    cdef int32_t first = w.index - w.index % GROUP_WARPS, i
    for i in range(first, first + GROUP_WARPS):
        if i != w.index:
            other = sm.core.warps + warps[i]
            plan(sm, other, other.settled, ST_BARRIER)


cdef int64_t _product_group(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                            int64_t earliest) noexcept nogil:
    cdef int waits
    if w.splits != NULL and lanes:
        lanes = gather_named(w, u, lanes)
        if lanes == 0:
            return earliest << 4 | ST_BARRIER
    _hold(sm, s, w, u, cycle, u.interval)
    if lanes and u.fn == GP_FENCE:
        waits = group_fence(&sm.core, w, u, lanes, w.settled)
        if waits:
            return waits if waits < 0 else 0
        _plan_group(sm, w)
        group_hold(w, u, ST_BARRIER, w.settled + <int64_t>u.latency)
        earliest = max(earliest, w.settled)
    elif lanes and u.fn == GP_COMMIT:
        group_commit(w)
    elif lanes:
        group_hold(w, u, ST_ALU_DEPENDENCY, group_wait(w, u))
        earliest = max(earliest, w.settled)
    w.pc += 1
    simt_arrive(w)
    return earliest << 4 | ST_ALU_DEPENDENCY


# --------------------------------------------------------------------------------------------------------------- by kind
ctypedef int64_t (*Executor)(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                             int64_t earliest) noexcept nogil

cdef Executor[256] _executor     # by kind of ops that have been checked, which texture accesses and some others no longer have
_executor[<int>K_NOP] = _executor[<int>K_ALU] = _executor[<int>K_SETP] = _executor[<int>K_SELP] = _arithmetic
_executor[<int>K_PRED] = _executor[<int>K_CARRY] = _executor[<int>K_P2R] = _executor[<int>K_SPECIAL] = _arithmetic
_executor[<int>K_VOTE] = _executor[<int>K_SHUFFLE] = _executor[<int>K_MATCH] = _executor[<int>K_REDUX] = _exchange
_executor[<int>K_FENCE] = _fence
_executor[<int>K_LOAD] = _executor[<int>K_STORE] = _executor[<int>K_ATOM] = _access
_executor[<int>K_COPY] = _copy
_executor[<int>K_COPY_GROUP] = _copy_group
_executor[<int>K_BULK] = _bulk
_executor[<int>K_PHASE] = _phase
_executor[<int>K_BRANCH] = _branch
_executor[<int>K_BRANCH_INDEXED] = _branch_indexed
_executor[<int>K_CALL] = _call
_executor[<int>K_CALL_INDIRECT] = _call_indirect
_executor[<int>K_EXIT] = _executor[<int>K_RETURN] = _end
_executor[<int>K_TRAP] = _trap
_executor[<int>K_SYSTEM] = _system
_executor[<int>K_BARRIER] = _barrier
_executor[<int>K_REGISTERS] = _registers
_executor[<int>K_MATRIX] = _matrix
_executor[<int>K_GROUP_PRODUCT] = _product
_executor[<int>K_GROUP] = _product_group


cdef int64_t execute(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                     int64_t earliest) noexcept nogil:
    """Do what an op does for `lanes`. Gives what the warp waits for before the next, as `Warp.ready` says it, at `earliest` or later;
    0: somebody else says when it goes on; -1: after a fault."""
    return _executor[u.kind](sm, s, w, u, c, lanes, cycle, earliest)
