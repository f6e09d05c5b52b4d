"""Pass: merge loads of neighbouring words of shared memory into wide ones, where their address is aligned."""
from __future__ import annotations

from archdef.lower.encoding import ConstantKind, Flag, Kind, Space
from archdef.lower.facts import single
from archdef.lower.virtual import PURE, Code, Const, Op, Unit

_WORD = 4
_STAY = Flag.BYPASS_L1 | Flag.YIELD | Flag.SIGNED
_DEPTH = 8
"""Steps back for which the low bits of an address are followed."""


def merge_loads(code: Code, unit: Unit, architecture) -> None:
    """Merge within stretches that hold nothing but loads and pure operations.

    Only results that are written once and read behind their definition: each is there earlier than before, and nobody minds.
    """
    widest = architecture.isa.assembler.shared_load_bytes
    if widest <= _WORD:
        return
    known = single(code, unit)
    stretch: list[Op] = []
    gone: set[int] = set()
    for op in [*code.ops, Op(Kind.LABEL)]:
        if op.kind in PURE and op.kind != Kind.CARRY or op.kind == Kind.LOAD:
            stretch.append(op)
            continue
        _merge(stretch, known, widest, gone)
        stretch = []
    if gone:
        code.ops = [op for op in code.ops if id(op) not in gone]


def _merge(ops: list[Op], known: dict[int, Op | None], widest: int, gone: set[int]) -> None:
    groups: dict[tuple, dict[int, Op]] = {}
    writes: dict[int, int] = {}         # register → how often it has been written in this stretch
    for op in ops:
        if (op.kind == Kind.LOAD and op.space == Space.SHARED and op.guard is None and op.vec == 1 and op.element == _WORD
                and not op.flags & _STAY and not op.combine and op.d[0] in known):
            base = op.s[0]
            group = groups.setdefault((base, writes.get(base, 0) if type(base) is int else 0), {})
            group.setdefault(op.offset, op)     # of two loads of one word the second stays
        for v in op.writes():
            writes[v] = writes.get(v, 0) + 1
    order = {id(op): k for k, op in enumerate(ops)}
    for (base, _), loads in groups.items():
        aligned = 1 << min(_zeros(base, known, _DEPTH), 6)
        size = widest
        while size > _WORD:
            if size <= aligned:
                for offset in sorted(loads):
                    words = [offset + k for k in range(0, size, _WORD)]
                    if offset % size == 0 and all(w in loads for w in words):
                        parts = [loads.pop(w) for w in words]
                        first = min(parts, key=lambda op: order[id(op)])
                        first.d, first.vec, first.offset = [op.d[0] for op in parts], len(parts), offset
                        gone.update(id(op) for op in parts if op is not first)
            size //= 2


def _zeros(value, known: dict[int, Op | None], depth: int) -> int:
    """Count the low bits of a value that are certainly 0; many if all are."""
    if isinstance(value, Const):
        if value.kind not in (ConstantKind.IMMEDIATE, ConstantKind.SHARED_SYMBOL):
            return 0
        return (value.value & -value.value).bit_length() - 1 if value.value else 64
    op = known.get(value) if type(value) is int else None
    if op is None or op.kind != Kind.ALU or not depth:
        return 0
    name = op.fn.rpartition("_")[0]
    zeros = [_zeros(s, known, depth - 1) for s in op.s[:3]]
    amount = op.s[1].value if len(op.s) > 1 and isinstance(op.s[1], Const) and op.s[1].kind == ConstantKind.IMMEDIATE else None
    if name == "shl" and amount is not None:
        return zeros[0] + amount
    if name in ("add", "sub", "or", "xor"):
        return min(zeros[:2])
    if name == "and":
        return max(zeros[:2])
    if name == "mov":
        return zeros[0]
    if name in ("mul_lo", "mul_wide", "mul24_lo"):
        return zeros[0] + zeros[1]
    if name in ("mad_lo", "mad_wide", "mad24_lo"):
        return min(zeros[0] + zeros[1], zeros[2])
    return 0
