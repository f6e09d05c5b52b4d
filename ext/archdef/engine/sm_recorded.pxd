"""One multiprocessor, run from event to event, of whose warps some are recorded."""
from libc.stdint cimport int64_t

from archdef.engine.sm cimport Sm

cdef int sm_run(Sm *sm, int64_t until) noexcept nogil
