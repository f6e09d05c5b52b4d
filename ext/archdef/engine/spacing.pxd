"""Where the ops of a program lie in memory and in time."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.uop cimport Uop

cdef int64_t code_place(Uop *ops, int32_t count, int64_t instruction_bytes, int64_t line_bytes) noexcept nogil
cdef void space_out(Uop *ops, int32_t count, int64_t gap, int64_t distance) noexcept nogil
cdef void find_queued(Uop *ops, int32_t count, int64_t units) noexcept nogil
