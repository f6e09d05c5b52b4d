"""Instruction fetch: which lines of code the caches of a multiprocessor hold, and when a warp's next instruction is there."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.cache cimport Cache
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cdef struct CodeCaches:          # of a multiprocessor
    Arena *arena                 # of its state
    Cache *first                 # [schedulers, or 1]; NULL: there are none, or all are empty …
    int64_t *arrives             # … [caches][sets][ways]: when each line is there
    Cache behind[2]              # second and third level …
    int64_t *behind_arrives[2]
    const Launch *launch         # whose code was brought here last …
    int64_t serial

cdef uint64_t fetch_base(const Launch *launch) noexcept nogil
cdef int64_t fetch(CodeCaches *code, SmCore *sm, Warp *w, const Uop *u) noexcept nogil
cdef void fetch_preload(CodeCaches *code, SmCore *sm, const Launch *launch) noexcept nogil
cdef void fetch_close(CodeCaches *code, const MachineTable *m) noexcept nogil
