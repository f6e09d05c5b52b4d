"""Move elimination: ops that the machine issues nothing for, as they only rename registers."""
from libc.stdint cimport int64_t

from archdef.engine.launch cimport Warp
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cdef const Uop *execute_eliminated(SmCore *sm, Warp *w, int64_t *budget) noexcept nogil
