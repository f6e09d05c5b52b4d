"""Units that the schedulers of a multiprocessor share."""
from libc.stdint cimport int64_t, uint32_t

from archdef.engine.program cimport Uop
from archdef.engine.state cimport Chip, Sm

cdef enum:                       # of `Chip.counted`
    SHARED = 1                   # another is held with the unit …
    ALONE = 2                    # … or could be, but no program has ops for it

cdef void units_open(Chip *chip) noexcept nogil
cdef void units_need(Chip *chip, Sm *sms, uint32_t kinds) noexcept nogil
cdef void occupy_counted(Sm *sm, int scheduler, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil
cdef void others_held(Sm *sm, int unit, int64_t until, int64_t cycles) noexcept nogil

cdef inline void occupy_alone(Sm *sm, int scheduler, int unit, int64_t cycle, int64_t cycles) noexcept nogil:
    """As `occupy_counted`, of a unit that is alone."""
    if sm.taken != cycle:
        sm.taken = cycle
        sm.first = scheduler + 1
    sm.turn = sm.first
    sm.copy_free[<int>sm.m.unit_within[unit]][<int>sm.m.unit_first[unit]] = cycle + cycles
    sm.unit_blocked[unit] += cycle + cycles - max(cycle, sm.unit_free[unit])
    sm.unit_free[unit] = cycle + cycles
    sm.busy |= <uint32_t>1 << unit

cdef inline void held_until(Sm *sm, int unit, int64_t until, int64_t cycles) noexcept nogil:
    """Say until when the load/store unit, which is one, is held by what it sends; `cycles` are those added to its time."""
    sm.unit_free[unit] = until
    sm.unit_blocked[unit] += cycles
    sm.busy |= <uint32_t>1 << unit
    if sm.chip.counted[unit] == ALONE:
        sm.copy_free[<int>sm.m.unit_within[unit]][<int>sm.m.unit_first[unit]] = until
    elif sm.chip.counted[unit]:
        others_held(sm, unit, until, cycles)
