"""Registers that warps of a block hand to each other (``setmaxnreg``).

Each scheduler has its part of the register file, so only warps of one scheduler hand registers to each other. A block's warps hold all that
it was given when it starts. A warp that needs fewer gives the rest back, and one that wants more waits until its scheduler's warps of the
block have given as many as it lacks. What a warp held when it ended nobody gets. Of warps that wait, those of high numbers go first; a warp
takes all that it lacks or nothing. So an H100 does it (`tests/data/h100/setmaxnreg.txt`). Registers are counted per lane.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.counters cimport ST_REGISTERS
from archdef.engine.launch cimport WS_REGISTERS, Block, Warp
from archdef.engine.matrix cimport part_of_warp
from archdef.engine.simt cimport simt_arrive
from archdef.engine.sm_core cimport SmCore
from archdef.engine.state cimport Sm
from archdef.engine.types cimport RG_GIVE
from archdef.engine.uop cimport Uop
from archdef.engine.waiting cimport plan
from archdef.engine.warpgroup cimport group_hold


cdef int64_t registers_spare(const SmCore *sm, const Warp *w) noexcept nogil:
    """Count the registers of a lane that warps of the block and of the warp's scheduler have given and none has taken."""
    cdef const Block *b = sm.blocks + w.block
    cdef const Warp *other
    cdef int64_t spare = 0
    cdef int32_t i
    for i in range(w.launch.block_warps):
        other = sm.warps + b.warps[i]
        if other.scheduler == w.scheduler:
            spare += w.launch.registers - other.registers
    return spare


cdef inline bint _take(Sm *sm, Warp *w, int32_t wanted) noexcept nogil:
    """Let a warp have as many registers as it wants, if there are as many as it lacks."""
    if wanted - w.registers > registers_spare(&sm.core, w):
        return False
    w.registers = wanted
    return True


cdef void _give(Sm *sm, Warp *w, int32_t kept, int64_t cycle) noexcept nogil:
    """Give back what a warp has beyond `kept`, and let those go on that waited for as many."""
    cdef Block *b = sm.core.blocks + w.block
    cdef Warp *other
    cdef const Uop *its
    cdef int32_t i
    w.registers = kept
    if b.register_waiters == 0:
        return
    for i in range(w.launch.block_warps - 1, -1, -1):
        other = sm.core.warps + b.warps[i]
        if other.state != WS_REGISTERS:
            continue
        its = other.launch.ops + other.barrier_op
        if _take(sm, other, its.registers):
            b.register_waiters -= 1
            group_hold(other, its, ST_REGISTERS, cycle + <int64_t>its.latency)
            other.pc += 1
            simt_arrive(other)
            plan(sm, other, other.settled, ST_REGISTERS)


cdef int registers_change(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Give or take registers. Returns 1 if the warp waits, -1 after a fault.

    Who gives what it has not, or takes what it has, changes nothing.
    """
    cdef Block *b = sm.core.blocks + w.block
    if lanes != w.alive:
        return part_of_warp(&sm.core, w, lanes)
    if u.fn == RG_GIVE:
        if u.registers < w.registers:
            _give(sm, w, u.registers, cycle)
        return 0
    if u.registers <= w.registers or _take(sm, w, u.registers):
        return 0
    w.state = WS_REGISTERS
    w.barrier_op = w.pc
    b.register_waiters += 1
    return 1
