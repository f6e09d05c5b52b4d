"""Units that the schedulers of a multiprocessor share."""
from libc.stdint cimport int64_t

from archdef.engine.program cimport Uop
from archdef.engine.state cimport Sm

cdef void occupy_counted(Sm *sm, int scheduler, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil
