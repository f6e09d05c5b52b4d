"""Pass: drop code that nothing reaches and results that nobody reads."""
from __future__ import annotations

from archdef.lower.encoding import Flag, Kind, SystemCall
from archdef.lower.facts import live_outs
from archdef.lower.virtual import PURE, Code, Op, leads_to, successors
from archdef.ptx.graph import reachable

_DROPPABLE = PURE | {Kind.LOAD, Kind.TEXTURE, Kind.SPECIAL, Kind.MATRIX, Kind.MATRIX_LOAD}


def drop_unreachable(code: Code) -> None:
    """Drop ops that control never gets to."""
    if code.ops:
        reached = reachable(successors(code.ops))
        code.ops = [op for op, kept in zip(code.ops, reached) if kept or op.kind == Kind.LABEL]


def drop_dead(code: Code, exchanges: bool = False) -> None:
    """Drop ops whose results nobody reads, `exchanges` of lanes too; an atomic that nobody reads becomes a reduction."""
    while True:
        alive = live_outs(code)
        kept, changed = [], False
        for op, behind in zip(code.ops, alive):
            wanted = [v is not None and (bool(behind >> v & 1) or v in code.foreign) for v in op.d]
            if not any(wanted) and (_droppable(op) or exchanges and op.kind == Kind.SHUFFLE):
                changed = True
                continue
            if op.kind in (Kind.SETP, Kind.ATOM):
                op.d = [v if w else None for v, w in zip(op.d, wanted)]
            elif op.kind == Kind.SYSTEM and op.fn != SystemCall.STACK:       # the engine sees that nobody looks at the answer
                op.d = [v if w else None for v, w in zip(op.d, wanted)]
            elif op.kind in (Kind.SHUFFLE, Kind.MATCH) and len(op.d) > 1 and not wanted[1]:     # nothing waits for a predicate that nobody reads
                op.d[1] = None
            kept.append(op)
        code.ops = kept
        if not changed:
            return


def _droppable(op: Op) -> bool:
    if op.kind not in _DROPPABLE or op.flags & Flag.CARRY_OUT and op.kind == Kind.CARRY:
        return False
    return not (op.kind == Kind.LOAD and op.flags & Flag.BYPASS_L1)


def drop_labels(code: Code) -> None:
    """Drop branches to the next op and labels that no branch names."""
    ops = code.ops
    ops = [op for k, op in enumerate(ops) if not (op.kind == Kind.BRANCH and leads_to(ops, k + 1, op.target))]
    named: set[str] = set()
    for op in ops:
        if op.kind == Kind.BRANCH:
            named.add(op.target)
        elif op.kind == Kind.BRANCH_INDEXED:
            named.update(op.target)
    code.ops = [op for op in ops if op.kind != Kind.LABEL or op.fn in named]

