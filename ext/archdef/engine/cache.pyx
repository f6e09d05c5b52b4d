"""A set-associative tag array with sectors. Tags only: data are in device memory."""
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from archdef.engine.chance cimport by_chance
from archdef.engine.machine cimport CacheTable
from archdef.engine.policy cimport Hook, ask_replacement


cdef int cache_make(Cache *cache, const CacheTable *table) noexcept nogil:
    """Make an empty cache; one of 0 sets stays without lines. Returns -1 if the host has no memory for it."""
    cache.table = table[0]
    cache.clock = 0
    cache.looked_up = <uint64_t>-1
    memset(cache.state, 0, sizeof(cache.state))
    cache.lines = NULL
    cache.tags = NULL
    cache.used = NULL
    cache.crowded = NULL
    cache.crowds = 0
    if table.sets == 0:
        return 0
    if table.partial_ways:
        cache.crowded = <uint8_t *>calloc(<size_t>table.sets, 1)
        if cache.crowded == NULL:
            return -1
    cache.lines = <Line *>calloc(<size_t>(table.sets * table.ways), sizeof(Line))
    cache.tags = <uint64_t *>calloc(<size_t>(table.sets * table.ways), sizeof(uint64_t))
    cache.used = <int64_t *>calloc(<size_t>(table.sets * table.ways), sizeof(int64_t))
    return -1 if cache.lines == NULL or cache.tags == NULL or cache.used == NULL else 0


cdef int cache_open(Cache *cache, const CacheTable *table) except -1:
    """The same. Raises MemoryError."""
    if cache_make(cache, table) < 0:
        raise MemoryError("tags of a cache")
    return 0


cdef void cache_close(Cache *cache) noexcept nogil:
    free(cache.lines)
    free(cache.tags)
    free(cache.used)
    free(cache.crowded)
    cache.lines = NULL
    cache.tags = NULL
    cache.used = NULL
    cache.crowded = NULL


cdef void cache_resize(Cache *cache, int64_t sets) noexcept nogil:
    """Empty a cache and let it have so many sets, no more than it was opened with. Nothing is on its way to it."""
    cache.table.sets = sets
    cache.table.set_mask = sets - 1 if sets & (sets - 1) == 0 else 0
    cache.looked_up = <uint64_t>-1
    memset(cache.lines, 0, <size_t>(sets * cache.table.ways) * sizeof(Line))
    memset(cache.tags, 0, <size_t>(sets * cache.table.ways) * sizeof(uint64_t))
    memset(cache.used, 0, <size_t>(sets * cache.table.ways) * sizeof(int64_t))


cdef inline uint64_t _first(Cache *cache, uint64_t line) noexcept nogil:
    """Index of the first way of a line's set. A place is mostly taken for the line that was just looked up in vain."""
    if cache.looked_up != line:
        cache.looked_up = line
        cache.first = cache_set(cache, line) * <uint64_t>cache.table.ways
    return cache.first


cdef Line *cache_find(Cache *cache, uint64_t line) noexcept nogil:
    """The line (number: address // line_bytes) if present, marked as used; else NULL."""
    cdef uint64_t first = _first(cache, line)
    cdef const uint64_t *tags = cache.tags + first
    cdef int64_t i
    for i in range(cache.table.ways):
        if tags[i] == line + 1:
            cache.clock += 1
            cache.used[first + <uint64_t>i] = cache.clock
            return cache.lines + first + i
    return NULL


cdef inline bint _filling(const Line *line) noexcept nogil:
    """Whether data of the line is on its way. `fill` of an empty one means nothing."""
    return line.tag != 0 and (line.fill[0] >= 0 or line.fill[1] >= 0 or line.fill[2] >= 0 or line.fill[3] >= 0)


cdef Line *_asked(Cache *cache, uint64_t first, uint64_t line) noexcept nogil:
    """The same where a plugin's policy says which of a full set."""
    cdef uint64_t lines[64]
    cdef uint64_t busy = 0
    cdef Line *way = cache.lines + first
    cdef int64_t i, ways = min(cache.table.ways, 64), free_way = -1
    for i in range(ways):
        if way[i].tag == 0:
            return &way[i]
        lines[i] = way[i].tag - 1
        if _filling(&way[i]):
            busy |= <uint64_t>1 << i
        elif free_way < 0:
            free_way = i
    if free_way < 0:
        return NULL
    i = ask_replacement(<Hook *><size_t>cache.table.hook, cache.state, line, <int64_t>cache_set(cache, line), ways, lines,
                        cache.used + first, busy)
    return &way[i if i >= 0 else free_way]


cdef Line *_any_of_oldest(Cache *cache, uint64_t first) noexcept nogil:
    """An empty slot, else by chance one of the few used longest ago, of those without a fill on its way; NULL if none."""
    cdef const int64_t *used = cache.used + first
    cdef int64_t i, last = -1, found = -1, next_, turn = by_chance(<uint64_t>cache.clock, <uint32_t>cache.table.among_oldest)
    while turn >= 0:
        next_ = -1
        for i in range(cache.table.ways):
            if used[i] > last and (next_ < 0 or used[i] < used[next_]) and not _filling(cache.lines + first + i):
                next_ = i
        if next_ < 0:
            break
        found = next_
        last = used[found]
        if last == 0:
            break
        turn -= 1
    return cache.lines + first + found if found >= 0 else NULL


cdef Line *cache_victim(Cache *cache, uint64_t line) noexcept nogil:
    """The slot to take for a new line: an empty one, else the least recently used without a fill on its way; NULL if none."""
    cdef uint64_t first = _first(cache, line)
    cdef const int64_t *used = cache.used + first
    cdef int64_t i, best = 0, found = -1
    if cache.table.hook:
        return _asked(cache, first, line)
    if cache.table.among_oldest > 1:
        return _any_of_oldest(cache, first)
    for i in range(1, cache.table.ways):
        best = i if used[i] < used[best] else best
    if not _filling(cache.lines + first + best):
        return cache.lines + first + best
    for i in range(cache.table.ways):
        if (found < 0 or used[i] < used[found]) and not _filling(cache.lines + first + i):
            found = i
    return cache.lines + first + found if found >= 0 else NULL


cdef void cache_take(Cache *cache, Line *slot, uint64_t line) noexcept nogil:
    """Put a new line, without any sector yet, into a slot."""
    cdef int i
    cdef int64_t place = slot - cache.lines
    cache.clock += 1
    cache.tags[place] = line + 1
    cache.used[place] = cache.clock
    slot.tag = line + 1
    slot.valid = 0
    slot.dirty = 0
    slot.partly = 0
    for i in range(4):
        slot.fill[i] = -1
