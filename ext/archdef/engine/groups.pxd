"""Groups larger than a block: the grid, and grids of several devices that were launched together."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport GS_GRID, GS_GRIDS
from archdef.engine.uop cimport Uop

cdef inline bint has_group(const Launch *launch, uint64_t handle) noexcept nogil:
    """Whether a launch has the group that a handle stands for."""
    return handle == GS_GRID and launch.cooperative or handle == GS_GRIDS and launch.grids > 0

cdef int group_call(SmCore *sm, Warp *w, const Uop *u, int lane) noexcept nogil
cdef void group_arrive(SmCore *sm, Launch *launch, int32_t scope, int64_t cycle) noexcept nogil
cdef void groups_settle(Dispatcher *dispatcher, int64_t epoch) noexcept nogil
cdef void group_release(Launch *launch, const Dispatcher *dispatcher, int64_t cycle) noexcept nogil
cdef bint groups_wait(const Dispatcher *dispatcher) noexcept nogil
