"""One multiprocessor whose warps execute without taking time."""
from libc.stdint cimport int64_t

from archdef.engine.sm cimport Sm

cdef int sm_run(Sm *sm, int64_t until) noexcept nogil
