"""A set-associative tag array with sectors. Tags only: data are in device memory."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.parameters cimport SECTORS, CacheParameters
from archdef.engine.replacement cimport Replacement, replacement_told

cdef enum:
    ALL_SECTORS = (1 << SECTORS) - 1

cdef struct Line:
    uint64_t tag         # line number + 1; 0: empty
    uint32_t valid       # sectors present or on their way; above them, flags of the owner
    uint16_t dirty       # sectors to write back
    uint16_t partly      # four bits a sector that is dirty but not valid: words of it that have been written
    int32_t fill[SECTORS]  # per sector: whatever its owner needs to find the fill on its way, -1: none

cdef struct Cache:
    CacheParameters table
    Line *lines          # [sets][ways]
    uint64_t *tags       # [sets][ways]: the lines' tags once more, side by side, because that is what lookups read
    int64_t *used        # [sets][ways]: time stamp of the last access; 0: empty
    uint64_t looked_up   # the line number of the latest lookup, and the index of its set's first way
    uint64_t first
    int64_t clock
    Replacement *asked   # a plugin's replacement policy, NULL: there is none
    uint32_t *index      # of caches of wide sets: a hash table of 1 + the slots of lines that are there, 0: none; NULL: sets are searched …
    uint64_t index_mask  # … its size less one, a power of two at least twice the lines …
    int32_t *order       # … and [sets][ways][2]: the slot used next before, and next after it, in its set (-1: none) …
    int32_t *ends        # … with [sets][2]: the slot used longest ago, and the latest
    uint8_t *over_quota  # [sets]: 1: more lines are written in part than a set keeps; NULL where none are …
    int64_t sets_over_quota  # … and how many such sets there are

cdef inline uint64_t cache_set(const Cache *cache, uint64_t line) noexcept nogil:
    """The set that holds a line."""
    cdef uint64_t folded = line
    cdef int64_t i, right
    for i in range(cache.table.folds):
        right = cache.table.fold_rights[i]
        folded ^= (line >> right | line << (64 - right & 63)) & <uint64_t>cache.table.fold_masks[i]
    if cache.table.set_mask:
        return folded & <uint64_t>cache.table.set_mask
    return folded % <uint64_t>cache.table.sets

cdef inline void cache_tell(const Cache *cache, int64_t event, uint64_t line, const Line *slot) noexcept nogil:
    """Tell a plugin's replacement policy, if there is one, what has happened to a line; `slot` is NULL where it stands nowhere."""
    if cache.asked != NULL:
        replacement_told(cache.asked, event, line, <int64_t>cache_set(cache, line), (slot - cache.lines) % cache.table.ways if slot != NULL else -1,
                         cache.clock, cache.table.sets, cache.table.ways)

cdef int cache_make(Cache *cache, const CacheParameters *table, Arena *arena) noexcept nogil
cdef void cache_close(Cache *cache) noexcept nogil
cdef void cache_resize(Cache *cache, int64_t sets, int64_t ways) noexcept nogil
cdef Line *cache_probe(Cache *cache, uint64_t line) noexcept nogil
cdef Line *cache_find(Cache *cache, uint64_t line) noexcept nogil
cdef bint cache_has_room(Cache *cache, uint64_t line) noexcept nogil
cdef int64_t cache_busy(const Cache *cache, uint64_t line) noexcept nogil
cdef Line *cache_victim(Cache *cache, uint64_t line) noexcept nogil
cdef void cache_take(Cache *cache, Line *slot, uint64_t line) noexcept nogil
