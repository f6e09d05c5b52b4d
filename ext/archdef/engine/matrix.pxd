"""Products of small matrices whose numbers are spread over the lanes of a warp, and the loads and stores that spread them."""
from libc.stdint cimport uint64_t

from archdef.engine.access cimport Reach
from archdef.engine.program cimport Uop
from archdef.engine.state cimport Sm, Warp

cdef int matrix_product(Sm *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil   # -1 after a fault
cdef int access_tiles(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, Reach *reach) noexcept nogil   # likewise
cdef int part_of_warp(Sm *sm, const Warp *w, uint64_t lanes) noexcept nogil   # the fault that `lanes` alone execute it: -1
