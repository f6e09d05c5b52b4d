"""One DRAM partition: queue, banks, rows, and the first-ready scheduler that decides which column goes next.

Invariants:
- an entry is in exactly one of: the free list, the arrival list, one bank's list of its direction;
- `hit[d]` of a bank is the oldest entry of its list d whose row is open, or -1;
- decisions come at non-decreasing times, each at the first moment at which a column command may go.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memmove

from archdef.engine.arena cimport Arena, arena_zeroed
from archdef.engine.bits cimport lowest_bit
from archdef.engine.clock cimport NEVER
from archdef.engine.machine cimport MachineTable
from archdef.engine.parameters cimport DRAM_PAGE_POLICY_CLOSE_ADAPTIVE


cdef int dram_open(Dram *d, const MachineTable *m, int64_t which, Arena *arena) noexcept nogil:
    """Make an idle partition with all rows closed. Partitions take turns in refreshing. Returns -1 if the host has no memory for it."""
    cdef int64_t i, room = dram_room(m)
    d.m = m
    d.entries = <Entry *>arena_zeroed(arena, <size_t>room * sizeof(Entry))
    d.banks = <Bank *>arena_zeroed(arena, <size_t>m.dram.banks * sizeof(Bank))
    d.refreshes = <Refresh *>arena_zeroed(arena, <size_t>m.dram.banks * sizeof(Refresh))
    if d.entries == NULL or d.banks == NULL or d.refreshes == NULL:
        return -1
    for i in range(room):
        d.entries[i].next = <int32_t>(i + 1 if i + 1 < room else -1)
    for i in range(m.dram.banks):
        d.banks[i].row = -1
        d.banks[i].activated_fs = -NEVER
        d.banks[i].head[0] = d.banks[i].head[1] = -1
        d.banks[i].tail[0] = d.banks[i].tail[1] = -1
        d.banks[i].hit[0] = d.banks[i].hit[1] = -1
    d.refresh_fs = (which + 1) * m.dram.t_refi_fs // m.dram.partitions
    d.groups = m.dram.banks // m.dram.refresh_banks if m.dram.refresh_banks else m.dram.banks
    for i in range(m.dram.banks):
        d.refreshes[i].due_fs = d.refresh_fs + i * m.dram.t_refi_fs
        d.refreshes[i & (d.groups - 1)].banks |= <uint64_t>1 << i
    d.free_entry = 0
    d.arrivals_head = d.arrivals_tail = -1
    return 0


cdef int32_t dram_enqueue(Dram *d, int64_t arrival_fs, uint64_t local, int32_t bytes, int32_t direction) noexcept nogil:
    """Put a transaction at partition-local byte address `local` in the queue; arrivals come in order. Returns its entry."""
    cdef int32_t index = d.free_entry
    cdef Entry *e = d.entries + index
    cdef uint64_t page = local >> lowest_bit(<uint64_t>d.m.dram.row_bytes)        # this and the next are powers of two
    d.free_entry = e.next
    e.arrival_fs = arrival_fs
    e.sequence = d.sequence
    d.sequence += 1
    e.bank = <int32_t>(page & <uint64_t>(d.m.dram.banks - 1))
    e.row = <int64_t>(page >> lowest_bit(<uint64_t>d.m.dram.banks))
    e.direction = direction
    e.bytes = bytes
    e.bursts = <int32_t>((bytes + d.m.dram.burst_bytes - 1) >> lowest_bit(<uint64_t>d.m.dram.burst_bytes))
    e.sm = e.slot = e.asker = -1
    e.serial = 0
    e.line = NULL
    e.sectors = 0
    e.waiters = -1
    e.next = -1
    if d.arrivals_tail >= 0:
        d.entries[d.arrivals_tail].next = index
    else:
        d.arrivals_head = index
    d.arrivals_tail = index
    d.queued += 1
    return index


cdef void dram_release(Dram *d, int32_t index) noexcept nogil:
    """Return a served entry to the free list."""
    d.entries[index].next = d.free_entry
    d.free_entry = index
    d.queued -= 1


cdef void _show(Dram *d, int64_t now_fs) noexcept nogil:
    """Let the scheduler see what has arrived, as far as its window reaches."""
    cdef int32_t index = d.arrivals_head, way
    cdef Entry *e
    cdef Bank *b
    while index >= 0 and d.visible[0] + d.visible[1] < d.m.dram.window and d.entries[index].arrival_fs <= now_fs:
        e = d.entries + index
        b = d.banks + e.bank
        d.arrivals_head = e.next
        way = e.direction
        if d.m.dram.refresh_banks and not _wanted(d, e.bank & (d.groups - 1)):
            _wake(d, e.bank & (d.groups - 1), e.arrival_fs)
        e.next = -1
        e.previous = b.tail[way]
        if b.tail[way] >= 0:
            d.entries[b.tail[way]].next = index
        else:
            b.head[way] = index
            d.has[way] |= <uint64_t>1 << e.bank
        b.tail[way] = index
        if b.hit[way] < 0 and b.row == e.row:
            b.hit[way] = index
        if d.shown != NULL:
            d.shown[d.visible[0] + d.visible[1]] = index
        d.visible[way] += 1
        index = d.arrivals_head
    if index < 0:
        d.arrivals_tail = -1


cdef int32_t _first_for(Dram *d, int32_t index, int64_t row) noexcept nogil:
    while index >= 0 and d.entries[index].row != row:
        index = d.entries[index].next
    return index


cdef void dram_open_row(Dram *d, Bank *b, int64_t row, int64_t now_fs) noexcept nogil:
    """Close what is open, activate `row`."""
    cdef int64_t start = now_fs
    if b.row >= 0:
        start = max(now_fs, b.precharge_fs, b.activated_fs + d.m.dram.t_ras_fs) + d.m.dram.t_rp_fs
    if start < d.activate_fs:
        start = d.activate_fs
    d.activate_fs = start + d.m.dram.t_rrd_fs
    b.activated_fs = start
    b.column_fs = start + d.m.dram.t_rcd_fs
    b.row = row
    b.fresh = 1
    b.hit[DIR_READ] = _first_for(d, b.head[DIR_READ], row)
    b.hit[DIR_WRITE] = _first_for(d, b.head[DIR_WRITE], row)


cdef void _close(Bank *b) noexcept nogil:
    """Close a bank's row."""
    b.row = -1
    b.fresh = 0
    b.hit[DIR_READ] = b.hit[DIR_WRITE] = -1


