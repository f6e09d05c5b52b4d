"""Pass: fold the addition of a constant into the offset of memory operands, ``[reg+imm]``."""
from __future__ import annotations

from archdef.lower.encoding import ConstantKind, Kind
from archdef.lower.def_use import single
from archdef.lower.virtual import Code, Const, Unit, signed

_MEMORY = (Kind.LOAD, Kind.STORE, Kind.ATOM, Kind.MATRIX_LOAD, Kind.MATRIX_STORE)


def fold_addresses(code: Code, unit: Unit) -> None:
    """Move constant summands of addresses into the offset, as far as the chain of additions goes."""
    known = single(code, unit)
    for op in code.ops:
        if op.kind not in _MEMORY:
            continue
        while type(op.s[0]) is int:
            step = known.get(op.s[0])
            if step is None or step.kind != Kind.ALU or step.fn not in ("add_b32", "add_b64", "sub_b32", "sub_b64"):
                break
            base, summand = step.s[0], step.s[1]
            if isinstance(base, Const) and step.fn.startswith("add"):
                base, summand = summand, base
            if not isinstance(summand, Const) or summand.kind != ConstantKind.IMMEDIATE:
                break
            if type(base) is int and base not in known:
                break
            op.offset += signed(summand) if step.fn.startswith("add") else -signed(summand)
            op.s[0] = base
        if unit_width(op.s[0], unit) == 4:  # 32-bit addresses wrap
            op.offset = (op.offset + 0x80000000 & 0xFFFFFFFF) - 0x80000000
        else:
            op.offset = (op.offset + (1 << 63) & (1 << 64) - 1) - (1 << 63)


def unit_width(value, unit: Unit) -> int:
    """Give the bytes a lane of an operand."""
    return value.width if isinstance(value, Const) else unit.widths[value]
