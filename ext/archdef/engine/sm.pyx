"""One multiprocessor: schedulers issue the ops of ready warps, from event to event. Nothing of that is recorded."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.events cimport Event
from archdef.engine.lane_states cimport note_lanes
from archdef.engine.launch cimport Warp
from archdef.engine.uop cimport Uop
from archdef.engine.write_combining cimport write_combining_idle


cdef inline void note_issue(Warp *w, const Uop *u, int64_t issue, int64_t begin, int64_t before, int64_t throttled, int64_t busy, int64_t rest,
                            int64_t spent) noexcept nogil:
    """There is no timeline here, so that the usual case does not even look for one: see `sm_recorded.pyx`."""


cdef inline void note_answer(Sm *sm, int32_t slot, int64_t cycle) noexcept nogil:
    """Likewise."""


cdef inline void note_block(Sm *sm, Event event) noexcept nogil:
    """Likewise."""


cdef inline void note_ends(Sm *sm) noexcept nogil:
    """Likewise."""


cdef inline void stores_idle(Sm *sm, int64_t cycle) noexcept nogil:
    """No store has come for long."""
    write_combining_idle(&sm.write_combining, &sm.port, sm.core.inbox, cycle)


include "sm.pxi"
