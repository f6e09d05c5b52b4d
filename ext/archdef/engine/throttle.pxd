"""A plugin's warp throttle: which warps of a multiprocessor may issue loads from memory."""
from libc.stdint cimport int64_t

from archdef.engine.cache cimport Cache
from archdef.engine.observers cimport Observer
from archdef.engine.policy cimport Hook, ThrottleView
from archdef.engine.launch cimport Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.schedule cimport Scheduler
from archdef.engine.sm_core cimport SmCore

cdef struct Throttle:
    const MachineTable *m
    const SmCore *core
    Scheduler *schedulers
    const Cache *l1
    const int64_t *issued    # instructions of the multiprocessor's warps so far
    Hook *hook
    ThrottleView view        # `warps` counts the slots that have had a warp so far
    int64_t again            # cycle at which it wants to be asked whatever happens, NEVER: none
    int64_t *numbers         # the allocation that the arrays lie in
    int64_t *resident        # [slots] 1: a warp is there
    int64_t *launched        # [slots] its age: smaller is older
    int64_t *allowed         # [slots] 1: it may issue loads
    int64_t *allowed_since   # [slots] cycle since which it may, of one that was held back

cdef Observer throttle_open(const MachineTable *m, const SmCore *core, Scheduler *schedulers, const Cache *l1, const int64_t *issued) except *
cdef void throttle_time(Throttle *t) noexcept nogil
cdef int64_t throttle_next(const Throttle *t) noexcept nogil
cdef int64_t throttle_held(const Throttle *t, const Warp *w, int64_t ready) noexcept nogil
cdef void throttle_blame(Throttle *t) noexcept nogil
