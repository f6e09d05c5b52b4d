"""Everything beyond the multiprocessors, while launches may access memory behind links: of the host, or of other devices."""
from archdef.engine.l2_slice cimport l2_arrive, l2_served
from archdef.engine.port cimport Request
from archdef.engine.remote cimport is_remote


cdef inline bint is_linked(const Network *n, const Request *r) noexcept nogil:
    """Whether a request is for memory behind a link."""
    return is_remote(&n.remote, r.address)


include "network_unrecorded.pxi"
include "network.pxi"
