"""Translation of addresses behind L1, whose lines have virtual addresses: a request for a port is looked up in its multiprocessor's TLB, and goes on.

What that lacks waits there while it asks the TLB that multiprocessors share, and that a walker; requests for other pages overtake it where the
machine's may. Times are those of lookups: a latency passes before each, so that misses come to the shared TLB in the order in which they happen.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

import numpy as np

from archdef.engine.bits cimport lowest_bit
from archdef.engine.clock cimport NEVER
from archdef.engine.parameters cimport AddressTranslationParameters
from archdef.engine.port cimport Ports, Request, Stage, owner_of, ports_of_each, stage_pass
from archdef.engine.tournament cimport tournament_decrease_key, tournament_set

cdef TranslationCounters _none
memset(&_none, 0, sizeof(TranslationCounters))
COUNTERS = np.dtype([(name, np.int64) for name in <object>_none])


# ----------------------------------------------------------------------------------------------------------- sets of entries
cdef int _entries_open(Entries *e, uint64_t *keys, int64_t *used, int64_t count, int64_t ways) noexcept nogil:
    e.keys = keys
    e.used = used
    e.ways = ways
    e.sets = count // ways
    return 0


cdef inline bint _find(Entries *e, uint64_t key) noexcept nogil:
    """Whether an entry is there; it has been used just now."""
    cdef int64_t i, start
    e.uses += 1
    if e.keys[e.latest] == key:
        e.used[e.latest] = e.uses
        return True
    start = <int64_t>(key % <uint64_t>e.sets) * e.ways
    for i in range(start, start + e.ways):
        if e.keys[i] == key:
            e.used[i] = e.uses
            e.latest = i
            return True
    return False


cdef void _enter(Entries *e, uint64_t key) noexcept nogil:
    """Put an entry in the place of the one of its set that was used longest ago."""
    cdef int64_t start = <int64_t>(key % <uint64_t>e.sets) * e.ways, oldest = start, i
    e.uses += 1
    for i in range(start, start + e.ways):
        if e.keys[i] == key:
            oldest = i
            break
        if e.used[i] < e.used[oldest]:
            oldest = i
    e.keys[oldest] = key
    e.used[oldest] = e.uses


# ------------------------------------------------------------------------------------------------------------ multiprocessors
cdef inline void _front_next(Stage *stage, int32_t unit, int64_t now_fs) noexcept nogil:
    """Say when the next request of a port is looked up."""
    cdef Translation *t = <Translation *>stage.state
    cdef Front *front = t.fronts + unit
    cdef int32_t sm = owner_of(stage.ports, unit)
    cdef int64_t when = NEVER
    if front.first >= 0 and not front.stalled:
        when = t.requests[sm * t.requests_each + front.first].request.time_fs + t.near_latency_fs
        when = max(max(when, now_fs), t.near[sm].free_fs)
    tournament_set(stage.ports.events, stage.unit + unit, when)


cdef void _take(Stage *stage, int32_t unit, const Request *request) noexcept nogil:
    """A request comes; credits of its multiprocessor keep records from running out."""
    cdef Translation *t = <Translation *>stage.state
    cdef int32_t sm = owner_of(stage.ports, unit)
    cdef Near *near = t.near + sm
    cdef Front *front = t.fronts + unit
    cdef Untranslated *requests = t.requests + sm * t.requests_each
    cdef int32_t index = near.free
    near.free = requests[index].next
    requests[index].request = request[0]
    requests[index].since_fs = request.time_fs
    requests[index].unit = unit
    requests[index].next = -1
    if front.first < 0:
        front.first = index
        if not front.stalled:
            tournament_decrease_key(stage.ports.events, stage.unit + unit, max(request.time_fs + t.near_latency_fs, near.free_fs))
    else:
        requests[front.last].next = index
    front.last = index


cdef inline void _translated(Stage *stage, int32_t sm, int32_t index, int64_t now_fs) noexcept nogil:
    """The address of a request is known: it goes on."""
    cdef Translation *t = <Translation *>stage.state
    cdef Near *near = t.near + sm
    cdef Untranslated *one = t.requests + sm * t.requests_each + index
    near.counters.wait_fs += now_fs - one.since_fs
    one.request.time_fs = now_fs
    stage_pass(stage, one.unit, &one.request)
    one.next = near.free
    near.free = index


cdef inline Miss *_miss_of(Translation *t, int32_t sm, uint64_t page) noexcept nogil:
    """The miss that a request for a page joins, or begins; NULL: there is no room for another one."""
    cdef Near *near = t.near + sm
    cdef Miss *misses = t.misses + sm * t.misses_each
    cdef Miss *unused = NULL
    cdef int32_t i
    if near.missing:
        for i in range(t.misses_each):
            if misses[i].page == page:
                return misses + i
    if near.missing == t.misses_each:
        return NULL
    for i in range(t.misses_each):
        if misses[i].page == 0:
            unused = misses + i
            break
    near.missing += 1
    unused.first = -1
    return unused


cdef void _look_up(Stage *stage, int32_t unit, int64_t now_fs) noexcept nogil:
    """Look the first request of a port up in its multiprocessor's TLB."""
    cdef Translation *t = <Translation *>stage.state
    cdef int32_t sm = owner_of(stage.ports, unit)
    cdef Near *near = t.near + sm
    cdef Front *front = t.fronts + unit
    cdef Untranslated *requests = t.requests + sm * t.requests_each
    cdef int32_t index = front.first
    cdef uint64_t page = (requests[index].request.address >> t.page_shift) + 1
    cdef Miss *miss = NULL
    if near.free_fs > now_fs:
        tournament_set(stage.ports.events, stage.unit + unit, near.free_fs)
        return
    if not _find(&near.held, page):
        miss = _miss_of(t, sm, page)
        if miss == NULL:
            front.stalled = True
            front.page = 0
            _front_next(stage, unit, now_fs)
            return
    near.free_fs = now_fs + t.near_takes_fs
    front.first = requests[index].next
    requests[index].next = -1
    if miss == NULL:
        near.counters.l1_hits += 1
        _translated(stage, sm, index, now_fs)
    else:
        near.counters.l1_misses += 1
        front.stalled = not t.m.caches.tlb.hit_under_miss
        front.page = page
        if miss.first < 0:
            miss.first = index
            miss.page = page
            miss.sm = sm
            _ask(stage, <int32_t>(miss - t.misses), now_fs)
        else:
            requests[miss.last].next = index
        miss.last = index
    _front_next(stage, unit, now_fs)


