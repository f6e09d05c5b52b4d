"""Code for debugging: as PTX says, without optimisation, as an assembler leaves what was compiled with ``-G``."""
from __future__ import annotations

from archdef.lower.check import check_features, settle_caches
from archdef.lower.dead import drop_unreachable
from archdef.lower.encoding import BranchOp, Kind
from archdef.lower.pack import meeting_points
from archdef.lower.spaces import resolve_spaces
from archdef.lower.virtual import Code, Op, Unit, leads_to
from archdef.ptx import ir


def as_written(code: Code, unit: Unit, architecture, module: ir.Module, source: list[ir.Instruction]) -> None:
    """Do what has to be done, and nothing else: no branch goes, none becomes predicates."""
    drop_unreachable(code)
    resolve_spaces(code, unit)
    check_features(code, architecture, module, source)
    settle_caches(code, architecture, source)
    assembler = architecture.isa.assembler
    if assembler.debug_joins_by_branch:
        _leave_by_joining(code)
    if assembler.debug_division_branches:
        _correct_quotients(code, assembler.debug_division_branches)


def _leave_by_joining(code: Code) -> None:
    """A guarded branch straight to where the lanes meet is a guarded join."""
    meetings = meeting_points(code.ops)
    for k, op in enumerate(code.ops):
        if op.kind == Kind.BRANCH and op.guard is not None and meetings[k] >= 0 and _same_place(code.ops, meetings[k], op.target):
            op.fn = int(BranchOp.JOIN)


def _same_place(ops: list[Op], k: int, label: str) -> bool:
    while k > 0 and ops[k - 1].kind == Kind.LABEL:
        k -= 1
    return leads_to(ops, k, label)


def _correct_quotients(code: Code, branches: int) -> None:
    """The block in which an integer quotient or remainder is corrected, with the branches by which lanes leave it."""
    ops: list[Op] = []
    for op in code.ops:
        ops.append(op)
        if op.operation != "int_div32" or op.kind == Kind.LABEL:
            continue
        for n in range(branches):
            label = f"@corrected{op.statement}.{len(ops)}.{n}"
            ops += [Op(Kind.BRANCH, int(BranchOp.JOIN), operation="branch", target=label, statement=op.statement), Op(Kind.LABEL, label)]
    code.ops = ops
