"""Stores that leave a multiprocessor together: lines of which some words have been stored wait for the others.

What waits is a queue. A line leaves it when all its words have been stored, when lines behind it need the room, or when no store has
come for some time. A line holds one credit while it waits and until it has landed, as a store does that goes by itself.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.events cimport EV_COMBINED, events_push
from archdef.engine.in_flight cimport WriteCombiningLine
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.port cimport RQ_WRITE, Request, port_send
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction

cdef enum:
    WORD = 4
    PLACES = 64


cdef inline int _place(uint64_t line) noexcept nogil:
    return <int>((line >> 7 ^ line >> 13) & (PLACES - 1))


cdef inline uint32_t _all(const Sm *sm) noexcept nogil:
    """All words of a line."""
    return <uint32_t>((<uint64_t>1 << (sm.m.store.line_bytes // WORD)) - 1)


cdef inline WriteCombiningLine *_nth(Sm *sm, int k) noexcept nogil:
    """The k-th oldest line."""
    return sm.combined + (sm.combined_first + k & PLACES - 1)


cdef void _leave(Sm *sm, int k, int64_t cycle) noexcept nogil:
    """Send a line, and close its place in the queue."""
    cdef WriteCombiningLine *c = _nth(sm, k)
    cdef Request request
    request.time_fs = cycle * sm.m.shader_period_fs
    request.address = c.line + <uint64_t>lowest_bit(c.sectors) * <uint64_t>sm.m.store.sector_bytes
    request.line = c.line
    request.bytes = <uint32_t>(count_bits(c.sectors) * sm.m.store.sector_bytes)
    request.sectors = c.sectors
    request.covered = min(c.covered, <uint32_t>(count_bits(c.words) * WORD))
    request.slot = c.launch
    request.kind = RQ_WRITE
    request.serial = 1
    request.weight = 8
    request.operands = 1
    request.counters = NULL
    sm.store_bytes += request.bytes
    port_send(&sm.network.ports, sm.core.id, &request)
    sm.combined_at[_place(c.line)] -= 1
    sm.combined_count -= 1
    while k:        # those before it move up
        _nth(sm, k)[0] = _nth(sm, k - 1)[0]
        k -= 1
    sm.combined_first = sm.combined_first + 1 & PLACES - 1


cdef int write_combining_store(Sm *sm, const LsuPipeline *lsu, const Transaction *t) noexcept nogil:
    """Let a store wait with others of its line, or for them. 1: it does; 0: it has all words and goes by itself; -1: there is no credit for it."""
    cdef WriteCombiningLine *c
    cdef int k, place = _place(t.line)
    cdef uint32_t whole = _all(sm)
    if sm.combined_at[place]:
        for k in range(sm.combined_count):
            c = _nth(sm, k)
            if c.line == t.line and c.launch == lsu.launch.number:
                c.sectors |= t.sectors
                c.words |= t.words
                c.covered += t.covered
                sm.combined_touched = lsu.time
                if c.words == whole:
                    _leave(sm, k, lsu.time)
                return 1
    if t.words == whole:
        return 0
    if not may_store(sm):
        return -1
    if sm.combined_count >= sm.m.load_store.write_combining.lines:
        _leave(sm, 0, lsu.time)
    sm.store_credits -= 1
    lsu.launch.stores += 1
    c = _nth(sm, sm.combined_count)
    c.line = t.line
    c.sectors = t.sectors
    c.words = t.words
    c.covered = t.covered
    c.launch = lsu.launch.number
    sm.combined_count += 1
    sm.combined_at[place] += 1
    sm.combined_touched = lsu.time
    if not sm.combined_watched:
        sm.combined_watched = 1
        events_push(sm.core.inbox, lsu.time + sm.m.load_store.write_combining.idle_cycles, EV_COMBINED, 0)
    return 1


cdef void write_combining_idle(Sm *sm, int64_t cycle) noexcept nogil:
    """All lines leave if no store has come for long enough; else it is looked at again."""
    sm.combined_watched = 0
    if sm.combined_count == 0:
        return
    if cycle < sm.combined_touched + sm.m.load_store.write_combining.idle_cycles:
        sm.combined_watched = 1
        events_push(sm.core.inbox, sm.combined_touched + sm.m.load_store.write_combining.idle_cycles, EV_COMBINED, 0)
        return
    while sm.combined_count:
        _leave(sm, 0, cycle)
