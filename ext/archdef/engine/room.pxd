"""Host memory of one multiprocessor: taken when a launch is made, given back at its end."""
from libc.stdint cimport int32_t

from archdef.engine.events cimport Events
from archdef.engine.network cimport Network
from archdef.engine.state cimport Launch, Sm

cdef enum:
    WAITERS = 2048           # loads that can wait for lines on their way, per multiprocessor

cdef int sm_open(Sm *sm, int32_t number, Launch *launch, Network *network, Events *inbox) except -1
cdef void sm_close(Sm *sm) noexcept nogil
