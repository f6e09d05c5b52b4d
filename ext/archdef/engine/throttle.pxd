"""A plugin's warp throttle: which warps of a multiprocessor may issue loads from memory."""
from libc.stdint cimport int64_t

from archdef.engine.observers cimport Observer
from archdef.engine.policy cimport Hook, ThrottleView
from archdef.engine.launch cimport Warp
from archdef.engine.state cimport Sm

cdef struct Throttle:
    Hook *hook
    ThrottleView view        # `warps` counts the slots that have had a warp so far
    int64_t again            # cycle at which it wants to be asked whatever happens, NEVER: none
    int64_t *numbers         # the allocation that the arrays lie in
    int64_t *resident        # [slots] 1: a warp is there
    int64_t *launched        # [slots] its age: smaller is older
    int64_t *allowed         # [slots] 1: it may issue loads
    int64_t *allowed_since   # [slots] cycle since which it may, of one that was held back

cdef Observer throttle_open(Sm *sm) except *
cdef void throttle_time(Sm *sm) noexcept nogil
cdef int64_t throttle_next(const Sm *sm) noexcept nogil
cdef int64_t throttle_held(const Sm *sm, const Warp *w, int64_t ready) noexcept nogil
cdef void throttle_blame(Sm *sm) noexcept nogil
