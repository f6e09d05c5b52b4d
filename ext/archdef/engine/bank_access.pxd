"""How often an access of a warp goes over the banks of shared memory."""
from libc.stdint cimport uint64_t

from archdef.engine.launch cimport Warp
from archdef.engine.memo cimport Memo
from archdef.engine.uop cimport Uop

# of `Launch.over_banks`
cdef void over_banks(Warp *w, const Uop *u, Memo *memo, uint64_t lanes, const uint64_t *address, int key) noexcept nogil
cdef void record_banks(Warp *w, const Uop *u, Memo *memo, uint64_t lanes, const uint64_t *address, int key) noexcept nogil
