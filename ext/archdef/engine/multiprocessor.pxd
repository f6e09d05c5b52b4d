"""A multiprocessor's state: what it takes of the host's memory, and gives back."""
from libc.stdint cimport int32_t

from archdef.engine.events cimport Events
from archdef.engine.network cimport Network
from archdef.engine.state cimport Chip, Sm

cdef enum:
    WAITERS = 2048           # loads that can wait for lines on their way, per multiprocessor

cdef int sm_open(Sm *sm, int32_t number, Chip *chip, Network *network, Events *inbox) except -1
cdef int sm_open_bulk(Sm *sm) except -1
cdef void sm_close(Sm *sm) noexcept nogil
