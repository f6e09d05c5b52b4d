"""Loads that L1 has no place for, set aside until it has."""
from libc.stdint cimport int32_t, uint64_t

from archdef.engine.cache cimport Cache, Line
from archdef.engine.injection cimport Refused
from archdef.engine.state cimport Sm

cdef inline uint64_t set_bit(const Cache *cache, const Line *line) noexcept nogil:
    """Stand for the set of a line, 0: it is one of another cache. Several sets may share a bit."""
    if line < cache.lines or line >= cache.lines + cache.table.sets * cache.table.ways:
        return 0
    return <uint64_t>1 << ((line - cache.lines) // cache.table.ways & 63)

cdef int refused_open(Sm *sm) except -1
cdef void refused_close(Sm *sm) noexcept nogil
cdef int32_t put_aside(Sm *sm, int32_t warp) noexcept nogil
cdef bint has_place(Sm *sm, const Refused *refused) noexcept nogil
cdef void bring_back(Sm *sm, const Refused *refused) noexcept nogil
cdef void keep_aside(Sm *sm, Refused *refused) noexcept nogil
cdef void drop_aside(Sm *sm, int32_t place) noexcept nogil
