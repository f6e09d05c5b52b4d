"""Copies of lines in an L2 partition in which they are not at home."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.cache cimport Cache, Line, cache_take, cache_victim
from archdef.engine.partition cimport Partition, partition_ready
from archdef.engine.write_back cimport write_back


cdef void copy_take(Partition *partitions, int32_t which, Line *line, int32_t apart, int64_t time_fs) noexcept nogil:
    """Give a line of a partition a place in the L2 partition that asked for it, so many further on."""
    cdef Partition *other = partitions + copy_partition(partitions.m, which, apart)
    cdef Cache *cache = &other.l2
    cdef uint64_t sets, number
    cdef Line *copy
    if not partition_ready(other):
        return
    sets = <uint64_t>cache.table.sets
    number = line.tag - 1 + <uint64_t>apart * ((<uint64_t>1 << 44) // sets) * sets      # a line number of its own, in the same set
    copy = cache_victim(cache, number)
    if copy != NULL:
        write_back(other, copy, time_fs)
        cache_take(cache, copy, number)
    line.valid |= <uint32_t>COPIED << apart
