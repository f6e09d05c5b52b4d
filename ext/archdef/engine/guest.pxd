"""Guest memory as the runtime reads it: one lane's generic address at a time."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.launch cimport Warp
from archdef.engine.sm_core cimport SmCore

cdef char *guest_at(SmCore *sm, const Warp *w, int lane, uint64_t address, int64_t *room) noexcept nogil
cdef int guest_fault(SmCore *sm, const Warp *w, int code, int lane, uint64_t address) noexcept nogil