cdef void _answer(Stage *stage, int32_t which, int64_t now_fs) noexcept nogil:
    """A translation comes to the multiprocessor that lacked it: all that waits for it goes on, and what was held up is looked up."""
    cdef Translation *t = <Translation *>stage.state
    cdef Miss *miss = t.misses + which
    cdef int32_t sm = miss.sm, index = miss.first, following, unit
    _enter(&t.near[sm].held, miss.page)
    while index >= 0:
        following = t.requests[sm * t.requests_each + index].next
        _translated(stage, sm, index, now_fs)
        index = following
    t.near[sm].missing -= 1
    unit = sm
    while unit < stage.ports.count:
        if t.fronts[unit].stalled and (t.fronts[unit].page == 0 or t.fronts[unit].page == miss.page):
            t.fronts[unit].stalled = False
            _front_next(stage, unit, now_fs)
        unit += <int32_t>t.m.chip.multiprocessors
    miss.page = 0


# ---------------------------------------------------------------------------------------------------------- the TLB behind them
cdef inline void _far_next(Stage *stage, int64_t now_fs) noexcept nogil:
    """Say when the next miss is looked up in the shared TLB."""
    cdef Translation *t = <Translation *>stage.state
    cdef int64_t when = NEVER
    if t.far_first >= 0 and not t.far_stalled:
        when = max(max(t.misses[t.far_first].arrives_fs, now_fs), t.far_free_fs)
    tournament_set(stage.ports.events, stage.unit + stage.ports.count, when)


