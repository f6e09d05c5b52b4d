"""Asking policies that a plugin brings, and refusing answers that are none.

An answer outside what its kind allows is noted in the hook, and something harmless is used in its place: the session looks at its hooks
after each epoch and ends there with an error.
"""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.bits cimport lowest_bit


cdef enum:
    MOST_WAIT_CYCLES = 1 << 30   # for which a throttle may want not to be asked


cdef void policy_head(PolicyHead *head, const Hook *hook, int64_t *state) noexcept nogil:
    """Fill in what every view begins with."""
    head.abi = ARCHDEF_POLICY_ABI
    head.parameters = hook.parameters
    head.parameter_count = hook.parameter_count
    head.state = state
    head.owner = hook.owner


cdef void policy_refuse(Hook *hook, int64_t answer, uint64_t first, uint64_t second, uint64_t third) noexcept nogil:
    """Note the first answer that is none."""
    if hook.failed == 0:
        hook.failed = 1
        hook.answer = answer
        hook.asked[0] = first
        hook.asked[1] = second
        hook.asked[2] = third


cdef void place_warp(SchedulerHook *s, int64_t slot, int64_t block) noexcept nogil:
    """A warp of a block has come to a slot."""
    s.issued[slot] = 0
    s.blocks[slot] = block


cdef int ask_scheduler(SchedulerHook *s, uint64_t candidates, uint64_t memory, int64_t last, int64_t cycle) noexcept nogil:
    """Give the slot that issues."""
    cdef int64_t answer
    s.view.candidates = candidates
    s.view.memory = memory
    s.view.last = last
    s.view.cycle = cycle
    answer = s.hook.function(&s.view)
    if answer < 0 or answer > 63 or not candidates >> answer & 1:
        policy_refuse(s.hook, answer, candidates, <uint64_t>cycle, <uint64_t>s.view.multiprocessor)
        answer = lowest_bit(candidates)
    s.issued[answer] += 1
    return <int>answer


cdef int64_t ask_partition(Hook *hook, uint64_t address, int64_t interleave_bytes, int64_t partitions) noexcept nogil:
    """Give the partition that holds a byte."""
    cdef PartitionView view
    cdef int64_t answer
    policy_head(<PolicyHead *>&view, hook, hook.state)
    view.address = address
    view.interleave_bytes = interleave_bytes
    view.partitions = partitions
    answer = hook.function(&view)
    if answer < 0 or answer >= partitions:
        policy_refuse(hook, answer, address, <uint64_t>partitions, 0)
        return 0
    return answer


cdef void ask_banks(Hook *hook, const uint64_t *words, int64_t count, int64_t banks, int64_t *banks_of) noexcept nogil:
    """Give the bank of each word."""
    cdef BankView view
    cdef int64_t answer, i
    policy_head(<PolicyHead *>&view, hook, hook.state)
    view.banks = banks
    view.count = count
    view.words = words
    view.banks_of = banks_of
    for i in range(count):
        banks_of[i] = -1
    answer = hook.function(&view)
    if answer != 0:
        policy_refuse(hook, answer, 0, 0, 1)
    for i in range(count):
        if banks_of[i] < 0 or banks_of[i] >= banks:
            policy_refuse(hook, banks_of[i], words[i], <uint64_t>banks, 0)
            banks_of[i] = 0


cdef bint _covers(const uint64_t *starts, const int64_t *sizes, int64_t count, uint64_t address, int bytes) noexcept nogil:
    cdef int64_t i
    for i in range(count):
        if sizes[i] >= bytes and address - starts[i] <= <uint64_t>(sizes[i] - bytes):
            return True
    return False


