"""A set-associative tag array with sectors and least-recently-used replacement. Tags only: data are in device memory."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from archdef.engine.machine cimport CacheTable

cdef struct Line:
    uint64_t tag         # line number + 1; 0: empty
    int64_t used         # time stamp of the last access
    uint32_t valid       # sectors present or on their way
    uint16_t dirty       # sectors to write back
    uint16_t partly      # four bits a sector that is dirty but not valid: words of it that have been written
    int32_t fill[4]      # per sector: whatever its owner needs to find the fill on its way, -1: none

cdef struct Cache:
    CacheTable table
    Line *lines          # [sets][ways]
    int64_t clock
    int64_t state[16]    # of a plugin's replacement

cdef inline uint64_t cache_set(const Cache *cache, uint64_t line) noexcept nogil:
    """The set that holds a line."""
    cdef uint64_t folded = line
    cdef int64_t i
    for i in range(cache.table.hash_bits):
        folded ^= (line >> cache.table.hash_shifts[i] & 1) << i
    return folded % <uint64_t>cache.table.sets

cdef int cache_open(Cache *cache, const CacheTable *table) except -1
cdef void cache_close(Cache *cache) noexcept nogil
cdef Line *cache_find(Cache *cache, uint64_t line) noexcept nogil
cdef Line *cache_victim(Cache *cache, uint64_t line) noexcept nogil
cdef void cache_take(Cache *cache, Line *slot, uint64_t line) noexcept nogil
