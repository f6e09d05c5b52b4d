"""Code for debugging: as PTX says, without optimisation, as an assembler leaves what was compiled with ``-G``."""
from __future__ import annotations

from archdef.lower.encoding import BranchOp, Kind
from archdef.lower.passes.check import check_features, settle_caches
from archdef.lower.passes.dead import drop_unreachable
from archdef.lower.passes.joins import leave_by_joining
from archdef.lower.passes.spaces import resolve_spaces
from archdef.lower.virtual import ABSORBED, Code, Op, Unit, immediate
from archdef.ptx import ir

_SIGNED = ("div_s16", "div_s32", "rem_s16", "rem_s32")


def as_written(code: Code, unit: Unit, architecture, module: ir.Module, source: list[ir.Instruction]) -> None:
    """Do what has to be done, and nothing else: no branch goes, none becomes predicates."""
    drop_unreachable(code)
    resolve_spaces(code, unit)
    check_features(code, architecture, module, source)
    settle_caches(code, architecture, source)
    assembler = architecture.isa.assembler
    if assembler.joins_by_branch:
        leave_by_joining(code)
    if assembler.debug_signs_by_branch:
        _negate_by_branch(code, unit)


def _negate_by_branch(code: Code, unit: Unit) -> None:
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
