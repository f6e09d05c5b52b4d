"""Builders for accesses at multicast addresses (``multimem``).

One device is the only member of what such an address names: what is reduced is the one value that is loaded, in whatever precision, and
stores and reductions go to one place.
"""
from __future__ import annotations

from archdef.lower.encoding import MULTICAST, Flag, Kind, Space
from archdef.lower.select.memory import OPERATIONS, address, ordered, vector
from archdef.lower.select.selection import Selection, builds, lane_bytes
from archdef.lower.virtual import Value, immediate
from archdef.ptx import ir
from archdef.ptx.table import Match, bits_of

_MOST = 4
"""Elements that an access has; of more, each that is carried out is of whole words."""


def _access(s: Selection, m: Match, kind: Kind, place: ir.Operand, d: list, values: list[Value], type: str, fn: str | int = 0) -> None:
    """Emit the access itself."""
    if bool(m.bound["scope"]) != (m.bound["order"] not in ("", "weak")):
        raise s.fault("a scope goes with relaxed, acquire or release, and these with a scope")
    base, offset, flags, implied = address(s, place)
    if implied not in (None, "global"):
        raise s.fault("a multicast address lies in global memory")
    with ordered(s, m, Space.GLOBAL, d):
        s.emit(kind, fn, d, [base, *values], OPERATIONS[kind][Space.GLOBAL], width=lane_bytes(type), flags=flags | Flag.BYPASS_L1,
               space=Space.GLOBAL, element=bits_of(type) // 8, vec=max(len(d), len(values)) if kind != Kind.ATOM else len(d), offset=offset,
               combine=MULTICAST)


def _parts(m: Match) -> int:
    """Give how many elements lie in a word, if there are too many for one access; else 1."""
    return 32 // bits_of(m.bound["type"]) if int((m.bound.get("vec") or "v1")[1:]) > _MOST else 1


@builds("multimem_load")
def load(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``multimem.ld_reduce``."""
    type, parts = m.bound["type"], _parts(m)
    elements = vector(s, i.operands[0], m.bound.get("vec", ""))
    finishes, d = [], []
    for element in elements if parts == 1 else ():
        register, finish = (None, None) if element is None else s.destination(element, type)
        d.append(register)
        finishes += [finish] if finish else []
    if parts > 1:
        d = [s.fresh(4) for _ in elements[::parts]]
    if any(v is not None for v in d):
        _access(s, m, Kind.LOAD, i.operands[1], d, [], type if parts == 1 else "b32")
    for k, element in enumerate(elements if parts > 1 else ()):
        if element is not None:
            register, finish = s.destination(element, "b32")
            s.emit(Kind.ALU, *((("low_b32", "high_b32")[k % 2], [register], [d[k // 2]]) if parts == 2 else
                               ("byte_b32", [register], [d[k // 4], immediate(8 * (k % 4))])), "move")
            finish()
    for finish in finishes:
        finish()


def _values(s: Selection, m: Match, operand: ir.Operand) -> list[Value]:
    """Give what is stored, as elements or as words."""
    elements = vector(s, operand, m.bound.get("vec", ""))
    if any(e is None for e in elements):
        raise s.fault("a value for every element is wanted")
    values, bits = [s.value(e, m.bound["type"]) for e in elements], bits_of(m.bound["type"])
    while _parts(m) > 1 and bits < 32:
        bits *= 2
        values = [s.temporary(f"pack_b{bits}", values[k:k + 2], 4, "move") for k in range(0, len(values), 2)]
    return values


@builds("multimem_store")
def store(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``multimem.st``."""
    _access(s, m, Kind.STORE, i.operands[0], [], _values(s, m, i.operands[1]), m.bound["type"] if _parts(m) == 1 else "b32")


@builds("multimem_reduce")
def reduce(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``multimem.red``; halves of a word are added like a pair."""
    values = _values(s, m, i.operands[1])
    whole = _parts(m) == 1
    count = len(values)
    _access(s, m, Kind.ATOM, i.operands[0], [None] * count, values + [None] * (2 - count), m.bound["type"] if whole else m.bound["type"] + "x2",
            m.fn if whole else m.fn + "x2")
