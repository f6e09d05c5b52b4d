"""Barriers of a block: arrivals, counts, reductions, release.

A warp waits as a whole. On a machine with a stack per warp, lanes that come while others of the warp are elsewhere arrive for all of it.
Where lanes progress independently they come one after the other, and the warp has arrived when all its lanes that live have.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.barrier cimport BARRIERS, CLUSTER_BARRIER, CL_OPEN, GRID_BARRIER, Barrier
from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.block_cluster cimport cluster_arrive
from archdef.engine.converge cimport converge_block, converge_blocked, converge_stay, converge_unblock, converge_yield
from archdef.engine.counters cimport ST_BARRIER
from archdef.engine.divergence cimport SPLIT_BARRIER
from archdef.engine.fault cimport warp_fault
from archdef.engine.fault_code cimport FAULT_BARRIER_NUMBER
from archdef.engine.groups cimport group_arrive, has_group
from archdef.engine.lane_states cimport note_group_wait
from archdef.engine.launch cimport WS_BARRIER, Block, Launch, Warp
from archdef.engine.operand cimport row_of
from archdef.engine.simt cimport simt_arrive
from archdef.engine.state cimport Sm
from archdef.engine.types cimport BAR_ARRIVE, BAR_CLUSTER_ARRIVE, BAR_CLUSTER_WAIT, BAR_GRIDS, BAR_RED_AND, BAR_RED_OR, BAR_RED_POPC, BAR_WARP
from archdef.engine.uop cimport Uop
from archdef.engine.waiting cimport plan


cdef void _give_result(const Launch *launch, Warp *w, const Uop *u, uint64_t lanes, const Barrier *barrier) noexcept nogil:
    """Give `lanes` the result of a barrier that reduces a predicate."""
    cdef int lane
    if u.fn == BAR_RED_POPC and u.d[0] >= 0:
        for lane in range(launch.lanes):
            if lanes >> lane & 1:
                (<uint32_t *>(w.rows + u.d[0]))[lane] = <uint32_t>barrier.popc
    elif u.d[1] >= 0:
        if (u.fn == BAR_RED_AND and barrier.all) or (u.fn == BAR_RED_OR and barrier.any):
            w.predicates[u.d[1]] |= lanes
        else:
            w.predicates[u.d[1]] &= ~lanes


cdef inline uint64_t _who_waits(const Warp *w, const Uop *u) noexcept nogil:
    """Lanes of a warp with a stack that execute the barrier at which it waits."""
    return w.active & (w.predicates[u.guard_mask] ^ u.guard_flip) if u.guarded else w.active


cdef void _release(Sm *sm, Block *b, Barrier *barrier, int64_t cycle) noexcept nogil:
    """Let every waiting warp go on, with the reduction's result if there is one."""
    cdef int32_t at = barrier.first_waiting, after
    cdef Warp *w
    cdef const Uop *u
    cdef int64_t when
    cdef int32_t i
    while at >= 0:
        w = sm.core.warps + at
        u = w.launch.ops + w.barrier_op
        when = cycle + u.latency
        if when > w.settled:
            w.launch.counters[u.statement].stall_cycles[<int>ST_BARRIER] += when - w.settled
            note_group_wait(w, u, w.settled, when, ST_BARRIER)
            w.settled = when
        if w.splits != NULL and u.fn != BAR_CLUSTER_WAIT:
            for i in range(w.split_room):
                if w.splits[i].mask and w.splits[i].state == SPLIT_BARRIER:
                    _give_result(w.launch, w, w.launch.ops + w.splits[i].pc, w.splits[i].mask, barrier)
            converge_unblock(w, <int32_t>(barrier - b.barriers))
        else:
            _give_result(w.launch, w, u, _who_waits(w, u), barrier)
            w.pc += 1
            simt_arrive(w)
        after = w.next_waiting
        plan(sm, w, w.settled, ST_BARRIER)
        at = after
    barrier.first_waiting = -1
    barrier.arrived = 0
    barrier.expected = 0
    barrier.popc = 0
    barrier.all = 1
    barrier.any = 0


cdef inline void _check(Sm *sm, Block *b, Barrier *barrier, int64_t cycle) noexcept nogil:
    if barrier.arrived >= (barrier.expected if barrier.expected else b.threads_alive):
        if barrier == &b.barriers[GRID_BARRIER]:
            group_arrive(&sm.core, b.launch, barrier.popc, cycle)
        else:
            _release(sm, b, barrier, cycle)


