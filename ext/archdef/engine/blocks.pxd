"""Blocks and their warps begin and end."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.launch cimport Warp
from archdef.engine.state cimport Sm

cdef void place_block_warp(Sm *sm, Warp *w, int32_t at, int64_t number) noexcept nogil
cdef void start_block(Sm *sm, int32_t slot) noexcept nogil
cdef void end_block(Sm *sm, int32_t slot, int64_t cycle) noexcept nogil
cdef void end_warp(Sm *sm, Warp *w, int64_t cycle) noexcept nogil
