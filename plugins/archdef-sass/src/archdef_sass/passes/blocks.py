"""Passes: where blocks of code stand, and which branches are asked together."""
from __future__ import annotations

from bisect import bisect_right

import attrs

from archdef.lower.encoding import Kind
from archdef.lower.passes.branches import issues
from archdef.lower.virtual import ABSORBED, PURE, TRUE, Code, Const, Op, Unit, leads_to, lives, loops, slow_paths
from archdef.ptx.liveness import Lives

_EITHER = 0xFC
"""Truth table of `or`, see `archdef.lower.select.arithmetic.TRUTH`."""


def else_first(code: Code) -> None:
    """Turn ``@p bra A; bra B; A: …; bra M; B: …; M:`` into ``@p bra A; B: …; bra M; A: …; M:``."""
    ops = list(code.ops)        # None: what is gone, all before the place that is looked at
    labels = {op.fn: at for at, op in enumerate(ops) if op.kind == Kind.LABEL}
    for k in range(len(ops) - 2):
        op, jump = ops[k], ops[k + 1]
        if op is None or jump is None or not (op.kind == jump.kind == Kind.BRANCH and op.guard is not None and jump.guard is None
                                              and leads_to(ops, k + 2, op.target)):
            continue
        other = labels[jump.target]
        last = ops[other - 1]
        if other < k + 3 or last.kind != Kind.BRANCH or last.guard is not None or labels[last.target] <= other:
            continue
        end = labels[last.target]
        final = ops[end - 1]
        back = [] if _leaves(final) else [attrs.evolve(jump, target=last.target, statement=final.statement)]
        moved = [*ops[other:end], *back, *ops[k + 2:other - 1]]
        ops[k + 1:end] = [*[None] * (end - k - 1 - len(moved)), *moved]
        labels.update((op.fn, n) for n, op in enumerate(ops[k + 1:end], k + 1) if op is not None and op.kind == Kind.LABEL)
    code.ops = [op for op in ops if op is not None]


def _leaves(op: Op) -> bool:
    return op.kind in (Kind.BRANCH, Kind.EXIT, Kind.RETURN, Kind.TRAP) and op.guard is None


def copy_first(code: Code) -> None:
    """Turn ``@p bra A; copies; bra M; A: …; M:`` into ``copies; @!p bra M; A: …; M:``: copies alone are not worth a way of their own."""
    ops, made = list(code.ops), []
    found: Lives | None = None          # stays what it is at labels: where both ways meet, nobody can tell how control came
    k = 0
    while k < len(ops):
        op, end = ops[k], k + 1
        k += 1
        if op.kind != Kind.BRANCH or op.guard is None:
            made.append(op)
            continue
        while end < len(ops) and ops[end].kind == Kind.ALU and ops[end].operation == "move" and ops[end].guard is None \
                and isinstance(ops[end].s[0], Const):
            end += 1
        if end == k or end + 1 >= len(ops) or ops[end].kind != Kind.BRANCH or ops[end].guard is not None or not leads_to(ops, end + 1, op.target):
            made.append(op)
            continue
        written = {v for copy in ops[k:end] for v in copy.writes()}
        found = lives(code) if found is None else found
        if any(found.is_alive(v, end + 1) for v in written) or written & set(op.reads()):
            made.append(op)
            continue
        made += ops[k:end]
        ops[end] = attrs.evolve(op, guard=~op.guard, target=ops[end].target)
        k = end
    code.ops = made


def begin_within(code: Code) -> None:
    """Turn ``bra X; B: …; X: … bra B`` into ``X: … B: …; bra X``: a loop that begins in its middle begins with that."""
    ops = list(code.ops)        # None: what is gone
    at = {id(op): k for k, op in enumerate(ops)}
    labels = {op.fn: op for op in ops if op.kind == Kind.LABEL}
    jumps: dict[str, list[Op]] = {}
    for op in ops:
        if op.kind == Kind.BRANCH and op.guard is None:
            jumps.setdefault(op.target, []).append(op)
    k = 0
    while k < len(ops):
        jump = ops[k]
        k += 1
        while k < len(ops) and ops[k] is None:
            k += 1
        if jump is None or jump.kind != Kind.BRANCH or jump.guard is not None or k == len(ops) or ops[k].kind != Kind.LABEL:
            continue
        middle = at[id(labels[jump.target])]
        back = max((at[id(op)] for op in jumps.get(ops[k].fn, ())), default=0)
        if middle <= k or back <= middle:
            continue
        first, moved = at[id(jump)], [op for op in ops[k:middle] if op is not None]
        around = [] if _leaves(moved[-1]) else [attrs.evolve(jump, statement=ops[back].statement)]
        jumps[jump.target] = [op for op in jumps[jump.target] if op is not jump] + around
        jumps[ops[k].fn] = [op for op in jumps[ops[k].fn] if op is not ops[back]]
        placed = [*ops[middle:back], *moved, *around]
        k = back + 1 - len(placed)
        ops[first:back + 1] = [*[None] * (k - first), *placed]
        at.update((id(op), n) for n, op in enumerate(placed, k))
        k += 1
    code.ops = [op for op in ops if op is not None]


def join_tests(code: Code, unit: Unit, architecture, longest: int) -> None:
    """Turn ``@p bra A; a few operations; @q bra A`` into those operations and one branch, if nobody at A reads what they write."""
    operations = architecture.isa.operations
    ops = list(code.ops)
    labels = {op.fn: at for at, op in enumerate(ops) if op.kind == Kind.LABEL}
    around = sorted({start for start, _ in loops(ops)})
    behind = [len(ops)] * (len(ops) + 1)        # the next place that holds no label
    for n in range(len(ops) - 1, -1, -1):
        behind[n] = behind[n + 1] if ops[n].kind == Kind.LABEL else n
    found: Lives | None = None                  # stays what it is at labels
    k = 0
    while k < len(ops):
        op, end = ops[k], k + 1
        k += 1
        if op.kind != Kind.BRANCH or op.guard is None or op.operation == ABSORBED:
            continue
        predicate, work = op.guard if op.guard >= 0 else ~op.guard, 0
        while end < len(ops) and ops[end].kind in PURE and ops[end].guard is None and predicate not in ops[end].d and not slow_paths(ops[end], operations):
            work += issues(ops[end], architecture)
            end += 1
        other = ops[end] if end < len(ops) else op
        if work > longest or other.kind != Kind.BRANCH or other.guard is None or other.target != op.target or other is op or other.operation == ABSORBED:
            continue
        place = labels[op.target]
        after = behind[place] if behind[place] < len(ops) else place
        inner = bisect_right(around, k)
        if ops[after].kind in (Kind.EXIT, Kind.RETURN) or inner < len(around) and around[inner] < place:    # a loop to skip is worth two branches
            continue
        found = lives(code) if found is None else found
        if any(found.is_alive(v, place) for between in ops[k:end] for v in between.writes()):
            continue
        either = unit.new(0)
        joined = Op(Kind.PRED, _EITHER, [either], [op.guard, other.guard, TRUE], "predicate", statement=other.statement)
        ops[k - 1:end + 1] = [*ops[k:end], joined, attrs.evolve(other, guard=either)]
        k = end
    code.ops = ops
