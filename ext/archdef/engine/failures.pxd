"""Calls of the device runtime that fail: each thread's last error, and what no thread has looked at."""
from libc.stdint cimport int32_t, uint32_t

from archdef.engine.launch cimport Warp

cdef void call_failed(Warp *w, int lane, int32_t error, bint seen) noexcept nogil
cdef void call_refused(Warp *w, int32_t error, bint seen) noexcept nogil
cdef int32_t last_error(Warp *w, int lane, uint32_t forget) noexcept nogil
cdef void errors_settle(Warp *w) noexcept nogil
