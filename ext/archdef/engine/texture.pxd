"""Texture instructions of one warp: coordinates to texels, filtering, gathering, queries."""
from libc.stdint cimport uint64_t

from archdef.engine.counters cimport StatementCounters
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.launch cimport Warp
from archdef.engine.reach cimport Reach
from archdef.engine.sm_core cimport SmCore
from archdef.engine.texture_table cimport Texture
from archdef.engine.uop cimport Uop

cdef const Texture *texture_of(SmCore *sm, const Warp *w, const Uop *u, int lane, uint64_t handle, int kind) noexcept nogil
cdef void count_texture(StatementCounters *c, const Uop *u, const Reach *reach) noexcept nogil
cdef int access_texture(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *out, Reach *reach) noexcept nogil
