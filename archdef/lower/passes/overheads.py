"""Passes: charge what an assembler issues besides the operations of the source. Such instructions compute nothing that the program reads."""
from __future__ import annotations

from collections.abc import Callable

from archdef.lower.encoding import ConstantKind, Kind
from archdef.lower.reconvergence import reconvergence_points
from archdef.lower.passes.branch_joins import branch_to_join, reconverge_by_branch
from archdef.lower.places import Insertions, earliest_ends, outermost
from archdef.lower.uniform import varying
from archdef.lower.virtual import ABSORBED, TRUE, Block, Code, Const, Op, Unit, immediate, mov, slow_paths
from archdef.spec.isa import Operation

UNCOMMON = ("div_f32", "rcp_f32", "sqrt_f32", "div_f64", "rcp_f64", "sqrt_f64")
"""Lane functions for which there is a test whether operands are special."""


def charge_prologue(code: Code, unit: Unit, times: int) -> None:
    """Charge the instructions with which every kernel begins."""
    if code.function.entry:
        once(code, unit, times, lambda op: True)


def branch_to_slow_paths(code: Code, unit: Unit, architecture) -> None:
    """Insert the branches to routines for special operands, and those routines, which lie elsewhere; what they compute is computed anyway."""
    operations = architecture.isa.operations
    if any(slow_paths(op, operations) for op in code.ops):
        code.rewrite(lambda op: _with_slow_paths(op, unit, operations))


def _with_slow_paths(op: Op, unit: Unit, operations) -> list[Op | Block]:
    """Give an operation with the branches that it contains."""
    paths = slow_paths(op, operations)
    made: list[Op | Block] = [op]
    if paths and op.fn in UNCOMMON and op.kind == Kind.ALU and op.guard is None and operations[op.operation].slow.issues:
        apart = unit.new(0)
        made = [Op(Kind.SETP, f"uncommon_{op.fn}", [apart, None], [op.s[0], op.s[1] if len(op.s) > 1 else op.s[0], None], ABSORBED, statement=op.statement),
                op, *_slow_path(op, ~apart, unit, operations[op.operation])]
        paths -= 1
    for _ in range(paths):
        made += _passed(op, ~TRUE)
    return made


def _passed(op: Op, guard: int, elsewhere: int = 0) -> tuple[Op, Block]:
    """Give a branch to what is behind it, and that."""
    behind = Block("@ordinary")
    return Op(Kind.BRANCH, 0, operation="branch", target=behind, guard=guard, count=elsewhere, statement=op.statement, own=True), behind


def _slow_path(op: Op, ordinary: int, unit: Unit, cost: Operation) -> list[Op | Block]:
    """Give the branch around the routine for special operands, and the routine itself: something that waits for the operation, and branches that wait
    for it."""
    branch, end = _passed(op, ordinary)
    never, branches = unit.new(0), cost.slow.branches or 0
    waits = Op(Kind.SETP, f"lt_u{8 * op.width}", [never, None], [op.d[0], immediate(0, op.width), None], op.operation, slow=True,
               count=cost.slow.issues - branches, statement=op.statement)
    return [branch, waits, *(part for _ in range(branches) for part in _passed(op, never, 1)), end]


def charge_reconvergence(code: Code, unit: Unit, times: int) -> None:
    """Charge forward branches that lanes may take apart."""
    differing, graph = varying(code, unit), code.graph
    meetings = reconvergence_points(graph)
    prepared: set[int] = set()          # meeting points: lanes that part on the way to one that is set up already meet there too
    around = earliest_ends(len(graph.blocks), graph.loops)
    for n, block in enumerate(graph.blocks):
        branch = block.branch
        if branch is None or branch.guard is None or branch.own or (branch.guard if branch.guard >= 0 else ~branch.guard) not in differing:
            continue
        target = graph.numbers[branch.target]
        # lanes that leave a loop early meet behind it, which costs once, not every trip
        if target > n and meetings[n] not in prepared and around.get(n, target) >= target:
            branch.times += times
            branch.meets = True
            prepared.add(meetings[n])


def charge_joins(code: Code, unit: Unit) -> None:
    """Let lanes that come to a meeting point without a branch come by a join."""
    branch_to_join(code, unit, reconverge_by_branch(code))


def once(code: Code, unit: Unit, times: int, wants: Callable[[Op], bool]) -> None:
    """Charge moves before the first op that wants them, or the loop around it."""
    first = next((op for op in code.ops if wants(op)), None) if times else None
    if first is not None:
        insertions = Insertions()
        insertions.put(outermost(code.graph).get(id(first), first), moved(unit, Const(ConstantKind.IMMEDIATE, 4, 0), first, times=times))
        insertions.apply(code)


def moved(unit: Unit, constant: Const, like: Op, **fields) -> Op:
    """Give the charged move of a constant into a register that nobody reads, for an operation."""
    return Op(Kind.ALU, mov(constant.width), [unit.new(constant.width)], [constant], "move", width=constant.width, statement=like.statement, **fields)
