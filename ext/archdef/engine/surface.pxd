"""Surface instructions of one warp: bytes of a texture's memory, addressed by coordinates."""
from libc.stdint cimport uint64_t

from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.launch cimport Warp
from archdef.engine.reach cimport Reach
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cdef int access_surface(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *out, Reach *reach) noexcept nogil
