"""Times: cycles of a multiprocessor, femtoseconds beyond it."""
from libc.stdint cimport int64_t

from archdef.engine.machine cimport MachineTable

cdef enum:
    NEVER = 0x3fffffffffffffff

cdef inline int64_t cycle_at(const MachineTable *m, int64_t time_fs) noexcept nogil:
    """The first cycle of the multiprocessors' clock that does not begin before a time."""
    return (time_fs + m.clocks.shader_period_fs - 1) // m.clocks.shader_period_fs
