"""Divergence: one program counter a warp, and a stack of lanes that wait at reconvergence points.

Machines whose lanes progress independently keep *splits* instead (`converge`); what does not diverge is the same for both.

Invariants of the stack:
- the warp runs (pc, reconverge, active); entries below it wait, the top one next in turn;
- masks of entries are subsets of the lanes that entered the function; lanes that returned or ended are in none of them
  (ended lanes are dropped when an entry is taken up);
- the kernel's lanes run to their immediate post-dominator before the warp goes on together (stack reconvergence).
"""
from libc.stdint cimport int32_t, uint64_t

from archdef.engine.bits cimport lowest_bit
from archdef.engine.converge cimport (converge_arrive, converge_branch, converge_branch_many, converge_call, converge_call_one,
                                      converge_exit, converge_return)
from archdef.engine.counters cimport LN_FIRST, LN_SECOND
from archdef.engine.divergence cimport Frame
from archdef.engine.frames cimport stack_grow
from archdef.engine.launch cimport Warp
from archdef.engine.policy cimport Hook, ask_branch


cdef inline int _push(Warp *w, int32_t pc, int32_t reconverge, uint64_t mask, int32_t path) noexcept nogil:
    if w.depth >= w.stack_room and stack_grow(w) < 0:
        return -1
    cdef Frame *top = w.stack + w.depth
    top.pc = pc
    top.reconverge = reconverge
    top.mask = mask
    top.call = 0
    top.branch = w.pc
    top.path = path
    w.depth += 1
    return 0


cdef void _resume(Warp *w) noexcept nogil:
    """Take up the next entry that still has lanes; none left: active is empty."""
    cdef Frame *top
    while w.depth:
        w.depth -= 1
        top = w.stack + w.depth
        if top.call:
            w.frame = top.caller
        w.active = top.mask & w.alive
        w.pc = top.pc
        w.reconverge = top.reconverge
        w.path = top.path
        if w.active and (w.pc != w.reconverge or w.pc < 0):
            return
    w.active &= w.alive


cdef void simt_reconverge(Warp *w) noexcept nogil:
    """The lanes that run wait here: go on with the others."""
    if w.splits != NULL:
        converge_arrive(w)
    else:
        _resume(w)


cdef int simt_branch(Warp *w, int32_t target, int32_t reconverge, uint64_t taken) noexcept nogil:
    """Send `taken` (a subset of active) to `target`, the others to the next op. Returns 1 if the warp split, -1 if full."""
    cdef uint64_t rest = w.active & ~taken
    cdef int32_t after = w.pc + 1
    cdef bint first = False      # the lanes that jump
    if rest == 0 or target == after:
        w.pc = target
        simt_arrive(w)
        return 0
    if taken == 0:
        w.pc = after
        simt_arrive(w)
        return 0
    if w.launch.m.warp.branch_hook and target != reconverge and after != reconverge:
        first = ask_branch(<Hook *><size_t>w.launch.m.warp.branch_hook, w.pc, target, reconverge, taken, rest, w.depth)
    if w.splits != NULL:
        return converge_branch(w, target, reconverge, taken, first)
    if reconverge < 0:
        reconverge = w.reconverge
    if reconverge != w.reconverge and reconverge >= 0:
        if _push(w, reconverge, w.reconverge, w.active, w.path) < 0:
            return -1
    if target == reconverge:
        w.active = rest
        w.pc = after
    elif after == reconverge:
        w.active = taken
        w.pc = target
    elif first:
        if _push(w, after, reconverge, rest, LN_SECOND) < 0:
            return -1
        w.active = taken
        w.pc = target
    else:
        if _push(w, target, reconverge, taken, LN_SECOND) < 0:
            return -1
        w.active = rest
        w.pc = after
    w.reconverge = reconverge
    w.path = LN_FIRST
    return 1


