"""Move elimination: ops that the machine issues nothing for, as they only rename registers.

Halves of a 64-bit register are 32-bit registers of a real machine; here they are rows of their own, so that taking or joining them is an
op, which takes no time: it is executed as soon as the warp comes to it, and its result is there when its sources are. What a load that is
under way will bring has no known time yet; there the warp waits, as for any operand, and goes on when the load is back.

A branch that the machine does not have, because its compiler takes for granted that nobody takes it, is passed likewise; if lanes do take
it, it is issued.
"""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.compute cimport compute
from archdef.engine.launch cimport PENDING, Warp
from archdef.engine.simt cimport simt_arrive
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport K_ALU, K_BRANCH, K_SETP
from archdef.engine.uop cimport Uop


cdef const Uop *execute_eliminated(SmCore *sm, Warp *w, int64_t *budget) noexcept nogil:
    """Execute those that come next. Gives the op behind them, or the one that has to wait."""
    cdef const Uop *u = w.launch.ops + w.pc
    cdef uint64_t lanes
    cdef int64_t latest
    cdef int i
    while u.issues == 0 and (u.kind == K_ALU or u.kind == K_SETP or u.kind == K_BRANCH) and w.active:
        latest = 0
        for i in range(u.dependencies):
            latest = max(latest, w.ready[u.wait[i]])
        if latest >> 4 >= PENDING:
            break
        lanes = w.active
        if u.guarded:
            lanes &= w.predicates[u.guard_mask] ^ u.guard_flip
        if lanes and u.kind == K_BRANCH:
            break
        if lanes:
            compute(sm, w, u, lanes)
        for i in range(u.set_count):
            w.ready[u.sets[i]] = latest
        w.launch.issued[w.pc] += 1
        budget[0] -= 1         # whoever loops, loops over an op that is issued, and is told there
        w.pc += 1
        simt_arrive(w)
        u = w.launch.ops + w.pc
    return u
