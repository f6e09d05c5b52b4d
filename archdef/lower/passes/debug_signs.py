"""Pass over code for debugging: signs of quotients, as an assembler leaves what was compiled with ``-G``."""
from __future__ import annotations

from archdef.lower.encoding import BranchOp, Kind
from archdef.lower.virtual import ABSORBED, Block, Code, Op, Unit, immediate

_SIGNED = ("div_s16", "div_s32", "rem_s16", "rem_s32")


def negate_by_branch(code: Code, unit: Unit) -> None:
    """Signed quotients and remainders are computed of magnitudes: lanes whose result is not negative leave by a guarded join, the others negate theirs
    and leave by a join of their own. Only the joins are added here; the rest is among the instructions that the division costs."""
    if any(map(_is_signed, code.ops)):
        code.rewrite(lambda op: _with_negation(op, unit) if _is_signed(op) else (op,))


def _is_signed(op: Op) -> bool:
    return op.kind == Kind.ALU and op.operation == "int_div32" and op.fn in _SIGNED


def _with_negation(op: Op, unit: Unit) -> list[Op | Block]:
    """Give a signed division and the joins behind it, for lanes of either sign."""
    made: list[Op | Block] = []
    sign, kept, behind = op.s[0], unit.new(0), Block("@negated")
    if op.fn.startswith("div"):
        sign = unit.new(4)
        made.append(Op(Kind.ALU, "xor_b32", [sign], list(op.s[:2]), ABSORBED, statement=op.statement))
    made += [Op(Kind.SETP, f"ge_{op.fn[4:]}", [kept, None], [sign, immediate(0), None], ABSORBED, statement=op.statement), op]
    made += [Op(Kind.BRANCH, int(BranchOp.JOIN), operation="branch", target=behind, statement=op.statement, guard=guard) for guard in (kept, None)]
    return [*made, behind]
