"""What passes ask about code: who defines a register, how often it is read, whether its one definition reaches every use."""
from __future__ import annotations

from archdef.lower.virtual import Code, Op, Unit, lives


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


def single(code: Code, unit: Unit) -> dict[int, Op | None]:
    """Give the registers that have one value throughout: register → the op that defines it, None if it comes from outside.

    That is so if there is exactly one definition, without guard, and no use that can come before it. Such a value can be read
    anywhere behind its definition instead of a copy of it.
    """
    entry = lives(code).entering()      # read before anything writes them: parameters, special registers, undefined values
    found: dict[int, Op | None] = {}
    written = definitions(code)
    for v, ops in written.items():
        if len(ops) == 1 and ops[0].guard is None and v not in entry and v not in code.foreign:
            found[v] = ops[0]
    for v in (*code.inputs, *unit.specials, 0):
        if v not in written:
            found[v] = None
    return found
