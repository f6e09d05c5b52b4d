"""Instruction fetch: which lines of code the caches of a multiprocessor hold, and when a warp's next instruction is there.

Ops lie one behind the other, each as long as the instructions that the machine issues for it. A warp asks for a line when its next
instruction is in another one than the last; what it then waits for is the wait declared of the level that has the line. A miss brings
the lines behind along. Caches are made when a multiprocessor first needs them: most launches of a large machine use a few.
"""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.arena cimport arena_zeroed
from archdef.engine.cache cimport Cache, Line, cache_close, cache_find, cache_make, cache_probe, cache_take, cache_victim
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.parameters cimport CACHE_SCOPE_SCHEDULER, CacheParameters
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop


cdef inline int64_t _lines(const CacheParameters *table) noexcept nogil:
    return table.sets * table.ways


cdef int _open(CodeCaches *code, const MachineTable *m) noexcept nogil:
    """Make the caches, empty. Returns -1 if the host has no memory for them."""
    cdef const CacheParameters *behind[2]
    cdef int64_t i, count = m.schedulers.count if m.caches.instruction.scope == CACHE_SCOPE_SCHEDULER else 1
    code.arrives = <int64_t *>arena_zeroed(code.arena, <size_t>(count * _lines(&m.caches.instruction)) * sizeof(int64_t))
    code.first = <Cache *>arena_zeroed(code.arena, <size_t>count * sizeof(Cache))
    if code.first == NULL or code.arrives == NULL:
        return -1
    for i in range(count):
        if cache_make(code.first + i, &m.caches.instruction, code.arena) < 0:
            return -1
    behind[0] = &m.caches.instruction_l2
    behind[1] = &m.caches.instruction_l3
    for i in range(2):
        if behind[i].sets == 0:
            break
        code.behind_arrives[i] = <int64_t *>arena_zeroed(code.arena, <size_t>_lines(behind[i]) * sizeof(int64_t))
        if cache_make(&code.behind[i], behind[i], code.arena) < 0 or code.behind_arrives[i] == NULL:
            return -1
    return 0


cdef void fetch_close(CodeCaches *code, const MachineTable *m) noexcept nogil:
    """Give up what they have beside their arena, complete or not."""
    cdef int64_t i
    if code.first != NULL:
        for i in range(m.schedulers.count if m.caches.instruction.scope == CACHE_SCOPE_SCHEDULER else 1):
            cache_close(code.first + i)
    for i in range(2):
        cache_close(&code.behind[i])


cdef uint64_t fetch_base(const Launch *launch) noexcept nogil:
    """The number of a kernel's first line, less 1. Each program has a number in its session, each kernel that it launches one in it."""
    return (launch.origin.code << 12 | <uint64_t>(launch.kernel + 1 if launch.depth else 0)) << 28


cdef bint _bring(Cache *cache, int64_t *arrives, uint64_t number, int64_t when) noexcept nogil:
    """Give a line that is not there a place; it arrives at some cycle."""
    cdef Line *line = cache_victim(cache, number)
    if line == NULL:
        return False
    cache_take(cache, line, number)
    arrives[line - cache.lines] = when
    return True


cdef int64_t _ask(CodeCaches *code, const MachineTable *m, Cache *cache, int64_t *arrives, int level, uint64_t address, uint64_t end,
                  int64_t cycle) noexcept nogil:
    """When a line that is asked for now is there, out of a cache of some level; if that lacks it, the levels behind it bring it, and those
    behind it up to the kernel's end."""
    cdef uint64_t number
    cdef Line *line
    cdef int64_t when = cycle, at, i
    if level == 3 or cache.table.sets == 0:
        return cycle + m.caches.instruction_memory_cycles
    number = address // <uint64_t>cache.table.line_bytes
    line = cache_find(cache, number)
    if line != NULL:
        return max(cycle, arrives[line - cache.lines]) + cache.table.latency_cycles
    for i in range(cache.table.prefetch_degree + 1):
        address = (number + <uint64_t>i) * <uint64_t>cache.table.line_bytes
        if i and (address >= end or cache_probe(cache, number + <uint64_t>i) != NULL):
            continue
        at = _ask(code, m, &code.behind[min(level, 1)], code.behind_arrives[min(level, 1)], level + 1, address, end, cycle)
        if i == 0:
            when = at
        _bring(cache, arrives, number + <uint64_t>i, at - cache.table.latency_cycles)
    return when


cdef int64_t fetch(CodeCaches *code, SmCore *sm, Warp *w, const Uop *u) noexcept nogil:
    """Bring all lines of the warp's next op to its scheduler, the next after the last. Gives the cycle in which it can be issued."""
    cdef const CacheParameters *table = &w.launch.m.caches.instruction
    cdef int64_t cycle = sm.now, which = w.scheduler.number if w.launch.m.caches.instruction.scope == CACHE_SCOPE_SCHEDULER else 0, k
    cdef uint64_t base = w.launch.code_base, end = (base + <uint64_t>w.launch.code_lines + 1) * <uint64_t>table.line_bytes
    if code.first == NULL and _open(code, w.launch.m) < 0:
        sm.fault.out_of_memory = True
        return cycle
    for k in range(<int64_t>u.code_first, <int64_t>u.code_last + 1):
        if <uint64_t>k != w.code_line:
            cycle = _ask(code, w.launch.m, code.first + which, code.arrives + which * _lines(table), 0,
                         (base + <uint64_t>k) * <uint64_t>table.line_bytes, end, cycle)
    w.code_line = u.code_last
    return cycle


cdef void fetch_preload(CodeCaches *code, SmCore *sm, const Launch *launch) noexcept nogil:
    """Bring the beginning of a kernel to the last of the caches, as its launch does."""
    cdef int level = 1 if launch.m.caches.instruction_l3.sets else 0
    cdef Cache *cache = &code.behind[level]
    cdef uint64_t first, last, number
    if launch == code.launch and launch.serial == code.serial:
        return
    code.launch = launch
    code.serial = launch.serial
    if launch.m.caches.instruction_preload_bytes == 0 or launch.m.caches.instruction_l2.sets == 0:
        return
    if code.first == NULL and _open(code, launch.m) < 0:
        sm.fault.out_of_memory = True
        return
    first = (launch.code_base + 1) * <uint64_t>launch.m.caches.instruction.line_bytes
    last = first + <uint64_t>min(launch.code_lines * launch.m.caches.instruction.line_bytes, launch.m.caches.instruction_preload_bytes) - 1
    for number in range(first // <uint64_t>cache.table.line_bytes, last // <uint64_t>cache.table.line_bytes + 1):
        if cache_probe(cache, number) == NULL:
            _bring(cache, code.behind_arrives[level], number, sm.now)
