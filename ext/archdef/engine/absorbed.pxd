"""Ops that the machine issues nothing for: registers under other names."""
from archdef.engine.launch cimport Warp
from archdef.engine.program cimport Uop
from archdef.engine.state cimport Sm

cdef const Uop *absorb(Sm *sm, Warp *w) noexcept nogil
