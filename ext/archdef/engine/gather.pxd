"""Requests of one cluster for the same sectors of a line, answered together at the partition."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.network cimport Network, Request

cdef int gather_open(Network *n) except -1
cdef void gather_close(Network *n) noexcept nogil
cdef bint gather_join(Network *n, int32_t which, uint64_t number, uint32_t wanted, int32_t sm, const Request *r, int64_t time_fs) noexcept nogil
cdef void gather_answered(Network *n, int64_t record, int64_t arrival_fs) noexcept nogil
