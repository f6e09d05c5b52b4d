"""Blocks whose children are done go on, where they are or in another place."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.launch cimport Block
from archdef.engine.sm_core cimport SmCore
from archdef.engine.state cimport Sm

cdef void children_done(Sm *sm, int32_t slot) noexcept nogil
cdef void block_swap_out(SmCore *sm, Block *b, int64_t cycle) noexcept nogil
cdef void block_swap_out_recorded(SmCore *sm, Block *b, int64_t cycle) noexcept nogil
cdef void block_swap_in(Sm *sm, int32_t slot) noexcept nogil
