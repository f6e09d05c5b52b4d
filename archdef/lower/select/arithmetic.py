"""Builders for arithmetic, comparison, selection, moves and conversions."""
from __future__ import annotations

from archdef.lower.encoding import CLUSTER_FIRST, GENERIC_LOCAL, GENERIC_SHARED, GENERIC_WINDOW, Combine, ConstantKind, Flag, Kind, SpecialRegister
from archdef.lower.select.selection import SPACES, Selection, builds, lane_bytes
from archdef.lower.virtual import ABSORBED, TRUE, Const, Op, immediate, mov
from archdef.ptx import ir
from archdef.ptx.table import Match

TRUTH = {"and": 0xC0, "or": 0xFC, "xor": 0x3C, "not": 0x0F, "mov": 0xF0}
"""Truth tables over (p0, p1, p2), bit 4*p0 + 2*p1 + p2."""
_COMBINE = {"": Combine.NONE, "and": Combine.AND, "or": Combine.OR, "xor": Combine.XOR}


@builds("alu")
def alu(s: Selection, m: Match, i: ir.Instruction) -> None:
    """One lane function: ``d = fn(a, b, c, e)``."""
    sources = [s.value(operand, type) for operand, (_, type) in zip(i.operands[1:], m.operands[1:])]
    type = m.operands[0][1]
    d, finish = s.destination(i.operands[0], type)
    s.emit(Kind.ALU, m.fn, [d], sources, m.operation, times=m.times, width=lane_bytes(type), fpenv=_environment(s, m),
           exact=bool(m.bound.get("rnd")))
    finish()


def _environment(s: Selection, m: Match) -> int:
    """Give the floating-point environment; functions that have `ftz` in their name flush, and conversions round, by themselves."""
    return 0 if "ftz" in m.fn or m.row.opcode == "cvt" else s.environment(m.bound)


