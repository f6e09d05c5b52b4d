"""Pass: compute what straight code makes of constants alone, as trips of a loop do that has become straight code."""
from __future__ import annotations

import struct
from collections.abc import Callable

from archdef.lower.encoding import ConstantKind, Kind
from archdef.lower.virtual import PARTS, Code, Const, Op, immediate, signed

_EXACT = 1 << 24
"""Integers up to which every float32 is one."""
_WORDS: dict[str, Callable[..., int]] = {
    "mov_b32": lambda a: a, "add_b32": lambda a, b: a + b, "sub_b32": lambda a, b: a - b, "mul_lo_b32": lambda a, b: a * b,
    "mad_lo_b32": lambda a, b, c: a * b + c, "and_b32": lambda a, b: a & b, "or_b32": lambda a, b: a | b, "xor_b32": lambda a, b: a ^ b,
    "not_b32": lambda a: ~a, "neg_s32": lambda a: -a}


def fold_constants(code: Code) -> None:
    """Fold 32-bit integer arithmetic, and what makes floats of it, within basic blocks."""
    known: dict[int, Const] = {}
    for op in code.ops:
        if op.kind in PARTS:
            known.clear()
        elif op.kind in (Kind.ALU, Kind.SETP, Kind.SELP) and known:
            op.s = [known.get(s, s) if type(s) is int and s >= 0 else s for s in op.s]
        found = _value(op)
        for v in op.writes():
            known.pop(v, None)
        if found is not None:
            op.fn, op.operation, op.times, op.s = "mov_b32", "move", 1, [found]
            known[op.d[0]] = found


def _value(op: Op) -> Const | None:
    """Give what an operation on immediates makes."""
    if op.kind != Kind.ALU or op.guard is not None or len(op.d) != 1 or op.d[0] is None or op.width != 4 or op.fpenv or not op.s \
            or not all(isinstance(s, Const) and s.kind == ConstantKind.IMMEDIATE and s.width == 4 for s in op.s):
        return None
    values = [signed(s) for s in op.s]
    if op.fn in _WORDS:
        return immediate(_WORDS[op.fn](*values))
    if op.fn == "cvt_f32_s32" and abs(values[0]) <= _EXACT:
        return immediate(struct.unpack("<I", struct.pack("<f", values[0]))[0])
    return None
