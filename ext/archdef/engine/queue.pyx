"""A scheduler's queue of ops that their warps have issued and a unit which schedulers share has not begun.

Data move at issue, in program order of the warp; what an access costs is kept until the unit takes it, the oldest of each queue first. Its
registers are pending until then, and its warp goes on. Nothing keeps a warp from writing an op's sources meanwhile: they have been read.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from archdef.engine.arena cimport arena_room, arena_zeroed
from archdef.engine.blocks cimport end_block
from archdef.engine.clock cimport NEVER
from archdef.engine.counters cimport ST_ALU_DEPENDENCY, ST_MEMORY_DEPENDENCY
from archdef.engine.lsu_pipeline cimport PIECES, LsuPipeline
from archdef.engine.launch cimport PENDING, WS_CONSTANT, WS_COPIES, WS_ENDED, WS_REPLAY, WS_SLEEPING, Warp
from archdef.engine.loadstore cimport memory_access, memory_begin, wake_copier
from archdef.engine.schedule cimport Scheduler
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction
from archdef.engine.uop cimport Uop
from archdef.engine.waiting cimport occupy, plan


cdef int queue_open(Sm *sm) noexcept nogil:
    """Make room for the queues, if the machine has them. Returns -1 if the host has no memory for them."""
    cdef int64_t i, k, room = sm.m.load_store.memory_instruction_queue.entries
    cdef Queued *entries
    if sm.m.load_store.memory_instruction_queue.units == 0:
        return 0
    for i in range(sm.m.schedulers.count):
        entries = <Queued *>arena_zeroed(sm.chip.arena, <size_t>room * sizeof(Queued))
        if entries == NULL:
            return -1
        sm.schedulers[i].queue = entries
        entries[0].many = <Transaction *>arena_room(sm.chip.arena, <size_t>(room * PIECES) * sizeof(Transaction))
        if entries[0].many == NULL:
            return -1
        for k in range(1, room):
            entries[k].many = entries[0].many + k * PIECES
    return 0


cdef inline int64_t _begins(const Sm *sm, const Uop *u) noexcept nogil:
    """Cycle from which the op's unit can begin it, as far as is known."""
    cdef int64_t at = sm.units.free[u.unit]
    if u.memory or u.uniform:
        if sm.lsu.active:
            return NEVER
        at = max(at, sm.lsu.time)
    return at


cdef bint queue_passes(const Sm *sm, const Scheduler *s, const Uop *u, int64_t cycle) noexcept nogil:
    """Whether an op that is issued now need not wait for its unit."""
    return s.queue_count == 0 and _begins(sm, u) <= cycle


cdef int64_t queue_next(const Sm *sm, const Scheduler *s) noexcept nogil:
    """Cycle, ahead, in which the oldest entry can begin, as far as is known; there is one."""
    return max(_begins(sm, (<const Queued *>s.queue)[s.queue_first].u), sm.core.now + 1)


cdef Queued *_enter(Sm *sm, Scheduler *s, Warp *w, const Uop *u, bint results) noexcept nogil:
    """Take the next entry, for which there is room."""
    cdef int32_t place = s.queue_first + s.queue_count, entries = <int32_t>sm.m.load_store.memory_instruction_queue.entries
    cdef Queued *entry = <Queued *>s.queue + (place if place < entries else place - entries)
    cdef int i
    s.queue_count += 1
    w.loads += 1            # what the warp has had to do with stays until the entry begins
    entry.u = u
    entry.warp = w.slot
    entry.held = False
    for i in range(u.set_count if results else 0):
        w.ready[u.sets[i]] = <int64_t>PENDING << 4 | u.cause
    return entry


cdef int queue_access(Sm *sm, Scheduler *s, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Move the data of an access, and queue it. Returns 1 if its warp waits until it begins, -1 after a fault."""
    cdef LsuPipeline *access = &sm.chip.access
    cdef Queued *entry
    cdef Reach reach
    cdef int32_t group = w.copy_group
    if memory_access(sm, w, u, lanes, access, &reach) < 0:
        return -1
    entry = _enter(sm, s, w, u, True)
    entry.access = True
    entry.group = group
    entry.reach = reach
    entry.count = access.count
    entry.serial = access.serial
    entry.apart = access.apart
    entry.weight = access.weight
    entry.operands = access.operands
    entry.returns = access.returns
    memcpy(&entry.few[0] if access.count <= FEW else entry.many, access.transactions, <size_t>access.count * sizeof(Transaction))
    entry.held = u.retry_cycles and reach.shared_groups       # a loop of the warp's own
    return entry.held


cdef void queue_other(Sm *sm, Scheduler *s, Warp *w, const Uop *u, int64_t cycles, int64_t latency) noexcept nogil:
    """Queue what is no access but holds the unit for `cycles`; its result is there `latency` after it begins, -1: it has none."""
    cdef Queued *entry = _enter(sm, s, w, u, latency >= 0)
    entry.access = False
    entry.cycles = cycles
    entry.latency = latency


cdef void queue_run(Sm *sm, Scheduler *s, int64_t cycle) noexcept nogil:
    """Begin the oldest entry, which there is, if its unit can."""
    cdef Queued *entry = <Queued *>s.queue + s.queue_first
    cdef const Uop *u = entry.u
    cdef Warp *w = sm.core.warps + entry.warp
    cdef LsuPipeline *lsu = &sm.lsu
    cdef int i
    if _begins(sm, u) > cycle:
        return
    s.queue_first += 1
    if s.queue_first == sm.m.load_store.memory_instruction_queue.entries:
        s.queue_first = 0
    s.queue_count -= 1
    if entry.access:
        lsu.count = entry.count
        lsu.serial = entry.serial
        lsu.apart = entry.apart
        lsu.weight = entry.weight
        lsu.operands = entry.operands
        lsu.returns = entry.returns
        memcpy(lsu.transactions, &entry.few[0] if entry.count <= FEW else entry.many, <size_t>entry.count * sizeof(Transaction))
        memory_begin(sm, entry.warp, w, u, &entry.reach, entry.group, cycle)
    else:
        occupy(sm, w, u, cycle, entry.cycles)
        for i in range(u.set_count if entry.latency >= 0 else 0):
            w.ready[u.sets[i]] = (cycle + entry.latency) << 4 | ST_ALU_DEPENDENCY
    w.loads -= 1
    if w.state == WS_SLEEPING:
        plan(sm, w, w.since, w.cause)
    elif w.state == WS_CONSTANT and u.uniform and w.ready[u.sets[0]] >> 4 < PENDING:
        plan(sm, w, max(w.since, w.ready[u.sets[0]] >> 4), u.cause)
    elif w.state == WS_COPIES:
        wake_copier(sm, entry.warp, cycle)
    elif entry.held and w.state == WS_REPLAY:
        plan(sm, w, max(w.since, sm.lsu.looping), ST_MEMORY_DEPENDENCY)
    elif w.state == WS_ENDED and w.loads == 0:
        sm.core.blocks[w.block].draining -= 1
        end_block(sm, w.block, cycle)