cdef int simt_branch_many(Warp *w, const int32_t *target_of_lane, int lanes, int32_t reconverge) noexcept nogil:
    """Send every active lane to its own target. Returns 1 if the warp split, -1 if full."""
    cdef uint64_t left = w.active, same
    cdef int lane, parts = 0
    cdef int32_t target = 0, path = LN_FIRST
    while left:
        lane = lowest_bit(left)
        target = target_of_lane[lane]
        same = 0
        for lane in range(lanes):
            if left >> lane & 1 and target_of_lane[lane] == target:
                same |= <uint64_t>1 << lane
        left &= ~same
        if parts == 0:
            if left == 0:
                w.pc = target
                simt_arrive(w)
                return 0
            if w.splits != NULL:
                return converge_branch_many(w, target_of_lane, lanes, reconverge)
            if reconverge < 0:
                reconverge = w.reconverge
            if reconverge != w.reconverge and reconverge >= 0:
                if _push(w, reconverge, w.reconverge, w.active, w.path) < 0:
                    return -1
        parts += 1
        if target != reconverge:
            if _push(w, target, reconverge, same, path) < 0:
                return -1
            path = LN_SECOND
    _resume(w)
    return 1


cdef void _forget(Warp *w, uint64_t lanes) noexcept nogil:
    """Drop lanes from all entries of the innermost function."""
    cdef int32_t i
    for i in range(w.frame, w.depth):
        w.stack[i].mask &= ~lanes


cdef void simt_exit(Warp *w, uint64_t lanes) noexcept nogil:
    """End lanes of the active set; the others go on at the next op."""
    if w.splits != NULL:
        converge_exit(w, lanes)
        return
    w.alive &= ~lanes
    w.active &= ~lanes
    w.pc += 1
    if w.active == 0:
        _resume(w)
    else:
        simt_arrive(w)


cdef int simt_call(Warp *w, int32_t target, uint64_t lanes) noexcept nogil:
    """Enter a function with `lanes`; the other active lanes skip the call. Returns -1 if the stack is full."""
    if w.splits != NULL:
        return converge_call(w, target, lanes)
    cdef uint64_t all_lanes = w.active
    cdef Frame *top
    if w.depth + 2 > w.stack_room and stack_grow(w) < 0:
        return -1
    # callee returns to the op after the call with everyone who was active
    top = w.stack + w.depth
    top.pc = w.pc + 1
    top.reconverge = w.reconverge
    top.mask = all_lanes
    top.call = 1
    top.caller = w.frame
    top.path = w.path
    w.depth += 1
    w.frame = w.depth
    if lanes != all_lanes:
        w.path = LN_FIRST
    w.active = lanes
    w.reconverge = -1
    w.pc = target
    return 0


cdef int simt_call_one(Warp *w, int32_t target, uint64_t same, uint64_t lanes) noexcept nogil:
    """Enter a function with `same`, some of `lanes` that make an indirect call; the others of `lanes` come back to the op
    for their own targets, and all meet behind it. Returns -1 if the stack is full.
    """
    cdef int32_t after = w.pc + 1
    if w.splits != NULL:
        return converge_call_one(w, target, same, lanes)
    if same == lanes:
        return simt_call(w, target, lanes)
    if w.reconverge != after:
        if _push(w, after, w.reconverge, w.active, w.path) < 0:
            return -1
        w.reconverge = after
        w.path = LN_FIRST
    if _push(w, w.pc, after, lanes & ~same, LN_SECOND) < 0:
        return -1
    w.active = same
    return simt_call(w, target, same)


cdef void simt_return(Warp *w, uint64_t lanes) noexcept nogil:
    """Return lanes from the innermost call, or end them if there is none."""
    if w.splits != NULL:
        converge_return(w, lanes)
        return
    if w.frame == 0:
        simt_exit(w, lanes)
        return
    _forget(w, lanes)
    w.active &= ~lanes
    w.pc += 1
    if w.active == 0:
        _resume(w)
    else:
        simt_arrive(w)
