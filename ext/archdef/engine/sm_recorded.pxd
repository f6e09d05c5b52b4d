"""One multiprocessor, run from event to event, whose warps' issues are recorded."""
from libc.stdint cimport int64_t

from archdef.engine.sm cimport Sm

cdef int sm_run(Sm *sm, int64_t until) noexcept nogil
