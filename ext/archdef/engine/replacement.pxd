"""A plugin's replacement policy: what it is asked and told by one cache, and what it keeps for that cache."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.parameters cimport CacheParameters
from archdef.engine.policy cimport Hook, ReplacementView

cdef struct Replacement:
    Hook *hook
    ReplacementView view     # `instruction` and `warp` are those of the latest load that looked here
    int64_t *state           # the allocation that the words lie in, too
    int64_t *words           # [lines][line_words], as many lines as the cache was opened with

cdef Replacement *replacement_open(const CacheParameters *table) noexcept nogil
cdef void replacement_close(Replacement *r) noexcept nogil
cdef void replacement_emptied(Replacement *r, int64_t lines) noexcept nogil
cdef int64_t replacement_victim(Replacement *r, uint64_t line, int64_t set_, int64_t accesses, const uint64_t *lines, const int64_t *used,
                                const uint64_t *busy, int64_t sets, int64_t ways) noexcept nogil
cdef void replacement_told(Replacement *r, int64_t event, uint64_t line, int64_t set_, int64_t way, int64_t accesses, int64_t sets,
                           int64_t ways) noexcept nogil

cdef inline void replacement_asker(Replacement *r, int64_t instruction, int64_t warp) noexcept nogil:
    """Note the load on whose behalf the cache is looked at next."""
    r.view.instruction = instruction
    r.view.warp = warp
