# Lookups of the L2, reads that wait for DRAM, and answers, as `l2_slice.pyx` and `network_traced.pyx` compile them, each with its own `note_asks`
# and such.
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.atomic_unit cimport atomic_answer, atomic_hold, atomic_work
from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.cache cimport ALL_SECTORS, Cache, Line, cache_find, cache_take, cache_victim
from archdef.engine.copies cimport copied, copy_partition, copy_take
from archdef.engine.crossbar cimport crossbar_answer, crossbar_cross, crossbar_deliver, crossbar_landed
from archdef.engine.dram cimport DIR_READ, DIR_WRITE, Entry
from archdef.engine.l2_coalescer cimport l2_coalescer_answered, l2_coalescer_join
from archdef.engine.machine cimport MachineTable
from archdef.engine.parameters cimport SECTORS, CacheParameters
from archdef.engine.partition cimport Partition, partition_enqueue, partition_ready
from archdef.engine.port cimport RQ_ATOMIC, RQ_READ, RQ_TEXTURE, RQ_WRITE, Request
from archdef.engine.route cimport home_distance, slice_of
from archdef.engine.shared_texture cimport shared_texture_filled
from archdef.engine.write_back cimport limit_partial_dirty_ways, line_written, write_back, write_part

cdef enum:
    WORK_BIT = 4             # of `L2.remaining`
    BYTES_BIT = 36


cdef struct Visit:           # a request at a cache of a partition
    L2 *l2
    Partition *p
    Cache *cache
    const Request *r
    int32_t which            # partition
    int32_t through          # see `route.pxd`
    int32_t sm
    int32_t record           # of a read: sm * slots + slot
    int32_t apart            # L2 partitions by which the multiprocessor is further on than the line's home
    uint64_t number          # of the line
    uint64_t local           # address in the partition
    uint32_t wanted          # sectors
    int64_t time_fs          # when the lookup is done


# ------------------------------------------------------------------------------------------------------------------ answers
cdef inline int32_t _slice(const L2 *l2, int32_t which, int64_t record) noexcept nogil:
    """The slice whose ports and atomic unit serve what is under way: the partition's, unless addresses have slices of their own."""
    return which if l2.routing.parities == NULL else slice_of(l2.routing.through[record])


cdef int64_t _answer(L2 *l2, int32_t which, int32_t sm, int32_t slot, int64_t bytes, int64_t time_fs, int64_t late_fs) noexcept nogil:
    """Send read data back; `late_fs` is a delay that keeps nobody else waiting. Gives when they arrive."""
    cdef int32_t slice = _slice(l2, which, sm * l2.routing.slots + slot)
    cdef int64_t arrival_fs = crossbar_answer(l2.crossbar, slice, sm, bytes, time_fs, late_fs)
    if l2.textures.caches != NULL:
        shared_texture_filled(l2.textures, sm, slot, arrival_fs)
    crossbar_deliver(l2.crossbar, sm, slot, arrival_fs)
    return arrival_fs


