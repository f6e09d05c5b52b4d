"""Divergence with convergence barriers: lanes that diverged progress independently of each other.

Where lanes part, a *join* remembers who takes part and where they meet (the immediate post-dominator). Lanes that get there wait in it
until all participants that live are there. The lanes of a warp that share a program counter and a join are a *split*; one split runs
at a time, until it waits (at a join, for lanes that an instruction names, at a block's barrier), ends, or *yields*: where a loop that
waits for other threads looks at what they write, and in ``nanosleep``. A split that yields lets the others run, and a join does not
wait for lanes that have yielded, so that a lane that holds a lock can release it. Nor does it wait, once no split of the warp can run, for
lanes that are at a barrier of the block or at an instruction that names others: those wait in turn for the lanes in the join.

Invariants:
- each lane that lives and is not in the running split is in exactly one other split or waits in exactly one join;
- joins form a tree; a split's join and all above it have the split's lanes among their participants;
- a join of a call is where the callee's lanes return to; it has no op of its own (``reconverge`` is -1).

References: US patent application 2016/0019066, execution of divergent threads using a convergence barrier; BSSY, BSYNC, YIELD in the
machine code of compute capability 7.0 and later; outcomes measured on an H100 in ``tests/groups``.
"""
from libc.stdint cimport int32_t, uint64_t

from archdef.engine.bits cimport lowest_bit
from archdef.engine.counters cimport LN_FIRST, LN_SECOND
from archdef.engine.divergence cimport SPLIT_BARRIER, SPLIT_NAMED, SPLIT_RUNNABLE, SPLIT_YIELDED, Frame, Split
from archdef.engine.frames cimport stack_grow
from archdef.engine.launch cimport Warp

cdef enum:
    NONE = -1


cdef void converge_start(Warp *w) noexcept nogil:
    """All lanes are together."""
    cdef int32_t i
    w.join = NONE
    w.turn = w.passed = 0
    w.arriving = 0
    for i in range(w.split_room):
        w.splits[i].mask = 0


# ------------------------------------------------------------------------------------------------------------------ joins
cdef int32_t _open(Warp *w, int32_t pc, int32_t reconverge, uint64_t lanes, bint call) noexcept nogil:
    """Make a join of `lanes` below the running split's. Returns NONE if there is no room."""
    cdef int32_t at
    cdef Frame *join
    if w.frame:                 # one that is free again
        at = w.frame - 1
        w.frame = w.stack[at].caller
    else:
        if w.depth >= w.stack_room and stack_grow(w) < 0:
            return NONE
        at = w.depth
        w.depth += 1
    join = w.stack + at
    join.pc = pc
    join.reconverge = reconverge
    join.mask = lanes
    join.waiting = 0
    join.call = call
    join.caller = w.join
    join.branch = w.pc
    join.path = w.path
    return at


cdef void _close(Warp *w, int32_t at) noexcept nogil:
    w.stack[at].mask = w.stack[at].waiting = 0
    w.stack[at].call = 0
    w.stack[at].caller = w.frame
    w.frame = at + 1


cdef void _release(Warp *w, int32_t at) noexcept nogil:
    """Let the lanes that wait in a join go on; those still missing find it when they come, and are the first path until then."""
    cdef Frame *join = w.stack + at
    cdef uint64_t lanes = join.waiting & w.alive
    if lanes:
        _add(w, join.pc, lanes, join.caller, SPLIT_RUNNABLE, LN_SECOND if join.mask & w.alive & ~lanes else join.path)
    join.mask &= ~join.waiting
    join.waiting = 0
    if join.mask & w.alive == 0:
        _close(w, at)


cdef inline void _check(Warp *w, int32_t at) noexcept nogil:
    """Release a join if nobody is missing any more."""
    if w.stack[at].mask & w.alive & ~w.stack[at].waiting == 0:
        _release(w, at)


# ----------------------------------------------------------------------------------------------------------------- splits
cdef void _add(Warp *w, int32_t pc, uint64_t lanes, int32_t join, int32_t state, int32_t path) noexcept nogil:
    """File a split. There is always room: splits are disjoint, and there is a place for every lane."""
    cdef int32_t i
    cdef Split *s
    for i in range(w.split_room):       # lanes that come to the same place go on together
        s = w.splits + i
        if s.mask and s.pc == pc and s.join == join and s.state == state and s.passed == 0:
            s.mask |= lanes
            return
    for i in range(w.split_room):
        s = w.splits + i
        if s.mask == 0:
            s.pc = pc
            s.mask = lanes
            s.join = join
            s.state = state
            s.passed = 0
            s.path = path
            return


