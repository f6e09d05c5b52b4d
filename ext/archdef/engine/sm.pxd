"""One multiprocessor: blocks, warps, schedulers and scoreboard, run from event to event."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.events cimport Events
from archdef.engine.network cimport Network
from archdef.engine.state cimport Launch, Sm

cdef int sm_open(Sm *sm, int32_t number, Launch *launch, Network *network, Events *inbox) except -1
cdef void sm_close(Sm *sm) noexcept nogil
cdef int sm_run(Sm *sm, int64_t until) noexcept nogil
cdef int64_t sm_next(const Sm *sm) noexcept nogil