cdef void _check_cluster(Sm *sm, Block *b, int64_t cycle) noexcept nogil:
    """End the phase of the cluster's barrier, or the block's part in it, if every thread that lives has arrived."""
    cdef int32_t i
    for i in range(b.launch.block_warps):
        if sm.core.warps[b.warps[i]].alive & ~sm.core.warps[b.warps[i]].cluster_arrived:
            return
    if b.cluster != NULL:
        cluster_arrive(&sm.core, b, cycle)
    else:
        _open_cluster(sm, b, cycle)


cdef void _open_cluster(Sm *sm, Block *b, int64_t cycle) noexcept nogil:
    """The phase of the cluster's barrier is over: its next one begins."""
    cdef int32_t i
    for i in range(b.launch.block_warps):
        sm.core.warps[b.warps[i]].cluster_arrived = 0
    _release(sm, b, &b.barriers[CLUSTER_BARRIER], cycle)


cdef void cluster_open(Sm *sm, int32_t slot) noexcept nogil:
    """All blocks of its cluster have arrived, and a block knows it, if it has not ended since."""
    cdef Block *b = sm.core.blocks + slot
    sm.core.messages.opening -= 1
    if b.running and b.cluster != NULL and b.cluster_opens == sm.core.now:
        b.cluster_state = CL_OPEN
        b.cluster_opens = -1
        _open_cluster(sm, b, sm.core.now)


cdef void check_barriers(Sm *sm, Block *b, int64_t cycle) noexcept nogil:
    """Threads have ended: a barrier may now be complete."""
    cdef int k
    if b.barriers[CLUSTER_BARRIER].arrived:
        _check_cluster(sm, b, cycle)
    for k in range(BARRIERS):
        if k != CLUSTER_BARRIER and b.barriers[k].first_waiting >= 0 and b.barriers[k].expected == 0:
            _check(sm, b, &b.barriers[k], cycle)


cdef void _count(const Launch *launch, Barrier *barrier, uint64_t lanes) noexcept nogil:
    """A warp has arrived. Counts are of whole warps, as hardware's are: it stands for all its lanes."""
    barrier.arrived += launch.lanes if barrier.expected else count_bits(lanes)


cdef inline bint _is_apart(Warp *w) noexcept nogil:
    """Whether a warp arrives at a barrier with lanes that missed an earlier one, or with lanes at different barrier instructions."""
    cdef uint64_t lanes
    cdef bint missed
    cdef int32_t i
    if w.splits == NULL:
        lanes = _who_waits(w, w.launch.ops + w.barrier_op)
        missed = w.missed & lanes != 0
        w.missed = (w.missed | w.alive) & ~lanes
        return missed
    for i in range(w.split_room):
        if w.splits[i].mask & w.alive and w.splits[i].pc != w.barrier_op:
            return True
    return False


cdef inline void _wait(Sm *sm, int32_t slot, Warp *w, Barrier *barrier, int64_t cycle) noexcept nogil:
    """The warp waits, with all its lanes."""
    _count(w.launch, barrier, w.alive)
    w.launch.counters[w.launch.ops[w.barrier_op].statement].divergent_barriers += _is_apart(w)
    w.state = WS_BARRIER
    w.next_waiting = barrier.first_waiting
    barrier.first_waiting = slot
    _check(sm, sm.core.blocks + w.block, barrier, cycle)


cdef void barrier_settle(Sm *sm, int32_t slot, Warp *w, int64_t cycle) noexcept nogil:
    """Lanes have ended: those that are left may now all be at one barrier."""
    cdef int32_t i
    for i in range(w.split_room):
        if w.splits[i].mask and w.splits[i].state == SPLIT_BARRIER:
            w.barrier_op = w.splits[i].pc
            if converge_blocked(w, <int32_t>w.splits[i].named) == w.alive:
                _wait(sm, slot, w, &sm.core.blocks[w.block].barriers[w.splits[i].named], cycle)
            return


