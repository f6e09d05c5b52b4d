"""How the load/store unit sends transactions: L1 and constant lookups, credits, in-flight reads, stalls."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.cache cimport Line
from archdef.engine.launch cimport Launch
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction

cdef bint send_read(Sm *sm, const Transaction *t, int32_t kind, int32_t load, int64_t cycle) noexcept nogil
cdef void send_prefetch(Sm *sm, const Transaction *t, Line *line, int64_t cycle) noexcept nogil
cdef bint send_write(Sm *sm, const Transaction *t, Launch *launch, int64_t cycle) noexcept nogil
cdef void lsu_run(Sm *sm, int64_t cycle) noexcept nogil
cdef int32_t take_load(Sm *sm, int32_t warp, int32_t op) noexcept nogil
cdef void give_load(Sm *sm, int32_t index) noexcept nogil
cdef int32_t fill_slot(Sm *sm, int32_t slot, int64_t cycle, int32_t *done) noexcept nogil

cdef inline int64_t throttled_until(const Sm *sm, int64_t cycle) noexcept nogil:
    """Cycles so far in which the unit waited for a credit."""
    if sm.lsu.active and sm.lsu.stalled >= 0 and cycle > sm.lsu.stalled:
        return sm.throttled + cycle - sm.lsu.stalled
    return sm.throttled