cdef void _ask(Stage *stage, int32_t which, int64_t now_fs) noexcept nogil:
    """Send a miss to the shared TLB."""
    cdef Translation *t = <Translation *>stage.state
    t.misses[which].arrives_fs = now_fs + t.far_latency_fs
    t.misses[which].next = -1
    if t.far_first < 0:
        t.far_first = which
        _far_next(stage, now_fs)
    else:
        t.misses[t.far_last].next = which
    t.far_last = which


cdef inline Walk *_walk_of(Stage *stage, const Miss *miss, int64_t now_fs) noexcept nogil:
    """The walk that a miss joins, or begins; NULL: there is no room for another one."""
    cdef Translation *t = <Translation *>stage.state
    cdef Walk *unused = NULL
    cdef int32_t i
    for i in range(t.walk_count):
        if t.walks[i].page == miss.page:
            return t.walks + i
        if t.walks[i].page == 0 and unused == NULL:
            unused = t.walks + i
    if unused == NULL:
        return NULL
    unused.page = miss.page
    unused.first = unused.next = -1
    t.near[miss.sm].counters.walks += 1
    return unused


cdef void _look_up_far(Stage *stage, int64_t now_fs) noexcept nogil:
    """Look the first miss up in the shared TLB; what is not there waits for a walk."""
    cdef Translation *t = <Translation *>stage.state
    cdef int32_t which = t.far_first
    cdef Miss *miss = t.misses + which
    cdef Walk *walk = NULL
    cdef bint begins = False
    if t.far.sets == 0 or not _find(&t.far, miss.page):
        walk = _walk_of(stage, miss, now_fs)
        if walk == NULL:
            t.far_stalled = True
            _far_next(stage, now_fs)
            return
    t.far_free_fs = now_fs + t.far_takes_fs
    t.far_first = miss.next
    miss.next = -1
    if walk == NULL:
        t.near[miss.sm].counters.l2_hits += 1
        _answer(stage, which, now_fs)
    else:
        t.near[miss.sm].counters.l2_misses += 1
        begins = walk.first < 0
        if begins:
            walk.first = which
        else:
            t.misses[walk.last].next = which
        walk.last = which
        if begins:
            _begin(stage, <int32_t>(walk - t.walks), now_fs)
    _far_next(stage, now_fs)


# ----------------------------------------------------------------------------------------------------------------------- walks
cdef void _begin(Stage *stage, int32_t which, int64_t now_fs) noexcept nogil:
    """Give a walk to a walker that has none, or let it wait for one."""
    cdef Translation *t = <Translation *>stage.state
    cdef int32_t walker
    for walker in range(<int32_t>t.m.caches.tlb.walk.walkers):
        if t.walkers[walker] < 0:
            _walk(stage, walker, which, now_fs)
            return
    if t.walk_first < 0:
        t.walk_first = which
    else:
        t.walks[t.walk_last].next = which
    t.walk_last = which


cdef inline uint64_t _table_key(const Translation *t, uint64_t page, int32_t above) noexcept nogil:
    """Key of the entry that a page has in the table so many levels above the last."""
    return (page - 1 >> above * t.table_shift << 3 | <uint64_t>above) + 1


