"""Address arithmetic at the machine's pointer width.

A program compiled for 64-bit addresses computes them in 64-bit registers. On a machine with 32-bit pointers its own compiler
would use 32-bit operations for what feeds addresses and nothing else; so that is what those operations are charged as.
"""
from __future__ import annotations

from archdef.lower.encoding import ConstantKind, Kind
from archdef.lower.def_use import definitions, single
from archdef.lower.virtual import ABSORBED, Code, Const, Op, Unit, immediate

_MEMORY = (Kind.LOAD, Kind.STORE, Kind.ATOM)
_CHARGES = {"int64_add": "int_add", "int64_logic": "int_logic", "int64_shift": "int_shift", "int64_minmax": "int_minmax",
            "int64_mul": "int_mul32", "int_mul_wide": "int_mul32", "convert64": "move", "move": "move", "select": "select", ABSORBED: ABSORBED}
"""Class of a 64-bit operation → class at 32 bits."""
_WIDENS = ("cvt_s64_s32", "cvt_u64_u32")


def narrow_addresses(code: Code, unit: Unit) -> None:
    """Fold the widening of an index into the operation that scales or adds it, so that no separate conversion is left."""
    known = single(code, unit)
    for op in code.ops:
        if op.kind != Kind.ALU or op.fn not in ("shl_b64", "add_b64"):
            continue
        for position in ((0,) if op.fn == "shl_b64" else (1, 0)):
            v = op.s[position]
            made = known.get(v) if type(v) is int else None
            if made is None or made.fn not in _WIDENS or not _stable(made.s[0], known):
                continue
            type_ = made.fn[-3:]
            if op.fn == "add_b64":
                op.fn, op.s, op.operation = f"mad_wide_{type_}", [made.s[0], immediate(1), op.s[1 - position]], "int_add"
                break
            shift = op.s[1]
            # up to 30: the factor itself must stay a positive 32-bit number
            if isinstance(shift, Const) and shift.kind == ConstantKind.IMMEDIATE and shift.value <= 30:
                op.fn, op.s, op.operation = f"mul_wide_{type_}", [made.s[0], immediate(1 << shift.value)], "int_mul_wide"
                break


def _stable(value, known: dict) -> bool:
    return isinstance(value, Const) or value in known


def address_registers(code: Code, unit: Unit) -> set[int]:
    """Give the 64-bit registers that only feed addresses, and comparisons among them."""
    candidates = {v for v in definitions(code) if unit.widths[v] == 8 and v not in code.foreign | code.results}
    needed = {op.s[0] for op in code.ops if op.kind in _MEMORY and type(op.s[0]) is int}
    made_by = definitions(code)
    waiting = list(needed)
    while waiting:      # what addresses are made of
        for op in made_by.get(waiting.pop(), ()):
            if op.kind in (Kind.ALU, Kind.SELP) and op.d[0] in needed:
                fresh = {v for v in op.s if type(v) is int and v >= 0 and unit.widths[v] == 8} - needed
                needed |= fresh
                waiting += fresh
    candidates &= needed
    readers: dict[int, list[Op]] = {}
    for op in code.ops:
        for v in op.reads():
            if v in candidates:
                readers.setdefault(v, []).append(op)
    again: list[Op] = code.ops
    while again:        # what has another use is a number
        bad = set()
        for op in again:
            other = _other_uses(op, candidates)
            candidates -= other
            bad |= other
        again = list({id(op): op for v in bad for op in (*made_by.get(v, ()), *readers.get(v, ()))}.values())
    return candidates


def _other_uses(op: Op, candidates: set[int]) -> set[int]:
    read = {v for v in op.s if type(v) is int and v in candidates}
    written = {v for v in op.d if v is not None and v in candidates}
    if op.kind in _MEMORY:
        return (read - {op.s[0]}) | {v for v in op.s[1:] if type(v) is int and v in candidates} | written
    if op.kind in (Kind.ALU, Kind.SELP):
        if op.operation not in _CHARGES and op.operation != "int_add" and op.fn not in _WIDENS:
            return read | written
        return read if op.d[0] not in candidates else set()
    if op.kind == Kind.SETP:
        wide = [v for v in op.s[:2] if type(v) is int]
        return set() if all(v in candidates for v in wide) else read
    return read | written


def scaled_indices(code: Code, unit: Unit) -> frozenset[int]:
    """Give the products by a power of two that are part of an address: shifts at 32 bits."""
    addresses = address_registers(code, unit)
    return frozenset(op.d[0] for op in code.ops if op.d and op.d[0] in addresses and is_scaling(op))


def is_scaling(op: Op) -> bool:
    """Tell whether an op multiplies by a power of two."""
    factor = op.s[1] if op.kind == Kind.ALU and isinstance(op.fn, str) and op.fn.startswith("mul_wide") else None
    return (isinstance(factor, Const) and factor.kind == ConstantKind.IMMEDIATE and factor.value > 0
            and factor.value & (factor.value - 1) == 0)


def charge_addresses(code: Code, unit: Unit) -> set[int]:
    """Charge address arithmetic at 32 bits; give the registers that hold addresses."""
    addresses = address_registers(code, unit)
    for op in code.ops:
        if op.kind in (Kind.ALU, Kind.SELP) and op.d[0] in addresses:
            op.operation = "int_shift" if is_scaling(op) else "move" if op.fn in _WIDENS else _CHARGES.get(op.operation, op.operation)
            op.times = 1
        elif (op.kind == Kind.SETP and op.operation == "int64_compare"
              and all(isinstance(v, Const) or v in addresses for v in op.s[:2])):
            op.operation = "int_compare"
    return addresses
