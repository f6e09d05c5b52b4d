"""One multiprocessor: schedulers issue the ops of ready warps, from event to event. Nothing of that is recorded."""
from libc.stdint cimport int64_t

from archdef.engine.launch cimport Warp
from archdef.engine.uop cimport Uop


cdef inline void note_issue(Warp *w, const Uop *u, int64_t issue, int64_t begin, int64_t before, int64_t throttled, int64_t busy, int64_t rest,
                            int64_t spent) noexcept nogil:
    """There is no timeline here, so that the usual case does not even look for one: see `sm_recorded.pyx`."""


include "sm.pxi"
