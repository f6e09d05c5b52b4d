"""Builders for copies by a tensor map, and for instructions that change one."""
from __future__ import annotations

from archdef.lower.encoding import BoxFlag, BoxOp, BulkRoute, Flag, Kind, Space
from archdef.lower.select.asynchronous import place_in_shared
from archdef.lower.select.memory import OPERATIONS, address
from archdef.lower.select.selection import Selection, builds
from archdef.lower.virtual import ABSORBED, Value, immediate
from archdef.ptx import ir
from archdef.ptx.table import Match

MAP_BYTES = 128
_ADDRESS, _RANK, _STRIDES, _STRIDES_HIGH, _EXTENTS, _STEPS, _BOX = 0, 2, 3, 7, 8, 13, 14
"""Words of a tensor map: see `archdef.run.tensor_map`."""
_ROUNDED = 1 << 16
_ELEMENTS = (*range(11), 7, 8)
"""What ``elemtype`` means in the map; the last two also set the bit that rounds to tf32."""
_IN_WORD_2 = {"rank": (4, 3), "elemtype": (7, 4), "interleave_layout": (11, 2), "swizzle_mode": (13, 2), "fill_mode": (15, 1)}
"""Field → first bit, and bits."""
_MOST = {"elemtype": 12, "interleave_layout": 2, "swizzle_mode": 3, "fill_mode": 1}


def _map_address(s: Selection, operand: ir.Operand) -> Value:
    """Give the generic address of a tensor map as a 64-bit value."""
    base, offset, flags, implied = address(s, operand)
    if implied in ("shared", "local"):
        raise s.fault("a tensor map lies in global or constant memory, or among the kernel's parameters")
    if not flags & Flag.ADDRESS64:
        base = s.fit(base, 4, 8, "u32") if type(base) is int else immediate(base.value, 8)
    return s.temporary("add_b64", [base, immediate(offset, 8)], 8, "int64_add") if offset else base


def _elements(s: Selection, operand: ir.Operand, count: int, what: str, type: str) -> list[Value]:
    found = list(operand.elements) if isinstance(operand, ir.Vector) else [operand]
    if len(found) != count or any(e is None for e in found):
        raise s.fault(f"{count} {what} are wanted, got {len(found)}")
    return [s.value(e, type) for e in found]


def _joined(s: Selection, parts: list[tuple[Value, int]]) -> Value:
    """Put 16-bit values side by side into 64 bits; the machine takes them as they are."""
    whole = None
    for part, shift in parts:
        wide = s.temporary("cvt_u64_u32", [s.temporary("and_b32", [part, immediate(0xFFFF)], 4, ABSORBED)], 8, ABSORBED)
        moved = s.temporary("shl_b64", [wide, immediate(shift)], 8, ABSORBED) if shift else wide
        whole = moved if whole is None else s.temporary("or_b64", [whole, moved], 8, ABSORBED)
    return whole