cdef int32_t _choose(Warp *w, int32_t state) noexcept nogil:
    """The next split, in turn, in that state."""
    cdef int32_t i, at
    for i in range(w.split_room):
        at = (w.turn + i) % w.split_room
        if w.splits[at].mask and w.splits[at].state == state:
            w.turn = (at + 1) % w.split_room
            return at
    return NONE


cdef inline void _enter(Warp *w, int32_t pc, uint64_t lanes, int32_t join, int32_t path) noexcept nogil:
    w.pc = pc
    w.path = path
    w.active = lanes
    w.join = join
    w.reconverge = w.stack[join].reconverge if join >= 0 else -1


cdef uint64_t _stopped(const Warp *w, int32_t state) noexcept nogil:
    """Lanes of the splits in that state."""
    cdef uint64_t lanes = 0
    cdef int32_t i
    for i in range(w.split_room):
        if w.splits[i].mask and w.splits[i].state == state:
            lanes |= w.splits[i].mask
    return lanes


cdef inline void _wait_at_join(Warp *w) noexcept nogil:
    """The running split has come to where its join meets."""
    cdef Frame *join = w.stack + w.join
    cdef uint64_t missing
    join.waiting |= w.active
    w.active = 0
    missing = join.mask & w.alive & ~join.waiting
    if missing == 0 or missing & ~_stopped(w, SPLIT_YIELDED) == 0:
        _release(w, w.join)


cdef bint _take(Warp *w, int32_t state) noexcept nogil:
    """Run the next split in that state. Returns whether there is one that has something to do."""
    cdef int32_t at
    cdef Split *s
    while True:
        at = _choose(w, state)
        if at < 0:
            return False
        s = w.splits + at
        _enter(w, s.pc, s.mask & w.alive, s.join, s.path)
        w.passed = s.passed
        s.mask = 0
        if w.active == 0:
            continue
        if w.pc != w.reconverge or w.reconverge < 0:
            return True
        _wait_at_join(w)


cdef bint _release_without(Warp *w, uint64_t stopped) noexcept nogil:
    """Release every join in which lanes wait for lanes that have stopped, and for no others. Returns whether there was one."""
    cdef int32_t at
    cdef Frame *join
    cdef bint released = False
    for at in range(w.depth):
        join = w.stack + at
        if join.waiting & w.alive and join.mask & w.alive & ~join.waiting & ~stopped == 0:
            _release(w, at)
            released = True
    return released


cdef void _next(Warp *w) noexcept nogil:
    """The running split has stopped: run another. None: active is empty."""
    while True:
        if _take(w, SPLIT_RUNNABLE) or _take(w, SPLIT_YIELDED):
            return
        if _take(w, SPLIT_RUNNABLE):     # a split that had yielded may have completed a join
            return
        if not _release_without(w, _stopped(w, SPLIT_BARRIER) | _stopped(w, SPLIT_NAMED)):
            break
    w.active = 0


cdef void converge_arrive(Warp *w) noexcept nogil:
    """The running split is where its join meets."""
    _wait_at_join(w)
    _next(w)


# ------------------------------------------------------------------------------------------------------- branches, yields
cdef int32_t _join_at(Warp *w, int32_t reconverge) noexcept nogil:
    """The join for lanes that part now and meet at `reconverge`; NONE - 1: no room."""
    cdef int32_t at
    if reconverge < 0 or reconverge == w.reconverge:
        return w.join
    at = _open(w, reconverge, reconverge, w.active, 0)
    return NONE - 1 if at < 0 else at


cdef inline int32_t _side(Warp *w, int32_t pc, uint64_t lanes, int32_t join, int32_t reconverge, int32_t path) noexcept nogil:
    """File one side of a branch. Gives the path of the next one."""
    if pc == reconverge:
        w.stack[join].waiting |= lanes
        return path
    _add(w, pc, lanes, join, SPLIT_RUNNABLE, path)
    return LN_SECOND


