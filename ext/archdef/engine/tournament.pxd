"""Which of many units has the next event: matches of two, played again up to the final when a unit's time changes."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc

from archdef.engine.clock cimport NEVER

cdef struct Match:           # who of a part of the units comes first
    int64_t when
    int32_t unit

cdef struct Tournament:
    Match *tree              # [1] the winner, [leaves + unit] each unit
    int32_t leaves           # power of two

cdef inline int tournament_open(Tournament *t, int64_t units) except -1:
    """Make room for so many units, none of which has an event."""
    cdef int64_t i
    t.leaves = 2
    while t.leaves < units:
        t.leaves *= 2
    t.tree = <Match *>malloc(<size_t>(2 * t.leaves) * sizeof(Match))
    if t.tree == NULL:
        raise MemoryError("events of the network")
    for i in range(2 * t.leaves - 1, 0, -1):
        t.tree[i].when = NEVER
        t.tree[i].unit = <int32_t>(i - t.leaves) if i >= t.leaves else t.tree[2 * i].unit
    return 0

cdef inline void tournament_close(Tournament *t) noexcept nogil:
    free(t.tree)
    t.tree = NULL

cdef inline int64_t tournament_when(const Tournament *t, int32_t unit) noexcept nogil:
    """Time of a unit's next event."""
    return t.tree[t.leaves + unit].when

cdef inline void tournament_set(Tournament *t, int32_t unit, int64_t when) noexcept nogil:
    """Set the time of a unit's next event and play its matches again, up to the final. A tie goes to the lower number."""
    cdef char *tree = <char *>t.tree
    cdef uint64_t at = <uint64_t>(t.leaves + unit) * sizeof(Match)      # in bytes: what compilers make of a number is longer
    cdef const Match *other
    cdef int64_t ahead, loses
    (<Match *>(tree + at)).when = when
    (<Match *>(tree + at)).unit = unit
    while at > sizeof(Match):       # without a branch on who wins, which is anybody's guess; compilers would make one of a condition
        other = <const Match *>(tree + (at ^ sizeof(Match)))
        ahead = other.when - when
        loses = ahead - <int64_t>(at // sizeof(Match) & 1) >> 63        # all bits or none
        when += ahead & loses
        unit ^= (unit ^ other.unit) & <int32_t>loses
        at = at // 2 & ~<uint64_t>(sizeof(Match) - 1)
        (<Match *>(tree + at)).when = when
        (<Match *>(tree + at)).unit = unit

cdef inline void tournament_decrease_key(Tournament *t, int32_t unit, int64_t when) noexcept nogil:
    """The same where the event comes sooner than before: it can only win."""
    cdef Match *tree = t.tree
    cdef int32_t i = t.leaves + unit
    while i and (when < tree[i].when or when == tree[i].when and unit <= tree[i].unit):
        tree[i].when = when
        tree[i].unit = unit
        i >>= 1
