"""A texture cache that the multiprocessors of a cluster share."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.network cimport Network, Request

cdef int shared_texture_open(Network *n) except -1
cdef void shared_texture_close(Network *n) noexcept nogil
cdef void shared_texture_filled(Network *n, int32_t sm, int32_t slot, int64_t arrival_fs) noexcept nogil
cdef bint shared_texture_has(Network *n, int32_t sm, const Request *r, int64_t now_fs) noexcept nogil
cdef void shared_texture_fetch(Network *n, int32_t sm, Request *r) noexcept nogil
