"""Pass: merge loads of neighbouring words of shared or constant memory into wide ones, where their address is aligned."""
from __future__ import annotations

from archdef.lower.encoding import ConstantKind, Flag, Kind, Space
from archdef.lower.def_use import definitions, single
from archdef_sass.passes.peephole import reads_as_half
from archdef.lower.virtual import PURE, Code, Const, Op, Unit
from archdef_sass import Sass

_WORD = 4
_ELEMENTS = {2: 8, 4: 16, 8: 16}
"""Bytes of an element → of the widest load that elements are merged into; those of 2 where halves of registers can be read."""
_STAY = Flag.BYPASS_L1 | Flag.YIELD | Flag.SIGNED
_SHIFTED = frozenset("shl add sub or xor and mov mul_lo mul_wide mul24_lo mad_lo mad_wide mad24_lo add3".split())
_WIDENED = frozenset("cvt_u64_u32 cvt_s64_s32 cvt_u64_s32 cvt_u32_u64 cvt_s32_s64".split())
_ALL = 64
_DEPTH = 10
"""Steps back for which the low bits of an address are followed."""


def merge_loads(code: Code, unit: Unit, assembler: Sass) -> None:
    """Merge within stretches that hold nothing but loads and pure operations.

    Only results that are written once and read behind their definition: each is there earlier than before, and nobody minds.
    """
    widest = {Space.SHARED: assembler.shared_load_bytes, Space.CONST: assembler.constant_load_bytes or _WORD}
    halves = _halves(code) if assembler.reads_halves else set()
    if max(widest.values()) <= _WORD:
        return
    known, written = single(code, unit), definitions(code)
    made = {v: ops for v, ops in written.items() if v not in code.foreign and v not in code.inputs}
    gone: set[int] = set()
    for block in code.blocks:
        stretch: list[Op] = []
        for op in block.ops:
            if op.kind in PURE and op.kind != Kind.CARRY or op.kind == Kind.LOAD:
                stretch.append(op)
                continue
            _merge(stretch, known, made, widest, halves, gone)
            stretch = []
        _merge(stretch, known, made, widest, halves, gone)
    if gone:
        code.drop(gone)


def mark_uniform(code: Code, unit: Unit, assembler: Sass) -> None:
    """Note the registers that hold constants from a place that the program names: registers of the warp, where constants have such loads."""
    if assembler.constant_load_bytes > _WORD:
        unit.uniform |= {v for op in code.ops if op.kind == Kind.LOAD and op.space == Space.CONST and isinstance(op.s[0], Const) for v in op.writes()}


def _halves(code: Code) -> set[int]:
    """Give the registers of 16 bits that only what can take either half of a register reads."""
    alone: dict[int, bool] = {}
    for op in code.ops:
        for v in op.reads():
            alone[v] = alone.get(v, True) and reads_as_half(op)
    return {v for v, takes in alone.items() if takes} - code.results - code.foreign


def _merge(ops: list[Op], known: dict[int, Op | None], made: dict[int, list[Op]], widest: dict[int, int], halves: set[int], gone: set[int]) -> None:
    groups: dict[tuple, dict[int, Op]] = {}
    writes: dict[int, int] = {}         # register → how often it has been written in this stretch
    for op in ops:
        if (op.kind == Kind.LOAD and op.space in widest and op.guard is None and op.vec == 1
                and (op.element == _WORD or op.space == Space.SHARED and (op.element == 8 or op.element == 2 and op.d[0] in halves))
                and not op.flags & _STAY and not op.combine and op.d[0] in known):
            base = op.s[0]
            group = groups.setdefault((op.space, base, writes.get(base, 0) if type(base) is int else 0, op.element), {})
            group.setdefault(op.offset, op)     # of two loads of one word the second stays
        for v in op.writes():
            writes[v] = writes.get(v, 0) + 1
    order = {id(op): k for k, op in enumerate(ops)}
    for (space, base, _, element), loads in groups.items():
        aligned = 1 << min(_zeros(base, made, _DEPTH, ()), 6)
        size = min(widest[Space(space)], _ELEMENTS[element])
        while size > element:
            if size <= aligned:
                for offset in sorted(loads):
                    words = [offset + k for k in range(0, size, element)]
                    if offset % size == 0 and all(w in loads for w in words):
                        parts = [loads.pop(w) for w in words]
                        first = min(parts, key=lambda op: order[id(op)])
                        first.d, first.vec, first.offset = [op.d[0] for op in parts], len(parts), offset
                        gone.update(id(op) for op in parts if op is not first)
            size //= 2


def _zeros(value, made: dict[int, list[Op]], depth: int, within: tuple[int, ...]) -> int:
    """Count the low bits of a value that are certainly 0; many if all are.

    A register has those that all that is ever written to it have. One that goes round a loop, and is among `within`, has what its first
    value has: what a trip makes of it is looked at with that in mind.
    """
    if isinstance(value, Const):
        if value.kind not in (ConstantKind.IMMEDIATE, ConstantKind.SHARED_SYMBOL, ConstantKind.CONST_SYMBOL):
            return 0
        return (value.value & -value.value).bit_length() - 1 if value.value else _ALL
    if value in within:
        return _ALL
    if value not in made or not depth:
        return 0
    return min(_zeros_made(op, made, depth - 1, (*within, value)) for op in made[value])


def _zeros_made(op: Op, made: dict[int, list[Op]], depth: int, within: tuple[int, ...]) -> int:
    if op.kind != Kind.ALU:
        return 0
    name = op.fn.rpartition("_")[0]
    amount = op.s[1].value if len(op.s) > 1 and isinstance(op.s[1], Const) and op.s[1].kind == ConstantKind.IMMEDIATE else None
    if name not in _SHIFTED or name == "shl" and amount is None:
        return _zeros(op.s[0], made, depth, within) if op.fn in _WIDENED else 0
    zeros = [_zeros(s, made, depth, within) for s in op.s[:3]]
    if name == "shl":
        return zeros[0] + amount
    if name in ("add", "sub", "or", "xor"):
        return min(zeros[:2])
    if name == "and":
        return max(zeros[:2])
    if name == "mov":
        return zeros[0]
    if name in ("mul_lo", "mul_wide", "mul24_lo"):
        return zeros[0] + zeros[1]
    return min(zeros) if name == "add3" else min(zeros[0] + zeros[1], zeros[2])