cdef void _walk(Stage *stage, int32_t walker, int32_t which, int64_t now_fs) noexcept nogil:
    """Let a walker read entries of the page table, from the last one on that it need not read again."""
    cdef Translation *t = <Translation *>stage.state
    cdef Walk *walk = t.walks + which
    cdef TranslationCounters *counters = &t.near[t.misses[walk.first].sm].counters
    cdef int32_t levels = <int32_t>t.m.caches.tlb.walk.levels, accesses = levels, above
    if t.tables.sets:
        for above in range(1, levels):
            if _find(&t.tables, _table_key(t, walk.page, above)):
                accesses = above
                break
    t.walkers[walker] = which
    counters.walk_accesses += accesses
    counters.walk_fs += accesses * t.access_fs
    tournament_set(stage.ports.events, stage.unit + stage.ports.count + 1 + walker, now_fs + accesses * t.access_fs)


cdef void _walked(Stage *stage, int32_t walker, int64_t now_fs) noexcept nogil:
    """A walk ends: its translation goes to all that wait for it, its walker to the walk that has waited longest."""
    cdef Translation *t = <Translation *>stage.state
    cdef Walk *walk = t.walks + t.walkers[walker]
    cdef int32_t which = walk.first, following, above
    if t.far.sets:
        _enter(&t.far, walk.page)
    if t.tables.sets:
        for above in range(1, <int32_t>t.m.caches.tlb.walk.levels):
            _enter(&t.tables, _table_key(t, walk.page, above))
    while which >= 0:
        following = t.misses[which].next
        _answer(stage, which, now_fs)
        which = following
    walk.page = 0
    t.walkers[walker] = -1
    tournament_set(stage.ports.events, stage.unit + stage.ports.count + 1 + walker, NEVER)
    if t.walk_first >= 0:
        which = t.walk_first
        t.walk_first = t.walks[which].next
        _walk(stage, walker, which, now_fs)
    if t.far_stalled:
        t.far_stalled = False
        _far_next(stage, now_fs)


# ------------------------------------------------------------------------------------------------------------------- the stage
cdef void _event(Stage *stage, int32_t which, int64_t now_fs) noexcept nogil:
    """A port's next lookup, the shared TLB's, or the end of a walk."""
    if which < stage.ports.count:
        _look_up(stage, which, now_fs)
    elif which == stage.ports.count:
        _look_up_far(stage, now_fs)
    else:
        _walked(stage, which - stage.ports.count - 1, now_fs)


cdef object _counted(const Stage *stage):
    """Name and counters, a row for each multiprocessor."""
    cdef const Translation *t = <const Translation *>stage.state
    cdef int64_t i
    rows = np.zeros(t.m.chip.multiprocessors, COUNTERS)
    for i in range(t.m.chip.multiprocessors):
        rows[i] = tuple((<object>t.near[i].counters).values())
    return "translation", rows


cdef void _close(void *state) noexcept nogil:
    """Free what was taken, complete or not."""
    cdef Translation *t = <Translation *>state
    if t.near != NULL:
        free(t.near[0].held.keys)
        free(t.near[0].held.used)
    free(t.near)
    free(t.fronts)
    free(t.requests)
    free(t.misses)
    free(t.far.keys)
    free(t.far.used)
    free(t.walks)
    free(t.walkers)
    free(t.tables.keys)
    free(t.tables.used)
    free(t)


