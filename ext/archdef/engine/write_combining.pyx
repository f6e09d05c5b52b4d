"""Stores that leave a multiprocessor together: lines of which some words have been stored wait for the others.

What waits is a queue. A line leaves it when all its words have been stored, when lines behind it need the room, or when no store has
come for some time. A line holds one credit while it waits and until it has landed, as a store does that goes by itself.
"""
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.events cimport EV_COMBINED, Events, events_push
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory_port cimport MemoryPort, may_store, send_request
from archdef.engine.port cimport RQ_WRITE, Request
from archdef.engine.transaction cimport Transaction

cdef enum:
    WORD = 4


cdef inline int _place(uint64_t line) noexcept nogil:
    return <int>((line >> 7 ^ line >> 13) & (COMBINING_LINES - 1))


cdef inline uint32_t _all(const MachineTable *m) noexcept nogil:
    """All words of a line."""
    return <uint32_t>((<uint64_t>1 << (m.store.line_bytes // WORD)) - 1)


cdef inline WriteCombiningLine *_nth(WriteCombining *w, int k) noexcept nogil:
    """The k-th oldest line."""
    return w.lines + (w.first + k & COMBINING_LINES - 1)


cdef void _leave(WriteCombining *w, MemoryPort *port, int k, int64_t cycle) noexcept nogil:
    """Send a line, and close its place in the queue."""
    cdef WriteCombiningLine *c = _nth(w, k)
    cdef Request request
    request.time_fs = cycle * port.m.clocks.shader_period_fs
    request.address = c.line + <uint64_t>lowest_bit(c.sectors) * <uint64_t>port.m.store.sector_bytes
    request.line = c.line
    request.bytes = <uint32_t>(count_bits(c.sectors) * port.m.store.sector_bytes)
    request.sectors = <uint16_t>c.sectors
    request.covered = <uint16_t>min(c.covered, <uint32_t>(count_bits(c.words) * WORD))
    request.slot = c.launch
    request.kind = RQ_WRITE
    request.weight = 8
    request.operands = 1
    request.serial = 1
    request.apart = 0
    request.record = 0
    request.counters = NULL
    request.statement = c.statement
    send_request(port, &request)
    w.hashed[_place(c.line)] -= 1
    w.count -= 1
    while k:        # those before it move up
        _nth(w, k)[0] = _nth(w, k - 1)[0]
        k -= 1
    w.first = w.first + 1 & COMBINING_LINES - 1


cdef int write_combining_store(WriteCombining *w, MemoryPort *port, Events *inbox, const LsuPipeline *lsu, const Transaction *t) noexcept nogil:
    """Let a store wait with others of its line, or for them. 1: it does; 0: it has all words and goes by itself; -1: there is no credit for it."""
    cdef WriteCombiningLine *c
    cdef int k, place = _place(t.line)
    cdef uint32_t whole = _all(port.m)
    if w.hashed[place]:
        for k in range(w.count):
            c = _nth(w, k)
            if c.line == t.line and c.launch == lsu.launch.number:
                c.sectors |= t.sectors
                c.words |= t.words
                c.covered += t.covered
                w.touched = lsu.time
                if c.words == whole:
                    _leave(w, port, k, lsu.time)
                return 1
    if t.words == whole:
        return 0
    if not may_store(port):
        return -1
    if w.count >= port.m.load_store.write_combining.lines:
        _leave(w, port, 0, lsu.time)
    port.store_credits -= 1
    lsu.launch.stores += 1
    c = _nth(w, w.count)
    c.line = t.line
    c.sectors = t.sectors
    c.words = t.words
    c.covered = t.covered
    c.launch = lsu.launch.number
    c.statement = lsu.counters
    w.count += 1
    w.hashed[place] += 1
    w.touched = lsu.time
    if not w.watched:
        w.watched = 1
        events_push(inbox, lsu.time + port.m.load_store.write_combining.idle_cycles, EV_COMBINED, 0)
    return 1


cdef void write_combining_idle(WriteCombining *w, MemoryPort *port, Events *inbox, int64_t cycle) noexcept nogil:
    """All lines leave if no store has come for long enough; else it is looked at again."""
    w.watched = 0
    if w.count == 0:
        return
    if cycle < w.touched + port.m.load_store.write_combining.idle_cycles:
        w.watched = 1
        events_push(inbox, w.touched + port.m.load_store.write_combining.idle_cycles, EV_COMBINED, 0)
        return
    while w.count:
        _leave(w, port, 0, cycle)
