"""Loads that failed to reserve a line of L1, replayed when they can."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.cache cimport Cache, Line
from archdef.engine.counters cimport StatementCounters
from archdef.engine.in_flight cimport InFlight
from archdef.engine.launch cimport Launch
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.machine cimport MachineTable
from archdef.engine.transaction cimport Transaction
from archdef.engine.units cimport Units

cdef enum:
    REPLAY_ENTRIES = 64          # loads that wait to be issued again …
    REPLAY_TRANSACTIONS = 64     # … with so many transactions left at most

cdef struct ReplayEntry:         # a load that is issued again: what is left of its transactions
    int32_t warp                 # slot of the warp that waits for it, -1: it went on before
    int32_t load                 # index of the Load, for which it counts as one more fill to come
    int32_t count
    int32_t unit
    uint64_t set_bit             # of the set that is full, modulo 64
    StatementCounters *counters
    Launch *launch
    Cache *cache
    int64_t passes
    int64_t begun
    Transaction transactions[REPLAY_TRANSACTIONS]

cdef struct ReplayList:
    ReplayEntry *entries         # [REPLAY_ENTRIES] in the order in which they were; NULL: the load/store unit waits for a place …
    int32_t *order               # … by number, and behind them those that are not in use
    int32_t count
    uint64_t freed               # sets of L1 that have had fills since loads were last issued again, modulo 64

cdef inline uint64_t set_bit(const Cache *cache, const Line *line) noexcept nogil:
    """Stand for the set of a line, 0: it is one of another cache. Several sets may share a bit."""
    if line < cache.lines or line >= cache.lines + cache.table.sets * cache.table.ways:
        return 0
    return <uint64_t>1 << ((line - cache.lines) // cache.table.ways & 63)

cdef int replay_open(ReplayList *replays, const MachineTable *m, Arena *arena) noexcept nogil
cdef int32_t replay_put(ReplayList *replays, LsuPipeline *lsu, const Cache *l1, InFlight *flight, Units *units, int32_t warp) noexcept nogil
cdef bint replay_ready(const ReplayEntry *entry) noexcept nogil
cdef void replay_issue(const ReplayEntry *entry, LsuPipeline *lsu, InFlight *flight, const Units *units) noexcept nogil
cdef void replay_keep(ReplayEntry *entry, LsuPipeline *lsu, InFlight *flight, Units *units) noexcept nogil
cdef void replay_drop(ReplayList *replays, int32_t place) noexcept nogil
