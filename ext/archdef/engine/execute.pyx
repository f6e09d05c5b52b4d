"""What ops do, and what they hold for it: units, the queue in front of them, the load/store unit."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.bulk cimport bulk_issue
from archdef.engine.counters cimport ST_ALU_DEPENDENCY, ST_MEMORY_DEPENDENCY, ST_MEMORY_THROTTLE, StatementCounters
from archdef.engine.launch cimport Warp
from archdef.engine.loadstore cimport memory_issue
from archdef.engine.queue cimport queue_access, queue_other, queue_passes
from archdef.engine.schedule cimport Scheduler
from archdef.engine.state cimport Sm
from archdef.engine.types cimport K_LOAD, K_STORE, SP_SHARED
from archdef.engine.uniform cimport uniform_issue
from archdef.engine.uop cimport Uop
from archdef.engine.waiting cimport occupy


cdef inline void _hold(Sm *sm, Scheduler *s, Warp *w, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil:
    """Hold the op's unit, once its turn in the queue has come if there is one."""
    if u.queued and not queue_passes(sm, s, u, cycle):
        queue_other(sm, s, w, u, cycles, -1)
    else:
        occupy(sm, w, u, cycle, cycles)


cdef inline void _hold_for_result(Sm *sm, Scheduler *s, Warp *w, const Uop *u, int64_t cycle, int64_t cycles, int64_t latency,
                                  int32_t cause) noexcept nogil:
    """Hold the op's unit likewise; its result is there `latency` later."""
    cdef int i
    if u.queued and not queue_passes(sm, s, u, cycle):
        queue_other(sm, s, w, u, cycles, latency)
        return
    occupy(sm, w, u, cycle, cycles)
    for i in range(u.set_count):
        w.ready[u.sets[i]] = (cycle + latency) << 4 | cause


cdef inline int64_t _load_store(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                                int64_t earliest) noexcept nogil:
    """Let the load/store unit have an access. Gives when the warp can go on, and why, as `Warp.ready` says it; -1 after a fault."""
    cdef int64_t replays = sm.m.load_store.replay_cycles
    if u.uniform and not w.by_load:
        if lanes and uniform_issue(&sm.core, w, u, lanes, cycle) < 0:
            return -1
        _hold(sm, s, w, u, cycle, u.interval)
    elif lanes and u.queued and not queue_passes(sm, s, u, cycle):
        sm.lsu.held = queue_access(sm, s, w, u, lanes, cycle)
        if sm.lsu.held < 0:
            return -1
    elif lanes:
        if memory_issue(sm, w.slot, w, u, lanes, cycle) < 0:
            return -1
        if sm.lsu.count > 1 and replays and cycle + (sm.lsu.count - 1) * replays > earliest:
            return (cycle + (sm.lsu.count - 1) * replays) << 4 | ST_MEMORY_THROTTLE
        if u.retry_cycles and sm.lsu.looping > earliest:
            return sm.lsu.looping << 4 | ST_MEMORY_DEPENDENCY
    else:
        if u.space == SP_SHARED:        # executed all the same
            c.shared_loads += u.kind == K_LOAD
            c.shared_stores += u.kind == K_STORE
        _hold(sm, s, w, u, cycle, u.interval)
    return earliest << 4 | ST_ALU_DEPENDENCY


cdef inline int _copy_lanes(Sm *sm, Scheduler *s, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Let the load/store unit have an asynchronous copy. Returns -1 after a fault."""
    if lanes and u.queued and not queue_passes(sm, s, u, cycle):
        return -1 if queue_access(sm, s, w, u, lanes, cycle) < 0 else 0
    if lanes:
        return memory_issue(sm, w.slot, w, u, lanes, cycle)
    _hold(sm, s, w, u, cycle, u.interval)
    return 0


cdef inline int _copy_in_bulk(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Let the bulk unit have the copies of `lanes` (not empty). Returns how many there are, or -1 after a fault."""
    return bulk_issue(sm, w.slot, w, u, lanes, cycle)


include "execute.pxi"
