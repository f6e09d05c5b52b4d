"""Pass: let a comparison combine its result with another predicate, instead of a logic operation behind it."""
from __future__ import annotations

from archdef.lower.encoding import Combine, Kind
from archdef.lower.def_use import definitions, use_counts
from archdef.lower.select.arithmetic import TRUTH
from archdef.lower.virtual import Code, Op

_COMBINES = {TRUTH["and"]: Combine.AND, TRUTH["or"]: Combine.OR, TRUTH["xor"]: Combine.XOR}


def combine_predicates(code: Code, branches_take_two: bool = False, repeats: bool = False) -> None:
    """Fold ``q = a < b; r = p or q`` into one comparison where nothing else reads q.

    repeats : where others read both predicates, the first is compared again. Read off machine code by ptxas 13.0 of seven small programs.

    branches_take_two : logic that only a branch back reads, and for which both must hold, is part of that; so in all four loops of 170 kernels whose
                        machine code by ptxas 13.0 was read, and in none of six branches ahead. Here the later comparison takes the other in, which is as
                        many instructions, and as late.
    """
    taken = _taken_by_branches(code) if branches_take_two else set()
    uses, written = use_counts(code), definitions(code)
    compared: dict[int, tuple[int, Op]] = {}  # predicate -> its comparison, in this block
    last: dict[int, int] = {}
    gone: set[int] = set()
    for k, (cut, op) in enumerate(code.straight()):
        if cut:
            compared.clear()
        if op.kind == Kind.PRED and op.fn in _COMBINES:
            swallowed = _combine(op, compared, last, id(op) in taken, uses)
            if swallowed is not None:
                uses[swallowed.d[0]] -= 1
                if not uses[swallowed.d[0]] and swallowed.d[0] not in code.foreign | code.results:
                    gone.add(id(swallowed))
        elif op.kind == Kind.SETP and op.guard is None and not op.combine and op.d[1] is None:
            q = op.d[0]
            if (uses.get(q) == 1 or repeats and uses.get(q)) and len(written[q]) == 1:
                compared[q] = k, op
        for v in op.d:
            if v is not None:
                last[v] = k
    if gone:
        code.drop(gone)


def _taken_by_branches(code: Code) -> set[int]:
    """Give the identities of what tells whether two predicates hold, for a branch back alone."""
    uses = use_counts(code)
    made: dict[int, Op] = {}        # predicate → the logic that gives it, in this block
    numbers = code.graph.numbers
    back = {block.branch for n, block in enumerate(code.blocks) if block.branch is not None and numbers[block.branch.target] <= n}
    found: set[int] = set()
    for cut, op in code.straight():
        if op in back and op.guard is not None:
            logic = made.get(op.guard if op.guard >= 0 else ~op.guard)
            if logic is not None and logic.fn == TRUTH["and" if op.guard >= 0 else "or"]:
                found.add(id(logic))
        if cut:
            made.clear()
        for v in op.writes():
            made.pop(v, None)
        if op.kind == Kind.PRED and op.guard is None and uses.get(op.d[0]) == 1:
            made[op.d[0]] = op
    return found


def _combine(op: Op, compared: dict[int, tuple[int, Op]], last: dict[int, int], later: bool, uses: dict[int, int]) -> Op | None:
    def alone(position: int) -> bool:
        q = op.s[position]
        return uses.get(q if q >= 0 else ~q) == 1

    def place(position: int) -> int:
        q = op.s[position]
        return compared.get(q if q >= 0 else ~q, (-1,))[0]

    places = (1, 0) if later and place(1) > place(0) else (0, 1)         # the first, if there is a choice, as ptxas does
    for position in sorted(places, key=lambda position: not alone(position)):
        q, other = op.s[position], op.s[1 - position]
        bare = q if q >= 0 else ~q
        if bare not in compared or other in (q, ~q):
            continue
        at, comparison = compared[bare]
        if any(type(v) is int and last.get(v, -1) >= at for v in comparison.s[:2]):
            continue
        op.combine = _COMBINES[op.fn]
        op.d = [op.d[0], None] if q >= 0 else [None, op.d[0]]
        op.kind, op.fn, op.s = Kind.SETP, comparison.fn, [*comparison.s[:2], other]
        op.operation, op.times, op.fpenv = comparison.operation, comparison.times, comparison.fpenv
        return comparison
    return None
