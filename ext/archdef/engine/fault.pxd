"""How a warp's fault is recorded."""
from libc.stdint cimport int32_t, uint64_t

from archdef.engine.bits cimport lowest_bit
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.program cimport Uop
from archdef.engine.state cimport Sm


cdef inline int warp_fault(Sm *sm, const Warp *w, int code, uint64_t lanes) noexcept nogil:
    """Record the first fault of the launch."""
    if sm.chip.fault.code == 0:
        sm.chip.fault.code = code
        sm.chip.fault.op = w.pc
        sm.chip.fault.sm = sm.id
        sm.chip.fault.warp = <int32_t>(w - sm.warps)
        sm.chip.fault.lanes = lanes
        sm.chip.fault.lane = lowest_bit(lanes) if lanes else 0
        sm.chip.fault.cycle = sm.now
        sm.chip.fault.launch = w.launch
    return -1


cdef inline int op_fault(Sm *sm, const Warp *w, const Uop *u, int code, int lane, uint64_t address) noexcept nogil:
    """Record the first fault of the launch, of one lane at an address (or a handle)."""
    cdef Launch *launch = w.launch
    if sm.chip.fault.code == 0:
        sm.chip.fault.code = code
        sm.chip.fault.op = <int32_t>(u - launch.ops)
        sm.chip.fault.sm = sm.id
        sm.chip.fault.warp = <int32_t>(w - sm.warps)
        sm.chip.fault.lane = lane
        sm.chip.fault.address = address
        sm.chip.fault.cycle = sm.now
        sm.chip.fault.launch = w.launch
    return -1
