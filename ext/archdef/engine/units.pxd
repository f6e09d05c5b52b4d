"""Units that the schedulers of a multiprocessor share."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from archdef.engine.machine cimport MachineTable
from archdef.engine.schedule cimport Scheduler
from archdef.engine.uop cimport Uop

cdef enum:
    UNIT_COPIES = 8              # most units of a kind

cdef enum:                       # of `UnitSharing.counted`
    SHARED = 1                   # another is held with the unit …
    ALONE = 2                    # … or could be, but no program has ops for it

cdef struct UnitSharing:         # what is the same for all multiprocessors
    int32_t held_from[16]        # per unit: fewest cycles of an op that keep others from starting
    int32_t counted[16]          # per unit: whether more is to be done when an op takes it, and what; see above
    uint32_t needed              # mask of the units that programs have ops for: nobody waits for others, which are not kept up to date
    uint32_t sharing[16]         # … of those, units that have copies in common with it, itself too; of the unit that has all of them
    uint32_t using[16][8]        # … those that can use each of its copies

cdef struct Units:               # of a multiprocessor
    const MachineTable *m
    const UnitSharing *sharing
    uint32_t busy                # bit u: free[u] may lie ahead
    int32_t turn                 # scheduler that comes first: the one behind the last that took a unit which they share …
    int32_t first                # … or behind the first, where one of several units was taken …
    int64_t taken                # … in this cycle
    int64_t free[16]             # first cycle at which a unit of the kind can start an op
    int64_t blocked[16]          # cycles so far in which none could, past the cycle of an op's start
    int64_t copy_free[16][8]     # as `free`, of each unit, where there are several of a kind

cdef void units_open(UnitSharing *sharing, const MachineTable *m) noexcept nogil
cdef uint32_t units_need(UnitSharing *sharing, const MachineTable *m, uint32_t kinds) noexcept nogil
cdef void units_join(Units *units, uint32_t kinds) noexcept nogil
cdef void occupy_counted(Units *units, Scheduler *schedulers, int scheduler, const Uop *u, int64_t cycle, int64_t cycles) noexcept nogil
cdef void others_held(Units *units, int unit, int64_t until, int64_t cycles) noexcept nogil

cdef inline int64_t further_cycle(Scheduler *s, const Uop *u) noexcept nogil:
    """Whether the parts of a cycle that ops have occupied a unit for make one more by now: 1 or 0."""
    cdef uint32_t parts = <uint32_t>s.unit_parts[u.unit] + u.fraction
    s.unit_parts[u.unit] = <uint16_t>(parts & 255)
    return parts >> 8


cdef inline void occupy_alone(Units *units, int scheduler, int unit, int64_t cycle, int64_t cycles) noexcept nogil:
    """As `occupy_counted`, of a unit that is alone."""
    if units.taken != cycle:
        units.taken = cycle
        units.first = scheduler + 1
    units.turn = units.first
    units.copy_free[<int>units.m.units[unit].within][<int>units.m.units[unit].first] = cycle + cycles
    units.blocked[unit] += cycle + cycles - max(cycle, units.free[unit])
    units.free[unit] = cycle + cycles
    units.busy |= <uint32_t>1 << unit

cdef inline void held_until(Units *units, int unit, int64_t until, int64_t cycles) noexcept nogil:
    """Say until when the load/store unit, which is one, is held by what it sends; `cycles` are those added to its time."""
    units.free[unit] = until
    units.blocked[unit] += cycles
    units.busy |= <uint32_t>1 << unit
    if units.sharing.counted[unit] == ALONE:
        units.copy_free[<int>units.m.units[unit].within][<int>units.m.units[unit].first] = until
    elif units.sharing.counted[unit]:
        others_held(units, unit, until, cycles)