cdef int converge_branch(Warp *w, int32_t target, int32_t reconverge, uint64_t taken, bint first) noexcept nogil:
    """Send `taken` (some of active, not all) to `target`, the others to the next op, which goes first unless `taken` shall. Returns -1 if
    full."""
    cdef uint64_t rest = w.active & ~taken
    cdef int32_t after = w.pc + 1, join = _join_at(w, reconverge)
    if join < NONE:
        return -1
    if after == reconverge:
        w.stack[join].waiting |= rest
        _enter(w, target, taken, join, LN_FIRST)
    elif first:
        _side(w, after, rest, join, reconverge, LN_SECOND)
        _enter(w, target, taken, join, LN_FIRST)
    else:
        _side(w, target, taken, join, reconverge, LN_SECOND)
        _enter(w, after, rest, join, LN_FIRST)
    return 1


cdef int converge_branch_many(Warp *w, const int32_t *target_of_lane, int lanes, int32_t reconverge) noexcept nogil:
    """Send the active lanes, which do not agree, to their own targets. Returns -1 if full."""
    cdef uint64_t left = w.active, same
    cdef int32_t target, join = _join_at(w, reconverge), path = LN_FIRST
    cdef int lane
    if join < NONE:
        return -1
    while left:
        target = target_of_lane[lowest_bit(left)]
        same = 0
        for lane in range(lanes):
            if left >> lane & 1 and target_of_lane[lane] == target:
                same |= <uint64_t>1 << lane
        left &= ~same
        path = _side(w, target, same, join, reconverge, path)
    w.active = 0
    _next(w)
    return 1


cdef void converge_yield(Warp *w) noexcept nogil:
    """Let others run before the running split goes on."""
    if w.active == w.alive or w.active == 0:
        return
    _add(w, w.pc, w.active, w.join, SPLIT_YIELDED, w.path)
    _release_without(w, _stopped(w, SPLIT_YIELDED))
    _next(w)


# ---------------------------------------------------------------------------------------------------- calls, returns, ends
cdef int converge_call(Warp *w, int32_t target, uint64_t lanes) noexcept nogil:
    """Enter a function with `lanes`; the other active lanes wait behind the call. Returns -1 if full."""
    cdef int32_t join = _open(w, w.pc + 1, -1, w.active, 1)
    if join < 0:
        return -1
    w.stack[join].waiting = w.active & ~lanes
    _enter(w, target, lanes, join, w.path if lanes == w.active else LN_FIRST)
    return 0


cdef int converge_call_one(Warp *w, int32_t target, uint64_t same, uint64_t lanes) noexcept nogil:
    """Enter a function with `same`, some of `lanes` that make an indirect call; the others of `lanes` come back to the op for their
    own targets, and all meet behind it. Returns -1 if full.
    """
    cdef int32_t join
    if same == lanes:
        return converge_call(w, target, lanes)
    join = _join_at(w, w.pc + 1)
    if join < NONE:
        return -1
    w.stack[join].waiting |= w.active & ~lanes
    _add(w, w.pc, lanes & ~same, join, SPLIT_RUNNABLE, LN_SECOND)
    _enter(w, w.pc, same, join, w.path if join == w.join else LN_FIRST)
    return converge_call(w, target, same)


cdef void _step(Warp *w) noexcept nogil:
    """The lanes that stay go on at the next op; if none do, another split runs."""
    w.pc += 1
    if w.active == 0:
        _next(w)
    elif w.pc == w.reconverge:
        converge_arrive(w)


cdef void converge_return(Warp *w, uint64_t lanes) noexcept nogil:
    """Return lanes from the innermost call, or end them if there is none."""
    cdef int32_t at = w.join, above
    while at >= 0 and not w.stack[at].call:
        at = w.stack[at].caller
    if at < 0:
        converge_exit(w, lanes)
        return
    w.active &= ~lanes
    at = w.join
    while not w.stack[at].call:         # they leave what they diverged in
        above = w.stack[at].caller
        w.stack[at].mask &= ~lanes
        _check(w, at)
        at = above
    w.stack[at].waiting |= lanes
    _check(w, at)
    _step(w)


