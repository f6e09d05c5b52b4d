"""Which block starts where and when."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.dispatcher cimport Dispatcher

cdef void dispatch_collect(Dispatcher *d) noexcept nogil
cdef int dispatch_run(Dispatcher *d, int64_t until) noexcept nogil
cdef int64_t dispatch_wish(Dispatcher *d, int64_t others) noexcept nogil
cdef bint dispatch_wishes_alone(const Dispatcher *d) noexcept nogil
cdef int64_t dispatch_next(const Dispatcher *d) noexcept nogil
cdef void dispatch_close(Dispatcher *d) noexcept nogil
