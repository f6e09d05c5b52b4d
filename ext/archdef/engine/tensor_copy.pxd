"""Copies by a tensor map: a box of a tensor moves between global and shared memory, row by row."""
from libc.stdint cimport int32_t, uint64_t

from archdef.engine.copying cimport BulkCopy, TensorBox
from archdef.engine.launch cimport Warp
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cdef int box_copy(SmCore *sm, Warp *w, const Uop *u, int lane, BulkCopy *copy, TensorBox *box) noexcept nogil
cdef int box_pieces(TensorBox *box, uint64_t *address, int most) noexcept nogil
