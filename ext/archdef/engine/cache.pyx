"""A set-associative tag array with sectors and least-recently-used replacement. Tags only: data are in device memory."""
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from archdef.engine.machine cimport CacheTable
from archdef.engine.policy cimport Hook, ask_replacement


cdef int cache_open(Cache *cache, const CacheTable *table) except -1:
    """Make an empty cache; one of 0 sets stays without lines."""
    cache.table = table[0]
    cache.clock = 0
    memset(cache.state, 0, sizeof(cache.state))
    cache.lines = NULL
    if table.sets == 0:
        return 0
    cache.lines = <Line *>calloc(<size_t>(table.sets * table.ways), sizeof(Line))
    if cache.lines == NULL:
        raise MemoryError("tags of a cache")
    return 0


cdef void cache_close(Cache *cache) noexcept nogil:
    free(cache.lines)
    cache.lines = NULL


cdef Line *cache_find(Cache *cache, uint64_t line) noexcept nogil:
    """The line (number: address // line_bytes) if present, marked as used; else NULL."""
    cdef Line *way = cache.lines + cache_set(cache, line) * <uint64_t>cache.table.ways
    cdef int64_t i
    for i in range(cache.table.ways):
        if way[i].tag == line + 1:
            cache.clock += 1
            way[i].used = cache.clock
            return &way[i]
    return NULL


cdef Line *_asked(Cache *cache, Line *way, uint64_t line) noexcept nogil:
    """The same where a plugin's policy says which of a full set."""
    cdef uint64_t lines[64]
    cdef int64_t used[64]
    cdef uint64_t busy = 0
    cdef int64_t i, ways = min(cache.table.ways, 64), first = -1
    for i in range(ways):
        if way[i].tag == 0:
            return &way[i]
        lines[i] = way[i].tag - 1
        used[i] = way[i].used
        if way[i].fill[0] >= 0 or way[i].fill[1] >= 0 or way[i].fill[2] >= 0 or way[i].fill[3] >= 0:
            busy |= <uint64_t>1 << i
        elif first < 0:
            first = i
    if first < 0:
        return NULL
    i = ask_replacement(<Hook *><size_t>cache.table.hook, cache.state, line, <int64_t>cache_set(cache, line), ways, lines, used,
                        busy)
    return &way[i if i >= 0 else first]


cdef Line *cache_victim(Cache *cache, uint64_t line) noexcept nogil:
    """The slot to take for a new line: an empty one, else the least recently used without a fill on its way; NULL if none."""
    cdef Line *way = cache.lines + cache_set(cache, line) * <uint64_t>cache.table.ways
    cdef Line *best = NULL
    cdef int64_t i
    if cache.table.hook:
        return _asked(cache, way, line)
    for i in range(cache.table.ways):
        if way[i].tag == 0:
            return &way[i]
        if way[i].fill[0] >= 0 or way[i].fill[1] >= 0 or way[i].fill[2] >= 0 or way[i].fill[3] >= 0:
            continue
        if best == NULL or way[i].used < best.used:
            best = &way[i]
    return best


cdef void cache_take(Cache *cache, Line *slot, uint64_t line) noexcept nogil:
    """Put a new line, without any sector yet, into a slot."""
    cdef int i
    cache.clock += 1
    slot.tag = line + 1
    slot.used = cache.clock
    slot.valid = 0
    slot.dirty = 0
    slot.partly = 0
    for i in range(4):
        slot.fill[i] = -1
