"""How a warp's fault is recorded."""
from libc.stdint cimport int32_t, uint64_t

from archdef.engine.bits cimport lowest_bit
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop


cdef inline int warp_fault(SmCore *sm, const Warp *w, int code, uint64_t lanes) noexcept nogil:
    """Record the first fault of the launch."""
    if sm.fault.code == 0:
        sm.fault.code = code
        sm.fault.op = w.pc
        sm.fault.sm = sm.id
        sm.fault.warp = <int32_t>(w - sm.warps)
        sm.fault.lanes = lanes
        sm.fault.lane = lowest_bit(lanes) if lanes else 0
        sm.fault.cycle = sm.now
        sm.fault.launch = w.launch
    return -1


cdef inline int op_fault(SmCore *sm, const Warp *w, const Uop *u, int code, int lane, uint64_t address) noexcept nogil:
    """Record the first fault of the launch, of one lane at an address (or a handle)."""
    cdef Launch *launch = w.launch
    if sm.fault.code == 0:
        sm.fault.code = code
        sm.fault.op = <int32_t>(u - launch.ops)
        sm.fault.sm = sm.id
        sm.fault.warp = <int32_t>(w - sm.warps)
        sm.fault.lane = lane
        sm.fault.address = address
        sm.fault.cycle = sm.now
        sm.fault.launch = w.launch
    return -1
