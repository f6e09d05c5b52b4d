"""Host memory of resident blocks, taken as they start and used again."""
from libc.stdint cimport int32_t

from archdef.engine.block_memory cimport BlockRoom
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.state cimport Chip

cdef enum:
    ROOM_KINDS = 128         # classes of size

cdef void room_plan(Launch *launch) noexcept nogil
cdef BlockRoom *room_take(Chip *chip, Launch *launch) noexcept nogil
cdef void room_give(Chip *chip, Launch *launch, BlockRoom *room) noexcept nogil
cdef void room_seat(const Launch *launch, BlockRoom *room, Warp *w, int32_t index) noexcept nogil
cdef void rooms_close(Chip *chip) noexcept nogil
