"""One multiprocessor: blocks, warps, schedulers and scoreboard, run from event to event."""
from libc.stdint cimport int64_t

from archdef.engine.state cimport Sm

cdef int sm_run(Sm *sm, int64_t until) noexcept nogil
