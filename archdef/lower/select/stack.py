"""Builders for memory that a thread takes from its own stack."""
from __future__ import annotations

from archdef.lower.encoding import Kind, SystemCall
from archdef.lower.frames import ALIGNMENT, move_stack
from archdef.lower.select.selection import Selection, builds, lane_bytes
from archdef.lower.virtual import immediate, mov
from archdef.ptx import ir
from archdef.ptx.table import Match

_MOST = 1 << 30
"""Larger sizes are cut to this, which no stack has: the engine then finds it full."""


@builds("alloca")
def alloca(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``alloca``: the address of new bytes on top of the stack."""
    type, stack = m.bound["type"], s.unit.stack
    width = lane_bytes(type)
    alignment = i.operands[2].value if len(i.operands) > 2 and isinstance(i.operands[2], ir.Immediate) else ALIGNMENT
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1) or alignment > 1 << 20:
        raise s.fault("the alignment must be a power of two")
    if alignment > ALIGNMENT:
        negative = s.temporary("sub_b32", [immediate(0), stack], 4, "int_add")
        _push(s, s.temporary("and_b32", [negative, immediate(alignment - 1)], 4, "int_logic"))
    start = s.temporary(mov(4), [stack], 4, "move")
    bits = 8 * width
    size = s.temporary(f"min_u{bits}", [s.value(i.operands[1], type), immediate(_MOST, width)], width, "int_minmax")
    size = s.fit(size, width, 4, "u32")
    size = s.temporary("add_b32", [size, immediate(ALIGNMENT - 1)], 4, "int_add")
    _push(s, s.temporary("and_b32", [size, immediate(-ALIGNMENT)], 4, "int_logic"))
    _give(s, i.operands[0], start, type)


def _push(s: Selection, amount: int) -> None:
    op = move_stack(s.unit, amount, s.statement)
    op.guard = s.guard
    s.ops.append(op)


def _give(s: Selection, operand: ir.Operand, value: int, type: str) -> None:
    width = lane_bytes(type)
    d, finish = s.destination(operand, type)
    s.emit(Kind.ALU, mov(width), [d], [s.fit(value, 4, width, "u32")], "move", width=width)
    finish()


@builds("stack_save")
def stack_save(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``stacksave``."""
    _give(s, i.operands[0], s.unit.stack, m.bound["type"])


@builds("stack_restore")
def stack_restore(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``stackrestore``: the engine checks that the value lies in the stack."""
    type = m.bound["type"]
    value = s.fit(s.value(i.operands[0], type), lane_bytes(type), 4, "u32")
    s.emit(Kind.SYSTEM, int(SystemCall.STACK), [s.unit.stack], [value, immediate(0)], "int_add")