cdef void _hold(Dram *d, int64_t group, int64_t until_fs) noexcept nogil:
    """Let banks that are refreshed together wait: every second one, if there are two groups, so that streams go on with the others."""
    cdef int64_t i
    cdef Bank *b
    for i in range(d.m.dram.refresh_banks):
        b = d.banks + group + i * d.groups
        _close(b)
        b.ready_fs = max(b.ready_fs, until_fs)


cdef void _refresh_partition(Dram *d, int64_t now_fs) noexcept nogil:
    """Make up for refreshes that are due, of one bank after the other: each closes its row and holds the partition."""
    cdef int64_t round_fs = d.m.dram.banks * d.m.dram.t_refi_fs
    if now_fs - d.refresh_fs > 2 * round_fs:      # idle for long: the last round closes all banks
        d.refresh_fs += ((now_fs - d.refresh_fs) // round_fs - 1) * round_fs
    while now_fs >= d.refresh_fs:
        d.command_fs = max(d.command_fs, d.refresh_fs + d.m.dram.t_rfc_fs)
        d.refresh_fs += d.m.dram.t_refi_fs
        _close(d.banks + d.refreshed)
        d.refreshed = (d.refreshed + 1) & (d.m.dram.banks - 1)


cdef void _wake(Dram *d, int64_t group, int64_t now_fs) noexcept nogil:
    """Make up for the refreshes of banks that nobody wanted until now: those that were put off, then each when it was due."""
    cdef Refresh *r = d.refreshes + group
    cdef int64_t period_fs = d.groups * d.m.dram.t_refi_fs, end_fs = r.idle_fs
    while r.owed > 0 and end_fs < now_fs:
        end_fs += d.m.dram.t_rfc_fs
        r.owed -= 1
    if r.due_fs <= now_fs:
        r.due_fs += (now_fs - r.due_fs) // period_fs * period_fs      # the last one that was due
        end_fs = max(end_fs, r.due_fs) + d.m.dram.t_rfc_fs
        r.due_fs += period_fs
    if end_fs > r.idle_fs:
        _hold(d, group, end_fs)
    d.refresh_fs = min(d.refresh_fs, r.due_fs)


cdef void _refresh_banks(Dram *d, int64_t now_fs) noexcept nogil:
    """Put off refreshes that are due of banks that are wanted, or hold the banks if that was done as often as it may be."""
    cdef int64_t period_fs = d.groups * d.m.dram.t_refi_fs, i, first, k
    cdef Refresh *r
    cdef Bank *b
    d.refresh_fs = NEVER
    for i in range(d.groups):
        r = d.refreshes + i
        if not _wanted(d, i):
            continue
        while r.due_fs <= now_fs:
            r.owed += 1
            if r.owed > d.m.dram.refreshes_postponed:
                first = r.due_fs
                for k in range(d.m.dram.refresh_banks):
                    b = d.banks + i + k * d.groups
                    first = max(first, b.ready_fs)
                    if b.row >= 0:
                        first = max(first, max(b.precharge_fs, b.activated_fs + d.m.dram.t_ras_fs) + d.m.dram.t_rp_fs)
                _hold(d, i, first + d.m.dram.t_rfc_fs)
                r.owed -= 1
            r.due_fs += period_fs
        d.refresh_fs = min(d.refresh_fs, r.due_fs)


cdef inline bint _wanted(Dram *d, int64_t group) noexcept nogil:
    """Whether the scheduler sees a transaction for any of the banks that are refreshed together."""
    return (d.has[DIR_READ] | d.has[DIR_WRITE]) & d.refreshes[group].banks != 0


cdef void _leave_order(Dram *d, int32_t index) noexcept nogil:
    """A transaction that the scheduler saw is gone."""
    cdef int32_t i = 0, left = d.visible[0] + d.visible[1]
    while d.shown[i] != index:
        i += 1
    memmove(d.shown + i, d.shown + i + 1, <size_t>(left - i) * sizeof(int32_t))


cdef void _unlink(Dram *d, Bank *b, int32_t index) noexcept nogil:
    cdef Entry *e = d.entries + index
    cdef int32_t way = e.direction
    if b.hit[way] == index:
        b.hit[way] = _first_for(d, e.next, b.row)
    if e.previous >= 0:
        d.entries[e.previous].next = e.next
    else:
        b.head[way] = e.next
    if e.next >= 0:
        d.entries[e.next].previous = e.previous
    else:
        b.tail[way] = e.previous
    if b.head[way] < 0:
        d.has[way] &= ~(<uint64_t>1 << e.bank)
        if d.m.dram.refresh_banks and not _wanted(d, e.bank & (d.groups - 1)):
            d.refreshes[e.bank & (d.groups - 1)].idle_fs = d.command_fs
    d.visible[way] -= 1
    if d.shown != NULL:
        _leave_order(d, index)


cdef bint _awake(Dram *d, int32_t way, int64_t now_fs) noexcept nogil:
    """Whether any bank with a transaction of that direction need not wait for a refresh, or to close."""
    cdef uint64_t left = d.has[way]
    while left:
        if d.banks[lowest_bit(left)].ready_fs <= now_fs:
            return True
        left &= left - 1
    return False


cdef bint dram_look(Dram *d, int64_t now_fs, int64_t *again_fs) noexcept nogil:
    """See what has come, and whose turn it is, reads or writes. False: no command can go now, `again_fs` says when to look again."""
    cdef const MachineTable *m = d.m
    if now_fs < d.command_fs:
        again_fs[0] = d.command_fs
        return False
    if m.dram.t_refi_fs and now_fs >= d.refresh_fs:
        if m.dram.refresh_banks:
            _refresh_banks(d, now_fs)
        else:
            _refresh_partition(d, now_fs)
        if now_fs < d.command_fs:
            again_fs[0] = d.command_fs
            return False
    _show(d, now_fs)
    if d.visible[0] + d.visible[1] == 0:
        again_fs[0] = d.entries[d.arrivals_head].arrival_fs if d.arrivals_head >= 0 else NEVER
        return False
    # turning the bus around costs time: writes collect until there are many, or nothing else to do
    if d.direction == DIR_READ:
        if d.visible[DIR_WRITE] >= m.dram.write_drain_high or d.visible[DIR_READ] == 0:
            d.direction = DIR_WRITE
    elif d.visible[DIR_WRITE] == 0 or (d.visible[DIR_WRITE] <= m.dram.write_drain_low and d.visible[DIR_READ] > 0):
        d.direction = DIR_READ
    # no waiting for banks that are refreshed while the other direction could go
    if m.dram.refresh_banks and not _awake(d, d.direction, now_fs) and _awake(d, 1 - d.direction, now_fs):
        d.direction = 1 - d.direction
    return True


cdef int64_t dram_turned_fs(const Dram *d, int32_t way) noexcept nogil:
    """When the bus has turned around to a direction."""
    return d.write_end_fs + d.m.dram.t_wtr_fs if way == DIR_READ else d.read_end_fs + d.m.dram.t_rtw_fs - d.m.dram.t_wl_fs


cdef int32_t dram_serve(Dram *d, int32_t index, int64_t now_fs, int64_t *done_fs, int64_t *again_fs) noexcept nogil:
    """Let the column command of a transaction go whose row is open. Gives its entry."""
    cdef const MachineTable *m = d.m
    cdef Entry *e = d.entries + index
    cdef Bank *b = d.banks + e.bank
    if b.fresh:
        b.fresh = 0
        d.counters.row_misses += 1
    else:
        d.counters.row_hits += 1
    d.command_fs = now_fs + e.bursts * m.dram.burst_fs
    d.counters.busy_fs += e.bursts * m.dram.burst_fs
    if e.direction == DIR_READ:
        d.read_end_fs = now_fs + m.dram.t_cl_fs + e.bursts * m.dram.burst_fs
        done_fs[0] = d.read_end_fs
        b.precharge_fs = d.command_fs
        d.counters.reads += 1
        d.counters.bytes_read += e.bytes
    else:
        d.write_end_fs = now_fs + m.dram.t_wl_fs + e.bursts * m.dram.burst_fs
        done_fs[0] = d.write_end_fs
        b.precharge_fs = d.write_end_fs + m.dram.t_wr_fs
        d.counters.writes += 1
        d.counters.bytes_written += e.bytes
    if e.direction == DIR_READ or e.sm >= 0:
        d.counters.awaited += 1
        d.counters.awaited_fs += done_fs[0] - e.arrival_fs
    _unlink(d, b, index)
    if m.dram.page_policy == DRAM_PAGE_POLICY_CLOSE_ADAPTIVE and b.hit[DIR_READ] < 0 and b.hit[DIR_WRITE] < 0:
        b.row = -1
        b.ready_fs = max(b.precharge_fs, b.activated_fs + m.dram.t_ras_fs) + m.dram.t_rp_fs
    again_fs[0] = d.command_fs
    if d.visible[0] + d.visible[1] == 0:
        again_fs[0] = NEVER
        if d.arrivals_head >= 0:
            again_fs[0] = max(d.command_fs, d.entries[d.arrivals_head].arrival_fs)
    return index


cdef int32_t dram_decide(Dram *d, int64_t now_fs, int64_t *done_fs, int64_t *again_fs) noexcept nogil:
    """Let one column command go if one may go now.

    Returns the entry served (the caller releases it), or -1. `done_fs`: end of its data on the bus; `again_fs`: when to
    decide next (NEVER: nothing is queued).
    """
    cdef int32_t way, best = -1, hit
    cdef int64_t first = NEVER, oldest = NEVER, start
    cdef uint64_t left
    cdef Bank *b
    if not dram_look(d, now_fs, again_fs):
        return -1
    way = d.direction
    left = d.has[way]
    while left:
        b = d.banks + lowest_bit(left)
        left &= left - 1
        if b.hit[way] < 0:
            if b.ready_fs > now_fs:
                first = min(first, b.ready_fs)
                continue
            dram_open_row(d, b, d.entries[b.head[way]].row, now_fs)
        hit = b.hit[way]
        if b.column_fs <= now_fs:
            if d.entries[hit].sequence < oldest:
                oldest = d.entries[hit].sequence
                best = hit
        elif b.column_fs < first:
            first = b.column_fs
    if best < 0:
        again_fs[0] = first
        if d.arrivals_head >= 0 and d.visible[0] + d.visible[1] < d.m.dram.window:
            again_fs[0] = min(first, d.entries[d.arrivals_head].arrival_fs)
        return -1
    start = dram_turned_fs(d, way)
    if start > now_fs:
        again_fs[0] = start
        return -1
    return dram_serve(d, best, now_fs, done_fs, again_fs)
