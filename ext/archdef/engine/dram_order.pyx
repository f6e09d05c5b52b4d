"""A plugin's order of a DRAM partition's queue: what it is asked, and what becomes of its answer."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.dram cimport DIR_WRITE, Bank, Dram, Entry, dram_decide, dram_look, dram_open_row, dram_serve, dram_turned_fs
from archdef.engine.policy cimport ARCHDEF_DRAM_ROWS, Hook, PolicyHead, policy_head, policy_refuse

cdef enum:
    ARRIVAL = 0
    READY = 1
    BANK = 2
    ROW = 3
    ROW_HIT = 4
    WRITE = 5
    BYTES = 6
    MULTIPROCESSOR = 7
    COLUMNS = 8


cdef int dram_order_open(Dram *d, int64_t which) except -1:
    """Prepare what the policy is asked, if the machine has one."""
    cdef Hook *hook = <Hook *><size_t>d.m.dram.order_hook
    cdef int64_t i, window = d.m.dram.window
    cdef DramOrder *o
    if hook == NULL:
        return 0
    o = <DramOrder *>calloc(1, sizeof(DramOrder))
    if o == NULL:
        raise MemoryError("order of a DRAM partition")
    d.order = o
    d.shown = <int32_t *>calloc(<size_t>window + 1, sizeof(int32_t))
    o.numbers = <int64_t *>calloc(<size_t>(COLUMNS * window + hook.state_words), sizeof(int64_t))
    if d.shown == NULL or o.numbers == NULL:
        raise MemoryError("order of a DRAM partition")
    o.hook = hook
    for i in range(COLUMNS):
        o.column[i] = o.numbers + i * window
    policy_head(<PolicyHead *>&o.view, hook, o.numbers + COLUMNS * window)
    o.view.partition = which
    o.view.arrival_fs = o.column[ARRIVAL]
    o.view.ready_fs = o.column[READY]
    o.view.bank = o.column[BANK]
    o.view.row = o.column[ROW]
    o.view.row_hit = o.column[ROW_HIT]
    o.view.write = o.column[WRITE]
    o.view.bytes = o.column[BYTES]
    o.view.multiprocessor = o.column[MULTIPROCESSOR]
    return 0


cdef void dram_order_close(Dram *d) noexcept nogil:
    """Free what `dram_order_open` took, complete or not."""
    cdef DramOrder *o = <DramOrder *>d.order
    if o != NULL:
        free(o.numbers)
    free(o)
    free(d.shown)
    d.order = NULL
    d.shown = NULL


cdef inline int64_t _ready_fs(const Dram *d, const Entry *e, const Bank *b) noexcept nogil:
    """From when on the data of a transaction can go, or its row can be opened."""
    return max(b.column_fs, dram_turned_fs(d, e.direction)) if b.row == e.row else b.ready_fs


cdef int32_t _ask(Dram *d, int64_t now_fs) noexcept nogil:
    """Give the entry that the policy names; -1: the answer is none."""
    cdef DramOrder *o = <DramOrder *>d.order
    cdef const Entry *e
    cdef const Bank *b
    cdef int64_t i, answer
    o.view.now_fs = now_fs
    o.view.writes_next = d.direction == DIR_WRITE
    o.view.count = d.visible[0] + d.visible[1]
    for i in range(o.view.count):
        e = d.entries + d.shown[i]
        b = d.banks + e.bank
        o.column[ARRIVAL][i] = e.arrival_fs
        o.column[READY][i] = _ready_fs(d, e, b)
        o.column[BANK][i] = e.bank
        o.column[ROW][i] = e.row
        o.column[ROW_HIT][i] = b.row == e.row
        o.column[WRITE][i] = e.direction == DIR_WRITE
        o.column[BYTES][i] = e.bytes
        o.column[MULTIPROCESSOR][i] = e.sm if e.sm >= 0 else e.asker
    answer = o.hook.function(&o.view)
    if answer < 0 or answer >= o.view.count:
        policy_refuse(o.hook, answer, <uint64_t>o.view.count, <uint64_t>o.view.partition, 0)
        return -1
    return d.shown[answer]


cdef bint _may_open(DramOrder *o, int64_t bank) noexcept nogil:
    """Whether the policy may open one more row before data go."""
    o.opened += 1
    if o.opened <= ARCHDEF_DRAM_ROWS:
        return True
    policy_refuse(o.hook, ARCHDEF_DRAM_ROWS, <uint64_t>bank, <uint64_t>o.view.partition, 1)
    return False


cdef int32_t dram_order_decide(Dram *d, int64_t now_fs, int64_t *done_fs, int64_t *again_fs) noexcept nogil:
    """Let one column command go if the policy wants one to go now: see `dram_decide`, which goes on where the policy is refused."""
    cdef DramOrder *o = <DramOrder *>d.order
    cdef int64_t when
    cdef int32_t index
    cdef Bank *b
    if not dram_look(d, now_fs, again_fs):
        return -1
    while not o.hook.failed:
        index = _ask(d, now_fs)
        if index < 0:
            break
        b = d.banks + d.entries[index].bank
        when = _ready_fs(d, d.entries + index, b)
        if when > now_fs:
            again_fs[0] = when
            if d.arrivals_head >= 0 and d.visible[0] + d.visible[1] < d.m.dram.window:
                again_fs[0] = min(when, d.entries[d.arrivals_head].arrival_fs)
            return -1
        if b.row == d.entries[index].row:
            o.opened = 0
            return dram_serve(d, index, now_fs, done_fs, again_fs)
        if not _may_open(o, d.entries[index].bank):
            break
        dram_open_row(d, b, d.entries[index].row, now_fs)
    return dram_decide(d, now_fs, done_fs, again_fs)
