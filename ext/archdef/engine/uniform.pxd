"""Constants that a warp reads as a whole: which lines the schedulers' caches hold, and when a warp's next load finds its own there."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.cache cimport Cache
from archdef.engine.launch cimport Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cdef struct ConstantCaches:      # of a multiprocessor
    Cache first
    Cache behind[2]              # second and third level
    Cache *uniform               # [schedulers] caches of constants that warps read as a whole; NULL: there are none …
    int64_t *uniform_arrives     # … [caches][sets][ways]: when each line is there, NEVER: when the load/store unit has brought it …
    int64_t uniform_next         # … and from which cycle on the next line can come

cdef int constants_open(ConstantCaches *constants, const MachineTable *m, Arena *arena) noexcept nogil
cdef void constants_close(ConstantCaches *constants, const MachineTable *m) noexcept nogil
cdef int64_t uniform_wait(ConstantCaches *constants, Warp *w, const Uop *u, int64_t cycle) noexcept nogil
cdef int uniform_issue(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil
