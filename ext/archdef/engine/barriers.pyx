"""Barriers of a block: arrivals, counts, reductions, release."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.counters cimport ST_BARRIER
from archdef.engine.fault cimport warp_fault
from archdef.engine.program cimport Uop
from archdef.engine.schedule cimport count_bits, lowest_bit
from archdef.engine.simt cimport simt_arrive
from archdef.engine.state cimport BARRIERS, FAULT_BARRIER_NUMBER, FAULT_DIVERGENT_BARRIER, WS_BARRIER, Barrier, Block, Launch, Sm, Warp
from archdef.engine.types cimport BAR_ARRIVE, BAR_RED_AND, BAR_RED_OR, BAR_RED_POPC, BAR_WARP
from archdef.engine.waiting cimport plan


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
        plan(sm, at, w, w.settled, ST_BARRIER)
        at = lane
    barrier.first_waiting = -1
    barrier.arrived = 0
    barrier.expected = 0
    barrier.popc = 0
    barrier.all = 1
    barrier.any = 0


cdef void check_barriers(Sm *sm, Block *b, int64_t cycle) noexcept nogil:
    """Threads have ended: a barrier may now be complete."""
    cdef int k
    for k in range(BARRIERS):
        if b.barriers[k].first_waiting >= 0 and b.barriers[k].expected == 0 and b.barriers[k].arrived >= b.threads_alive:
            _release(sm, b, &b.barriers[k], cycle)


cdef int barrier_arrive(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
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
        return warp_fault(sm, w, FAULT_DIVERGENT_BARRIER, w.alive & ~lanes)
    first = lowest_bit(lanes)
    if u.s[0] >= 0:
        number = (<const uint32_t *>((launch.constants if u.s_bank[0] else w.rows) + u.s[0]))[first]
    if number >= BARRIERS:
        return warp_fault(sm, w, FAULT_BARRIER_NUMBER, lanes)
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
