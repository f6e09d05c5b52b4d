"""A multiprocessor's state: what it takes of the host's memory, and gives back."""
from libc.stdint cimport int64_t

from archdef.engine.events cimport Events
from archdef.engine.network cimport Network
from archdef.engine.state cimport Chip, Sm

cdef enum:
    WAITERS = 2048           # loads that can wait for lines on their way, per multiprocessor

cdef struct SmMaker:         # what multiprocessors are made of
    Chip *chip
    Network *network
    Events *inboxes          # [multiprocessors] …
    Sm **sms                 # … likewise, NULL: it has not been made

cdef int sm_make(void *maker, int64_t number) noexcept nogil
cdef int sm_open_policies(Sm *sm) except -1
cdef int sm_open_bulk(Sm *sm) noexcept nogil
cdef void sm_close(Sm *sm) noexcept nogil
