"""Lane states: counters of lanes that are not coherent, and the trace of chosen warps."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from archdef.engine.bits cimport count_bits
from archdef.engine.counters cimport LN_ABSENT, LN_STALLED, StatementCounters
from archdef.engine.lane_trace cimport LaneRecord, LaneTrace
from archdef.engine.launch cimport Warp
from archdef.engine.timeline cimport timeline_wait
from archdef.engine.uop cimport Uop

import numpy as np

RECORD_DTYPE = np.dtype([(name, np.uint64 if name in ("running", "alive") else np.int64)
                         for name in ("warp", "begin", "issue", "end", "statement", "running", "alive", "path")])
assert RECORD_DTYPE.itemsize == sizeof(LaneRecord)


cdef inline uint64_t _together(const Warp *w) noexcept nogil:
    """No lane runs: all that live, if they wait at one place, else none."""
    cdef int32_t i
    for i in range(w.split_room):
        if w.splits[i].mask & w.alive:
            return w.alive if w.splits[i].mask & w.alive == w.alive else 0
    return 0


cdef void _record(LaneTrace *trace, const Warp *w, const Uop *u, int64_t warp, uint64_t running, int64_t begin, int64_t issue,
                  int64_t end) noexcept nogil:
    cdef LaneRecord *record
    if end <= trace.first or begin >= trace.last:
        return
    if trace.count == trace.room:
        trace.lost += 1
        return
    record = trace.records + trace.count
    trace.count += 1
    record.warp = warp
    record.begin = begin
    record.issue = issue
    record.end = end
    record.statement = u.statement
    record.running = running
    record.alive = w.alive
    record.path = w.path


cdef void _note(Warp *w, const Uop *u, uint64_t running, int64_t begin, int64_t issue, int64_t end) noexcept nogil:
    """Record what a traced warp has done."""
    if w.launch.trace != NULL and lanes_traced(w.launch.trace, w.number):
        _record(w.launch.trace, w, u, w.number, running, begin, issue if issue > NO_ISSUE else end, end)
    if issue <= NO_ISSUE and w.residency.recorded != NULL:
        timeline_wait(w.residency.recorded, w, u, begin, end, <int32_t>(NO_ISSUE - issue))


cdef void lanes_apart(Warp *w, const Uop *u, int64_t begin, int64_t issue, int64_t end, int64_t slots) noexcept nogil:
    cdef StatementCounters *c = w.launch.counters + u.statement
    cdef uint64_t running = w.active
    cdef int64_t time = end - begin, alive = w.launch.lanes, run
    if w.alive != w.quiet:              # the usual case is a full warp; counting bits is what costs here
        alive = count_bits(w.alive)
        c.lane_cycles[<int>LN_ABSENT] += (w.launch.lanes - alive) * time
        c.lane_slots[<int>LN_ABSENT] += (w.launch.lanes - alive) * slots
    if running == 0:
        running = _together(w)
    if running != w.alive:
        run = count_bits(running)
        c.lane_cycles[w.path] += run * time
        c.lane_slots[w.path] += run * slots
        c.lane_cycles[<int>LN_STALLED] += (alive - run) * time
        c.lane_slots[<int>LN_STALLED] += (alive - run) * slots
    if w.quiet == 0:
        _note(w, u, running, begin, issue, end)


cdef bint lanes_traced(const LaneTrace *trace, int64_t warp) noexcept nogil:
    """Whether a warp of the grid was chosen."""
    cdef int64_t low = 0, high = trace.warp_count, middle
    while low < high:
        middle = (low + high) // 2
        if trace.warps[middle] < warp:
            low = middle + 1
        else:
            high = middle
    return low < trace.warp_count and trace.warps[low] == warp


cdef class LaneTracer:
    """The trace that a launch was asked for.

    Parameters
    ----------
    warps : sequence of int
        Warps of the grid: block times the warps of a block, plus the warp's number in the block.
    first, last : int
        Cycles of the launch; [first, last) is recorded.
    room : int
        Records that are kept; those beyond are counted as lost.
    """

    def __cinit__(self, warps, int64_t first, int64_t last, int64_t room):
        cdef int64_t *numbers
        cdef int64_t i
        chosen = sorted(set(warps))
        self.trace.warps = numbers = <int64_t *>malloc(max(len(chosen), 1) * sizeof(int64_t))
        self.trace.records = <LaneRecord *>calloc(max(room, 1), sizeof(LaneRecord))
        if numbers == NULL or self.trace.records == NULL:
            raise MemoryError("trace of lanes")
        for i, number in enumerate(chosen):
            numbers[i] = number
        self.trace.warp_count = len(chosen)
        self.trace.first = first
        self.trace.last = last
        self.trace.room = max(room, 0)

    def __dealloc__(self):
        free(<void *>self.trace.warps)
        free(self.trace.records)

    cdef int begin(self, int64_t origin) except -1:
        """The launch counts from that cycle of the session."""
        self.origin = origin
        self.trace.first += origin
        self.trace.last += origin
        return 0

    @property
    def lost(self):
        """Records that found no room."""
        return self.trace.lost

    def records(self):
        """Give the records as an array of `RECORD_DTYPE`, in order of time for each warp; cycles count from the launch."""
        cdef int64_t used = self.trace.count * <int64_t>sizeof(LaneRecord)
        made = np.frombuffer((<const char *>self.trace.records)[:used] if used else b"", RECORD_DTYPE).copy()
        for name in ("begin", "issue", "end"):
            made[name] -= self.origin
        return made
