"""Who waits for whom when nothing can go on: lanes at barriers or in loops, lanes that do not come, and the branch at which they diverged."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.barrier cimport BARRIERS, CLUSTER_BARRIER, GRID_BARRIER
from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.divergence cimport SPLIT_BARRIER, SPLIT_NAMED, SPLIT_RUNNABLE, SPLIT_YIELDED, Frame
from archdef.engine.fault_code cimport FAULT_LIVELOCK
from archdef.engine.fault_record cimport Fault
from archdef.engine.launch cimport WS_BARRIER, WS_CHILDREN, WS_ENDED, WS_DIVERGED, WS_REGISTERS, Block, Launch, Warp
from archdef.engine.machine cimport SCHEDULER_WARPS
from archdef.engine.registers cimport registers_spare
from archdef.engine.grid cimport Grid
from archdef.engine.sm_core cimport SmCore

cdef enum:
    MOST = 64                # warps that are listed


cdef _statement(const Launch *launch, int32_t op, Grid grid):
    statements = grid.statements if launch.parent == NULL else grid.kernels.programs[launch.kernel].statements
    if not statements or not 0 <= op < launch.op_count:
        return None
    return statements[launch.ops[op].statement]


cdef _entry(const SmCore *sm, const Warp *w, uint64_t lanes, int32_t op, Grid grid, barrier=None):
    """Some lanes of a warp: where they are, which barrier they are at."""
    cdef const Block *b = sm.blocks + w.block
    return {"block": (b.index[0], b.index[1], b.index[2]), "warp": w.index, "lanes": lanes, "statement": _statement(w.launch, op, grid),
            "barrier": "grid" if barrier == GRID_BARRIER else "cluster" if barrier == CLUSTER_BARRIER else barrier}


cdef _number(const SmCore *sm, const Warp *w):
    """The barrier at which a whole warp waits."""
    cdef const Block *b = sm.blocks + w.block
    cdef int32_t k, at
    for k in range(BARRIERS):
        at = b.barriers[k].first_waiting
        while at >= 0:
            if at == w.slot:
                return k
            at = sm.warps[at].next_waiting
    return None


cdef int32_t _branch(const Warp *w, uint64_t waiting, uint64_t missing) noexcept nogil:
    """Where lanes diverged from each other: the branch of the smallest entry that holds lanes of both; -1: they did not."""
    cdef int32_t k, best = -1
    cdef const Frame *frame
    for k in range(w.depth):
        frame = w.stack + k
        if frame.mask & missing and (frame.mask & waiting or w.splits == NULL):
            if best < 0 or frame.mask & ~w.stack[best].mask == 0:
                best = k
    return w.stack[best].branch if best >= 0 else -1


cdef uint64_t _stack(const SmCore *sm, const Warp *w, Grid grid, list waiting, list missing, barrier):
    """Lanes of a warp with a stack: those at a barrier, and those that wait for them. Returns the latter."""
    cdef uint64_t left = w.alive & ~w.active, apart = left
    cdef int32_t k
    waiting.append(_entry(sm, w, w.active, w.pc, grid, barrier))
    for k in range(w.depth - 1, -1, -1):
        if w.stack[k].mask & left:
            missing.append(_entry(sm, w, w.stack[k].mask & left, w.stack[k].pc, grid))
            left &= ~w.stack[k].mask
    return apart


cdef _splits(const SmCore *sm, const Warp *w, uint64_t lanes, Grid grid, list waiting, list missing):
    """Some lanes of a warp that progress independently: those at barriers or waiting for others by name, and those that wait to meet."""
    cdef int32_t k
    for k in range(w.split_room):
        if w.splits[k].mask & lanes:
            if w.splits[k].state == SPLIT_BARRIER:
                waiting.append(_entry(sm, w, w.splits[k].mask & w.alive, w.splits[k].pc, grid, w.splits[k].named))
            elif w.splits[k].state == SPLIT_NAMED:
                waiting.append(_entry(sm, w, w.splits[k].mask & w.alive, w.splits[k].pc, grid))
            else:
                missing.append(_entry(sm, w, w.splits[k].mask & w.alive, w.splits[k].pc, grid))
    for k in range(w.depth):
        if w.stack[k].waiting & lanes:
            missing.append(_entry(sm, w, w.stack[k].waiting & lanes, w.stack[k].pc, grid))


cdef int32_t _circling(const SmCore *sm, const Warp *w, Grid grid, list waiting, list missing):
    """Lanes of a warp that go round, and those that wait for them. Returns the op at which they diverged, -1: they did not."""
    cdef uint64_t left = w.alive & ~w.active
    cdef int32_t k
    waiting.append(_entry(sm, w, w.active, w.pc, grid))
    if w.splits == NULL:
        for k in range(w.depth - 1, -1, -1):
            if w.stack[k].mask & left:
                missing.append(_entry(sm, w, w.stack[k].mask & left, w.stack[k].pc, grid))
                left &= ~w.stack[k].mask
        return _branch(w, w.active, w.alive & ~w.active)
    for k in range(w.split_room):
        if w.splits[k].mask & w.alive and (w.splits[k].state == SPLIT_RUNNABLE or w.splits[k].state == SPLIT_YIELDED):
            waiting.append(_entry(sm, w, w.splits[k].mask & w.alive, w.splits[k].pc, grid))
            left &= ~w.splits[k].mask
    _splits(sm, w, left, grid, waiting, missing)
    return _branch(w, w.alive & ~left, left) if left else -1


cdef dict _counted(const Dispatcher *dispatcher):
    """Count the blocks that have a place, and those for which there was none yet."""
    cdef const Launch *launch = dispatcher.running
    cdef int64_t resident = 0, unstarted = 0, i
    cdef int32_t k
    while launch != NULL:
        unstarted += launch.blocks - launch.next_block
        launch = launch.next_running
    for i in range(dispatcher.m.chip.multiprocessors):
        for k in range(<int32_t>(SCHEDULER_WARPS * dispatcher.m.schedulers.count) if dispatcher.sms[i].core != NULL else 0):
            if dispatcher.sms[i].core.blocks[k].running:
                resident += 1
    return {"resident": resident, "unstarted": unstarted}


cdef object explain_deadlock(const Fault *f, const Dispatcher *dispatcher, Grid grid):
    """Describe a machine on which no warp can go on.

    Returns
    -------
    dict
        ``barrier``: the number of the barrier concerned, None: there is none; ``waiting`` and ``missing``: a list of dicts with
        ``block``, ``warp``, ``lanes`` (a mask), ``statement``, ``barrier`` (of more than a block: ``"grid"``, ``"cluster"``); ``branch``: the statement that
        parted them, or None;
        who waits for registers also has ``registers``, those of a thread, ``wanted``, and ``pool``, what its block's pool has a lane;
        ``resident``: blocks that have a place, and ``unstarted``: blocks for which there was none yet.
    """
    cdef const SmCore *sm
    cdef const Warp *w
    cdef int64_t i
    cdef int32_t k, op = -1
    cdef uint64_t here = 0, elsewhere = 0
    waiting, missing = [], []
    branch = None
    for i in range(dispatcher.m.chip.multiprocessors):
        sm = dispatcher.sms[i].core
        for k in range(<int32_t>(SCHEDULER_WARPS * dispatcher.m.schedulers.count) if sm != NULL else 0):
            w = sm.warps + k
            if w.launch == NULL or not sm.blocks[w.block].running or len(waiting) >= MOST:
                continue
            if w.state == WS_DIVERGED:
                first, other = len(waiting), len(missing)
                _splits(sm, w, w.alive, grid, waiting, missing)
                if branch is None:
                    here = sum(entry["lanes"] for entry in waiting[first:])
                    elsewhere = sum(entry["lanes"] for entry in missing[other:])
                    op = _branch(w, here, elsewhere)
                    branch = _statement(w.launch, op, grid) if op >= 0 else None
            elif w.state == WS_BARRIER and w.splits == NULL:
                elsewhere = _stack(sm, w, grid, waiting, missing, _number(sm, w))
                if branch is None and elsewhere:
                    op = _branch(w, w.active, elsewhere)
                    branch = _statement(w.launch, op, grid) if op >= 0 else None
            elif w.state == WS_BARRIER:
                waiting.append(_entry(sm, w, w.alive, w.barrier_op, grid, _number(sm, w)))
            elif w.state == WS_REGISTERS:
                waiting.append({**_entry(sm, w, w.active, w.barrier_op, grid), "registers": w.registers, "wanted": w.launch.ops[w.barrier_op].registers,
                                "pool": registers_spare(sm, w)})
            elif w.state == WS_CHILDREN:
                waiting.append(_entry(sm, w, w.active, w.pc, grid))
            elif f.code == FAULT_LIVELOCK and w.alive and w.state != WS_ENDED:
                op = _circling(sm, w, grid, waiting, missing)
                if branch is None and op >= 0:
                    branch = _statement(w.launch, op, grid)
    waiting.sort(key=lambda entry: "wanted" not in entry)      # for registers, others wait at barriers
    numbers = {entry["barrier"] for entry in waiting} - {None}
    return {"barrier": numbers.pop() if len(numbers) == 1 else None, "waiting": waiting, "missing": missing, "branch": branch, **_counted(dispatcher)}
