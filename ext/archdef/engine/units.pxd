"""Units that the schedulers of a multiprocessor share."""
from libc.stdint cimport int64_t, uint32_t

from archdef.engine.program cimport Uop
from archdef.engine.state cimport Chip, Sm

cdef void units_open(Chip *chip) noexcept nogil
cdef void units_need(Chip *chip, Sm *sms, uint32_t kinds) noexcept nogil
cdef void occupy_counted(Sm *sm, int scheduler, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil
cdef void others_held(Sm *sm, int unit, int64_t until, int64_t cycles) noexcept nogil

cdef inline void held_until(Sm *sm, int unit, int64_t until, int64_t cycles) noexcept nogil:
    """Say until when the load/store unit, which is one, is held by what it sends; `cycles` are those added to its time."""
    sm.unit_free[unit] = until
    sm.unit_blocked[unit] += cycles
    sm.busy |= <uint32_t>1 << unit
    if sm.chip.counted[unit]:
        others_held(sm, unit, until, cycles)
