"""Passes: operations of the source that share an instruction: both halves of a product, quotients by one divisor, a choice between what an operation
changes and its result."""
from __future__ import annotations

import struct
from collections.abc import Sequence

import attrs

from archdef.lower.encoding import ConstantKind, Flag, Kind
from archdef.lower.def_use import definitions
from archdef.lower.select.selection import FLUSH
from archdef.lower.virtual import ABSORBED, Code, Const, Op, Unit, Value, immediate, lives

_SMALL, _LARGE, _QUARTER, _TWO24 = 0x00800000, 0x7E800000, 0x3E800000, 0x4B800000
"""2**-126, 2**126, 1/4 and 2**24 in single precision."""
_HIGH = {"mul_hi_u32": "mul_wide_u32", "mul_hi_s32": "mul_wide_s32"}


def wide_products(code: Code, unit: Unit) -> None:
    """Make one multiplication of ``mul.hi`` and ``mul.lo`` of the same factors within a basic block."""
    halves: dict[tuple, tuple[dict[int, Op], dict[int, Op]]] = {}   # factors, in order of their names → lower, upper halves of their product, by identity
    of_factor: dict[int, set[tuple]] = {}
    of_result: dict[int, list[tuple[tuple, Op]]] = {}
    pairs: dict[int, tuple[Op, Op]] = {}    # the first of two → high, low
    for cut, op in code.straight():
        if cut:
            halves, of_factor, of_result = {}, {}, {}
        product = op.kind == Kind.ALU and op.guard is None and (op.fn in _HIGH or op.fn == "mul_lo_b32")
        entered: tuple | None = None
        if product:
            factors, upper = tuple(sorted(op.s[:2], key=repr)), op.fn in _HIGH
            found = halves.setdefault(factors, ({}, {}))
            for v in factors:
                of_factor.setdefault(v, set()).add(factors)
            other = next(iter(found[not upper].values()), None)
            if other is not None and op.d[0] not in factors and other.d[0] != op.d[0]:
                del found[not upper][id(other)]
                pairs[id(other)] = (op, other) if upper else (other, op)
                pairs[id(op)] = ()
            else:
                found[upper][id(op)] = op
                entered = factors
        for v in op.writes():       # what was made of it, or of which it is the result, is of another value
            for factors in of_factor.pop(v, ()):
                halves.pop(factors, None)
            for factors, one in of_result.pop(v, ()):
                for half in halves.get(factors, ()):
                    half.pop(id(one), None)
        if entered in halves:
            of_result.setdefault(op.d[0], []).append((entered, op))
    def product_of(op: Op) -> Sequence[Op]:
        pair = pairs.get(id(op))
        if not pair:
            return (op,) if pair is None else ()
        high, low = pair
        whole = unit.new(8)
        return (attrs.evolve(high, fn=_HIGH[high.fn], d=[whole], operation="int_mul_wide", times=1, width=8, statement=op.statement),
                attrs.evolve(high, fn="high_b64", s=[whole], operation=ABSORBED), attrs.evolve(low, fn="low_b64", s=[whole], operation=ABSORBED))

    if pairs:
        code.replace(product_of)


def join_halves(code: Code) -> None:
    """Keep words whole that a program takes apart into halves of 16 bits, to put nothing but those together again, perhaps in the next trip of a loop."""
    packs = [op for op in code.ops if _packs(op)]
    if not packs:
        return
    written, kept = definitions(code), code.foreign | code.results | set(code.inputs)
    partner: dict[int, int | None] = {}
    for op in packs:
        low, high = op.s[:2]
        for v, other in ((low, high), (~high, low)):        # a lower half by its number, an upper one by its complement
            partner[v] = other if partner.get(v, other) == other else None
    for op in code.ops:
        if not _packs(op):
            for v in op.reads():
                for name in (v, ~v):
                    if name in partner:
                        partner[name] = None
    ops = code.ops
    place = {id(op): k for k, op in enumerate(ops)}
    gone: set[int] = set()
    for low in sorted(v for v in partner if v >= 0):
        high = partner[low]
        if high is None or low == high or partner.get(~high) != low or high in partner or ~low in partner or kept & {low, high}:
            continue
        lows, highs = written.get(low, ()), written.get(high, ())
        if not lows or len(lows) != len(highs) or not all(_halves_of_one(ops, place[id(a)], place[id(b)], a, b) for a, b in zip(lows, highs)):
            continue
        for a, b in zip(lows, highs):
            a.fn, a.operation, a.width = "mov_b32", "move", 4
            gone.add(id(b))
        for op in packs:
            if op.s[0] == low:
                op.fn, op.s, op.operation = "mov_b32", [low], "move"
    if gone:
        code.drop(gone)


