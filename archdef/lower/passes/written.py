"""Pass over code for debugging: signs of quotients, as an assembler leaves what was compiled with ``-G``."""
from __future__ import annotations

from archdef.lower.encoding import BranchOp, Kind
from archdef.lower.virtual import ABSORBED, Code, Op, Unit, immediate

_SIGNED = ("div_s16", "div_s32", "rem_s16", "rem_s32")


def negate_by_branch(code: Code, unit: Unit) -> None:
    """Signed quotients and remainders are computed of magnitudes: lanes whose result is not negative leave by a guarded join, the others negate theirs
    and leave by a join of their own. Only the joins are added here; the rest is among the instructions that the division costs."""
    ops: list[Op] = []
    for op in code.ops:
        if op.kind == Kind.ALU and op.operation == "int_div32" and op.fn in _SIGNED:
            ops += _with_negation(op, unit, f"@negated{op.statement}.{len(ops)}")
        else:
            ops.append(op)
    code.ops = ops


def _with_negation(op: Op, unit: Unit, label: str) -> list[Op]:
    """Give a signed division and the joins behind it, for lanes of either sign."""
    made, sign, kept = [], op.s[0], unit.new(0)
    if op.fn.startswith("div"):
        sign = unit.new(4)
        made.append(Op(Kind.ALU, "xor_b32", [sign], list(op.s[:2]), ABSORBED, statement=op.statement))
    made += [Op(Kind.SETP, f"ge_{op.fn[4:]}", [kept, None], [sign, immediate(0), None], ABSORBED, statement=op.statement), op]
    made += [Op(Kind.BRANCH, int(BranchOp.JOIN), operation="branch", target=label, statement=op.statement, guard=guard) for guard in (kept, None)]
    return [*made, Op(Kind.LABEL, label)]