@builds("mad")
def mad(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mad.f32``: whatever the machine's multiply-add is."""
    kind = s.architecture.isa.float_mad
    if m.bound["rnd"] and kind != "fused":
        s.need("fp32_fma")
    name = {"fused": "fma", "truncated": "mad_trunc", "separate": "mad_separate"}[kind]
    sources = [s.value(operand, "f32") for operand in i.operands[1:]]
    d, finish = s.destination(i.operands[0], "f32")
    s.emit(Kind.ALU, f"{name}{m.bound['_sat']}_f32", [d], sources, m.operation, fpenv=s.environment(m.bound))
    finish()


@builds("carry")
def carry(s: Selection, m: Match, i: ir.Instruction) -> None:
    """Arithmetic with the carry flag."""
    type = m.bound["type"]
    sources = [s.value(operand, type) for operand in i.operands[1:]]
    sources += [None] * (3 - len(sources))
    d, finish = s.destination(i.operands[0], type)
    s.emit(Kind.CARRY, m.fn, [d], sources, m.operation, times=m.times, width=lane_bytes(type),
           flags=Flag.CARRY_OUT if m.bound["cc"] else 0)
    finish()


def predicate_pair(s: Selection, operand: ir.Operand) -> list[int | None]:
    """Give the predicate destinations of ``p`` or ``p|q``."""
    if isinstance(operand, ir.PredicatePair):
        parts = [operand.first, operand.second]
    else:
        parts = [operand, None]
    if all(part is None or isinstance(part, ir.Vector) for part in parts):
        return [None, None]
    if any(part is not None and not isinstance(part, (ir.Predicate, ir.Vector)) for part in parts):
        raise s.fault("expected a predicate register as destination")
    return [s.register(part.name, "pred") if isinstance(part, ir.Predicate) else None for part in parts]


@builds("compare")
def compare(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``setp`` and ``testp``."""
    type = m.bound["type"]
    a = s.value(i.operands[1], type)
    b = s.value(i.operands[2], type) if len(i.operands) > 2 else a
    combine = _COMBINE[m.bound.get("bool", "")]
    with_ = s.predicate(i.operands[3]) if combine else None
    s.emit(Kind.SETP, m.fn, predicate_pair(s, i.operands[0]), [a, b, with_], m.operation, times=m.times, combine=combine,
           fpenv=_environment(s, m))


@builds("compare_pair")
def compare_pair(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``setp`` of pairs: the first predicate is about the low halves, the second about the high ones."""
    type = m.bound["type"]
    a, b = (s.value(operand, type) for operand in i.operands[1:3])
    combine = _COMBINE[m.bound.get("bool", "")]
    with_ = s.predicate(i.operands[3]) if combine else None
    low, high = predicate_pair(s, i.operands[0])
    if combine and low is not None and with_ in (low, ~low):  # the second comparison still needs the old value
        with_, old = s.fresh(0), with_
        s.ops.append(Op(Kind.PRED, TRUTH["mov"], [with_], [old, TRUE, TRUE], "predicate", statement=s.statement))
    for half, d in (("", low), ("high_", high)):
        if d is not None:
            s.emit(Kind.SETP, f"{m.fn}_{half}{type[:-2]}", [d, None], [a, b, with_], m.operation, combine=combine)


_TRUE_OF = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80, "u16": 0xFFFF, "f16x2": 0x3C00, "bf16x2": 0x3F80}
"""What ``set`` gives where the comparison holds, if not all ones in 32 bits."""


@builds("set_pair")
def set_pair(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``set`` of pairs: each half of the result is about the halves there."""
    type, compared = m.bound["type"], m.bound["type2"]
    a, b = (s.value(operand, compared) for operand in i.operands[1:3])
    combine = _COMBINE[m.bound.get("bool", "")]
    with_ = s.predicate(i.operands[3]) if combine else None
    d, finish = s.destination(i.operands[0], type)
    one, parts = _TRUE_OF.get(type, 0xFFFF), []
    for half, shift in (("", 0), ("high_", 16)):
        holds, part = s.fresh(0), s.fresh(4)
        s.ops.append(Op(Kind.SETP, f"{m.fn}_{half}{compared[:-2]}", [holds, None], [a, b, with_], m.operation,
                             statement=s.statement, combine=combine))
        s.ops.append(Op(Kind.SELP, 0, [part], [immediate(one << shift), immediate(0), holds], "select", statement=s.statement))
        parts.append(part)
    s.emit(Kind.ALU, "or_b32", [d], parts, "int_logic")
    finish()


@builds("set")
def set_(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``set``: a comparison whose result is a number: all ones, or 1.0."""
    type, compared = m.bound["type"], m.bound["type2"]
    order, environment = m.bound["cmp"], s.environment(m.bound)
    for feature in {"f16": "fp16", "bf16": "bf16"}.keys() & {type, compared}:
        s.need({"f16": "fp16", "bf16": "bf16"}[feature])
    if compared == "f16":
        order, environment = order + m.bound["_ftz"], 0
    elif compared[0] == "b" and compared != "bf16":
        compared = "u" + compared[1:]
    a, b = (s.value(operand, compared) for operand in i.operands[1:3])
    combine = _COMBINE[m.bound.get("bool", "")]
    with_ = s.predicate(i.operands[3]) if combine else None
    d, finish = s.destination(i.operands[0], type)
    holds = s.fresh(0)
    guard, s.guard = s.guard, None
    operation = "int64_compare" if compared in ("u64", "s64") else m.operation
    s.emit(Kind.SETP, f"{order}_{compared}", [holds, None], [a, b, with_], operation, combine=combine,
           fpenv=environment)
    s.guard = guard
    if type in _TRUE_OF:
        s.emit(Kind.SELP, 0, [d], [immediate(_TRUE_OF[type]), immediate(0), holds], "select")
    else:
        s.emit(Kind.P2R, 0, [d], [holds], "select", flags=Flag.SIGNED)
    finish()


@builds("select")
def select(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``selp``."""
    type = m.bound["type"]
    a, b = (s.value(operand, type) for operand in i.operands[1:3])
    d, finish = s.destination(i.operands[0], type)
    s.emit(Kind.SELP, 0, [d], [a, b, s.predicate(i.operands[3])], m.operation, times=m.times, width=lane_bytes(type))
    finish()


@builds("predicate")
def predicate(s: Selection, m: Match, i: ir.Instruction) -> None:
    """Logic among predicates."""
    sources = [s.predicate(operand) for operand in i.operands[1:]]
    sources += [TRUE] * (3 - len(sources))
    d = predicate_pair(s, i.operands[0])[0]
    if d is not None:
        s.emit(Kind.PRED, TRUTH[m.fn], [d], sources, m.operation)


# --------------------------------------------------------------------------------------------------------------- moves
@builds("move")
def move(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mov``: registers, constants, addresses, packing and unpacking of vectors."""
    type, (target, source) = m.bound["type"], i.operands
    width = lane_bytes(type)
    if isinstance(source, ir.Vector):
        d, finish = s.destination(target, type)
        parts = [s.value(part, "b32" if len(source.elements) * 4 == width else "b16") for part in source.elements]
        _pack(s, d, parts, int(m.bound["bits"]))
        finish()
        return
    if isinstance(target, ir.Vector):
        _unpack(s, target.elements, s.value(source, type), int(m.bound["bits"]))
        return
    charge, origin = "move", None
    if isinstance(source, ir.Special):
        value, charge = s.special_source(source.name, type)
        charge = charge or "move"
    else:
        value = s.value(source, type)
        if isinstance(source, ir.Symbol):
            found = s.layout.find(s.function.name, source.name)
            origin = SPACES[found[0]] if found and found[0] in ("global", "const", "param") else None
    d, finish = s.destination(target, type)
    s.emit(Kind.ALU, mov(width), [d], [value], charge, width=width, origin=origin)
    finish()


@builds("move128")
def move128(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mov.b128``: a 128-bit register is a pair of 64-bit ones."""
    target, source = (operand if isinstance(operand, ir.Vector) else s.halves(operand) for operand in i.operands)
    if len(target.elements) != 2 or len(source.elements) != 2:
        raise s.unsupported("packing of this shape")
    values = [s.value(part, "b64") for part in source.elements]
    if any(v == s.value(part, "b64") for v in values for part in target.elements if part is not None):
        values = [s.temporary("mov_b64", [v], 8, "move") for v in values]  # the first half written may be the second one read
    for part, value in zip(target.elements, values):
        if part is not None:
            d, finish = s.destination(part, "b64")
            s.emit(Kind.ALU, "mov_b64", [d], [value], "move", width=8)
            finish()


def _pack(s: Selection, d: int, parts: list, bits: int) -> None:
    size = bits // len(parts) if parts else 0
    if bits % max(len(parts), 1) or size not in (8, 16, 32) or len(parts) not in (2, 4):
        raise s.unsupported("packing of this shape")
    while len(parts) > 2:
        parts = [s.temporary(f"pack_b{2 * size}", parts[k:k + 2], 8 if size == 32 else 4, ABSORBED if size == 32 else "move") for k in (0, 2)]
        size *= 2
    s.emit(Kind.ALU, f"pack_b{2 * size}", [d], parts, ABSORBED if size == 32 else "move", width=8 if bits == 64 else 4)


def _unpack(s: Selection, elements: tuple, value, bits: int) -> None:
    size = bits // len(elements) if elements else 0
    if len(elements) not in (2, 4) or size not in (8, 16, 32):
        raise s.unsupported("unpacking of this shape")
    for k, element in enumerate(elements):
        if element is None:
            continue
        part, position, left = value, k, bits
        if left == 64:
            half = 2 * k // len(elements)
            fn, left = ("low_b64", "high_b64")[half], 32
            if size == 32:
                _part(s, element, fn, [part], ABSORBED)
                continue
            part, position = s.temporary(fn, [part], 4, ABSORBED), k % (len(elements) // 2)
        if size == 16:
            _part(s, element, ("low_b32", "high_b32")[position], [part])
        else:
            _part(s, element, "byte_b32", [part, immediate(8 * position)])


def _part(s: Selection, element: ir.Operand, fn: str, sources: list, operation: str = "move") -> None:
    d, finish = s.destination(element, "b32")
    s.emit(Kind.ALU, fn, [d], sources, operation)
    finish()


# ------------------------------------------------------------------------------------------------- generic addresses
@builds("generic_address")
def generic_address(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``cvta``: shared and local memory are windows of the generic space; the rest is the same in both."""
    type, space = m.bound["type"], m.bound["space"]
    width = lane_bytes(type)
    source = s.value(i.operands[1], type)
    d, finish = s.destination(i.operands[0], type)
    window = {"shared": GENERIC_SHARED, "local": GENERIC_LOCAL}.get(space)
    origin = None if m.bound["to"] else SPACES[space]
    if space == "param" and not m.bound["to"] and width == 8 and _has_short_addresses(s):
        # Parameters lie above 4 GB: the upper half is that of all of them.
        halves = [s.temporary("low_b64", [source], 4, ABSORBED), s.temporary("high_b64", [Const(ConstantKind.PARAM_SYMBOL, 8, 0)], 4, ABSORBED)]
        s.emit(Kind.ALU, "pack_b64", [d], halves, "move", width=8, origin=origin)
    elif window is None:
        s.emit(Kind.ALU, mov(width), [d], [source], "move", width=width, origin=origin)
    else:
        fn = "sub" if m.bound["to"] else "add"
        if isinstance(source, Const) and fn == "add":  # the address of a variable
            s.emit(Kind.ALU, mov(width), [d], [immediate(source.value + window, width)], "move", width=width, origin=origin)
        else:
            s.emit(Kind.ALU, f"{fn}_b{8 * width}", [d], [source, immediate(window, width)], m.operation, width=width,
                   origin=origin)
    finish()


def _has_short_addresses(s: Selection) -> bool:
    """Whether a function takes 32-bit addresses of parameters, as compilers do in spaces that are smaller than 4 GB."""
    for i in s.function.body:
        if i.opcode == "mov" and i.modifiers and i.modifiers[-1] in ("b32", "u32", "s32") and isinstance(i.operands[-1], ir.Symbol):
            found = s.layout.find(s.function.name, i.operands[-1].name)
            if found and found[0] == "param":
                return True
    return False


@builds("space_test")
def space_test(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``isspacep``: is a generic address inside a window."""
    operand = i.operands[1]
    type = "u32" if isinstance(operand, ir.Register) and lane_bytes(operand.type) == 4 else "u64"
    width = lane_bytes(type)
    clusters = s.architecture.block_clusters is not None     # whose windows, one a rank, come behind those of the block and the thread
    windows = (1 << 32) - GENERIC_SHARED if clusters else 2 * GENERIC_WINDOW
    start, size, order = {
        "shared": (GENERIC_SHARED, GENERIC_WINDOW, "lt"), "local": (GENERIC_LOCAL, GENERIC_WINDOW, "lt"),
        "shared::cluster": (GENERIC_SHARED, GENERIC_WINDOW, "lt"),
        "global": (GENERIC_SHARED, windows, "ge")}.get(m.bound["space"], (0, 0, "lt"))  # others have no window
    w = "64" if width == 8 else ""
    address, other, constants = s.value(operand, type), None, s.layout.const_bytes

    def test(origin, bytes_: int, order: str, pair: list, **fields) -> None:
        distance = s.temporary(f"sub_b{8 * width}", [address, origin], width, f"int{w}_add")
        s.emit(Kind.SETP, f"{order}_{type}", pair, [distance, immediate(bytes_, width), other], f"int{w}_compare", **fields)

    pair = predicate_pair(s, i.operands[0])
    if constants and m.bound["space"] in ("const", "global"):        # the module's constants are a window of global memory
        first = Const(ConstantKind.CONST_SYMBOL, width, 0)
        if m.bound["space"] == "const":
            test(first, constants, "lt", pair)
            return
        inside = s.fresh(0)
        test(first, constants, "ge", [inside, None])
        other = inside
    if clusters and m.bound["space"] in ("shared", "shared::cluster"):      # by rank: its own, or any
        other = s.fresh(0)
        of, compare = ((SpecialRegister.CLUSTER_CTARANK, "eq") if m.bound["space"] == "shared" else (SpecialRegister.CLUSTER_NCTARANK, "lt"))
        past = s.temporary(f"sub_b{8 * width}", [address, immediate(GENERIC_SHARED + CLUSTER_FIRST, width)], width, ABSORBED)
        rank = s.temporary(f"shr_u{8 * width}", [past, immediate(24)], width, ABSORBED)
        s.emit(Kind.SETP, f"{compare}_{type}", [other, None], [rank, s.of_cluster(of, width)[0]], f"int{w}_compare")
        test(immediate(start, width), size, order, pair, combine=_COMBINE["or"])
        return
    test(immediate(start, width), size, order, pair, combine=_COMBINE["and"] if other is not None else 0)
