"""Pass: drop code that nothing reaches and results that nobody reads."""
from __future__ import annotations

from collections.abc import Callable

from archdef.lower.encoding import Flag, Kind, SystemCall
from archdef.lower.facts import use_counts
from archdef.lower.virtual import PURE, Code, Op, leads_to, lives, successors
from archdef.ptx.graph import reachable

_DROPPABLE = PURE | {Kind.LOAD, Kind.TEXTURE, Kind.SPECIAL, Kind.MATRIX, Kind.MATRIX_LOAD}


def drop_unreachable(code: Code) -> None:
    """Drop ops that control never gets to."""
    if code.ops:
        reached = reachable(successors(code.ops))
        code.ops = [op for op, kept in zip(code.ops, reached) if kept or op.kind == Kind.LABEL]


def drop_dead(code: Code, exchanges: bool = False) -> None:
    """Drop ops whose results nobody reads, `exchanges` of lanes too; an atomic that nobody reads becomes a reduction."""
    def goes(op: Op) -> bool:
        return _droppable(op) or exchanges and op.kind == Kind.SHUFFLE

    _drop_unread(code, goes)
    while True:
        found = lives(code)
        wanted: list[list[bool] | None] = [None] * len(code.ops)
        for k, behind in found.walk():
            op = code.ops[k]
            wanted[k] = [v is not None and (v in behind or v in code.foreign) for v in op.d]
            if not any(wanted[k]) and goes(op):
                wanted[k], found.uses[k] = None, ()
        for op, mine in zip(code.ops, wanted, strict=True):
            if mine is not None and op.kind in (Kind.SETP, Kind.ATOM):
                op.d = [v if w else None for v, w in zip(op.d, mine)]
            elif mine is not None and op.kind == Kind.SYSTEM and op.fn != SystemCall.STACK:     # the engine sees that nobody looks at the answer
                op.d = [v if w else None for v, w in zip(op.d, mine)]
            elif mine is not None and op.kind in (Kind.SHUFFLE, Kind.MATCH) and len(op.d) > 1 and not mine[1]:
                op.d[1] = None          # nothing waits for a predicate that nobody reads
        kept = [op for op, mine in zip(code.ops, wanted, strict=True) if mine is not None]
        changed = len(kept) < len(code.ops)
        code.ops = kept
        if not changed:
            return


def _drop_unread(code: Code, goes: Callable[[Op], bool]) -> None:
    """Drop what makes registers that nothing reads anywhere, from the end: a chain of such ops goes at once, whatever branches are between."""
    counts, kept = use_counts(code), []
    stays = code.foreign | code.results
    for op in reversed(code.ops):
        if goes(op) and not any(counts.get(v) or v in stays for v in op.writes()):
            for v in op.reads():
                counts[v] -= 1
        else:
            kept.append(op)
    code.ops = kept[::-1]


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