cdef void converge_exit(Warp *w, uint64_t lanes) noexcept nogil:
    """End lanes of the running split; nobody waits for them any more."""
    cdef int32_t at = w.join, above
    w.alive &= ~lanes
    w.active &= ~lanes
    while at >= 0:
        above = w.stack[at].caller
        _check(w, at)
        at = above
    _settle_named(w)
    _step(w)


# ------------------------------------------------------------------------------------- lanes that an instruction waits for
cdef void _stop(Warp *w, int32_t state, uint64_t named) noexcept nogil:
    """The running split waits in `state`, and another runs."""
    cdef int32_t i
    cdef Split *s
    for i in range(w.split_room):
        s = w.splits + i
        if s.mask == 0:
            s.pc = w.pc
            s.mask = w.active
            s.join = w.join
            s.state = state
            s.named = named
            s.passed = 0
            s.path = w.path
            break
    w.active = 0
    _next(w)


cdef void _settle_named(Warp *w) noexcept nogil:
    """Lanes have ended: splits whose named lanes are all there now try again."""
    cdef uint64_t here = _stopped(w, SPLIT_NAMED)
    cdef int32_t i
    for i in range(w.split_room):
        if w.splits[i].mask and w.splits[i].state == SPLIT_NAMED and w.splits[i].named & w.alive & ~here == 0:
            w.splits[i].state = SPLIT_RUNNABLE


cdef uint64_t converge_gather(Warp *w, uint64_t named) noexcept nogil:
    """The running split is at an instruction for the lanes `named`: wait until they are all at such an instruction.

    Returns the lanes that execute it now, which are at the same op: those of other splits among them go on behind it. 0: the split
    waits, and another runs.
    """
    cdef uint64_t missing = named & w.alive & ~w.active, together = w.active
    cdef int32_t i
    cdef Split *s
    if missing == 0 or w.passed:
        w.passed = 0
        return w.active
    if missing & ~_stopped(w, SPLIT_NAMED):
        _stop(w, SPLIT_NAMED, named)
        return 0
    for i in range(w.split_room):
        s = w.splits + i
        if s.mask & missing and s.state == SPLIT_NAMED:
            s.state = SPLIT_RUNNABLE
            if s.pc != w.pc:
                s.passed = 1
                continue
            together |= s.mask
            if s.join == w.join:
                w.active |= s.mask
                s.mask = 0
            else:
                s.pc += 1
    return together


# ------------------------------------------------------------------------------------------------------- block's barriers
cdef void converge_stay(Warp *w, uint64_t lanes) noexcept nogil:
    """`lanes` of the running split stay at its op; the others are to go on behind it."""
    cdef uint64_t rest = w.active & ~lanes
    w.active = lanes
    if rest and w.pc + 1 == w.reconverge:
        w.stack[w.join].waiting |= rest
    elif rest:
        _add(w, w.pc + 1, rest, w.join, SPLIT_RUNNABLE, w.path)


cdef uint64_t converge_block(Warp *w, uint64_t lanes, int32_t number) noexcept nogil:
    """`lanes` of the running split wait at a barrier of the block; what else can run does. Returns all that wait at that barrier."""
    converge_stay(w, lanes)
    _stop(w, SPLIT_BARRIER, <uint64_t>number)
    return converge_blocked(w, number)


cdef uint64_t converge_blocked(const Warp *w, int32_t number) noexcept nogil:
    """Lanes that wait at a barrier of the block."""
    cdef uint64_t lanes = 0
    cdef int32_t i
    for i in range(w.split_room):
        if w.splits[i].mask and w.splits[i].state == SPLIT_BARRIER and w.splits[i].named == <uint64_t>number:
            lanes |= w.splits[i].mask
    return lanes & w.alive


cdef bint converge_unblock(Warp *w, int32_t number) noexcept nogil:
    """A barrier is open: splits that wait there go on behind it. Returns whether the warp had stopped and goes on with one of them."""
    cdef int32_t i
    cdef Split s
    for i in range(w.split_room):
        s = w.splits[i]
        if s.mask and s.state == SPLIT_BARRIER and s.named == <uint64_t>number:
            w.splits[i].mask = 0
            _add(w, s.pc + 1, s.mask, s.join, SPLIT_RUNNABLE, s.path)
    if w.active:
        return False
    _next(w)
    return w.active != 0
