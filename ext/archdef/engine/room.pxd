"""Host memory of multiprocessors, taken when the machine is made, and of resident blocks, taken as they start and used again."""
from libc.stdint cimport int32_t

from archdef.engine.block_memory cimport BlockRoom
from archdef.engine.events cimport Events
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.network cimport Network
from archdef.engine.state cimport Chip, Sm

cdef enum:
    WAITERS = 2048           # loads that can wait for lines on their way, per multiprocessor
    ROOM_KINDS = 128         # classes of size

cdef void room_plan(Launch *launch) noexcept nogil
cdef BlockRoom *room_take(Chip *chip, Launch *launch) noexcept nogil
cdef void room_give(Chip *chip, Launch *launch, BlockRoom *room) noexcept nogil
cdef void room_seat(const Launch *launch, BlockRoom *room, Warp *w, int32_t index) noexcept nogil
cdef void rooms_close(Chip *chip) noexcept nogil
cdef int sm_open(Sm *sm, int32_t number, Chip *chip, Network *network, Events *inbox) except -1
cdef int sm_open_bulk(Sm *sm) except -1
cdef void sm_close(Sm *sm) noexcept nogil
