"""Blocks whose children are done go on, where they are or in another place."""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free

from archdef.engine.barrier cimport BARRIERS
from archdef.engine.blocks cimport place_block_warp
from archdef.engine.counters cimport ST_BARRIER, ST_LAUNCH, ST_REGISTERS
from archdef.engine.events cimport EV_SWAPPED_OUT, events_push
from archdef.engine.lane_states cimport note_group_wait, note_wait
from archdef.engine.launch cimport WS_CHILDREN, WS_ENDED, WS_REGISTERS, Block, ChildLaunches, Warp
from archdef.engine.observers cimport tell_warp_left
from archdef.engine.residency cimport Residency
from archdef.engine.simt cimport simt_arrive
from archdef.engine.sm_core cimport SmCore
from archdef.engine.state cimport Sm
from archdef.engine.timeline cimport timeline_block
from archdef.engine.uop cimport Uop
from archdef.engine.waiting cimport plan


cdef void children_done(Sm *sm, int32_t slot) noexcept nogil:
    """All that a block has launched is complete: its warps that wait for that go on."""
    cdef Block *b = sm.core.blocks + slot
    cdef Warp *w
    cdef int32_t i
    if not b.running:
        return
    for i in range(b.launch.block_warps):
        w = sm.core.warps + b.warps[i]
        if w.state == WS_CHILDREN:
            if sm.core.now > w.settled:
                w.launch.counters[w.launch.ops[w.pc].statement].stall_cycles[<int>ST_LAUNCH] += sm.core.now - w.settled
                note_wait(w, w.launch.ops + w.pc, w.settled, sm.core.now, ST_LAUNCH)
                w.settled = sm.core.now
            w.pc += 1
            simt_arrive(w)
            plan(sm, w, w.settled, ST_LAUNCH)


cdef void block_swap_out(SmCore *sm, Block *b, int64_t cycle) noexcept nogil:
    """A block gives its place away: its warps have been resident until now, and will be again when it is back."""
    cdef Warp *w
    cdef const Uop *u
    cdef int32_t i, cause
    for i in range(b.launch.block_warps):
        w = sm.warps + b.warps[i]
        if w.state == WS_ENDED:
            continue
        cause = ST_LAUNCH if w.state == WS_CHILDREN else ST_REGISTERS if w.state == WS_REGISTERS else ST_BARRIER
        u = w.launch.ops + (w.pc if w.state == WS_CHILDREN else w.barrier_op)
        if cycle > w.settled:
            w.launch.counters[u.statement].stall_cycles[cause] += cycle - w.settled
            note_group_wait(w, u, w.settled, cycle, cause)
            w.settled = cycle
        w.residency.counters.warp_cycles += w.settled - b.started
        if sm.observers != NULL:        # in the multiprocessor's own time: the dispatcher may be ahead of it
            events_push(sm.inbox, max(cycle, sm.now + 1), EV_SWAPPED_OUT, w.slot)


cdef void block_swap_out_recorded(SmCore *sm, Block *b, int64_t cycle) noexcept nogil:
    """The same where blocks are recorded."""
    if b.launch.origin.timeline != NULL:
        timeline_block(b.launch.origin.timeline, b, sm.id, b - sm.blocks, cycle)
    block_swap_out(sm, b, cycle)


cdef int32_t _moved(const Block *b, const ChildLaunches *child_launches, int32_t slot) noexcept nogil:
    """Where the warp of a former slot is now."""
    cdef int32_t i
    for i in range(b.launch.block_warps):
        if child_launches.warps[i].slot == slot:
            return b.warps[i]
    return -1


cdef void block_swap_in(Sm *sm, int32_t slot) noexcept nogil:
    """A block that was swapped out is back: give its warps their slots and let those go on that waited for children."""
    cdef Block *b = sm.core.blocks + slot
    cdef ChildLaunches *child_launches = b.child_launches
    cdef Residency *residency = b.launch.origin.residencies + sm.core.id
    cdef Warp *w
    cdef int32_t i
    if residency.warps_alive == 0:
        residency.active_since = sm.core.now
    residency.warps_alive += b.warps_alive
    residency.resident += 1
    if residency.resident > residency.most_resident:
        residency.most_resident = residency.resident
    for i in range(b.launch.block_warps):
        w = sm.core.warps + b.warps[i]
        w[0] = child_launches.warps[i]
        w.residency = residency
        w.block = slot
        if w.next_waiting >= 0:
            w.next_waiting = _moved(b, child_launches, w.next_waiting)
    for i in range(BARRIERS):
        if b.barriers[i].first_waiting >= 0:
            b.barriers[i].first_waiting = _moved(b, child_launches, b.barriers[i].first_waiting)
    b.started = sm.core.now
    for i in range(b.launch.block_warps):
        place_block_warp(sm, sm.core.warps + b.warps[i], b.warps[i], b.number)
        sm.core.warps[b.warps[i]].settled = sm.core.now
        if sm.core.observers != NULL and sm.core.warps[b.warps[i]].state == WS_ENDED:
            tell_warp_left(sm.core.observers, b.warps[i])
    free(child_launches.warps)
    child_launches.warps = NULL
    b.running = 1
    children_done(sm, slot)