cdef int ask_coalescing(Hook *hook, const uint64_t *addresses, uint64_t mask, int lanes, int bytes, int64_t line_bytes,
                        int64_t sector_bytes, Transaction *out, int room) noexcept nogil:
    """Form the transactions of one warp access. Returns their number."""
    cdef CoalescingView view
    cdef uint64_t starts[256]
    cdef int64_t sizes[256]
    cdef int64_t answer, i, sectors
    cdef int lane, count = 0
    policy_head(<PolicyHead *>&view, hook, hook.state)
    view.lanes = lanes
    view.mask = mask
    view.addresses = addresses
    view.bytes = bytes
    view.room = room
    view.starts = starts
    view.sizes = sizes
    answer = hook.function(&view)
    if answer < 1 or answer > room:
        policy_refuse(hook, answer, <uint64_t>room, 0, 0)
        answer = 0
    for i in range(answer):
        if (sizes[i] <= 0 or sizes[i] & (sizes[i] - 1) or sizes[i] > line_bytes or starts[i] & <uint64_t>(sizes[i] - 1)):
            policy_refuse(hook, sizes[i], starts[i], <uint64_t>line_bytes, 1)
            answer = 0
            break
    for lane in range(lanes):
        if mask >> lane & 1 and not _covers(starts, sizes, answer, addresses[lane], bytes):
            policy_refuse(hook, lane, addresses[lane], <uint64_t>bytes, 2)
            break
    for i in range(answer):
        out[i].address = starts[i]
        out[i].bytes = <unsigned int>sizes[i]
        out[i].covered = out[i].words = 0
        out[i].line = starts[i] & ~<uint64_t>(line_bytes - 1)
        sectors = (sizes[i] + sector_bytes - 1) // sector_bytes
        out[i].sectors = <unsigned int>(((<uint64_t>1 << sectors) - 1) << ((starts[i] - out[i].line) // <uint64_t>sector_bytes))
        count += 1
    return count


cdef int64_t ask_replacement(Hook *hook, ReplacementView *view) noexcept nogil:
    """Give the way that is replaced, or 0 where it is told of an event; -1: the answer is none."""
    cdef int64_t answer = hook.function(view), word
    cdef const uint64_t *busy = view.busy_ways
    if view.event != ARCHDEF_CACHE_VICTIM:
        if answer != 0:
            policy_refuse(hook, answer, <uint64_t>view.event, view.line, ~<uint64_t>0)
            return -1
        return 0
    if answer < 0 or answer >= view.ways or busy[answer >> 6] >> (answer & 63) & 1:
        word = answer >> 6 if 0 <= answer < view.ways else 0
        policy_refuse(hook, answer, <uint64_t>view.ways, busy[word], <uint64_t>(word << 6))
        return -1
    return answer


cdef int64_t ask_l1(Hook *hook, L1View *view, int64_t most) noexcept nogil:
    """Give the answer, 0 to `most`; -1: it is none."""
    cdef int64_t answer = hook.function(view)
    if answer < 0 or answer > most:
        policy_refuse(hook, answer, <uint64_t>view.event, view.line, <uint64_t>most)
        return -1
    return answer


cdef int64_t ask_throttle(Hook *hook, ThrottleView *view) noexcept nogil:
    """Give the cycle at which to ask again, 0: none; the view's `allowed` is changed. -1: the answer is none."""
    cdef int64_t answer = hook.function(view)
    if answer != 0 and not view.cycle < answer <= view.cycle + MOST_WAIT_CYCLES:
        policy_refuse(hook, answer, <uint64_t>view.cycle, <uint64_t>view.multiprocessor, 0)
        return -1
    return answer


cdef void refuse_throttle(Hook *hook, int64_t warp, int64_t multiprocessor, int64_t cycle) noexcept nogil:
    """Note that a warp is held back for ever."""
    policy_refuse(hook, warp, <uint64_t>cycle, <uint64_t>multiprocessor, 1)


cdef bint ask_branch(Hook *hook, int64_t branch, int64_t target, int64_t meets, uint64_t taken, uint64_t rest, int64_t depth) noexcept nogil:
    """Tell whether the lanes that jump go first."""
    cdef BranchView view
    cdef int64_t answer
    policy_head(<PolicyHead *>&view, hook, hook.state)
    view.branch = branch
    view.target = target
    view.meets = meets
    view.taken = taken
    view.rest = rest
    view.depth = depth
    answer = hook.function(&view)
    if answer < 0 or answer > 1:
        policy_refuse(hook, answer, <uint64_t>branch, 0, 0)
        return False
    return answer != 0


def sizes():
    """Give the bytes of each view, by kind, and the offset of its last field: what other languages must agree with."""
    cdef SchedulerView s
    cdef PartitionView p
    cdef BankView b
    cdef CoalescingView c
    cdef ReplacementView r
    cdef DispatchView d
    cdef BranchView f
    cdef ThrottleView t
    cdef L1View n
    cdef DramView m
    cdef PlacementView g
    cdef TopologyView w
    return {PK_SCHEDULER: (sizeof(s), <char *>&s.blocks - <char *>&s), PK_PARTITION: (sizeof(p), <char *>&p.partitions - <char *>&p),
            PK_BANKS: (sizeof(b), <char *>&b.banks_of - <char *>&b), PK_COALESCING: (sizeof(c), <char *>&c.sizes - <char *>&c),
            PK_REPLACEMENT: (sizeof(r), <char *>&r.words - <char *>&r), PK_DISPATCH: (sizeof(d), <char *>&d.again - <char *>&d),
            PK_BRANCH: (sizeof(f), <char *>&f.depth - <char *>&f), PK_THROTTLE: (sizeof(t), <char *>&t.allowed - <char *>&t),
            PK_ADMISSION: (sizeof(n), <char *>&n.fetch - <char *>&n), PK_DRAM: (sizeof(m), <char *>&m.multiprocessor - <char *>&m),
            PK_PLACEMENT: (sizeof(g), <char *>&g.pages - <char *>&g), PK_TOPOLOGY: (sizeof(w), <char *>&w.links - <char *>&w)}
