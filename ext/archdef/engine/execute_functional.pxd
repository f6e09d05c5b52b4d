"""What ops do, where nothing takes time."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.counters cimport StatementCounters
from archdef.engine.launch cimport Warp
from archdef.engine.schedule cimport Scheduler
from archdef.engine.sm cimport Sm
from archdef.engine.uop cimport Uop

cdef int64_t execute(Sm *sm, Scheduler *s, Warp *w, const Uop *u, StatementCounters *c, uint64_t lanes, int64_t cycle,
                     int64_t earliest) noexcept nogil
