"""Everything beyond the multiprocessors, driven by events in time order, while requests are recorded: see `request_trace.pyx`."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.dram cimport DIR_WRITE, Entry
from archdef.engine.l2_slice cimport L2
from archdef.engine.parameters cimport SECTORS
from archdef.engine.port cimport RQ_WRITE, Request
from archdef.engine.remote cimport is_remote
from archdef.engine.request_trace cimport RequestRecord, traced, trace_served


cdef inline bint is_linked(const Network *n, const Request *r) noexcept nogil:
    """Whether a request is for memory behind a link."""
    return is_remote(&n.remote, r.address)


# -------------------------------------------------------------------------------------------------------------------- slices
cdef inline int32_t *_asker(L2 *l2, int32_t which, int32_t index) noexcept nogil:
    """Where the record of what asked for a transaction is."""
    return l2.crossbar.trace.transactions + which * l2.crossbar.trace.transaction_room + index


cdef inline int32_t _number(const L2 *l2, const Request *r) noexcept nogil:
    """Number plus 1 of a request's record, 0: none: it may have been sent while another launch's requests were recorded."""
    return max(r.record - l2.crossbar.trace.before, 0)


cdef inline void note_asks(L2 *l2, int32_t which, int32_t index, const Request *r, int64_t time_fs) noexcept nogil:
    """A request has put a transaction into the queue of DRAM."""
    cdef int32_t number = _number(l2, r)
    cdef RequestRecord *record
    if number:
        record = traced(l2.crossbar.trace, number)
        record.queued = time_fs
        record.ahead = number - 1
        _asker(l2, which, index)[0] = number


cdef inline void note_joins(L2 *l2, int32_t which, int32_t index, const Request *r, int64_t time_fs) noexcept nogil:
    """A request waits for a transaction of another one."""
    cdef int32_t number = _number(l2, r)
    cdef RequestRecord *record
    if number:
        record = traced(l2.crossbar.trace, number)
        if record.ahead < 0:
            record.queued = time_fs
            record.ahead = _asker(l2, which, index)[0] - 1


cdef inline void note_stored(L2 *l2, const Request *r, int64_t time_fs) noexcept nogil:
    """A store has landed."""
    cdef int32_t number = _number(l2, r)
    if number:
        traced(l2.crossbar.trace, number).answered = time_fs


cdef inline void note_gathered(L2 *l2, const Request *r) noexcept nogil:
    """A request is answered together with an equal one."""
    cdef int32_t number = _number(l2, r)
    if number:
        traced(l2.crossbar.trace, number).gathered = 1


# --------------------------------------------------------------------------------------------------------------------- ports
cdef inline void note_refused(Network *n, const Request *r, int32_t which, int64_t now_fs) noexcept nogil:
    """A request finds no room where it goes; what counts is when it does so first."""
    cdef int32_t number = _number(&n.l2, r)
    cdef RequestRecord *record
    if number:
        record = traced(n.crossbar.trace, number)
        if record.refused < 0:
            record.partition = which
            record.refused = now_fs


cdef inline void note_left(Network *n, const Request *r, int32_t which, int64_t now_fs, int64_t arrival_fs) noexcept nogil:
    """A request is on its way."""
    cdef int32_t number = _number(&n.l2, r)
    cdef RequestRecord *record
    if number:
        record = traced(n.crossbar.trace, number)
        record.partition = which
        record.left = now_fs
        record.arrived = arrival_fs


cdef inline void note_linked(Network *n, const Request *r, int64_t now_fs, int64_t arrival_fs, int64_t done_fs) noexcept nogil:
    """A request has gone to a link, which serves it by a time."""
    cdef int32_t number = _number(&n.l2, r)
    cdef RequestRecord *record
    if number:
        record = traced(n.crossbar.trace, number)
        record.left = now_fs
        record.arrived = arrival_fs
        record.served = done_fs
        if r.kind == RQ_WRITE:
            record.answered = done_fs


cdef void note_served(L2 *l2, int32_t which, int32_t index, int64_t done_fs) noexcept nogil:
    """A transaction of DRAM is over, for the request that has asked for it and for those that wait for it."""
    cdef const Entry *e = l2.partitions[which].dram.entries + index
    cdef int32_t *asker = _asker(l2, which, index)
    cdef RequestRecord *record
    if asker[0]:
        record = traced(l2.crossbar.trace, asker[0])
        asker[0] = 0
        record.served = done_fs
        if e.direction == DIR_WRITE:
            record.answered = done_fs
    if e.waiters >= 0:
        trace_served(l2.crossbar.trace, e.waiters, l2.waiter_next, SECTORS, done_fs)


include "l2_slice.pxi"
include "network.pxi"
