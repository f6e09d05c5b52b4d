"""Pass: drop code that nothing reaches and results that nobody reads."""
from __future__ import annotations

from collections.abc import Callable

from archdef.lower.encoding import Flag, Kind, SystemCall
from archdef.lower.def_use import use_counts
from archdef.lower.virtual import PURE, Code, Op, lives

_DROPPABLE = PURE | {Kind.LOAD, Kind.TEXTURE, Kind.SPECIAL, Kind.MATRIX, Kind.MATRIX_LOAD}


def drop_unreachable(code: Code) -> None:
    """Drop ops that control never gets to."""
    graph = code.graph
    if not all(graph.reached):
        for block, reached in zip(graph.blocks, graph.reached, strict=True):
            if not reached:
                block.ops = []
        graph.join()


def drop_dead(code: Code, exchanges: bool = False) -> None:
    """Drop ops whose results nobody reads, `exchanges` of lanes too; an atomic that nobody reads becomes a reduction."""
    def goes(op: Op) -> bool:
        return _droppable(op) or exchanges and op.kind == Kind.SHUFFLE

    _drop_unread(code, goes)
    while True:
        found = lives(code)
        ops = code.ops
        wanted: list[list[bool] | None] = [None] * len(ops)
        for k, behind in found.walk():
            op = ops[k]
            wanted[k] = [v is not None and (v in behind or v in code.foreign) for v in op.d]
            if not any(wanted[k]) and goes(op):
                wanted[k], found.uses[k] = None, ()
        for op, mine in zip(ops, wanted, strict=True):
            if mine is not None and op.kind in (Kind.SETP, Kind.ATOM):
                op.d = [v if w else None for v, w in zip(op.d, mine)]
            elif mine is not None and op.kind == Kind.SYSTEM and op.fn != SystemCall.STACK:     # the engine sees that nobody looks at the answer
                op.d = [v if w else None for v, w in zip(op.d, mine)]
            elif mine is not None and op.kind in (Kind.SHUFFLE, Kind.MATCH) and len(op.d) > 1 and not mine[1]:
                op.d[1] = None          # nothing waits for a predicate that nobody reads
        gone = {id(op) for op, mine in zip(ops, wanted, strict=True) if mine is None}
        if not gone:
            return
        code.drop(gone)


def _drop_unread(code: Code, goes: Callable[[Op], bool]) -> None:
    """Drop what makes registers that nothing reads anywhere, from the end: a chain of such ops goes at once, whatever branches are between."""
    counts, gone = use_counts(code), set()
    stays = code.foreign | code.results
    for op in reversed(code.ops):
        if goes(op) and not any(counts.get(v) or v in stays for v in op.writes()):
            for v in op.reads():
                counts[v] -= 1
            gone.add(id(op))
    if gone:
        code.drop(gone)


def _droppable(op: Op) -> bool:
    if op.kind not in _DROPPABLE or op.flags & Flag.CARRY_OUT and op.kind == Kind.CARRY:
        return False
    return not (op.kind == Kind.LOAD and op.flags & Flag.BYPASS_L1)


def drop_labels(code: Code) -> None:
    """Drop branches to what comes next, and let blocks to which no branch goes be part of those before them."""
    graph = code.graph
    for block in [block for n, block in enumerate(graph.blocks) if block.branch is not None and graph.leads_to(n + 1, block.branch.target)]:
        block.ops = block.ops[:-1]
    graph.changed()
    named = graph.references
    for block in graph.blocks:
        if block not in named:
            block.name = None
    graph.join()
