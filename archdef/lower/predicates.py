"""Pass: let a comparison combine its result with another predicate, instead of a logic operation behind it."""
from __future__ import annotations

from archdef.lower.encoding import Combine, Kind
from archdef.lower.facts import definitions, use_counts
from archdef.lower.select_arithmetic import TRUTH
from archdef.lower.virtual import PARTS, Code, Op

_COMBINES = {TRUTH["and"]: Combine.AND, TRUTH["or"]: Combine.OR, TRUTH["xor"]: Combine.XOR}


def combine_predicates(code: Code) -> None:
    """Fold ``q = a < b; r = p or q`` into one comparison where nothing else reads q."""
    uses, written = use_counts(code), definitions(code)
    compared: dict[int, tuple[int, Op]] = {}  # predicate -> its comparison, in this block
    last: dict[int, int] = {}
    gone: set[int] = set()
    for k, op in enumerate(code.ops):
        if op.kind in PARTS:
            compared.clear()
        if op.kind == Kind.PRED and op.fn in _COMBINES:
            swallowed = _combine(op, compared, last)
            if swallowed is not None:
                gone.add(id(swallowed))
        elif op.kind == Kind.SETP and op.guard is None and not op.combine and op.d[1] is None:
            q = op.d[0]
            if uses.get(q) == 1 and len(written[q]) == 1:
                compared[q] = k, op
        for v in op.d:
            if v is not None:
                last[v] = k
    code.ops = [op for op in code.ops if id(op) not in gone]


def _combine(op: Op, compared: dict[int, tuple[int, Op]], last: dict[int, int]) -> Op | None:
    for position in (0, 1):          # the first, if there is a choice, as ptxas does
        q, other = op.s[position], op.s[1 - position]
        bare = q if q >= 0 else ~q
        if bare not in compared or other in (q, ~q):
            continue
        at, comparison = compared.pop(bare)
        if any(type(v) is int and last.get(v, -1) >= at for v in comparison.s[:2]):
            continue
        op.combine = _COMBINES[op.fn]
        op.d = [op.d[0], None] if q >= 0 else [None, op.d[0]]
        op.kind, op.fn, op.s = Kind.SETP, comparison.fn, [*comparison.s[:2], other]
        op.operation, op.times, op.fpenv = comparison.operation, comparison.times, comparison.fpenv
        return comparison
    return None
