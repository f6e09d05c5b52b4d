"""A set-associative tag array with sectors. Tags only: data are in device memory."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from archdef.engine.arena cimport Arena, arena_room, arena_zeroed
from archdef.engine.clock cimport NEVER
from archdef.engine.pseudorandom cimport pseudorandom_below
from archdef.engine.parameters cimport SECTORS, CacheParameters
from archdef.engine.policy cimport ARCHDEF_CACHE_FILL, ARCHDEF_CACHE_HIT, ARCHDEF_CACHE_MISS, ARCHDEF_POLICY_WAYS, ARCHDEF_POLICY_WAY_WORDS
from archdef.engine.replacement cimport replacement_close, replacement_emptied, replacement_open, replacement_victim

cdef enum:
    NARROW = 16      # ways up to which a set is searched one by one; wider sets have an index of their lines and keep the order of use as a list

cdef int cache_make(Cache *cache, const CacheParameters *table, Arena *arena) noexcept nogil:
    """Make an empty cache; one of 0 sets stays without lines. Returns -1 if the host has no memory for it."""
    cache.table = table[0]
    cache.clock = 0
    cache.looked_up = <uint64_t>-1
    cache.asked = NULL
    cache.lines = NULL
    cache.tags = NULL
    cache.used = NULL
    cache.over_quota = NULL
    cache.sets_over_quota = 0
    cache.index = NULL
    cache.order = NULL
    cache.ends = NULL
    if table.sets == 0:
        return 0
    if table.partial_dirty_ways:
        cache.over_quota = <uint8_t *>arena_zeroed(arena, <size_t>table.sets)
        if cache.over_quota == NULL:
            return -1
    cache.lines = <Line *>arena_zeroed(arena, <size_t>(table.sets * table.ways) * sizeof(Line))
    cache.tags = <uint64_t *>arena_zeroed(arena, <size_t>(table.sets * table.ways) * sizeof(uint64_t))
    cache.used = <int64_t *>arena_zeroed(arena, <size_t>(table.sets * table.ways) * sizeof(int64_t))
    if cache.lines == NULL or cache.tags == NULL or cache.used == NULL:
        return -1
    if table.hook:
        cache.asked = replacement_open(table)
        return -1 if cache.asked == NULL else 0
    return _make_index(cache, arena) if table.ways > NARROW else 0


cdef int _make_index(Cache *cache, Arena *arena) noexcept nogil:
    """Give a cache of wide sets its index and the order of use."""
    cdef int64_t lines = cache.table.sets * cache.table.ways
    cache.index_mask = 1
    while <int64_t>cache.index_mask < 2 * lines:
        cache.index_mask *= 2
    cache.index_mask -= 1
    cache.index = <uint32_t *>arena_zeroed(arena, (<size_t>cache.index_mask + 1) * sizeof(uint32_t))
    cache.order = <int32_t *>arena_room(arena, <size_t>(2 * lines) * sizeof(int32_t))
    cache.ends = <int32_t *>arena_room(arena, <size_t>(2 * cache.table.sets) * sizeof(int32_t))
    if cache.index == NULL or cache.order == NULL or cache.ends == NULL:
        return -1
    _clear_order(cache)
    return 0


cdef void _clear_order(Cache *cache) noexcept nogil:
    """The order of use of empty sets: their ways one after the other."""
    cdef int64_t set_, i, ways = cache.table.ways
    cdef int32_t slot
    for set_ in range(cache.table.sets):
        cache.ends[2 * set_] = <int32_t>(set_ * ways)
        cache.ends[2 * set_ + 1] = <int32_t>(set_ * ways + ways - 1)
        for i in range(ways):
            slot = <int32_t>(set_ * ways + i)
            cache.order[2 * slot] = slot - 1 if i else -1
            cache.order[2 * slot + 1] = slot + 1 if i < ways - 1 else -1


cdef inline uint64_t _hashed(const Cache *cache, uint64_t tag) noexcept nogil:
    return tag * <uint64_t>0x9E3779B97F4A7C15 >> 32 & cache.index_mask


cdef inline int64_t _indexed(const Cache *cache, uint64_t tag) noexcept nogil:
    """The slot of a tag, -1 if it is not there."""
    cdef uint64_t at = _hashed(cache, tag)
    while cache.index[at]:
        if cache.tags[cache.index[at] - 1] == tag:
            return <int64_t>cache.index[at] - 1
        at = at + 1 & cache.index_mask
    return -1


cdef void _put_in_index(Cache *cache, uint64_t tag, int64_t slot) noexcept nogil:
    cdef uint64_t at = _hashed(cache, tag)
    while cache.index[at]:
        at = at + 1 & cache.index_mask
    cache.index[at] = <uint32_t>(slot + 1)


cdef void _take_from_index(Cache *cache, int64_t slot) noexcept nogil:
    """Forget a slot while its tag still stands; what was put behind it by a collision moves up."""
    cdef uint64_t at = _hashed(cache, cache.tags[slot]), next_, home
    while cache.index[at] != <uint32_t>(slot + 1):
        at = at + 1 & cache.index_mask
    next_ = at
    while True:
        next_ = next_ + 1 & cache.index_mask
        if cache.index[next_] == 0:
            break
        home = _hashed(cache, cache.tags[cache.index[next_] - 1])
        if (next_ - home & cache.index_mask) >= (next_ - at & cache.index_mask):
            cache.index[at] = cache.index[next_]
            at = next_
    cache.index[at] = 0


cdef inline void _make_latest(Cache *cache, int64_t slot) noexcept nogil:
    """Move a slot to the end of its set's order of use."""
    cdef int32_t *ends = cache.ends + 2 * (slot // cache.table.ways)
    cdef int32_t *order = cache.order
    cdef int32_t before = order[2 * slot], after = order[2 * slot + 1]
    if after < 0:
        return
    order[2 * after] = before
    if before >= 0:
        order[2 * before + 1] = after
    else:
        ends[0] = after
    order[2 * slot] = ends[1]
    order[2 * slot + 1] = -1
    order[2 * ends[1] + 1] = <int32_t>slot
    ends[1] = <int32_t>slot


cdef void cache_close(Cache *cache) noexcept nogil:
    """Give up what it has beside its arena."""
    replacement_close(cache.asked)
    cache.asked = NULL


cdef void cache_resize(Cache *cache, int64_t sets, int64_t ways) noexcept nogil:
    """Empty a cache and let it have so many sets of so many ways, no more lines than it was opened with. Nothing is on its way to it."""
    cache.table.sets = sets
    cache.table.ways = ways
    cache.table.set_mask = sets - 1 if sets & (sets - 1) == 0 else 0
    cache.looked_up = <uint64_t>-1
    memset(cache.lines, 0, <size_t>(sets * ways) * sizeof(Line))
    memset(cache.tags, 0, <size_t>(sets * ways) * sizeof(uint64_t))
    memset(cache.used, 0, <size_t>(sets * ways) * sizeof(int64_t))
    if cache.index != NULL:
        memset(cache.index, 0, (<size_t>cache.index_mask + 1) * sizeof(uint32_t))
        _clear_order(cache)
    if cache.asked != NULL:
        replacement_emptied(cache.asked, sets * ways)


cdef inline uint64_t _first(Cache *cache, uint64_t line) noexcept nogil:
    """Index of the first way of a line's set. A place is mostly taken for the line that was just looked up in vain."""
    if cache.looked_up != line:
        cache.looked_up = line
        cache.first = cache_set(cache, line) * <uint64_t>cache.table.ways
    return cache.first


cdef Line *cache_find(Cache *cache, uint64_t line) noexcept nogil:
    """The line (number: address // line_bytes) if present, marked as used; else NULL. A plugin's policy hears of it."""
    cdef Line *found = cache_probe(cache, line)
    if cache.asked != NULL:
        cache_tell(cache, ARCHDEF_CACHE_HIT if found != NULL else ARCHDEF_CACHE_MISS, line, found)
    return found


cdef Line *cache_probe(Cache *cache, uint64_t line) noexcept nogil:
    """The same where it is not for a lookup that will be answered: no policy hears of it."""
    cdef uint64_t first
    cdef const uint64_t *tags
    cdef int64_t i
    if cache.index != NULL:
        i = _indexed(cache, line + 1)
        if i < 0:
            return NULL
        cache.clock += 1
        cache.used[i] = cache.clock
        _make_latest(cache, i)
        return cache.lines + i
    first = _first(cache, line)
    tags = cache.tags + first
    for i in range(cache.table.ways):
        if tags[i] == line + 1:
            cache.clock += 1
            cache.used[first + <uint64_t>i] = cache.clock
            return cache.lines + first + i
    return NULL


cdef inline bint _filling(const Line *line) noexcept nogil:
    """Whether data of the line is on its way. `fill` of an empty one means nothing."""
    cdef int i
    cdef bint found = False
    for i in range(SECTORS):
        found |= line.fill[i] >= 0
    return found and line.tag != 0


cdef bint cache_has_room(Cache *cache, uint64_t line) noexcept nogil:
    """Whether `cache_victim` would find a slot. A plugin's policy is not asked."""
    if cache.asked == NULL:
        return cache_victim(cache, line) != NULL
    return cache_busy(cache, line) < min(cache.table.ways, ARCHDEF_POLICY_WAYS)


cdef int64_t cache_busy(const Cache *cache, uint64_t line) noexcept nogil:
    """How many ways of a line's set wait for data."""
    cdef const Line *way = cache.lines + cache_set(cache, line) * <uint64_t>cache.table.ways
    cdef int64_t i, found = 0
    for i in range(cache.table.ways):
        found += _filling(way + i)
    return found


cdef Line *_asked(Cache *cache, uint64_t first, uint64_t line) noexcept nogil:
    """The same where a plugin's policy says which of a full set."""
    cdef uint64_t lines[ARCHDEF_POLICY_WAYS]
    cdef uint64_t busy[ARCHDEF_POLICY_WAY_WORDS]
    cdef Line *way = cache.lines + first
    cdef int64_t i, ways = min(cache.table.ways, ARCHDEF_POLICY_WAYS), free_way = -1
    memset(busy, 0, <size_t>((ways + 63) // 64 * 8))
    for i in range(ways):
        if way[i].tag == 0:
            return &way[i]
        lines[i] = way[i].tag - 1
        if _filling(&way[i]):
            busy[i >> 6] |= <uint64_t>1 << (i & 63)
        elif free_way < 0:
            free_way = i
    if free_way < 0:
        return NULL
    i = replacement_victim(cache.asked, line, <int64_t>cache_set(cache, line), cache.clock, lines, cache.used + first, busy, cache.table.sets, ways)
    return &way[i if i >= 0 else free_way]


cdef Line *_any_of_oldest(Cache *cache, uint64_t first) noexcept nogil:
    """An empty slot, else one of the k least recently used at random, of those without a fill on its way; NULL if none."""
    cdef const int64_t *used = cache.used + first
    cdef int64_t i, last = -1, found = -1, next_, least, turn = pseudorandom_below(<uint64_t>cache.clock, <uint32_t>cache.table.random_of_k)
    while turn >= 0:
        next_ = -1
        least = NEVER
        for i in range(cache.table.ways):       # stamps of lines differ, and those of empty slots are 0
            if last < used[i] < least:
                least = used[i]
                next_ = i
        if next_ < 0:
            break
        last = least
        if _filling(cache.lines + first + next_):
            continue
        found = next_
        if last == 0:
            break
        turn -= 1
    return cache.lines + first + found if found >= 0 else NULL


cdef Line *_oldest_of_wide(Cache *cache, uint64_t line) noexcept nogil:
    """The same from the order of use of a wide set."""
    cdef int64_t turn = pseudorandom_below(<uint64_t>cache.clock, <uint32_t>cache.table.random_of_k) if cache.table.random_of_k > 1 else 0
    cdef int32_t slot = cache.ends[2 * cache_set(cache, line)], found = -1
    while slot >= 0:
        if not _filling(cache.lines + slot):
            found = slot
            if turn == 0 or cache.tags[slot] == 0:
                break
            turn -= 1
        slot = cache.order[2 * slot + 1]
    return cache.lines + found if found >= 0 else NULL


cdef Line *cache_victim(Cache *cache, uint64_t line) noexcept nogil:
    """The slot to take for a new line: an empty one, else the least recently used without a fill on its way; NULL if none."""
    cdef uint64_t first
    cdef const int64_t *used
    cdef int64_t i, best = 0, found = -1, least
    if cache.index != NULL:
        return _oldest_of_wide(cache, line)
    first = _first(cache, line)
    used = cache.used + first
    if cache.asked != NULL:
        return _asked(cache, first, line)
    if cache.table.random_of_k > 1:
        return _any_of_oldest(cache, first)
    least = used[0]
    for i in range(1, cache.table.ways):
        if used[i] < least:
            least = used[i]
            best = i
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
    if cache.index != NULL:
        if cache.tags[place]:
            _take_from_index(cache, place)
        _put_in_index(cache, line + 1, place)
        _make_latest(cache, place)
    cache.tags[place] = line + 1
    cache.used[place] = cache.clock
    slot.tag = line + 1
    slot.valid = 0
    slot.dirty = 0
    slot.partly = 0
    for i in range(SECTORS):
        slot.fill[i] = -1
    if cache.asked != NULL:
        cache_tell(cache, ARCHDEF_CACHE_FILL, line, slot)
