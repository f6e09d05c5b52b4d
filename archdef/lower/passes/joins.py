"""Machines on which lanes meet again by an instruction that counts as a branch."""
from __future__ import annotations

from archdef.lower.encoding import BranchOp, Flag, Kind
from archdef.lower.meeting import meeting_points
from archdef.lower.places import Insertions
from archdef.lower.uniform import parting_branches
from archdef.lower.virtual import Code, Op, Unit, leads_to


def leave_by_joining(code: Code) -> list[int]:
    """A guarded branch straight to where the lanes meet is a guarded join. Gives where they meet, per op."""
    meetings = meeting_points(code.ops)
    for k, op in enumerate(code.ops):
        if op.kind == Kind.BRANCH and op.guard is not None and meetings[k] >= 0 and _same_place(code.ops, meetings[k], op.target):
            op.fn = int(BranchOp.JOIN)
    return meetings


def join_behind(code: Code, unit: Unit, meetings: list[int], own: str) -> None:
    """Where lanes that may have parted meet, those that come there without a branch come by a join.

    meetings : where they meet, per op.
    own      : beginning of the labels of branches that belong to what an operation costs, and have no join.
    """
    ops, insertions = code.ops, Insertions()
    apart = {k for k in parting_branches(code, unit) if not ops[k].flags & Flag.UNIFORM and not (ops[k].kind == Kind.BRANCH and ops[k].target.startswith(own))}
    for place in sorted({meetings[k] for k in apart if meetings[k] > k}):
        first = place
        while first > 0 and ops[first - 1].kind == Kind.LABEL:
            first -= 1
        before = ops[first - 1]
        if before.kind in (Kind.EXIT, Kind.RETURN, Kind.TRAP, Kind.BRANCH) and before.guard is None or before.kind == Kind.BRANCH_INDEXED:
            continue        # who comes there comes by a branch
        label = f"@joined{place}"
        insertions.put(ops[first], Op(Kind.BRANCH, int(BranchOp.JOIN), operation="branch", target=label, statement=before.statement), Op(Kind.LABEL, label))
    insertions.apply(code)


def _same_place(ops: list[Op], k: int, label: str) -> bool:
    while k > 0 and ops[k - 1].kind == Kind.LABEL:
        k -= 1
    return leads_to(ops, k, label)
