"""Lanes that an instruction names: they execute it together."""
from libc.stdint cimport uint32_t, uint64_t

from archdef.engine.bits cimport lowest_bit
from archdef.engine.converge cimport converge_gather
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.uop cimport NAMES_ALL, Uop


cdef uint64_t gather_named(Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Wait for the lanes that an instruction names. Gives those that execute it now; 0: others of the warp go first."""
    cdef const Launch *launch = w.launch
    cdef const char *row
    cdef uint64_t named = 0, left = lanes
    cdef int lane
    if w.active == w.alive:
        return lanes
    if u.named == NAMES_ALL:
        named = ~<uint64_t>0
        left = 0
    else:
        row = (launch.constants if u.s_bank[u.named] else w.rows) + u.s[u.named]
    while left:
        lane = lowest_bit(left)
        left &= left - 1
        named |= (<const uint64_t *>row)[lane] if u.named_bytes == 8 else <uint64_t>(<const uint32_t *>row)[lane]
    lanes = converge_gather(w, named)
    if lanes and u.guarded:
        lanes &= w.predicates[u.guard_mask] ^ u.guard_flip
    return lanes