def _packs(op: Op) -> bool:
    return op.kind == Kind.ALU and op.fn == "pack_b32" and op.guard is None and all(type(v) is int for v in op.s[:2])


def _halves_of_one(ops: list[Op], at: int, other: int, low: Op, high: Op) -> bool:
    """Tell whether two operations, one right behind the other, take the halves of one value."""
    return (low.fn, high.fn) == ("low_b32", "high_b32") and low.guard is None and high.guard is None and low.s == high.s and abs(at - other) == 1 and (
        low.d[0] not in low.s and high.d[0] not in high.s)


def share_reciprocals(code: Code, unit: Unit) -> None:
    """Make a reciprocal and a product of each ``div.full``, and one reciprocal for quotients by the same value within a basic block.

    A divisor near an end of the range is scaled first, and the dividend with it.
    """
    if not any(_full(op) for op in code.ops):
        return
    written = definitions(code)
    known: dict[Value, dict[int, tuple]] = {}      # divisor → rounding and flushing → factors with their guards, the reciprocal
    made: list[Op] = []         # in the place of the operation that is looked at
    instead: dict[int, list[Op]] = {}

    def put(op: Op, fn: str, d: int, s: list, operation: str, **others) -> int:
        made.append(attrs.evolve(op, fn=fn, d=[d], s=s, operation=operation, **others))
        return d

    def scaled(op: Op, value, factors) -> int:
        first = [guard for guard, _ in factors]
        if isinstance(value, Const) and value.kind == ConstantKind.IMMEDIATE and first:
            other = put(op, "mov_b32", unit.new(4), [_times(value, factors[0][1])], "move", fpenv=0)
            d = unit.new(4)
            made.append(Op(Kind.SELP, 0, [d], [other, value, first[0]], "select", statement=op.statement))
            factors = factors[1:]
        else:
            d = put(op, "mov_b32", unit.new(4), [value], "move", fpenv=0)
        for guard, factor in factors:
            put(op, "mul_f32", d, [d, immediate(factor)], "fp32_mul", guard=guard, kills=False, flags=op.flags | Flag.PREDICATED)
        return d

    for cut, op in code.straight():
        if cut:
            known.clear()
        if not _full(op) or op.guard is not None:
            pass
        elif (factor := _inverse(op.s[1])) is not None:
            made.append(attrs.evolve(op, fn="mul_f32", s=[op.s[0], factor], operation="fp32_mul"))
        else:
            dividend, divisor = op.s
            if op.fpenv not in known.setdefault(divisor, {}):
                magnitude = put(op, "abs_f32", unit.new(4), [divisor], ABSORBED, fpenv=0)
                large = unit.new(0)
                made.append(Op(Kind.SETP, "gt_f32", [large, None], [magnitude, immediate(_LARGE), None], "fp32_compare", statement=op.statement))
                factors = [(large, _QUARTER)]
                if not op.fpenv & FLUSH and not _far_from_zero(divisor, written):
                    small = unit.new(0)
                    made.append(Op(Kind.SETP, "lt_f32", [small, None], [magnitude, immediate(_SMALL), None], "fp32_compare", statement=op.statement))
                    factors.append((small, _TWO24))
                known[divisor][op.fpenv] = factors, put(op, "rcp_f32", unit.new(4), [scaled(op, divisor, factors)], "fp32_rcp")
            factors, reciprocal = known[divisor][op.fpenv]
            made.append(attrs.evolve(op, fn="mul_f32", s=[scaled(op, dividend, factors), reciprocal], operation="fp32_mul"))
        for v in op.writes():
            known.pop(v, None)
        if made:
            instead[id(op)], made[:] = list(made), ()
    code.replace(lambda op: instead.get(id(op), (op,)))


