"""Stores that leave a multiprocessor together: lines of which some words have been stored wait for the others."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from archdef.engine.counters cimport StatementCounters
from archdef.engine.events cimport Events
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.memory_port cimport MemoryPort
from archdef.engine.transaction cimport Transaction

cdef enum:
    COMBINING_LINES = 64         # most that wait

cdef struct WriteCombiningLine:  # a line that waits for more stores
    uint64_t line
    uint32_t sectors
    uint32_t words               # mask
    uint32_t covered             # bytes, those that were stored several times counted each time
    int32_t launch
    StatementCounters *statement  # of the first store

cdef struct WriteCombining:
    int32_t count
    int32_t first                # the oldest …
    int32_t watched              # 1: an event looks after them
    int64_t touched              # cycle of the latest store among them
    WriteCombiningLine lines[COMBINING_LINES]  # … a ring
    uint8_t hashed[COMBINING_LINES]  # how many of them there are by a hash of the line

cdef int write_combining_store(WriteCombining *w, MemoryPort *port, Events *inbox, const LsuPipeline *lsu, const Transaction *t) noexcept nogil
cdef void write_combining_idle(WriteCombining *w, MemoryPort *port, Events *inbox, int64_t cycle) noexcept nogil
