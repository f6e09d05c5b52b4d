"""Pass: addresses of shared and local memory are made with 32-bit arithmetic, whatever the program's pointers are: no such address has more bits, and
of what has more the engine takes the lower half.

Of a 64-bit value only the lower half is wanted where it is such an address, or part of nothing but such addresses; the lower
half of a sum, a product, a choice, a shift to the left or logic follows from the lower halves of what goes in.
"""
from __future__ import annotations

from archdef.lower.encoding import ConstantKind, Flag, Kind, Space
from archdef.lower.def_use import definitions
from archdef.lower.options import Options
from archdef.lower.passes.copies import propagate
from archdef.lower.places import Insertions
from archdef.lower.virtual import ABSORBED, Code, Const, Op, Unit

_MEMORY = (Kind.LOAD, Kind.STORE, Kind.ATOM)
_NEAR = (Space.SHARED, Space.LOCAL)
_NARROW = {   # at 64 bits → at 32, and what it is charged as
    "mov_b64": ("mov_b32", "move"), "add_b64": ("add_b32", "int_add"), "sub_b64": ("sub_b32", "int_add"), "shl_b64": ("shl_b32", "int_shift"),
    "and_b64": ("and_b32", "int_logic"), "or_b64": ("or_b32", "int_logic"), "xor_b64": ("xor_b32", "int_logic"),
    "mul_lo_b64": ("mul_lo_b32", "int_mul32"), "mad_lo_b64": ("mad_lo_b32", "int_mul32"),
    **{f"mul_wide_{type}": ("mul_lo_b32", "int_mul32") for type in ("s32", "u32")},
    **{f"mad_wide_{type}": ("mad_lo_b32", "int_mul32") for type in ("s32", "u32")},
    "cvt_s64_s32": ("mov_b32", "move"), "cvt_u64_u32": ("mov_b32", "move")}
_HALVES = frozenset(("low_b64", *(f"cvt_{a}32_{b}64" for a in "us" for b in "us")))
"""Operations that read a lower half."""
_CONSTANTS = (ConstantKind.IMMEDIATE, ConstantKind.SHARED_SYMBOL, ConstantKind.LOCAL_SYMBOL, ConstantKind.PARAMETER)


def narrow_shared_addresses(code: Code, unit: Unit, architecture, options: Options) -> None:
    """Halve what feeds addresses of shared or local memory and nothing else."""
    if _narrow(code, unit) and options.propagate:
        propagate(code, unit, architecture)


def _narrow(code: Code, unit: Unit) -> bool:
    """Halve it; tell whether there was anything."""
    made = definitions(code)
    halved = {v for v, ops in made.items() if unit.widths[v] == 8 and v not in code.foreign | code.results and all(_can(op) for op in ops)}
    halved -= set(unit.specials)
    shrinking = True
    while shrinking:
        before = len(halved)
        for op in code.ops:
            wanted = _wide_reads(op, unit)
            if wanted and not _wants_half(op, halved):
                halved -= wanted
        halved = _feeding(code, halved)
        shrinking = len(halved) < before
    if not halved:
        return False
    half = {v: unit.new(4) for v in halved}
    insertions = Insertions()
    for op in code.ops:
        ops: list[Op] = []
        if op.d and op.d[0] in half:
            if op.kind == Kind.ALU:
                op.fn, op.operation = _NARROW[op.fn]
            op.d, op.width, op.times = [half[op.d[0]]], 4, 1
            op.s = [_lower(s, half, unit, ops, op) for s in op.s]
        elif op.kind in _MEMORY and op.space in _NEAR and type(op.s[0]) is int and op.s[0] in half:
            op.s = [half[op.s[0]], *op.s[1:]]
            op.flags &= ~Flag.ADDRESS64
            op.offset = (op.offset + 0x80000000 & 0xFFFFFFFF) - 0x80000000
        elif op.kind == Kind.ALU and op.fn in _HALVES and type(op.s[0]) is int and op.s[0] in half:
            op.fn, op.s, op.operation = "mov_b32", [half[op.s[0]]], "move"
        insertions.put(op, *ops)
    insertions.apply(code)
    return True


def _can(op: Op) -> bool:
    """Tell whether the lower half of an operation's result follows from lower halves."""
    if op.kind == Kind.SELP:
        return not any(isinstance(s, Const) and s.kind not in _CONSTANTS for s in op.s[:2])
    if op.kind != Kind.ALU or op.fn not in _NARROW or len(op.d) != 1:
        return False
    if any(isinstance(s, Const) and s.kind not in _CONSTANTS for s in op.s):
        return False
    if op.fn == "shl_b64":
        return isinstance(op.s[1], Const) and op.s[1].kind == ConstantKind.IMMEDIATE and op.s[1].value < 32
    return True


def _wide_reads(op: Op, unit: Unit) -> set[int]:
    return {s for s in op.s if type(s) is int and s >= 0 and unit.widths[s] == 8}


def _wants_half(op: Op, halved: set[int]) -> bool:
    """Tell whether an operation reads the lower halves of its operands only."""
    if op.d and op.d[0] in halved:
        return True
    if op.kind in _MEMORY and op.space in _NEAR:
        return not any(type(s) is int and s in halved for s in op.s[1:])
    return op.kind == Kind.ALU and op.fn in _HALVES


def _feeding(code: Code, halved: set[int]) -> set[int]:
    """Keep what such addresses are made of, and what nobody reads: copies that others have taken the place of."""
    kept = halved - {s for op in code.ops for s in op.reads()}
    kept |= {op.s[0] for op in code.ops if op.kind in _MEMORY and op.space in _NEAR and type(op.s[0]) is int and op.s[0] in halved}
    growing = True
    while growing:
        before = len(kept)
        for op in code.ops:
            if op.d and op.d[0] in kept:
                kept.update(s for s in op.s if type(s) is int and s in halved)
        growing = len(kept) > before
    return kept


def _lower(value, half: dict[int, int], unit: Unit, ops: list[Op], op: Op):
    """Give the lower half of an operand; that of a 64-bit register that stays is one of its two registers."""
    if isinstance(value, Const):
        return Const(value.kind, 4, value.value & 0xFFFFFFFF) if value.width == 8 else value
    if type(value) is not int or value < 0 or unit.widths[value] != 8:
        return value
    if value in half:
        return half[value]
    made = unit.new(4)
    ops.append(Op(Kind.ALU, "low_b64", [made], [value], ABSORBED, statement=op.statement))
    return made
