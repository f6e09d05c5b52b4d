"""Requests to memory one by one: who has sent each, and when it came from one stage to the next."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from archdef.engine.port cimport RQ_WRITE, Request, Stage

cdef enum:
    TIMES_AHEAD = 6              # of a record, from `refused` on: what happens to a request that is sent

cdef struct RequestRecord:       # times in femtoseconds, -1: it has not come so far, or has not passed there
    int64_t serial               # of the launch in the session, -1: no access of a warp has sent it
    int64_t kernel               # as of a block
    int64_t warp                 # of the grid
    int64_t statement
    int64_t multiprocessor
    int64_t kind                 # RequestKind
    int64_t address
    int64_t bytes
    int64_t partition            # to which it went, -1: not yet
    int64_t ahead                # record of the request that has asked DRAM for what this one waits for; itself, if it has; -1: none
    int64_t gathered             # 1: it is answered together with an equal one
    int64_t begun                # the load/store unit began its access
    int64_t sent                 # L1, where there is one, has let it go: it is at the port
    int64_t refused              # it was first of its port, and found the queue of its partition or slice full
    int64_t left                 # it left the port
    int64_t arrived              # it was through the port of its partition or slice
    int64_t queued               # DRAM got a transaction that it waits for, in the partition's queue
    int64_t served               # … which was over
    int64_t answered             # the multiprocessor has its answer; a store has landed

cdef struct RequestTrace:
    RequestRecord *records
    int64_t count
    int64_t room
    int64_t lost                 # that found none
    int64_t first_fs             # what is sent in [first, last) is recorded
    int64_t last_fs
    int32_t *under_way           # [multiprocessor * slots + slot] record + 1 of what waits for an answer there, 0: none
    int64_t slots
    int32_t *transactions        # [partition * transaction_room + entry of its queue]: the same of what asked for it, 0: nobody
    int64_t transaction_room
    Stage stage                  # by which multiprocessors send their requests while they are recorded
    const void *const *sms       # [multiprocessors] their `Sm`
    int32_t before               # records of earlier traces of the session, whose requests may be under way: numbers of these go on from there
    bint idle                    # what is sent now leaves because no access has come for long

cdef void trace_answered(RequestTrace *t, int64_t sm, int32_t slot, int64_t time_fs) noexcept nogil
cdef void trace_served(RequestTrace *t, int32_t waiter, const int32_t *following, int32_t sectors, int64_t time_fs) noexcept nogil

cdef inline RequestRecord *trace_open(RequestTrace *t, int32_t sm, const Request *r) noexcept nogil:
    """Open the record of a request that is sent, whoever it is of. Its number plus 1 is `count` then; NULL: there is none for it."""
    cdef RequestRecord *record = NULL
    cdef int32_t number = 0
    if t.first_fs <= r.time_fs < t.last_fs:
        if t.count < t.room:
            record = t.records + t.count
            t.count += 1
            number = <int32_t>t.count
            record.multiprocessor = sm
            record.kind = r.kind
            record.address = <int64_t>r.address
            record.bytes = r.bytes
            record.sent = r.time_fs
            record.partition = record.ahead = -1
            memset(&record.refused, 0xff, TIMES_AHEAD * sizeof(int64_t))        # -1 each
        else:
            t.lost += 1
    if r.kind != RQ_WRITE:
        t.under_way[<int64_t>sm * t.slots + r.slot] = number
    return record

cdef inline RequestRecord *traced(RequestTrace *t, int32_t record) noexcept nogil:
    """A record by its number plus 1."""
    return t.records + (record - 1)
