"""Move elimination: ops that the machine issues nothing for, as they only rename registers."""
from archdef.engine.launch cimport Warp
from archdef.engine.program cimport Uop
from archdef.engine.state cimport Sm

cdef const Uop *execute_eliminated(Sm *sm, Warp *w) noexcept nogil
