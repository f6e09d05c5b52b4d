"""Memory ops from issue to completion."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.launch cimport Warp
from archdef.engine.reach cimport Reach
from archdef.engine.state cimport Sm
from archdef.engine.uop cimport Uop

cdef int memory_issue(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil
cdef int memory_access(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *access, Reach *reach) noexcept nogil
cdef void memory_begin(Sm *sm, int32_t slot, Warp *w, const Uop *u, const Reach *reach, int32_t group, int64_t cycle) noexcept nogil
cdef void wake_copier(Sm *sm, int32_t slot, int64_t cycle) noexcept nogil
cdef void data_ready(Sm *sm, int32_t index, int64_t cycle) noexcept nogil
cdef void replay_run(Sm *sm, int64_t cycle) noexcept nogil
cdef void resume_lsu(Sm *sm, int64_t cycle) noexcept nogil
cdef void piece_arrived(Sm *sm, int32_t load, int64_t cycle) noexcept nogil
cdef void resume_bulk(Sm *sm, int64_t cycle) noexcept nogil
