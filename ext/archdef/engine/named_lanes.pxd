"""Lanes that an instruction names: they execute it together."""
from libc.stdint cimport uint64_t

from archdef.engine.launch cimport Warp
from archdef.engine.uop cimport Uop

cdef uint64_t gather_named(Warp *w, const Uop *u, uint64_t lanes) noexcept nogil
