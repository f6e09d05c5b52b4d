"""Loads that failed to reserve a line of L1, replayed when they can."""
from libc.stdint cimport int32_t, uint64_t

from archdef.engine.cache cimport Cache, Line
from archdef.engine.lsu_pipeline cimport ReplayEntry
from archdef.engine.state cimport Sm

cdef inline uint64_t set_bit(const Cache *cache, const Line *line) noexcept nogil:
    """Stand for the set of a line, 0: it is one of another cache. Several sets may share a bit."""
    if line < cache.lines or line >= cache.lines + cache.table.sets * cache.table.ways:
        return 0
    return <uint64_t>1 << ((line - cache.lines) // cache.table.ways & 63)

cdef int replay_open(Sm *sm) except -1
cdef void replay_close(Sm *sm) noexcept nogil
cdef int32_t replay_put(Sm *sm, int32_t warp) noexcept nogil
cdef bint replay_ready(Sm *sm, const ReplayEntry *replay) noexcept nogil
cdef void replay_issue(Sm *sm, const ReplayEntry *replay) noexcept nogil
cdef void replay_keep(Sm *sm, ReplayEntry *replay) noexcept nogil
cdef void replay_drop(Sm *sm, int32_t place) noexcept nogil
