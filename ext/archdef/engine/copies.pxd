"""Copies of lines in an L2 partition in which they are not at home.

What is read from another L2 partition is kept there, too; its data are not told apart from the original's.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.cache cimport Line
from archdef.engine.machine cimport MachineTable
from archdef.engine.partition cimport Partition

cdef enum:
    COPIED = 1 << 7          # in `Line.valid`, to the left by the L2 partitions in between: that L2 partition has had a copy

cdef inline int32_t copy_partition(const MachineTable *m, int32_t which, int32_t apart) noexcept nogil:
    """The partition by which an L2 partition, so many further on, keeps copies of the lines of one."""
    return <int32_t>((which + apart * (m.dram.partitions // m.interconnect.l2_partitions.count)) % m.dram.partitions)

cdef inline bint copied(const Line *line, int32_t apart) noexcept nogil:
    """Whether the L2 partition that is so many further on has had a copy."""
    return line.valid >> apart & COPIED != 0

cdef void copy_take(Partition *partitions, int32_t which, Line *line, int32_t apart, int64_t time_fs) noexcept nogil