cdef bint _reserve(Translation *t, const Ports *ports) noexcept nogil:
    """Take the memory for it. False: there is none."""
    cdef const AddressTranslationParameters *p = &t.m.caches.tlb
    cdef int64_t sms = t.m.chip.multiprocessors
    t.near = <Near *>calloc(<size_t>sms, sizeof(Near))
    t.fronts = <Front *>calloc(<size_t>ports.count, sizeof(Front))
    t.requests = <Untranslated *>calloc(<size_t>(sms * t.requests_each), sizeof(Untranslated))
    t.misses = <Miss *>calloc(<size_t>(sms * t.misses_each), sizeof(Miss))
    t.walks = <Walk *>calloc(<size_t>t.walk_count, sizeof(Walk))
    t.walkers = <int32_t *>calloc(<size_t>p.walk.walkers, sizeof(int32_t))
    t.far.keys = <uint64_t *>calloc(<size_t>(p.l2.entries + 1), sizeof(uint64_t))
    t.far.used = <int64_t *>calloc(<size_t>(p.l2.entries + 1), sizeof(int64_t))
    t.tables.keys = <uint64_t *>calloc(<size_t>(p.walk.cached_entries + 1), sizeof(uint64_t))
    t.tables.used = <int64_t *>calloc(<size_t>(p.walk.cached_entries + 1), sizeof(int64_t))
    if t.near == NULL:
        return False
    t.near[0].held.keys = <uint64_t *>calloc(<size_t>(sms * p.l1.entries), sizeof(uint64_t))
    t.near[0].held.used = <int64_t *>calloc(<size_t>(sms * p.l1.entries), sizeof(int64_t))
    return (t.fronts != NULL and t.requests != NULL and t.misses != NULL and t.walks != NULL and t.walkers != NULL and t.far.keys != NULL
            and t.far.used != NULL and t.tables.keys != NULL and t.tables.used != NULL and t.near[0].held.keys != NULL and t.near[0].held.used != NULL)


cdef void _set_times(Translation *t) noexcept nogil:
    """Times, and shifts, of the description's numbers."""
    cdef const AddressTranslationParameters *p = &t.m.caches.tlb
    t.page_shift = lowest_bit(<uint64_t>p.page_bytes)
    t.table_shift = lowest_bit(<uint64_t>p.walk.table_entries)
    t.near_latency_fs = p.l1.latency_cycles * t.m.clocks.shader_period_fs
    t.near_takes_fs = t.m.clocks.shader_period_fs // p.l1.lookups_per_cycle
    if p.l2.entries:
        t.far_latency_fs = p.l2.latency_cycles * t.m.clocks.core_period_fs
        t.far_takes_fs = t.m.clocks.core_period_fs // p.l2.lookups_per_cycle
    t.access_fs = p.walk.level_cycles * t.m.clocks.core_period_fs


cdef Stage translation_open(Ports *ports) except *:
    cdef const AddressTranslationParameters *p = &ports.m.caches.tlb
    cdef Stage stage
    cdef Translation *t
    cdef int64_t i, sms = ports.m.chip.multiprocessors
    memset(&stage, 0, sizeof(Stage))
    if p.page_bytes == 0:
        return stage
    t = <Translation *>calloc(1, sizeof(Translation))
    if t == NULL:
        raise MemoryError("translation of addresses")
    t.m = ports.m
    t.misses_each = <int32_t>p.l1.misses_in_flight
    t.walk_count = <int32_t>(p.l2.misses_in_flight if p.l2.entries else max(p.walk.walkers, sms * p.l1.misses_in_flight))
    t.requests_each = ports_of_each(ports.m) * <int64_t>ports.port[0].room
    if not _reserve(t, ports):
        _close(t)
        raise MemoryError("translation of addresses")
    _set_times(t)
    for i in range(sms):
        _entries_open(&t.near[i].held, t.near[0].held.keys + i * p.l1.entries, t.near[0].held.used + i * p.l1.entries, p.l1.entries, p.l1.ways)
    if p.l2.entries:
        _entries_open(&t.far, t.far.keys, t.far.used, p.l2.entries, p.l2.ways)
    if p.walk.cached_entries:
        _entries_open(&t.tables, t.tables.keys, t.tables.used, p.walk.cached_entries, p.walk.cached_entries)
    for i in range(ports.count):
        t.fronts[i].first = -1
    for i in range(sms * t.requests_each):      # near.free is 0 of each
        t.requests[i].next = <int32_t>(i % t.requests_each) + 1
    for i in range(p.walk.walkers):
        t.walkers[i] = -1
    t.far_first = t.walk_first = -1
    stage.state = t
    stage.take = _take
    stage.event = _event
    stage.counted = _counted
    stage.close = _close
    stage.units = <int32_t>(ports.count + 1 + p.walk.walkers)
    return stage
