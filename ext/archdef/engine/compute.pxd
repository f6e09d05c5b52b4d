"""What micro-ops do to registers: arithmetic, predicates, and exchanges between the lanes of a warp."""
from libc.stdint cimport uint64_t

from archdef.engine.program cimport Uop
from archdef.engine.state cimport Launch, Sm, Warp

cdef bint exchange_apart(const Launch *launch, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil
cdef void compute(Sm *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil
