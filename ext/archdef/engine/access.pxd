"""Memory accesses of one warp: addresses, checks, data movement, and the transactions or bank passes that they cost."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.launch cimport Warp
from archdef.engine.reach cimport Reach
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cdef int access_memory(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *out, Reach *reach) noexcept nogil
