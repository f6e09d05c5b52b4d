"""Lines of the L2 that stores have written, in whole or in part: how many a set keeps, and how they go to DRAM.

A store that leaves bytes of a sector alone writes it in part. DRAM takes whole sectors, so such a one is read before it is written back.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from archdef.engine.bits cimport count_bits
from archdef.engine.cache cimport Cache, Line, cache_set
from archdef.engine.dram cimport DIR_READ, DIR_WRITE
from archdef.engine.parameters cimport SECTORS
from archdef.engine.partition cimport Partition, partition_enqueue


cdef void _complete(Partition *p, Line *line, int64_t time_fs) noexcept nogil:
    """Read the sectors of a line that were written in part: what DRAM takes is whole."""
    cdef uint32_t sectors = line.dirty & ~line.valid
    line.partly = 0
    if sectors:
        line.valid |= sectors
        partition_enqueue(p, time_fs, (line.tag - 1) * <uint64_t>p.m.caches.l2.line_bytes, count_bits(sectors) * p.m.caches.l2.sector_bytes, DIR_READ)


cdef void write_dirty(Partition *p, Line *line, int64_t time_fs) noexcept nogil:
    """See `write_back`."""
    if line.partly:
        _complete(p, line, time_fs)
    partition_enqueue(p, time_fs, (line.tag - 1) * <uint64_t>p.m.caches.l2.line_bytes,
                      count_bits(line.dirty) * p.m.caches.l2.sector_bytes, DIR_WRITE)


cdef int64_t _oldest_of(const Cache *cache, int64_t first, bint partly, int64_t *count) noexcept nogil:
    """Of the lines of a set that are written, or written in part, that which was used longest ago, -1: there is none; and how many there are."""
    cdef int64_t i, oldest = -1
    count[0] = 0
    for i in range(first, first + cache.table.ways):
        if cache.lines[i].partly if partly else cache.lines[i].dirty:
            count[0] += 1
            if oldest < 0 or cache.used[i] < cache.used[oldest]:
                oldest = i
    return oldest


cdef void limit_dirty_ways(Partition *p, uint64_t number, int64_t time_fs) noexcept nogil:
    """A line is newly written: if there are too many such in its set, write back that which was used longest ago."""
    cdef Cache *cache = &p.l2
    cdef int64_t count, oldest = _oldest_of(cache, <int64_t>cache_set(cache, number) * cache.table.ways, False, &count)
    if count > cache.table.dirty_ways:
        write_back(p, cache.lines + oldest, time_fs)
        cache.lines[oldest].dirty = 0


cdef void evict_over_quota(Partition *p, uint64_t number, int64_t time_fs) noexcept nogil:
    """See `limit_partial_dirty_ways`."""
    cdef Cache *cache = &p.l2
    cdef uint64_t place = cache_set(cache, number)
    cdef int64_t oldest, count
    if not cache.over_quota[place]:
        return
    oldest = _oldest_of(cache, <int64_t>place * cache.table.ways, True, &count)
    if count > cache.table.partial_dirty_ways and cache.lines[oldest].tag != number + 1:
        write_back(p, cache.lines + oldest, time_fs)
        cache.lines[oldest].dirty = 0
        count -= 1
    if count <= cache.table.partial_dirty_ways:
        cache.over_quota[place] = 0
        cache.sets_over_quota -= 1


cdef void write_part(Partition *p, Line *line, uint32_t wanted, int64_t covered) noexcept nogil:
    """Note what a store that leaves bytes of its sectors alone has written."""
    cdef Cache *cache = &p.l2
    cdef int64_t words = max(covered // 4 // count_bits(wanted), 1), sum, whole = cache.table.sector_bytes // 4, count
    cdef uint64_t place = cache_set(cache, line.tag - 1)
    cdef uint32_t sector
    for sector in range(SECTORS):
        if wanted & ~line.valid & (<uint32_t>1 << sector):
            sum = (line.partly >> 4 * sector & 15) + words
            line.partly &= ~(<uint32_t>15 << 4 * sector)
            if sum >= whole:
                line.valid |= <uint32_t>1 << sector
            else:
                line.partly |= <uint32_t>sum << 4 * sector
    line.dirty |= wanted
    if not cache.over_quota[place]:
        _oldest_of(cache, <int64_t>place * cache.table.ways, True, &count)
        if count > cache.table.partial_dirty_ways:  # until the next access to the set
            cache.over_quota[place] = 1
            cache.sets_over_quota += 1
