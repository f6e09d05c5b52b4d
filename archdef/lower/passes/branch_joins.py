"""Machines on which lanes reconverge by an instruction that counts as a branch."""
from __future__ import annotations

from archdef.lower.encoding import BranchOp, Flag, Kind
from archdef.lower.graph import ENDS, Block
from archdef.lower.reconvergence import reconvergence_points
from archdef.lower.places import Insertions
from archdef.lower.uniform import parting_branches
from archdef.lower.virtual import Code, Op, Unit


def reconverge_by_branch(code: Code) -> list[int]:
    """A guarded branch straight to where the lanes meet is a guarded join. Gives where they meet, per block."""
    graph = code.graph
    meetings = reconvergence_points(graph)
    for block, meeting in zip(graph.blocks, meetings, strict=True):
        branch = block.branch
        if branch is not None and branch.guard is not None and meeting >= 0 and graph.behind(graph.numbers[branch.target]) == graph.behind(meeting):
            branch.fn = int(BranchOp.JOIN)
    return meetings


def branch_to_join(code: Code, unit: Unit, meetings: list[int]) -> None:
    """Where lanes that may have diverged meet, those that come there without a branch come by a join.

    meetings : where they meet, per block. Branches that belong to what an operation costs have no join.
    """
    blocks, insertions = code.blocks, Insertions()
    apart = {n for n in parting_branches(code, unit) if not blocks[n].ops[-1].flags & Flag.UNIFORM and not blocks[n].ops[-1].own}
    for first in sorted({meetings[n] for n in apart if meetings[n] > n}):
        while first > 0 and not blocks[first - 1].ops:
            first -= 1
        before = blocks[first - 1].ops[-1]
        if before.kind in (*ENDS, Kind.BRANCH) and before.guard is None or before.kind == Kind.BRANCH_INDEXED:
            continue        # who comes there comes by a branch
        joined = Block("@joined")
        insertions.put(blocks[first], Op(Kind.BRANCH, int(BranchOp.JOIN), operation="branch", target=joined, statement=before.statement), joined)
    insertions.apply(code)
