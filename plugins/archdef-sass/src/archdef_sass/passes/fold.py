"""Pass: compute what straight code makes of constants alone, as trips of a loop do that has become straight code."""
from __future__ import annotations

import operator
import struct
from collections.abc import Callable

from archdef.lower.encoding import ConstantKind, Kind
from archdef.lower.virtual import Code, Const, Op, immediate, mov, signed

_WORD = (1 << 32) - 1
_EXACT = 1 << 24
"""Integers up to which every float32 is one."""
_WORDS: dict[str, Callable[..., int]] = {
    "mov": lambda a: a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul_lo": lambda a, b: a * b, "mad_lo": lambda a, b, c: a * b + c,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "not": lambda a: ~a, "neg": lambda a: -a}
"""Of 32 or 64 bits, whose result has as many."""
_WIDENING: dict[str, Callable[..., int]] = {
    "cvt_s64_s32": lambda a: a, "cvt_u64_u32": lambda a: a & _WORD,
    "mul_wide_s32": lambda a, b: a * b, "mul_wide_u32": lambda a, b: (a & _WORD) * (b & _WORD)}
_NARROWING = ("cvt_u32_u64", "cvt_s32_s64", "low_b64")
_ORDERS: dict[str, Callable[[int, int], bool]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne}
_COMPARED = frozenset(f"{sign}{bits}" for sign in "bus" for bits in (32, 64))


def fold_constants(code: Code) -> None:
    """Fold integer arithmetic, and what makes floats of it, within basic blocks; of comparisons, what they choose."""
    known: dict[int, Const] = {}
    holds: dict[int, bool] = {}
    for cut, op in code.straight():
        if cut:
            known.clear()
            holds.clear()
        if op.kind in (Kind.ALU, Kind.SETP, Kind.SELP) and known:
            op.s = [known.get(s, s) if type(s) is int and s >= 0 else s for s in op.s]
        if op.kind == Kind.SELP and op.guard is None and holds:
            _choose(op, holds)
        found, answer = _value(op), _answer(op)
        for v in op.writes():
            known.pop(v, None)
            holds.pop(v, None)
        if found is not None:
            op.fn, op.operation, op.times, op.s = mov(found.width), "move", 1, [found]
            known[op.d[0]] = found
        if answer is not None:
            holds[op.d[0]] = answer


def _choose(op: Op, holds: dict[int, bool]) -> None:
    """Turn a choice that is known into a copy."""
    predicate = op.s[2]
    answer = holds.get(predicate if predicate >= 0 else ~predicate)
    if answer is not None:
        op.kind, op.fn, op.operation, op.times = Kind.ALU, mov(op.width), "move", 1
        op.s = [op.s[0 if answer == (predicate >= 0) else 1]]


def _answer(op: Op) -> bool | None:
    """Give what a comparison of integer constants says."""
    order, _, type = str(op.fn).partition("_")
    if op.kind != Kind.SETP or op.guard is not None or op.combine or op.d[0] is None or op.d[1] is not None:
        return None
    if order not in _ORDERS or type not in _COMPARED or not all(isinstance(s, Const) and s.kind == ConstantKind.IMMEDIATE for s in op.s[:2]):
        return None
    bits = (1 << int(type[1:])) - 1
    return _ORDERS[order](*(signed(s) if type[0] == "s" else s.value & bits for s in op.s[:2]))


def _value(op: Op) -> Const | None:
    """Give what an operation on immediates makes."""
    if op.kind != Kind.ALU or op.guard is not None or len(op.d) != 1 or op.d[0] is None or op.width not in (4, 8) or op.fpenv or not op.s \
            or not all(isinstance(s, Const) and s.kind == ConstantKind.IMMEDIATE for s in op.s):
        return None
    values = [signed(s) for s in op.s]
    name, _, type = op.fn.rpartition("_")
    if op.fn in _WIDENING:
        return immediate(_WIDENING[op.fn](*values), 8)
    if op.fn in _NARROWING:
        return immediate(values[0])
    if type in ("b32", "b64", "s32", "s64"):
        width = int(type[1:]) // 8
        if name in _WORDS and type[0] == ("s" if name == "neg" else "b") and all(s.width == width for s in op.s):
            return immediate(_WORDS[name](*values), width)
        if name == ("shr" if type[0] == "s" else "shl") and op.s[0].width == width and 0 <= values[1] < 8 * width:
            return immediate(values[0] << values[1] if name == "shl" else values[0] >> values[1], width)
    if op.fn == "cvt_f32_s32" and abs(values[0]) <= _EXACT:
        return immediate(struct.unpack("<I", struct.pack("<f", values[0]))[0])
    return None
