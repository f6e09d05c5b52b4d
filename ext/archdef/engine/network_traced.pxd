"""Events of the network while requests are recorded."""
from libc.stdint cimport int64_t

from archdef.engine.network cimport Network

cdef void network_run(Network *n, int64_t until_fs) noexcept nogil
