"""A plugin's replacement policy: what it is asked and told by one cache, and what it keeps for that cache."""
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from archdef.engine.parameters cimport CacheParameters
from archdef.engine.policy cimport ARCHDEF_CACHE_VICTIM, Hook, PolicyHead, ask_replacement, policy_head


cdef Replacement *replacement_open(const CacheParameters *table) noexcept nogil:
    """Prepare what the policy of a cache is asked. NULL: the host has no memory for it."""
    cdef Hook *hook = <Hook *><size_t>table.hook
    cdef Replacement *r = <Replacement *>calloc(1, sizeof(Replacement))
    if r == NULL:
        return NULL
    r.state = <int64_t *>calloc(<size_t>(hook.state_words + table.sets * table.ways * hook.line_words + 1), sizeof(int64_t))
    if r.state == NULL:
        free(r)
        return NULL
    r.hook = hook
    r.words = r.state + hook.state_words
    policy_head(<PolicyHead *>&r.view, hook, r.state)
    r.view.line_words = hook.line_words
    r.view.instruction = r.view.warp = -1
    return r


cdef void replacement_close(Replacement *r) noexcept nogil:
    if r != NULL:
        free(r.state)
        free(r)


cdef void replacement_emptied(Replacement *r, int64_t lines) noexcept nogil:
    """The cache has no lines any more, and so many places for others."""
    memset(r.words, 0, <size_t>(lines * r.hook.line_words) * sizeof(int64_t))


cdef inline void _about(Replacement *r, int64_t event, uint64_t line, int64_t set_, int64_t accesses, int64_t sets, int64_t ways) noexcept nogil:
    r.view.event = event
    r.view.line = line
    r.view.set = set_
    r.view.sets = sets
    r.view.ways = ways
    r.view.accesses = accesses
    r.view.words = r.words + set_ * ways * r.hook.line_words


cdef int64_t replacement_victim(Replacement *r, uint64_t line, int64_t set_, int64_t accesses, const uint64_t *lines, const int64_t *used,
                                const uint64_t *busy, int64_t sets, int64_t ways) noexcept nogil:
    """Give the way that is replaced; -1: the answer is none."""
    _about(r, ARCHDEF_CACHE_VICTIM, line, set_, accesses, sets, ways)
    r.view.way = -1
    r.view.lines = lines
    r.view.used = used
    r.view.busy = busy[0]
    r.view.busy_ways = busy
    return ask_replacement(r.hook, &r.view)


cdef void replacement_told(Replacement *r, int64_t event, uint64_t line, int64_t set_, int64_t way, int64_t accesses, int64_t sets,
                           int64_t ways) noexcept nogil:
    """Tell a policy that listens what has happened; `way` is -1 where the line stands nowhere."""
    if not r.hook.told:
        return
    _about(r, event, line, set_, accesses, sets, ways)
    r.view.way = way
    r.view.lines = NULL
    r.view.used = NULL
    r.view.busy = 0
    r.view.busy_ways = NULL
    ask_replacement(r.hook, &r.view)
