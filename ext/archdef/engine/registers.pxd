"""Registers that warps of a block hand to each other."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.launch cimport Warp
from archdef.engine.sm_core cimport SmCore
from archdef.engine.state cimport Sm
from archdef.engine.uop cimport Uop

cdef int registers_change(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil
cdef int64_t registers_spare(const SmCore *sm, const Warp *w) noexcept nogil