def _far_from_zero(divisor, written: dict[int, list[Op]]) -> bool:
    """Tell a sum of a positive constant and a power of two."""
    sums = written[divisor] if type(divisor) is int else []
    if len(sums) != 1 or sums[0].fn != "add_f32":
        return False
    return any(isinstance(term, Const) and term.kind == ConstantKind.IMMEDIATE and _SMALL <= term.value < _LARGE and type(other) is int
               and [op.fn for op in written.get(other, ())] == ["ex2_f32"] for term, other in (sums[0].s, sums[0].s[::-1]))


def _times(constant: Const, factor: int) -> Const:
    return _constant(_number(constant.value) * _number(factor))


def _number(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def _constant(value: float) -> Const:
    return immediate(struct.unpack("<I", struct.pack("<f", value))[0])


def _full(op: Op) -> bool:
    return op.kind == Kind.ALU and op.fn == "div_f32" and op.operation == "fp32_div"


def _inverse(divisor) -> Const | None:
    """Give the reciprocal of a constant whose reciprocal is an ordinary number."""
    if not isinstance(divisor, Const) or divisor.kind != ConstantKind.IMMEDIATE:
        return None
    value = _number(divisor.value)
    return _constant(1 / value) if 2.0**-126 < abs(value) < 2.0**126 else None


def guard_selections(code: Code, architecture) -> None:
    """Turn ``t = f(y); d = p ? t : y`` into ``@p y = f(y)`` where nothing else reads t, and y no more: d is y then."""
    if not any(op.kind == Kind.SELP for op in code.ops):
        return
    written, alive = definitions(code), lives(code)
    kept = code.foreign | code.results
    readers: dict[int, int] = {}
    for op in code.ops:
        for v in op.reads():
            readers[v] = readers.get(v, 0) + 1
    ops = code.ops
    near: dict[int, int] = {}           # register written once → where, in this block
    last: dict[int, int] = {}           # register → where it was written last
    gone: set[int] = set()
    instead: dict[int, Op] = {}
    renamed: dict[int, int] = {}
    for k, (cut, op) in enumerate(code.straight()):
        if cut:
            near.clear()
        if op.kind == Kind.SELP and op.guard is None and op.operation == "select" and len(written[op.d[0]]) == 1 and not kept & {op.d[0]}:
            for position in (0, 1):
                new, old = op.s[position], op.s[1 - position]
                if type(new) is not int or type(old) is not int or new not in near or old not in near or renamed.keys() & {new, old}:
                    continue
                made = ops[near[new]]
                if (made.kind != Kind.ALU or made.guard is not None or made.operation == ABSORBED or made.times != 1 or old not in made.s
                        or readers[new] != 1 or alive.is_alive(old, k) or near[old] == 0 or alive.is_alive_before(op.d[0], near[old])
                        or architecture.isa.operations[made.operation].issues > 1 or made.width != op.width or kept & {new, old}
                        or any(last.get(v, -1) > near[new] for v in made.reads())):     # it would find there what came after
                    continue
                guard = op.s[2] if position == 0 else ~op.s[2]
                instead[id(op)] = attrs.evolve(made, d=[old], s=list(made.s), guard=guard, flags=made.flags | Flag.PREDICATED, kills=False)
                gone.add(id(made))
                renamed[op.d[0]] = old
                last[old] = k
                break
        for v in op.writes():
            near.pop(v, None)
            last[v] = k
            if len(written[v]) == 1 and op.kind in (Kind.ALU, Kind.SELP, Kind.LOAD):
                near[v] = k
    if not renamed:
        return
    code.replace(lambda op: () if id(op) in gone else (instead.get(id(op), op),))
    for op in code.ops:
        op.s = [_named(v, renamed) for v in op.s]


def _named(value, renamed: dict[int, int]):
    while type(value) is int and value in renamed:
        value = renamed[value]
    return value
