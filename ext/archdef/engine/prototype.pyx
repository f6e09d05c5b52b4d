"""Policies in Python, for trying an idea: the engine calls their readable definition and waits for it, some microseconds each time."""
from libc.stdint cimport int64_t, uint64_t

from types import SimpleNamespace

from archdef.engine.policy cimport (ARCHDEF_DISPATCH_NOT_NOW, ARCHDEF_POLICY_STATE, PK_BANKS, PK_COALESCING, PK_DISPATCH, PK_DRAM, PK_PARTITION,
                                    PK_PLACEMENT, PK_REPLACEMENT, PK_SCHEDULER, PK_THROTTLE, PK_TOPOLOGY, BankView, BranchView, CoalescingView,
                                    DispatchView, DramView, PartitionView, PlacementView, PolicyHead, ReplacementView, SchedulerView, ThrottleView,
                                    TopologyView)

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
    return _asked_or_none(method, state, view, count)


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


cdef int64_t _victim(const ReplacementView *v, Prototype p) except? -1:
    words = _unsigned(v.busy_ways, (v.ways + 63) // 64)
    return _asked(p.policy.victim, v.state, SimpleNamespace(
        line=v.line, set=v.set, ways=v.ways, lines=_unsigned(v.lines, v.ways), used=_signed(v.used, v.ways),
        busy=sum(word << 64 * i for i, word in enumerate(words)), busy_ways=words))


cdef int64_t _multiprocessor(const DispatchView *v, Prototype p) except? -1:
    n = v.multiprocessors
    view = SimpleNamespace(
        block=v.block, multiprocessors=n, room=_signed(v.room, n), blocks=_signed(v.blocks, n), load=_signed(v.load, n), cycle=v.cycle,
        ended=_signed(v.ended, n), instructions=_signed(v.instructions, n), again=0)
    answer = _asked_or_none(p.policy.multiprocessor, v.state, view, ARCHDEF_POLICY_STATE)
    v.again[0] = view.again
    return ARCHDEF_DISPATCH_NOT_NOW if answer is None else answer


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
        return p.policy.partition((<const PartitionView *>view).address, (<const PartitionView *>view).interleave_bytes,
                                  (<const PartitionView *>view).partitions)
    if p.kind == PK_BANKS:
        return _banks(<const BankView *>view, p)
    if p.kind == PK_COALESCING:
        return _transactions(<const CoalescingView *>view, p)
    if p.kind == PK_REPLACEMENT:
        return _victim(<const ReplacementView *>view, p)
    if p.kind == PK_DISPATCH:
        return _multiprocessor(<const DispatchView *>view, p)
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
