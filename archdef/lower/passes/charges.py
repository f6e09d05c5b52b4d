"""Passes: charge what an assembler issues besides the operations of the source. Such instructions compute nothing that the program reads."""
from __future__ import annotations

from collections.abc import Callable

from archdef.lower.encoding import ConstantKind, Kind
from archdef.lower.meeting import meeting_points
from archdef.lower.passes.joins import join_behind, leave_by_joining
from archdef.lower.places import Insertions, earliest_ends, outermost
from archdef.lower.uniform import varying
from archdef.lower.virtual import ABSORBED, TRUE, Code, Const, Op, Unit, immediate, loops, mov, slow_paths
from archdef.spec.isa import Operation

UNCOMMON = ("div_f32", "rcp_f32", "sqrt_f32", "div_f64", "rcp_f64", "sqrt_f64")
"""Lane functions for which there is a test whether operands are out of the ordinary."""
ORDINARY = "@ordinary"
"""Beginning of the labels of branches that are part of what an operation costs."""


def charge_prologue(code: Code, unit: Unit, times: int) -> None:
    """Charge the instructions with which every kernel begins."""
    if code.function.entry:
        once(code, unit, times, lambda op: True)


def branch_to_slow_paths(code: Code, unit: Unit, architecture) -> None:
    """Insert the branches to routines for operands out of the ordinary, and those routines, which lie elsewhere; what they compute is computed
    anyway."""
    operations = architecture.isa.operations
    made: list[Op] = []
    for op in code.ops:
        paths = slow_paths(op, operations)
        if paths and op.fn in UNCOMMON and op.kind == Kind.ALU and op.guard is None and operations[op.operation].slow_issues:
            apart = unit.new(0)
            made += [Op(Kind.SETP, f"uncommon_{op.fn}", [apart, None], [op.s[0], op.s[1] if len(op.s) > 1 else op.s[0], None], ABSORBED,
                        statement=op.statement), op, *_slow_path(op, ~apart, unit, operations[op.operation], f"{ORDINARY}{len(made)}")]
            paths -= 1
        else:
            made.append(op)
        for _ in range(paths):
            made += _passed(op, ~TRUE, f"{ORDINARY}{len(made)}")
    code.ops = made


def _passed(op: Op, guard: int, label: str, elsewhere: int = 0) -> list[Op]:
    """Give a branch to what is behind it."""
    return [Op(Kind.BRANCH, 0, operation="branch", target=label, guard=guard, count=elsewhere, statement=op.statement), Op(Kind.LABEL, label)]


def _slow_path(op: Op, ordinary: int, unit: Unit, cost: Operation, label: str) -> list[Op]:
    """Give the branch around a routine for what is out of the ordinary, and that: something that waits for the operation, and branches that wait
    for it."""
    branch, end = _passed(op, ordinary, label)
    never, branches = unit.new(0), cost.slow_branches or 0
    waits = Op(Kind.SETP, f"lt_u{8 * op.width}", [never, None], [op.d[0], immediate(0, op.width), None], op.operation, slow=True,
               count=cost.slow_issues - branches, statement=op.statement)
    return [branch, waits, *(part for k in range(branches) for part in _passed(op, never, f"{label}.{k}", 1)), end]


def meet_again(code: Code, unit: Unit, times: int) -> None:
    """Charge forward branches that lanes may take apart."""
    differing = varying(code, unit)
    labels = {op.fn: k for k, op in enumerate(code.ops) if op.kind == Kind.LABEL}
    meetings = meeting_points(code.ops)
    prepared: set[int] = set()          # meeting points: lanes that part on the way to one that is set up already meet there too
    around = earliest_ends(code.ops, loops(code.ops))
    for k, op in enumerate(code.ops):
        if op.kind != Kind.BRANCH or op.guard is None or (op.guard if op.guard >= 0 else ~op.guard) not in differing:
            continue
        if op.target.startswith(ORDINARY):     # part of what the operation costs
            continue
        target = labels[op.target]
        # lanes that leave a loop early meet behind it, which costs once, not every trip
        if target > k and meetings[k] not in prepared and around.get(k, target) >= target:
            op.times += times
            op.meets = True
            prepared.add(meetings[k])


def join_ways(code: Code, unit: Unit) -> None:
    """Let lanes that come to a meeting point without a branch come by a join."""
    join_behind(code, unit, leave_by_joining(code), ORDINARY)


def once(code: Code, unit: Unit, times: int, wants: Callable[[Op], bool]) -> None:
    """Charge moves before the first op that wants them, or the loop around it."""
    first = next((op for op in code.ops if op.kind != Kind.LABEL and wants(op)), None) if times else None
    if first is not None:
        insertions = Insertions()
        insertions.put(outermost(code.ops).get(id(first), first), moved(unit, Const(ConstantKind.IMMEDIATE, 4, 0), first, times=times))
        insertions.apply(code)


def moved(unit: Unit, constant: Const, like: Op, **fields) -> Op:
    """Give the charged move of a constant into a register that nobody reads, for an operation."""
    return Op(Kind.ALU, mov(constant.width), [unit.new(constant.width)], [constant], "move", width=constant.width, statement=like.statement, **fields)