cdef int _cluster(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Arrive at the cluster's barrier, or wait for the phase in which the lanes arrived to end."""
    cdef Block *b = sm.core.blocks + w.block
    cdef Barrier *barrier = &b.barriers[CLUSTER_BARRIER]
    if u.fn == BAR_CLUSTER_ARRIVE:
        w.cluster_arrived |= lanes if w.splits != NULL else w.alive
        barrier.arrived = 1
        _check_cluster(sm, b, cycle)
        return 0
    if w.cluster_arrived & lanes == 0:
        return 0
    if w.splits != NULL:
        converge_stay(w, lanes)
        if w.active != w.alive:         # let the others come, and look again
            converge_yield(w)
            return 2
    w.state = WS_BARRIER
    w.barrier_op = w.pc
    w.next_waiting = barrier.first_waiting
    barrier.first_waiting = slot
    return 1


cdef void barrier_open(Sm *sm, int32_t slot) noexcept nogil:
    """The blocks that a block waits for at its grid's barrier are all there."""
    sm.core.messages.opening -= 1
    if sm.core.blocks[slot].running:
        _release(sm, sm.core.blocks + slot, &sm.core.blocks[slot].barriers[GRID_BARRIER], sm.core.now)


cdef int _grids(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Arrive at the barrier of the grid, or of several grids, that the handle of the first lane stands for."""
    cdef Barrier *barrier = &sm.core.blocks[w.block].barriers[GRID_BARRIER]
    cdef uint64_t handle = (<const uint64_t *>row_of(w.launch, w, u, 0))[lowest_bit(lanes)]
    cdef bint valid = has_group(w.launch, handle)
    cdef int lane
    if u.d[0] >= 0:
        for lane in range(w.launch.lanes):
            if lanes >> lane & 1:
                (<uint32_t *>(w.rows + u.d[0]))[lane] = 0 if valid else 1
    if not valid:
        return 0
    barrier.popc = <int32_t>handle
    w.barrier_op = w.pc
    if w.splits != NULL and converge_block(w, lanes, GRID_BARRIER) != w.alive:
        return 2
    _wait(sm, slot, w, barrier, cycle)
    return 1


cdef int barrier_arrive(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Arrive at a barrier. Returns 1 if the warp waits, 0 if it goes on, 2 if others of its lanes do, -1 after a fault."""
    cdef Launch *launch = w.launch
    cdef Block *b = sm.core.blocks + w.block
    cdef Barrier *barrier
    cdef uint32_t number = 0
    cdef uint64_t holds
    cdef int first
    if u.fn == BAR_WARP:
        return 0        # the lanes that get here together are the ones there are, or have been waited for
    launch.counters[u.statement].barriers += 1
    if u.fn == BAR_CLUSTER_ARRIVE or u.fn == BAR_CLUSTER_WAIT:
        return _cluster(sm, slot, w, u, lanes, cycle)
    if u.fn == BAR_GRIDS:
        return _grids(sm, slot, w, u, lanes, cycle)
    first = lowest_bit(lanes)
    if u.s[0] >= 0:
        number = (<const uint32_t *>((launch.constants if u.s_bank[0] else w.rows) + u.s[0]))[first]
    if number >= CLUSTER_BARRIER:
        return warp_fault(&sm.core, w, FAULT_BARRIER_NUMBER, lanes)
    barrier = &b.barriers[number]
    if u.s[1] >= 0:
        # more than there can be, which never come, stay more
        barrier.expected = <int32_t>min((<const uint32_t *>((launch.constants if u.s_bank[1] else w.rows) + u.s[1]))[first], <uint32_t>0x7fffffff)
    if u.fn == BAR_RED_POPC or u.fn == BAR_RED_AND or u.fn == BAR_RED_OR:
        holds = (w.predicates[u.s[2] >> 1] ^ (<uint64_t>0 - <uint64_t>(u.s[2] & 1))) & lanes
        barrier.popc += count_bits(holds)
        barrier.any |= holds != 0
        barrier.all &= holds == lanes
    if u.fn == BAR_ARRIVE:
        if w.splits != NULL:
            w.arriving |= lanes
            if w.alive & ~w.arriving:
                return 0
            w.arriving = 0
        _count(launch, barrier, w.alive)
        _check(sm, b, barrier, cycle)
        return 0
    w.barrier_op = w.pc
    if w.splits != NULL and converge_block(w, lanes, <int32_t>number) != w.alive:
        return 2
    _wait(sm, slot, w, barrier, cycle)
    return 1
