"""Constants that a warp reads as a whole: which lines the schedulers' caches hold, and when a warp's next load finds its own there.

A load at an address in a register looks its line up in the cache of its scheduler when its operands are there. What that lacks comes from
the second or third level of constants, a line at a time for all schedulers of the multiprocessor, and the warp waits; what they lack, too,
the load/store unit brings, as for loads whose lanes may differ. A load at an address that the program names reads the first level.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from archdef.engine.access cimport access_memory
from archdef.engine.bits cimport lowest_bit
from archdef.engine.arena cimport Arena, arena_zeroed
from archdef.engine.cache cimport Cache, Line, cache_close, cache_find, cache_make, cache_probe, cache_take, cache_victim
from archdef.engine.clock cimport NEVER
from archdef.engine.counters cimport ST_CONSTANT_DEPENDENCY, StatementCounters
from archdef.engine.launch cimport Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.operand cimport row_of
from archdef.engine.reach cimport Reach
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport FL_ADDRESS64
from archdef.engine.uop cimport Uop


cdef int constants_open(ConstantCaches *constants, const MachineTable *m, Arena *arena) noexcept nogil:
    """Make the caches, empty, those that the machine has. Returns -1 if the host has no memory for them."""
    cdef int64_t i, count = m.schedulers.count, lines = m.caches.constant_uniform.sets * m.caches.constant_uniform.ways
    if (cache_make(&constants.first, &m.caches.constant, arena) < 0 or cache_make(&constants.behind[0], &m.caches.constant_l2, arena) < 0
            or cache_make(&constants.behind[1], &m.caches.constant_l3, arena) < 0):
        return -1
    if lines == 0:
        return 0
    constants.uniform_arrives = <int64_t *>arena_zeroed(arena, <size_t>(count * lines) * sizeof(int64_t))
    constants.uniform = <Cache *>arena_zeroed(arena, <size_t>count * sizeof(Cache))
    if constants.uniform == NULL or constants.uniform_arrives == NULL:
        return -1
    for i in range(count):
        if cache_make(constants.uniform + i, &m.caches.constant_uniform, arena) < 0:
            return -1
    return 0


cdef void constants_close(ConstantCaches *constants, const MachineTable *m) noexcept nogil:
    """Give up what they have beside their arena, complete or not."""
    cdef int64_t i
    for i in range(m.schedulers.count if constants.uniform != NULL else 0):
        cache_close(constants.uniform + i)
    cache_close(&constants.first)
    cache_close(&constants.behind[0])
    cache_close(&constants.behind[1])


cdef inline bint _behind(ConstantCaches *constants, uint64_t address) noexcept nogil:
    """Whether the second or third level of constants has what lies at an address."""
    cdef Cache *cache
    cdef Line *line
    cdef uint64_t number, place
    cdef int k
    for k in range(2):
        cache = &constants.behind[k]
        if cache.table.sets == 0:
            continue
        number = address // <uint64_t>cache.table.line_bytes
        place = (address - number * <uint64_t>cache.table.line_bytes) // <uint64_t>cache.table.sector_bytes
        line = cache_probe(cache, number)
        if line != NULL and line.valid >> <uint32_t>place & 1:
            return True
    return False


cdef inline int _first(ConstantCaches *constants, uint64_t address) noexcept nogil:
    """What the first level of constants has of an address: 0 nothing, 1 it is on its way, 2 it is there."""
    cdef uint64_t number = address // <uint64_t>constants.first.table.line_bytes
    cdef uint64_t place = (address - number * <uint64_t>constants.first.table.line_bytes) // <uint64_t>constants.first.table.sector_bytes
    cdef Line *line = cache_probe(&constants.first, number)
    if line == NULL or not line.valid >> <uint32_t>place & 1:
        return 0
    return 1 if line.fill[place] >= 0 else 2


cdef int64_t uniform_wait(ConstantCaches *constants, Warp *w, const Uop *u, int64_t cycle) noexcept nogil:
    """When the warp's next op, whose operands are there in some cycle, can read its constant; or it is told to have the load/store unit
    bring it."""
    cdef uint64_t lanes = w.active, address, number
    cdef const char *row = row_of(w.launch, w, u, 0)
    cdef Cache *cache
    cdef Line *line
    cdef int64_t *arrives
    cdef int lane, near
    w.by_load = w.again = 0
    if u.guarded:
        lanes &= w.predicates[u.guard_mask] ^ u.guard_flip
    if lanes == 0:
        return cycle
    if constants.uniform == NULL or constants.first.table.sets == 0:
        w.by_load = 1
        return cycle
    lane = lowest_bit(lanes)
    if u.flags & FL_ADDRESS64:
        address = (<const uint64_t *>row)[lane] + <uint64_t>u.offset.bytes
    else:
        address = <uint32_t>((<const uint32_t *>row)[lane] + <uint32_t>u.offset.bytes)
    near = _first(constants, address)
    if u.s_bank[0]:
        w.by_load = near != 2
        return cycle
    cache = constants.uniform + w.scheduler.number
    arrives = constants.uniform_arrives + w.scheduler.number * cache.table.sets * cache.table.ways
    number = address // <uint64_t>cache.table.line_bytes
    line = cache_find(cache, number)
    if line != NULL:
        if arrives[line - cache.lines] < NEVER:
            return max(cycle, arrives[line - cache.lines])
        if near != 1:
            arrives[line - cache.lines] = cycle
            return cycle
        w.by_load = 1
        return cycle
    line = cache_victim(cache, number)
    if line == NULL:
        w.by_load = 1
        return cycle
    if cycle < arrives[line - cache.lines] < NEVER:
        w.again = 1
        return arrives[line - cache.lines]
    cache_take(cache, line, number)
    if near == 1 or not _behind(constants, address):
        arrives[line - cache.lines] = NEVER
        w.by_load = 1
        return cycle
    cycle = max(cycle, constants.uniform_next)
    constants.uniform_next = cycle + w.launch.m.caches.uniform_fill.interval_cycles
    cycle += w.launch.m.caches.uniform_fill.latency_cycles
    arrives[line - cache.lines] = cycle
    return cycle


cdef int uniform_issue(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Read a constant that is there. Returns -1 after a fault."""
    cdef StatementCounters *c = w.launch.counters + u.statement
    cdef Reach reach
    cdef int64_t ready = cycle + u.latency + w.launch.m.caches.constant_uniform.latency_cycles
    cdef int i
    if access_memory(sm, w, u, lanes, NULL, &reach) < 0:
        return -1
    c.constant_loads += 1
    c.constant_passes += 1
    for i in range(u.set_count):
        w.ready[u.sets[i]] = ready << 4 | ST_CONSTANT_DEPENDENCY
    return 0
