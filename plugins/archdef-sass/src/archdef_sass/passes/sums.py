"""Passes: sums of three and logic of three, and sums of products that stay apart."""
from __future__ import annotations

from collections.abc import Sequence

import attrs

from archdef.lower.encoding import ConstantKind, Kind
from archdef.lower.def_use import definitions, single, use_counts
from archdef.lower.places import Insertions
from archdef.lower.virtual import ABSORBED, Code, Const, Op, Unit, Value, immediate
from archdef.ptx import ir

_WIDE_MADS = ("mad_wide_s32", "mad_wide_u32")
_LOGIC = {"and_b32": lambda a, b: a & b, "or_b32": lambda a, b: a | b, "xor_b32": lambda a, b: a ^ b}
_INNER = {"add_b32", "shl_b32", "shr_u32", "shr_s32", *_LOGIC}
_SHIFTS = ("shl_b32", "shr_u32", "shr_s32")


def keep_sums_apart(code: Code, source: Sequence[ir.Instruction]) -> None:
    """Mark the ``mad.wide`` of the source: products and sums of its own that are added become one, these do not."""
    for op in code.ops:
        if op.fn in _WIDE_MADS and source[op.statement].opcode == "mad":
            op.exact = True


def split_sums(code: Code, unit: Unit, shifts: bool = False) -> None:
    """Make a product and an addition of those that were marked; with `shifts` the sum takes in a product that is a shift."""
    insertions = Insertions()
    for op in code.ops:
        if op.fn in _WIDE_MADS and op.exact:
            product = unit.new(8)
            made = attrs.evolve(op, fn=op.fn.replace("mad", "mul"), d=[product], s=op.s[:2])
            if shifts and any(isinstance(f, Const) and f.kind == ConstantKind.IMMEDIATE and f.value.bit_count() == 1 for f in op.s[:2]):
                made.operation = ABSORBED
            op.fn, op.operation, op.times, op.s = "add_b64", "int64_add", 1, [product, op.s[2]]
            insertions.put(op, made)
    insertions.apply(code)


def three_inputs(code: Code) -> None:
    """Make one operation of two that a machine with three-input integer operations has: a shift or sum that is added, logic of logic."""
    uses, written = use_counts(code), definitions(code)
    inner: dict[int, tuple[int, Op]] = {}       # result that is read once → where it was made, in this block
    last: dict[int, int] = {}
    gone: set[int] = set()
    for k, (cut, op) in enumerate(code.straight()):
        if cut:
            inner.clear()
        if op.kind == Kind.ALU and op.fn in _INNER:
            for position in (1, 0):
                v, other = op.s[position], op.s[1 - position]
                if type(v) is not int or v not in inner or other == v or op.fn in _SHIFTS:
                    continue
                at, made = inner[v]
                if all(type(f) is not int or last.get(f, -1) < at for f in made.s) and _joined(op, made, other):
                    gone.add(id(inner.pop(v)[1]))
                    break
            d = op.d[0]
            if op.fn in _INNER and op.guard is None and uses.get(d) == 1 and len(written[d]) == 1 and d not in code.foreign | code.results:
                inner[d] = k, op
        for v in op.writes():
            last[v] = k
    code.drop(gone)


def widen_indices(code: Code, unit: Unit) -> None:
    """Make one product of widening an unsigned index and shifting it, as an address wants it."""
    known = single(code, unit)
    for op in code.ops:
        made = known.get(op.s[0]) if op.kind == Kind.ALU and op.fn == "shl_b64" and type(op.s[0]) is int else None
        shift = op.s[1] if made is not None else None
        if (made is not None and made.fn == "cvt_u64_u32" and (isinstance(made.s[0], Const) or made.s[0] in known)
                and isinstance(shift, Const) and shift.kind == ConstantKind.IMMEDIATE and shift.value < 31):
            op.fn, op.s, op.operation, op.times = "mul_wide_u32", [made.s[0], immediate(1 << shift.value)], "int_mul_wide", 1


def _joined(op: Op, made: Op, other: Value) -> bool:
    """Turn an operation into one that does what `made` did as well, if there is one."""
    if op.fn == "add_b32" and made.fn == "shl_b32":
        amount = made.s[1]
        if not isinstance(amount, Const) or amount.kind != ConstantKind.IMMEDIATE or not 0 < amount.value < 32:
            return False
        op.fn, op.operation, op.s = "mad_lo_b32", made.operation, [made.s[0], immediate(1 << amount.value), other]
    elif op.fn == "add_b32" and made.fn == "shr_u32":
        amount = made.s[1]
        if not isinstance(amount, Const) or amount.kind != ConstantKind.IMMEDIATE or not 0 < amount.value < 32:
            return False
        op.fn, op.operation, op.s = "mad_hi_u32", made.operation, [made.s[0], immediate(1 << 32 - amount.value), other]
    elif op.fn == "add_b32" and made.fn == "shr_s32":
        amount = made.s[1]
        if not isinstance(amount, Const) or amount.kind != ConstantKind.IMMEDIATE or not 1 < amount.value < 32:
            return False
        op.fn, op.operation, op.s = "mad_hi_s32", made.operation, [made.s[0], immediate(1 << 32 - amount.value), other]
    elif op.fn == made.fn == "add_b32":
        op.fn, op.s, op.operation = "add3_b32", [made.s[0], made.s[1], other], "int_logic"
    elif op.fn in _LOGIC and made.fn in _LOGIC:
        table = _LOGIC[op.fn](_LOGIC[made.fn](0xF0, 0xCC), 0xAA)
        op.fn, op.s = "lop3_b32", [made.s[0], made.s[1], other, immediate(table)]
    else:
        return False
    return True
