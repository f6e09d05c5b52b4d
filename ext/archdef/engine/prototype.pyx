"""Policies in Python, for trying an idea: the engine calls their readable definition and waits for it, some microseconds each time."""
from libc.stdint cimport int64_t, uint64_t

from types import SimpleNamespace

import numpy as np

from archdef.engine.policy cimport (ARCHDEF_CACHE_HIT, ARCHDEF_CACHE_MISS, ARCHDEF_CACHE_VICTIM, ARCHDEF_DISPATCH_NOT_NOW, ARCHDEF_POLICY_STATE,
                                    PK_ADMISSION, PK_BANKS, PK_COALESCING, PK_DISPATCH, PK_DRAM, PK_PARTITION, PK_PLACEMENT, PK_PREFETCHER,
                                    PK_REPLACEMENT, PK_SCHEDULER, PK_THROTTLE, PK_TOPOLOGY, PK_VICTIM_CACHE, BankView, BranchView, CoalescingView,
                                    DispatchView, DramView, L1View, PartitionView, PlacementView, PolicyHead, ReplacementView, SchedulerView,
                                    ThrottleView, TopologyView)

cdef enum:
    NOTHING = -1 << 62       # the answer of a policy that raised


cdef class Prototype:
    """A policy value, the kind of question it answers, and what it raised."""

    def __init__(self, policy, int kind, int64_t state_words):
        self.policy = policy
        self.kind = kind
        self.state_words = state_words
        self.error = None


cdef list _signed(const int64_t *numbers, int64_t count):
    return [numbers[i] for i in range(count)]


cdef list _unsigned(const uint64_t *numbers, int64_t count):
    return [numbers[i] for i in range(count)]


cdef int _keep(view, str name, list words, int64_t *numbers, int64_t count) except -1:
    """Take over what a policy has left in an array that it may change."""
    cdef int64_t i
    if getattr(view, name) is not words or len(words) != count:
        raise ValueError(f"view.{name} is {count} words: change them in place")
    for i in range(count):
        numbers[i] = words[i]
    return 0


cdef object _asked_or_none(method, int64_t *state, view, int64_t count):
    """Ask a policy that takes a view; what it leaves in its state is there at the next question."""
    words = _signed(state, count)
    view.state = words
    answer = method(view)
    _keep(view, "state", words, state, count)
    return answer


cdef int64_t _asked(method, int64_t *state, view, int64_t count=ARCHDEF_POLICY_STATE) except? -1:
    """The same of one that must answer."""
    return _whole(_asked_or_none(method, state, view, count), "an answer")


cdef object _whole(object given, str what):
    """Give a number that a policy answers; TypeError naming it, if it is none, or has a fraction."""
    if isinstance(given, (int, float, np.integer, np.floating, np.bool_)) and given == int(given):
        return int(given)
    raise TypeError(f"{what} must be a whole number, got {given!r}")


cdef int64_t _choose(const SchedulerView *v, Prototype p) except? -1:
    return _asked(p.policy.choose, v.state, SimpleNamespace(
        multiprocessor=v.multiprocessor, scheduler=v.scheduler, cycle=v.cycle, candidates=v.candidates, memory=v.memory, last=v.last,
        issued_at=_signed(v.issued_at, 64), launched=_signed(v.launched, 64), issued=_signed(v.issued, 64),
        blocks=_signed(v.blocks, 64)))


cdef int64_t _banks(const BankView *v, Prototype p) except? -1:
    cdef int64_t i
    found = p.policy.banks_of(_unsigned(v.words, v.count), v.banks)
    if len(found) != v.count:
        raise ValueError(f"banks_of must give a bank for each of {v.count} words, got {len(found)}")
    for i in range(v.count):
        v.banks_of[i] = found[i]
    return 0


cdef int64_t _transactions(const CoalescingView *v, Prototype p) except? -1:
    cdef int64_t i = 0
    mask = [bool(v.mask >> k & 1) for k in range(v.lanes)]
    for transaction in p.policy.transactions(_unsigned(v.addresses, v.lanes), v.bytes, mask):
        if i >= v.room:
            raise ValueError(f"transactions must be at most {v.room}")
        v.starts[i] = transaction.address
        v.sizes[i] = transaction.bytes
        i += 1
    return i


