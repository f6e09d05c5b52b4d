"""Loops that wait for other threads: where a machine whose lanes progress independently lets the others go first."""
from __future__ import annotations

from archdef.lower.encoding import Flag, Kind, PhaseOp
from archdef.lower.graph import BRANCHES
from archdef.lower.reconvergence import reconvergence_points
from archdef.lower.virtual import Code, Op, successors
from archdef.ptx import ir

_STRONG = frozenset(("volatile", "relaxed", "acquire", "mmio", "cv"))


def mark_spin_loops(codes: list[Code], source: list[ir.Instruction]) -> None:
    """Flag the ops by which a loop that waits for other threads looks at what they write: atomic operations, volatile and ordered
    loads and tests of a barrier's phase that decide whether the loop ends. In a called function, which may be called from such a loop,
    all of them.

    Notes
    -----
    ptxas puts YIELD there and nowhere else: seen in machine code for compute capability 9.0 of a dozen loops, and in the lanes that
    leave them one by one on an H100 (``tests/groups/test_progress.py``).
    """
    _mark(codes[0], source)
    for code in codes[1:]:
        for op in code.ops:
            if _reads_others(op, source):
                op.flags |= Flag.YIELD


def _mark(code: Code, source: list[ir.Instruction]) -> None:
    ops, graph, starts = code.ops, successors(code), code.starts()
    backward = [(k, t) for k, op in enumerate(ops) if op.kind in BRANCHES for t in graph[k] if t <= k]
    seen = [_reads_others(op, source) for op in ops]
    if not backward or not any(seen):
        return
    behind: list[list[int]] = [[] for _ in ops]
    for k, targets in enumerate(graph):
        for t in targets:
            behind[t].append(k)
    ends = {starts[n] + len(block.ops) - 1: n for n, block in enumerate(code.blocks) if block.ops}
    meetings = reconvergence_points(code.graph)
    meets = {k: starts[meetings[n]] if meetings[n] >= 0 else len(ops) for k, n in ends.items()}
    for k, t in backward:
        loop = _loop(behind, k, t)
        if any(seen[n] for n in loop) and _end_depends(ops, loop, seen, graph, meets):
            for n in loop:
                if seen[n]:
                    ops[n].flags |= Flag.YIELD


def _reads_others(op: Op, source: list[ir.Instruction]) -> bool:
    if op.kind == Kind.LOAD:
        return not _STRONG.isdisjoint(source[op.statement].modifiers)
    return op.kind == Kind.ATOM and any(v is not None for v in op.d) or op.kind == Kind.PHASE and op.fn >= PhaseOp.TEST


def _loop(behind: list[list[int]], last: int, first: int) -> set[int]:
    """Give what lies on the ways from `first` to `last`, as far as it can be said from `last` backwards."""
    found, waiting = {last}, [last] if last != first else []
    while waiting:
        for n in behind[waiting.pop()]:
            if n not in found:
                found.add(n)
                if n != first:
                    waiting.append(n)
    return found


def _end_depends(ops: list[Op], loop: set[int], seen: list[bool], graph, meets: dict[int, int]) -> bool:
    """Tell whether a branch out of the loop, or back, is decided by a value that comes from other threads."""
    order, foreign = sorted(loop), set()
    while True:
        before = len(foreign)
        for n in order:
            op = ops[n]
            if seen[n]:
                foreign.update(op.writes())
            elif not foreign.isdisjoint(op.reads()):
                foreign.update(op.writes())
                if len(graph[n]) > 1:
                    if any(t not in loop or t <= n for t in graph[n]):
                        return True
                    for k in order:     # what is written on one way only depends on the branch
                        if n < k < meets[n]:
                            foreign.update(ops[k].writes())
        if len(foreign) == before:
            return False
