"""The access whose transactions the load/store unit is sending, and what is left of those that L1 refused."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from archdef.engine.cache cimport Cache
from archdef.engine.counters cimport StatementCounters
from archdef.engine.launch cimport Launch
from archdef.engine.transaction cimport Transaction

cdef enum:
    PIECES = 512                 # transactions of an access at most: eight texels of each of 64 lanes
    REPLAY_ENTRIES = 64          # loads that wait to be issued again …
    REPLAY_TRANSACTIONS = 64     # … with so many transactions left at most

cdef struct LsuPipeline:         # the access whose transactions the load/store unit is sending
    int32_t active
    int32_t count
    int32_t next
    int32_t kind                 # RequestKind
    int32_t load                 # index of the Load, -1: a store
    int32_t serial
    int32_t apart                # as in Memo
    uint8_t weight               # as in Request
    uint8_t operands
    uint8_t returns
    uint8_t again                # it is what was left of an access that was refused
    uint8_t sent                 # the latest transaction took a slot of reads
    uint8_t reservation_fail  # a set of L1 has no place for the next one
    int32_t unit
    StatementCounters *counters  # of its statement
    Launch *launch
    Cache *cache                 # looked up for reads, NULL: none
    int64_t time                 # cycle at which the next transaction can go
    int64_t floor                # cycle up to which the op holds its unit anyway
    int64_t stalled              # cycle since which it waits for a credit, -1: it does not
    int64_t passes               # cycles for which banks of tags and of words are busy with what hits; 0: it is not known, lines follow each other
    int64_t begun                # cycle of the first
    Transaction transactions[PIECES]

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
