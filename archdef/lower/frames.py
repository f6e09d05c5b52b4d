"""The call stack: what a function that can be active more than once keeps in local memory while it calls on.

Every function has rows of its own, so an ordinary call saves nothing. A function in a circle of recursion may be entered again
before it returns; at calls that stay inside the circle it puts every register that is still needed on the thread's stack and
takes it back behind. The stack pointer is one register of the whole program: the local address behind the topmost frame.
"""
from __future__ import annotations

from archdef.lower.calls import Calls
from archdef.lower.encoding import Kind, Space, SystemCall
from archdef.lower.virtual import CARRY, TRUE, Code, Op, Unit, immediate, lives

ALIGNMENT = 16
"""Frames start at multiples of it."""
RETURN_ADDRESS_BYTES = 8
STACK_OPCODES = frozenset(("alloca", "stacksave", "stackrestore"))


def needs_stack(calls: Calls) -> bool:
    """Tell whether a kernel has a call stack."""
    return bool(calls.circles) or any(i.opcode in STACK_OPCODES for f in calls.functions for i in f.body)


def rounded(bytes: int) -> int:
    """Round up to whole frames."""
    return -(-bytes // ALIGNMENT) * ALIGNMENT


def move_stack(unit: Unit, amount, statement: int) -> Op:
    """Make the op that adds to the stack pointer, within the thread's stack."""
    return Op(Kind.SYSTEM, int(SystemCall.STACK), [unit.stack], [unit.stack, amount], "int_add", statement=statement)


def save_across_calls(code: Code, unit: Unit, calls: Calls) -> None:
    """Put saves and restores around the calls of a function that can lead back to it."""
    name = code.function.name
    if name not in calls.circles:
        return
    def leads_back(op: Op) -> bool:
        return calls.recursive(name, (op.target,) if op.kind == Kind.CALL else op.target if op.kind == Kind.CALL_INDIRECT else ())

    foreign = code.foreign | {unit.stack}
    ops = code.ops
    kept = {id(ops[k]): _kept(behind, foreign, unit) for k, behind in lives(code).walk() if leads_back(ops[k])}
    code.foreign = foreign
    code.replace(lambda op: _with_saves(op, kept[id(op)], unit) if id(op) in kept else (op,))


def _kept(behind: set[int], foreign: set[int], unit: Unit) -> list[int]:
    """List the registers alive behind a call that the callee may overwrite, the widest first."""
    found = (v for v in sorted(behind) if v not in (TRUE, CARRY) and v not in foreign and v not in unit.specials)
    return sorted(found, key=lambda v: -unit.widths[v])


def _with_saves(op: Op, kept: list[int], unit: Unit) -> list[Op]:
    """Give a call with what it takes to keep some registers."""
    size = rounded(RETURN_ADDRESS_BYTES + sum(unit.widths[v] or 4 for v in kept))
    before, after = [move_stack(unit, immediate(size), op.statement)], []
    place = -size
    for v in kept:
        width = unit.widths[v] or 4
        word = v
        if unit.widths[v] == 0:  # a predicate travels as a word
            word = unit.new(4)
            before.append(Op(Kind.P2R, 0, [word], [v], "select", statement=op.statement))
        before.append(Op(Kind.STORE, 0, [], [unit.stack, word], "store_local", statement=op.statement, width=width,
                         space=Space.LOCAL, element=width, vec=1, offset=place))
        word = v if unit.widths[v] else unit.new(4)
        after.append(Op(Kind.LOAD, 0, [word], [unit.stack], "load_local", statement=op.statement, width=width,
                        space=Space.LOCAL, element=width, vec=1, offset=place))
        if unit.widths[v] == 0:
            after.append(Op(Kind.SETP, "ne_u32", [v, None], [word, immediate(0), None], "int_compare", statement=op.statement))
        place += width
    return [*before, op, *after, move_stack(unit, immediate(-size), op.statement)]
