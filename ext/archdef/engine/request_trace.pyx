"""Requests to memory one by one: who has sent each, and when it came from one stage to the next.

Each stage writes its time into the record that a request names. Reads that wait somewhere are known there by multiprocessor and MSHR only:
`under_way` has their records.
"""
from libc.stdint cimport int32_t, int64_t


cdef void trace_served(RequestTrace *t, int32_t waiter, const int32_t *following, int32_t sectors, int64_t time_fs) noexcept nogil:
    """DRAM has given what reads wait for: `(multiprocessor * slots + slot) * sectors + sector`, and the one behind each, until one is negative."""
    cdef int32_t record
    while waiter >= 0:
        record = t.under_way[waiter // sectors]
        if record:
            traced(t, record).served = time_fs
        waiter = following[waiter]


cdef void trace_answered(RequestTrace *t, int64_t sm, int32_t slot, int64_t time_fs) noexcept nogil:
    """A read, or an atomic operation, has its answer at a time."""
    cdef int64_t waiter = sm * t.slots + slot
    if t.under_way[waiter]:
        traced(t, t.under_way[waiter]).answered = time_fs
        t.under_way[waiter] = 0
