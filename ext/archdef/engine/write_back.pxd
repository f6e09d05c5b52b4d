"""Lines of the L2 that stores have written, in whole or in part: how many a set keeps, and how they go to DRAM."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from archdef.engine.cache cimport Line
from archdef.engine.partition cimport Partition

cdef inline void line_written(Partition *p, Line *line, uint32_t sectors, int64_t time_fs) noexcept nogil:
    """Note sectors that are to be written back; a set keeps only so many lines that are."""
    cdef bint first = line.dirty == 0
    line.dirty |= sectors
    if first and p.l2.table.dirty_ways:
        limit_dirty_ways(p, line.tag - 1, time_fs)

cdef inline void write_back(Partition *p, Line *line, int64_t time_fs) noexcept nogil:
    """Queue a victim's dirty sectors; those written in part are read first."""
    if line.tag and line.dirty:
        write_dirty(p, line, time_fs)

cdef inline void limit_partial_dirty_ways(Partition *p, uint64_t number, int64_t time_fs) noexcept nogil:
    """An access to a set: of the lines there that are written in part, if they are too many, complete that which was used longest ago, unless
    it is the one accessed."""
    if p.l2.sets_over_quota:
        evict_over_quota(p, number, time_fs)

cdef void limit_dirty_ways(Partition *p, uint64_t number, int64_t time_fs) noexcept nogil
cdef void evict_over_quota(Partition *p, uint64_t number, int64_t time_fs) noexcept nogil
cdef void write_part(Partition *p, Line *line, uint32_t wanted, int64_t covered) noexcept nogil
cdef void write_dirty(Partition *p, Line *line, int64_t time_fs) noexcept nogil
