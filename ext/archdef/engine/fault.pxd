"""How a warp's fault is recorded."""
from libc.stdint cimport int32_t, uint64_t

from archdef.engine.program cimport Uop
from archdef.engine.schedule cimport lowest_bit
from archdef.engine.state cimport Launch, Sm, Warp


cdef inline int warp_fault(Sm *sm, const Warp *w, int code, uint64_t lanes) noexcept nogil:
    """Record the first fault of the launch."""
    cdef Launch *launch = sm.launch
    if launch.fault.code == 0:
        launch.fault.code = code
        launch.fault.op = w.pc
        launch.fault.sm = sm.id
        launch.fault.warp = <int32_t>(w - sm.warps)
        launch.fault.lanes = lanes
        launch.fault.lane = lowest_bit(lanes) if lanes else 0
        launch.fault.cycle = sm.now
    return -1


cdef inline int op_fault(Sm *sm, const Warp *w, const Uop *u, int code, int lane, uint64_t address) noexcept nogil:
    """Record the first fault of the launch, of one lane at an address (or a handle)."""
    cdef Launch *launch = sm.launch
    if launch.fault.code == 0:
        launch.fault.code = code
        launch.fault.op = <int32_t>(u - launch.ops)
        launch.fault.sm = sm.id
        launch.fault.warp = <int32_t>(w - sm.warps)
        launch.fault.lane = lane
        launch.fault.address = address
        launch.fault.cycle = sm.now
    return -1
