"""Optional components of a multiprocessor that are told what happens there; those that it has not cost nothing."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.cache cimport Cache, Line
from archdef.engine.in_flight cimport Load
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.launch cimport Warp
from archdef.engine.transaction cimport Transaction

cdef struct Lookup:          # a transaction of a load has looked into L1
    const LsuPipeline *lsu   # of the load
    const Transaction *transaction
    int32_t warp             # slot
    int32_t op
    bint hit                 # all that it wanted was there, or on its way; otherwise what was not is fetched now
    bint pending             # … and some is on its way, where that is hit
    uint32_t sectors         # that it wanted, of a hit; that were not there
    Cache *cache
    Line *line               # where it stands now
    uint64_t evicted         # number plus 1 of the line that stood there before, 0: none gave way

cdef struct Observer:        # NULL: it does not care
    void *state              # NULL: the machine has no such component
    void (*looked_up)(void *state, const Lookup *lookup) noexcept nogil
    void (*warp_came)(void *state, const Warp *w, int64_t order) noexcept nogil
    void (*warp_left)(void *state, int32_t slot) noexcept nogil
    void (*close)(void *state) noexcept nogil

cdef struct Observers:
    int32_t count
    Observer listed[4]

cdef void observers_close(Observers *observers) noexcept nogil
cdef void tell_hit(const Observers *observers, const LsuPipeline *lsu, const Load *load, const Transaction *t, bint pending, Line *line) noexcept nogil
cdef void tell_miss(const Observers *observers, const LsuPipeline *lsu, const Load *load, const Transaction *t, uint32_t missing, Line *line,
                    uint64_t evicted) noexcept nogil
cdef void tell_warp_came(const Observers *observers, const Warp *w, int64_t order) noexcept nogil
cdef void tell_warp_left(const Observers *observers, int32_t slot) noexcept nogil
