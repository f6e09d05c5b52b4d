# What `network.pyx` and `network_linked.pyx` do where `network_traced.pyx` records requests: nothing, so that the usual case does not even look whether
# it is to.
from libc.stdint cimport int32_t, int64_t

from archdef.engine.l2_slice cimport L2
from archdef.engine.port cimport Request


cdef inline void note_refused(Network *n, const Request *r, int32_t which, int64_t now_fs) noexcept nogil:
    """A request finds no room where it goes."""


cdef inline void note_left(Network *n, const Request *r, int32_t which, int64_t now_fs, int64_t arrival_fs) noexcept nogil:
    """A request is on its way."""


cdef inline void note_linked(Network *n, const Request *r, int64_t now_fs, int64_t arrival_fs, int64_t done_fs) noexcept nogil:
    """A request has gone to a link."""


cdef inline void note_served(L2 *l2, int32_t which, int32_t index, int64_t done_fs) noexcept nogil:
    """A transaction of DRAM is over."""
