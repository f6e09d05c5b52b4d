"""Requests to memory one by one: who has sent each, and when it came from one stage to the next.

Each stage writes its time into the record that a request names. Reads that wait somewhere are known there by multiprocessor and MSHR only:
`under_way` has their records.
"""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.port cimport RQ_WRITE, Request


cdef int32_t trace_request(RequestTrace *t, int32_t sm, const Request *r) noexcept nogil:
    """Open the record of a request that is sent. Gives its number plus 1, 0: there is none for it."""
    cdef RequestRecord *record
    cdef int32_t number = 0
    if t.first_fs <= r.time_fs < t.last_fs:
        if t.count < t.room:
            record = t.records + t.count
            t.count += 1
            number = <int32_t>t.count
            record.serial = t.serial
            record.kernel = t.kernel
            record.warp = t.warp
            record.statement = t.statement
            record.begun = t.begun
            record.multiprocessor = sm
            record.kind = r.kind
            record.address = <int64_t>r.address
            record.bytes = r.bytes
            record.sent = r.time_fs
            record.partition = record.ahead = record.refused = record.left = record.arrived = record.queued = record.served = record.answered = -1
        else:
            t.lost += 1
    if r.kind != RQ_WRITE:
        t.under_way[<int64_t>sm * t.slots + r.slot] = number
    return number


cdef void trace_served(RequestTrace *t, int64_t waiter, int64_t time_fs) noexcept nogil:
    """DRAM has given what the read of `multiprocessor * slots + slot` waits for."""
    if t.under_way[waiter]:
        traced(t, t.under_way[waiter]).served = time_fs


cdef void trace_answered(RequestTrace *t, int64_t sm, int32_t slot, int64_t time_fs) noexcept nogil:
    """A read, or an atomic operation, has its answer at a time."""
    cdef int64_t waiter = sm * t.slots + slot
    if t.under_way[waiter]:
        traced(t, t.under_way[waiter]).answered = time_fs
        t.under_way[waiter] = 0