cdef int64_t _operate(L2 *l2, int32_t slice, int32_t work, int64_t time_fs) noexcept nogil:
    """Let the slice's atomic unit work; operations on one address follow each other."""
    time_fs = atomic_hold(l2.atomics + slice, time_fs, work * l2.m.load_store.atomic_fs // 16)
    if time_fs > l2.crossbar.landed_fs:
        l2.crossbar.landed_fs = time_fs
    return time_fs


# ------------------------------------------------------------------------------------------------------------------ arrival
cdef inline void _count_request(const MachineTable *m, Partition *p, const Request *r) noexcept nogil:
    p.dram.counters.requests += 1
    if r.kind == RQ_WRITE:
        p.dram.counters.bytes_given += r.bytes
    else:
        p.dram.counters.bytes_asked += r.bytes + (m.interconnect.mask_bytes * r.apart if r.kind == RQ_ATOMIC else 0)


cdef inline void _count(Partition *p, const Cache *cache, bint hit) noexcept nogil:
    if cache == &p.texture_l2:
        p.dram.counters.texture_l2_hits += hit
        p.dram.counters.texture_l2_misses += not hit
    else:
        p.dram.counters.l2_hits += hit
        p.dram.counters.l2_misses += not hit


cdef inline uint32_t _widened(uint32_t sectors, int64_t group) noexcept nogil:
    """The groups of sectors of which one is missing."""
    cdef uint32_t found = 0, mask = (<uint32_t>1 << group) - 1
    cdef int64_t i = 0
    while i < SECTORS:
        if sectors & mask << i:
            found |= mask << i
        i += group
    return found & ALL_SECTORS


cdef inline uint32_t _wanted(const CacheParameters *table, const Request *r, uint64_t local) noexcept nogil:
    """The sectors of a line that a request wants."""
    cdef int64_t first, last
    if r.sectors != 1:
        return r.sectors        # it names sectors of a line of the same size
    first = <int64_t>(local % <uint64_t>table.line_bytes // <uint64_t>table.sector_bytes)
    last = <int64_t>((local % <uint64_t>table.line_bytes + r.bytes - 1) // <uint64_t>table.sector_bytes)
    return ((<uint32_t>2 << (last - first)) - 1) << first & ALL_SECTORS


cdef inline Line *_line_of(Visit *v) noexcept nogil:
    """The line of a request, in the place of another if it is not there; NULL if every way waits for a fill."""
    cdef Line *line = cache_find(v.cache, v.number)
    if line == NULL:
        line = cache_victim(v.cache, v.number)
        if line != NULL:
            write_back(v.p, line, v.time_fs)
            cache_take(v.cache, line, v.number)
            if v.apart:
                copy_take(v.l2.partitions, v.which, line, v.apart, v.time_fs)
    return line


cdef inline void _store(Visit *v, Line *line) noexcept nogil:
    """Write sectors, whole or in part; one that finds no line goes around the cache."""
    cdef Partition *p = v.p
    cdef const Request *r = v.r
    cdef int32_t index
    if line == NULL:
        index = partition_enqueue(p, v.time_fs, v.local, r.bytes, DIR_WRITE)
        p.dram.entries[index].sm = v.sm
        p.dram.entries[index].slot = r.slot
        note_asks(v.l2, v.which, index, r, v.time_fs)
        return
    if v.cache.table.partial_dirty_ways and r.covered and r.covered < r.bytes and v.wanted & ~line.valid:
        write_part(p, line, v.wanted, r.covered)
    else:
        line.valid |= v.wanted
        line_written(p, line, v.wanted, v.time_fs)
    _count(p, v.cache, True)
    note_stored(v.l2, r, v.time_fs)
    crossbar_landed(v.l2.crossbar, v.sm, r.slot, <int32_t>r.bytes, v.time_fs)


cdef inline void _wait_for(Visit *v, int32_t index, int32_t sector) noexcept nogil:
    """Let a read wait, as of one of its sectors, for a transaction that fills it."""
    v.l2.waiter_next[v.record * SECTORS + sector] = v.p.dram.entries[index].waiters
    v.p.dram.entries[index].waiters = v.record * SECTORS + sector


cdef inline int32_t _wait_for_fills(Visit *v, Line *line) noexcept nogil:
    """Let a read wait for those of its sectors that are on their way. Gives how many they are."""
    cdef int32_t sector, waits = 0
    for sector in range(SECTORS):
        if line.valid & v.wanted & (<uint32_t>1 << sector) and line.fill[sector] >= 0:
            _wait_for(v, line.fill[sector], sector)
            waits += 1
            note_joins(v.l2, v.which, line.fill[sector], v.r, v.time_fs)
    return waits


cdef inline void _fetch(Visit *v, Line *line, uint32_t missing) noexcept nogil:
    """Ask DRAM for sectors, and let the read wait for them."""
    cdef Partition *p = v.p
    cdef const CacheParameters *table = &v.cache.table
    cdef int64_t bytes = count_bits(missing) * table.sector_bytes
    cdef int32_t sector, index = partition_enqueue(p, v.time_fs, v.number * <uint64_t>table.line_bytes
                                                   + <uint64_t>lowest_bit(missing) * <uint64_t>table.sector_bytes, bytes, DIR_READ)
    p.dram.entries[index].bytes = <int32_t>bytes
    p.dram.entries[index].asker = v.sm
    note_asks(v.l2, v.which, index, v.r, v.time_fs)
    _wait_for(v, index, lowest_bit(missing & v.wanted))
    if line == NULL:
        return
    p.dram.entries[index].line = line
    p.dram.entries[index].sectors = missing
    line.valid |= missing
    for sector in range(SECTORS):
        if missing >> sector & 1:
            line.fill[sector] = index
            line.partly &= ~(<uint32_t>15 << 4 * sector)


cdef inline int64_t _late(Visit *v, Line *line) noexcept nogil:
    """By how much later the answer to a hit comes, because the line is at home in another L2 partition: until it has a copy, and for old values ever."""
    cdef L2 *l2 = v.l2
    cdef int64_t crossing_fs = l2.m.interconnect.l2_partitions.far_latency_fs, bytes = v.r.bytes
    if v.r.kind == RQ_ATOMIC:       # that is carried out where the line is at home, copy or not
        if not v.r.returns:
            return crossing_fs
        bytes = atomic_answer(l2.m, v.r)
    elif copied(line, v.apart):
        return 0
    else:
        copy_take(l2.partitions, v.which, line, v.apart, v.time_fs)
    return crossbar_cross(l2.crossbar, l2.routing.sm_l2_partition[v.sm], slice_of(v.through), bytes, v.time_fs + crossing_fs) - v.time_fs


cdef inline void _hit(Visit *v, Line *line) noexcept nogil:
    """Answer a read or atomic operation that waits for nothing."""
    cdef L2 *l2 = v.l2
    cdef const Request *r = v.r
    cdef int32_t slice = slice_of(v.through)
    cdef int64_t arrival_fs
    if r.kind == RQ_ATOMIC:
        v.time_fs = _operate(l2, slice, atomic_work(l2.m, l2.atomics + slice, r, count_bits(v.wanted)), v.time_fs)
    arrival_fs = _answer(l2, v.which, v.sm, r.slot, atomic_answer(l2.m, r) if r.kind == RQ_ATOMIC else <int64_t>r.bytes, v.time_fs,
                         _late(v, line) if v.apart else 0)
    if l2.gathering.entries != NULL:
        l2_coalescer_answered(l2.gathering, v.record, slice, arrival_fs)


cdef void _look_up(Visit *v) noexcept nogil:
    """Serve a request at one of the partition's caches."""
    cdef L2 *l2 = v.l2
    cdef Partition *p = v.p
    cdef const Request *r = v.r
    cdef const CacheParameters *table = &v.cache.table
    cdef int32_t waits = 0
    cdef uint32_t missing
    cdef Line *line
    if l2.gathering.entries != NULL and v.cache == &p.l2 and (r.kind == RQ_READ or r.kind == RQ_TEXTURE):
        if l2_coalescer_join(l2.gathering, v.which, v.number, v.wanted, v.sm, r, v.time_fs):
            p.dram.counters.requests_gathered += 1
            note_gathered(l2, r)
            p.dram.counters.bytes_gathered += r.bytes
            return
    _count_request(l2.m, p, r)
    if table.partial_dirty_ways:
        limit_partial_dirty_ways(p, v.number, v.time_fs)
        if v.apart and partition_ready(l2.partitions + copy_partition(l2.m, v.which, v.apart)):
            limit_partial_dirty_ways(l2.partitions + copy_partition(l2.m, v.which, v.apart), v.number, v.time_fs)
    line = _line_of(v)
    if r.kind == RQ_WRITE:
        _store(v, line)
        return
    v.record = <int32_t>(v.sm * l2.routing.slots + r.slot)
    missing = v.wanted
    if line != NULL:
        missing = v.wanted & ~line.valid
        waits = _wait_for_fills(v, line)
    if missing:
        if table.fetch_sectors > 1:
            missing = _widened(missing, table.fetch_sectors) & (~line.valid if line != NULL else <uint32_t>ALL_SECTORS)
        _fetch(v, line, missing)
        waits += 1
    _count(p, v.cache, missing == 0)
    if r.kind == RQ_ATOMIC and line != NULL:
        line_written(p, line, v.wanted, v.time_fs)
    if waits == 0:
        _hit(v, line)
        return
    l2.remaining[v.record] = waits | <int64_t>r.bytes << BYTES_BIT
    if r.kind == RQ_ATOMIC:
        l2.remaining[v.record] |= <int64_t>atomic_work(l2.m, l2.atomics + slice_of(v.through), r, count_bits(v.wanted)) << WORK_BIT


cdef void l2_arrive(L2 *l2, int32_t which, int32_t through, int32_t sm, const Request *r, uint64_t local, int64_t time_fs) noexcept nogil:
    """A request has come through the port of a partition, or `through` a slice."""
    cdef Partition *p = l2.partitions + which
    cdef int32_t index
    cdef Visit v
    if not partition_ready(p):
        return
    v.cache = &p.texture_l2 if r.kind == RQ_TEXTURE and l2.m.caches.texture_l2.sets else &p.l2
    if v.cache.table.sets:
        v.l2 = l2
        v.p = p
        v.r = r
        v.which = which
        v.through = through
        v.sm = sm
        v.apart = home_distance(l2.routing, sm, which, through) if v.cache == &p.l2 else 0
        v.number = local // <uint64_t>v.cache.table.line_bytes
        v.local = local
        v.wanted = _wanted(&v.cache.table, r, local)
        v.time_fs = time_fs + v.cache.table.latency_cycles * l2.m.clocks.core_period_fs
        _look_up(&v)
        return
    _count_request(l2.m, p, r)
    index = partition_enqueue(p, time_fs, local, r.bytes, DIR_WRITE if r.kind == RQ_WRITE else DIR_READ)
    p.dram.entries[index].sm = sm
    p.dram.entries[index].slot = r.slot
    if r.kind == RQ_ATOMIC:
        p.dram.entries[index].serial = atomic_work(l2.m, l2.atomics + slice_of(through), r, 1)
        p.dram.entries[index].bursts *= 2    # read and written back
        p.dram.counters.writes += 1
        p.dram.counters.bytes_written += r.bytes
    note_asks(l2, which, index, r, time_fs)


# -------------------------------------------------------------------------------------------------------------------- fills
cdef inline void _served_past(L2 *l2, int32_t which, const Entry *e, int64_t done_fs) noexcept nogil:
    """A transaction of its own, past the cache, is over."""
    cdef int64_t extra_fs = l2.m.dram.extra_latency_fs
    if e.serial:
        done_fs = _operate(l2, _slice(l2, which, e.sm * l2.routing.slots + e.slot), e.serial, done_fs + extra_fs)
        extra_fs = 0
    _answer(l2, which, e.sm, e.slot, e.bytes, done_fs, extra_fs)


cdef void _wake_waiters(L2 *l2, int32_t which, int32_t waiter, int64_t done_fs) noexcept nogil:
    """A fill is there: answer those of its waiters that wait for nothing else."""
    cdef const MachineTable *m = l2.m
    cdef int64_t slots = l2.routing.slots, l2_partition = -1, there_fs = 0, late_fs, bytes
    cdef int32_t record, work, sm, slot, slice
    cdef bint apart
    while waiter >= 0:
        record = <int32_t>(<uint32_t>waiter // SECTORS)
        l2.remaining[record] -= 1
        if l2.remaining[record] & ((1 << WORK_BIT) - 1) == 0:
            sm = <int32_t>(record // slots)
            slot = <int32_t>(record % slots)
            slice = _slice(l2, which, record)
            bytes = l2.remaining[record] >> BYTES_BIT
            apart = home_distance(l2.routing, sm, which, l2.routing.through[record] if l2.routing.parities != NULL else which) != 0
            work = <int32_t>(l2.remaining[record] >> WORK_BIT & 0x7fffffff)
            late_fs = m.dram.extra_latency_fs
            if work:
                _answer(l2, which, sm, slot, bytes, _operate(l2, slice, work, done_fs + late_fs), m.interconnect.l2_partitions.far_latency_fs if apart else 0)
            else:
                if apart:
                    if l2_partition != l2.routing.sm_l2_partition[sm]:  # once for all who wait there
                        l2_partition = l2.routing.sm_l2_partition[sm]
                        there_fs = crossbar_cross(l2.crossbar, l2_partition, slice, bytes, done_fs + late_fs + m.interconnect.l2_partitions.far_latency_fs)
                    late_fs = there_fs - done_fs
                late_fs = _answer(l2, which, sm, slot, bytes, done_fs, late_fs)
                if l2.gathering.entries != NULL:
                    l2_coalescer_answered(l2.gathering, record, slice, late_fs)
        waiter = l2.waiter_next[waiter]


cdef void l2_served(L2 *l2, int32_t which, int32_t index, int64_t done_fs) noexcept nogil:
    """A DRAM transaction is over: answer those who wait for it."""
    cdef Entry *e = l2.partitions[which].dram.entries + index
    cdef int32_t sector
    if e.line != NULL:
        for sector in range(SECTORS):
            if e.sectors >> sector & 1:
                e.line.fill[sector] = -1
    if e.direction == DIR_WRITE:
        if e.sm >= 0:
            crossbar_landed(l2.crossbar, e.sm, e.slot, e.bytes, done_fs)
        elif done_fs > l2.crossbar.landed_fs:
            l2.crossbar.landed_fs = done_fs
    elif e.sm >= 0:
        _served_past(l2, which, e, done_fs)
    else:
        _wake_waiters(l2, which, e.waiters, done_fs)
