"""The same as `execute.pyx`, where nothing takes time: no op holds a unit, data are where they go at once, and with them what waits for them."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.bulk cimport bulk_at_once
from archdef.engine.copying cimport COPY_GROUPS
from archdef.engine.counters cimport ST_ALU_DEPENDENCY, StatementCounters
from archdef.engine.launch cimport Warp
from archdef.engine.loadstore cimport memory_access
from archdef.engine.reach cimport Reach
from archdef.engine.schedule cimport Scheduler
from archdef.engine.sm cimport Sm
from archdef.engine.types cimport K_LOAD, K_STORE, SP_SHARED
from archdef.engine.uop cimport Uop


cdef inline void _hold(Sm *sm, Scheduler *s, Warp *w, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil:
    """No unit is held."""


cdef inline void _hold_for_result(Sm *sm, Scheduler *s, Warp *w, const Uop *u, int64_t cycle, int64_t cycles, int64_t latency,
                                  int32_t cause) noexcept nogil:
    """Nor waits anybody for a result."""


cdef inline int64_t _load_store(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                                int64_t earliest) noexcept nogil:
    """Move the data of an access, and count it. Returns -1 after a fault."""
    cdef Reach reach
    if lanes:
        if memory_access(sm, w, u, lanes, &sm.lsu, &reach) < 0:
            return -1
    elif u.space == SP_SHARED:          # executed all the same
        c.shared_loads += u.kind == K_LOAD
        c.shared_stores += u.kind == K_STORE
    return earliest << 4 | ST_ALU_DEPENDENCY


cdef inline int _copy_lanes(Sm *sm, Scheduler *s, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Make an asynchronous copy. Returns -1 after a fault."""
    cdef Reach reach
    if lanes == 0:
        return 0
    if memory_access(sm, w, u, lanes, &sm.lsu, &reach) < 0:
        return -1
    w.copies.pieces[w.copy_group % COPY_GROUPS] = 0         # nothing of it is on its way
    return 0


cdef inline int _copy_in_bulk(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Make copies in bulk. Returns -1 after a fault."""
    return bulk_at_once(sm, w, u, lanes)


include "execute.pxi"