@builds("tensor_copy")
def tensor_copy(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``cp.async.bulk.tensor``, ``cp.reduce.async.bulk.tensor``: each thread that gets here moves a box of a tensor."""
    rank, pixels, loads = int(m.bound["rank"][0]), m.bound["mode"].startswith("im2col"), m.bound["to"] != "global"
    operands = list(i.operands)
    shared = operands.pop(0) if loads else operands.pop(2)
    where = _map_address(s, operands.pop(0))
    coordinates = _elements(s, operands.pop(0), rank, "coordinates", "s32")
    place = place_in_shared(s, shared, "box")
    barrier, parts, flags = None, [], BoxFlag.IM2COL if pixels else 0
    if loads:
        barrier = place_in_shared(s, operands.pop(0), "mbarrier")
        if pixels:
            if not operands:
                raise s.fault(f"{rank - 2} offsets of pixels are wanted")
            parts = [(v, 16 * k) for k, v in enumerate(_elements(s, operands.pop(0), rank - 2, "offsets of pixels", "u16"))]
        if m.bound.get("multicast"):
            if not operands:
                raise s.fault("a mask of blocks is wanted")
            parts.append((s.value(operands.pop(0), "u16"), 48))
            flags |= BoxFlag.MULTICAST
    if len(operands) != bool(m.bound["hint"]):
        raise s.fault(f"{len(i.operands) - len(operands) + bool(m.bound['hint'])} operands are wanted, got {len(i.operands)}")
    reduces = m.bound.get("op")
    s.emit(Kind.BULK, int(BoxOp[reduces.upper()]) if reduces else 0, [], [place, where, barrier, _joined(s, parts), *coordinates], m.operation,
           combine=int(BulkRoute.BOX_IN if loads else BulkRoute.BOX_OUT), vec=int(bool(reduces)), offset=int(flags), count=rank)


# -------------------------------------------------------------------------------------------------------- changing a map
class _Words:
    """The words of a map in memory."""

    def __init__(self, s: Selection, operand: ir.Operand, named: str):
        base, self.offset, flags, implied = address(s, operand)
        self.s, self.base = s, base
        self.space = Space.SHARED if (named or implied) == "shared" else Space.GLOBAL if (named or implied) == "global" else Space.GENERIC
        if implied not in (None, "shared", "global"):
            raise s.fault("a tensor map that is changed lies in global or shared memory")
        if self.space == Space.GENERIC:
            s.need("unified_addressing")
        self.flags = flags

    def store(self, word: int, value: Value, size: int = 4) -> None:
        """Replace a word, or two."""
        self.s.emit(Kind.STORE, 0, [], [self.base, value], OPERATIONS[Kind.STORE][self.space], width=size, space=self.space, element=size, vec=1,
                    offset=self.offset + 4 * word, flags=self.flags)

    def change(self, word: int, first: int, bits: int, value: Value, also: int = 0) -> None:
        """Replace some bits of a word, and set others."""
        s, mask = self.s, (1 << bits) - 1
        old = s.fresh(4)
        s.emit(Kind.LOAD, 0, [old], [self.base], OPERATIONS[Kind.LOAD][self.space], width=4, space=self.space, element=4, vec=1,
               offset=self.offset + 4 * word, flags=self.flags)
        kept = s.temporary("and_b32", [old, immediate(~(mask << first))], 4, "int_logic")
        new = s.temporary("and_b32", [value, immediate(mask)], 4, "int_logic")
        new = s.temporary("shl_b32", [new, immediate(first)], 4, "int_shift") if first else new
        new = s.temporary("or_b32", [kept, new], 4, "int_logic")
        self.store(word, s.temporary("or_b32", [new, immediate(also)], 4, "int_logic") if also else new)


@builds("map_replace")
def map_replace(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``tensormap.replace``: a field of a map in memory. Extents and element strides are kept less one, strides in units of 16 bytes."""
    field, words = m.bound.get("list") or m.bound["field"], _Words(s, i.operands[0], m.bound["space"])
    if len(i.operands) != 2 + (field in ("box_dim", "global_dim", "global_stride", "element_stride")):
        raise s.fault(f"`tensormap.replace` of {field} takes {2 + (field in ('box_dim', 'global_dim', 'global_stride', 'element_stride'))} operands")
    value = i.operands[-1]
    if field in _MOST:
        if not isinstance(value, ir.Immediate) or not 0 <= value.value <= _MOST[field]:
            raise s.fault(f"{field} must be a constant from 0 to {_MOST[field]}")
        number = _ELEMENTS[value.value] if field == "elemtype" else value.value
        words.change(_RANK, *_IN_WORD_2[field], immediate(number), _ROUNDED if field == "elemtype" and value.value > 10 else 0)
    elif field == "rank":
        words.change(_RANK, *_IN_WORD_2[field], s.value(value, "b32"))
    elif field == "global_address":
        words.store(_ADDRESS, s.value(value, "b64"), 8)
    else:
        _replace_listed(s, field, i.operands[1], value, words)


def _replace_listed(s: Selection, field: str, which: ir.Operand, value: ir.Operand, words: _Words) -> None:
    """Replace one of a list's numbers."""
    most = 3 if field == "global_stride" else 4
    if not isinstance(which, ir.Immediate) or not 0 <= which.value <= most:
        raise s.fault(f"the number of a dimension of {field} must be a constant from 0 to {most}")
    k = which.value
    if field == "global_stride":
        pieces = s.temporary("shr_u64", [s.value(value, "b64"), immediate(4)], 8, "int64_shift")
        words.store(_STRIDES + k, s.temporary("low_b64", [pieces], 4, ABSORBED))
        words.change(_STRIDES_HIGH, 4 * k, 4, s.temporary("high_b64", [pieces], 4, ABSORBED))
        return
    less = s.temporary("add_b32", [s.value(value, "b32"), immediate(-1)], 4, "int_add")
    if field == "global_dim":
        words.store(_EXTENTS + k, less)
    elif field == "element_stride":
        words.change(_STEPS, 3 * k, 3, less)
    elif k == 0:
        words.change(_STEPS, 24, 8, less)
    else:
        words.change(_BOX, 8 * (k - 1), 8, less)


@builds("map_copy")
def map_copy(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``tensormap.cp_fenceproxy``: a warp copies a map from shared to global memory, four bytes a lane, for copies by it to see."""
    if not isinstance(i.operands[2], ir.Immediate) or i.operands[2].value != MAP_BYTES:
        raise s.fault(f"a tensor map has {MAP_BYTES} bytes")
    lane = s.special("%laneid", "u32")
    distance = s.temporary("shl_b32", [lane, immediate(2)], 4, "int_shift")
    held = s.fresh(4)
    source = s.temporary("add_b32", [place_in_shared(s, i.operands[1], "tensor map"), distance], 4, "int_add")
    to = s.temporary("add_b64", [_map_address(s, i.operands[0]), s.temporary("cvt_u64_u32", [distance], 8, "move")], 8, "int64_add")
    s.emit(Kind.LOAD, 0, [held], [source], "load_shared", width=4, space=Space.SHARED, element=4, vec=1)
    s.emit(Kind.STORE, 0, [], [to, held], "store_global", width=4, space=Space.GLOBAL, element=4, vec=1, flags=Flag.ADDRESS64)
    s.emit(Kind.FENCE, 0, operation="fence")
