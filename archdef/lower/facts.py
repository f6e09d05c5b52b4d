"""What passes ask about code: who defines a register, how often it is read, whether its one definition reaches every use."""
from __future__ import annotations

from archdef.lower.virtual import Code, Op, Unit, masks, successors
from archdef.ptx.liveness import live_sets


def definitions(code: Code) -> dict[int, list[Op]]:
    """Give the ops that write each register."""
    found: dict[int, list[Op]] = {}
    for op in code.ops:
        for v in op.d:
            if v is not None:
                found.setdefault(v, []).append(op)
    return found


def use_counts(code: Code) -> dict[int, int]:
    """Count the reads of each register."""
    counts: dict[int, int] = {}
    for op in code.ops:
        for v in op.reads():
            counts[v] = counts.get(v, 0) + 1
    return counts


def live_outs(code: Code) -> list[int]:
    """Give, per op, the registers alive behind it, as bit masks."""
    return live_sets(successors(code.ops), *masks(code))


def alive_into(code: Code) -> list[int]:
    """Give, per op, the registers alive before it, as bit masks."""
    uses, defs = masks(code)
    return [out & ~d | u for out, d, u in zip(live_outs(code), defs, uses)]


def live_at_entry(code: Code) -> int:
    """Give the registers read before anything writes them, as a bit mask: parameters, special registers, undefined values."""
    if not code.ops:
        return 0
    uses, defs = masks(code)
    return live_sets(successors(code.ops), uses, defs)[0] & ~defs[0] | uses[0]


def single(code: Code, unit: Unit) -> dict[int, Op | None]:
    """Give the registers that have one value throughout: register → the op that defines it, None if it comes from outside.

    That is so if there is exactly one definition, without guard, and no use that can come before it. Such a value can be read
    anywhere behind its definition instead of a copy of it.
    """
    entry = live_at_entry(code)
    found: dict[int, Op | None] = {}
    for v, ops in definitions(code).items():
        if len(ops) == 1 and ops[0].guard is None and not entry >> v & 1 and v not in code.foreign:
            found[v] = ops[0]
    written = definitions(code)
    for v in (*code.inputs, *unit.specials, 0):
        if v not in written:
            found[v] = None
    return found