cdef int64_t _with_words(method, int64_t *state, view, Prototype p, int64_t *words, int64_t count, bint told) except? -1:
    """Ask a policy whose view has words for lines; what it leaves there is kept. One that is told of something answers nothing."""
    given = _signed(words, count)
    view.words = given
    if told:
        _asked(_silent(method), state, view, p.state_words)
        answer = 0
    else:
        answer = _asked(method, state, view, p.state_words)
    _keep(view, "words", given, words, count)
    return answer


def _silent(method):
    def tell(view):
        if method(view) is not None:
            raise ValueError("told(view) must return nothing")
        return 0
    return tell


def _collecting(method, wanted):
    def collect(view):
        wanted.extend(method(view))
        return 0
    return collect


cdef int64_t _victim(const ReplacementView *v, Prototype p) except? -1:
    cdef bint told = v.event != ARCHDEF_CACHE_VICTIM
    words = [] if told else _unsigned(v.busy_ways, (v.ways + 63) // 64)
    return _with_words(p.policy.told if told else p.policy.victim, v.state, SimpleNamespace(
        line=v.line, set=v.set, ways=v.ways, lines=[] if told else _unsigned(v.lines, v.ways), used=[] if told else _signed(v.used, v.ways),
        busy=sum(word << 64 * i for i, word in enumerate(words)), busy_ways=words, event=v.event, way=v.way, sets=v.sets, accesses=v.accesses,
        instruction=v.instruction, warp=v.warp, line_words=v.line_words), p, v.words, v.ways * v.line_words, told)


cdef int64_t _l1(const L1View *v, Prototype p) except? -1:
    cdef int64_t i = 0
    cdef bint told = v.event != ARCHDEF_CACHE_MISS and (p.kind != PK_PREFETCHER or v.event != ARCHDEF_CACHE_HIT)
    method = (p.policy.told if told else p.policy.admit if p.kind == PK_ADMISSION else p.policy.fetch if p.kind == PK_PREFETCHER
              else p.policy.supply)
    view = SimpleNamespace(
        multiprocessor=v.multiprocessor, cycle=v.cycle, event=v.event, address=v.address, line=v.line, sectors=v.sectors, set=v.set, place=v.place,
        evicted=None if v.evicted == <uint64_t>-1 else v.evicted, evicted_sectors=v.evicted_sectors, warp=v.warp, launched=v.launched, block=v.block,
        index=v.index, instruction=v.instruction, first=v.first, pending=v.pending, busy=v.busy, sets=v.sets, ways=v.ways, line_bytes=v.line_bytes,
        tags=_unsigned(v.tags, v.ways), used=_signed(v.used, v.ways), line_words=v.line_words, room=v.room)
    if told or p.kind != PK_PREFETCHER:
        return _with_words(method, v.state, view, p, v.words, v.sets * v.ways * v.line_words, told)
    wanted = []
    _with_words(_collecting(method, wanted), v.state, view, p, v.words, v.sets * v.ways * v.line_words, False)
    if len(wanted) > v.room:
        raise ValueError(f"fetch must give at most {v.room} lines, got {len(wanted)}")
    for i in range(len(wanted)):
        line = _whole(wanted[i], "a line to fetch")
        if line < 0:
            raise ValueError(f"a line to fetch must be at least 0, got {line}")
        v.fetch[i] = line
    return len(wanted)


cdef int64_t _multiprocessor(const DispatchView *v, Prototype p) except? -1:
    n = v.multiprocessors
    view = SimpleNamespace(
        block=v.block, multiprocessors=n, room=_signed(v.room, n), blocks=_signed(v.blocks, n), load=_signed(v.load, n), cycle=v.cycle,
        ended=_signed(v.ended, n), instructions=_signed(v.instructions, n), again=0)
    answer = _asked_or_none(p.policy.multiprocessor, v.state, view, ARCHDEF_POLICY_STATE)
    v.again[0] = view.again
    return ARCHDEF_DISPATCH_NOT_NOW if answer is None else _whole(answer, "an answer")


cdef int64_t _first(const BranchView *v, Prototype p) except? -1:
    return _asked(p.policy.taken_first, v.state, SimpleNamespace(
        branch=v.branch, target=v.target, meets=v.meets, taken=v.taken, rest=v.rest, depth=v.depth))


cdef int64_t _allow(const ThrottleView *v, Prototype p) except? -1:
    allowed = _signed(v.allowed, v.warps)
    view = SimpleNamespace(
        multiprocessor=v.multiprocessor, cycle=v.cycle, event=v.event, warp=v.warp, line=v.line, place=v.place,
        evicted=None if v.evicted == <uint64_t>-1 else v.evicted, instructions=v.instructions, lines=v.lines, warps=v.warps,
        resident=_signed(v.resident, v.warps),
        launched=_signed(v.launched, v.warps), allowed=allowed)
    answer = _asked(p.policy.allow, v.state, view, p.state_words)
    _keep(view, "allowed", allowed, v.allowed, v.warps)
    return answer


cdef int64_t _next_request(const DramView *v, Prototype p) except? -1:
    n = v.count
    return _asked(p.policy.next_request, v.state, SimpleNamespace(
        partition=v.partition, now_fs=v.now_fs, writes_next=v.writes_next, count=n, arrival_fs=_signed(v.arrival_fs, n),
        ready_fs=_signed(v.ready_fs, n), bank=_signed(v.bank, n), row=_signed(v.row, n), row_hit=_signed(v.row_hit, n), write=_signed(v.write, n),
        bytes=_signed(v.bytes, n), multiprocessor=_signed(v.multiprocessor, n)), p.state_words)


cdef int64_t _place(const PlacementView *v, Prototype p) except? -1:
    return _asked(p.policy.place, v.state, SimpleNamespace(
        page=v.page, page_bytes=v.page_bytes, multiprocessor=v.multiprocessor, l2_partition=v.l2_partition, l2_partitions=v.l2_partitions,
        pages=_signed(v.pages, v.l2_partitions)), p.state_words)


cdef int64_t _hops(const TopologyView *v, Prototype p) except? -1:
    links = _signed(v.links, v.room)
    view = SimpleNamespace(multiprocessor=v.multiprocessor, partition=v.partition, multiprocessors=v.multiprocessors, partitions=v.partitions,
                           room=v.room, links=links)
    answer = _asked(p.policy.hops, v.state, view)
    _keep(view, "links", links, v.links, v.room)
    return answer


cdef int64_t _ask(const void *view, Prototype p) except? -1:
    if p.kind == PK_SCHEDULER:
        return _choose(<const SchedulerView *>view, p)
    if p.kind == PK_PARTITION:
        return _whole(p.policy.partition((<const PartitionView *>view).address, (<const PartitionView *>view).interleave_bytes,
                                         (<const PartitionView *>view).partitions), "an answer")
    if p.kind == PK_BANKS:
        return _banks(<const BankView *>view, p)
    if p.kind == PK_COALESCING:
        return _transactions(<const CoalescingView *>view, p)
    if p.kind == PK_REPLACEMENT:
        return _victim(<const ReplacementView *>view, p)
    if p.kind == PK_DISPATCH:
        return _multiprocessor(<const DispatchView *>view, p)
    if p.kind in (PK_ADMISSION, PK_PREFETCHER, PK_VICTIM_CACHE):
        return _l1(<const L1View *>view, p)
    if p.kind == PK_THROTTLE:
        return _allow(<const ThrottleView *>view, p)
    if p.kind == PK_DRAM:
        return _next_request(<const DramView *>view, p)
    if p.kind == PK_PLACEMENT:
        return _place(<const PlacementView *>view, p)
    if p.kind == PK_TOPOLOGY:
        return _hops(<const TopologyView *>view, p)
    return _first(<const BranchView *>view, p)


cdef int64_t prototype_answer(const void *view) noexcept with gil:
    """Answer one question, and keep the first exception; after one, nothing is asked any more."""
    cdef Prototype p = <Prototype>(<const PolicyHead *>view).owner
    if p.error is not None:
        return NOTHING
    try:
        return _ask(view, p)
    except BaseException as error:
        p.error = error
        return NOTHING
