"""Everything beyond the multiprocessors, while launches may access memory behind links: of the host, or of other devices."""
from libc.stdint cimport int64_t

from archdef.engine.network cimport Network

cdef void network_run(Network *n, int64_t until_fs) noexcept nogil
