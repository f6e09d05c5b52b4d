"""One multiprocessor, run from event to event, of whose warps some are recorded: in a timeline, or what their lanes do."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.events cimport EV_BLOCK, EV_SWAPPED_IN, Event, event_index, event_kind
from archdef.engine.lane_states cimport lanes_apart, lanes_traced
from archdef.engine.launch cimport Block, Launch, Warp
from archdef.engine.request_trace cimport trace_answered
from archdef.engine.timeline cimport note_issue, timeline_block
from archdef.engine.uop cimport Uop
from archdef.engine.write_combining cimport write_combining_idle


cdef inline void note_lanes(Warp *w, const Uop *u, int64_t begin, int64_t issue, int64_t end, int64_t slots) noexcept nogil:
    """As in `lane_states.pxd`, of warps whose `quiet` tells only waits from others: whoever is in a timeline need not be told of each issue."""
    if w.active != ~<uint64_t>0 >> (64 - w.launch.lanes) or w.launch.trace != NULL:
        lanes_apart(w, u, begin, issue, end, slots)


cdef inline void note_answer(Sm *sm, int32_t slot, int64_t cycle) noexcept nogil:
    """What a multiprocessor has asked memory for is there."""
    if sm.port.trace != NULL:
        trace_answered(sm.port.trace, sm.core.id, slot, cycle * sm.m.clocks.shader_period_fs)


cdef void _begin(Sm *sm, int32_t slot, bint first) noexcept nogil:
    """A block has been given a place, for the first time or again, and its warps theirs: nothing of them is recorded so far."""
    cdef Block *b = sm.core.blocks + slot
    cdef const Launch *launch = b.launch
    cdef bint timed = launch.origin.residencies[sm.core.id].recorded != NULL
    cdef Warp *w
    cdef int32_t i
    b.noted = False
    for i in range(launch.block_warps):
        w = sm.core.warps + b.warps[i]
        w.place = 0
        if first and (timed or launch.trace != NULL and lanes_traced(launch.trace, w.number)):
            w.quiet = 0


cdef inline void note_block(Sm *sm, Event event) noexcept nogil:
    """Something has happened to a block."""
    cdef int32_t kind = event_kind(event)
    if kind == EV_BLOCK or kind == EV_SWAPPED_IN:
        _begin(sm, event_index(event), kind == EV_BLOCK)


cdef void note_ends(Sm *sm) noexcept nogil:
    """Record the blocks of which this multiprocessor has reported the end."""
    cdef Block *b
    cdef int32_t i
    for i in range(sm.places.ended_count):
        b = sm.core.blocks + sm.places.ended[i].slot
        if not b.noted:
            b.noted = True
            if b.launch.origin.timeline != NULL:
                timeline_block(b.launch.origin.timeline, b, sm.core.id, sm.places.ended[i].slot, sm.places.ended[i].cycle)


cdef inline void stores_idle(Sm *sm, int64_t cycle) noexcept nogil:
    """No store has come for long: lines that leave now are of no access."""
    if sm.port.trace != NULL:
        sm.port.trace.idle = True
    write_combining_idle(&sm.write_combining, &sm.port, sm.core.inbox, cycle)
    if sm.port.trace != NULL:
        sm.port.trace.idle = False


include "sm.pxi"
