"""Builders for arithmetic, comparison, selection, moves and conversions."""
from __future__ import annotations

from archdef.lower.encoding import GENERIC_LOCAL, GENERIC_SHARED, GENERIC_WINDOW, Combine, Flag, Kind
from archdef.lower.select import SPACES, Selection, builds, lane_bytes
from archdef.lower.virtual import TRUE, Const, immediate, mov
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
    # a function that has `ftz` in its name flushes by itself
    environment = 0 if "ftz" in m.fn else s.environment(m.bound)
    s.emit(Kind.ALU, m.fn, [d], sources, m.operation, times=m.times, width=lane_bytes(type), fpenv=environment,
           exact=bool(m.bound.get("rnd")))
    finish()


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
           fpenv=s.environment(m.bound))


@builds("set")
def set_(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``set``: a comparison whose result is a number: all ones, or 1.0."""
    type, compared = m.bound["type"], m.bound["type2"]
    order = m.bound["cmp"]
    if compared[0] == "b":
        compared = "u" + compared[1:]
    a, b = (s.value(operand, compared) for operand in i.operands[1:3])
    combine = _COMBINE[m.bound.get("bool", "")]
    with_ = s.predicate(i.operands[3]) if combine else None
    d, finish = s.destination(i.operands[0], type)
    holds = s.fresh(0)
    guard, s.guard = s.guard, None
    operation = "int64_compare" if compared in ("u64", "s64") else m.operation
    s.emit(Kind.SETP, f"{order}_{compared}", [holds, None], [a, b, with_], operation, combine=combine,
           fpenv=s.environment(m.bound))
    s.guard = guard
    if type == "f32":
        s.emit(Kind.SELP, 0, [d], [immediate(0x3F800000), immediate(0), holds], "select")
    else:
        s.emit(Kind.P2R, 0, [d], [holds], "select", flags=Flag.SIGNED)
    finish()


@builds("select")
def select(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``selp``."""
    type = m.bound["type"]
    a, b = (s.value(operand, type) for operand in i.operands[1:3])
    d, finish = s.destination(i.operands[0], type)
    s.emit(Kind.SELP, 0, [d], [a, b, s.predicate(i.operands[3])], m.operation, width=lane_bytes(type))
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


def _pack(s: Selection, d: int, parts: list, bits: int) -> None:
    size = bits // len(parts) if parts else 0
    if bits % max(len(parts), 1) or size not in (8, 16, 32) or len(parts) not in (2, 4):
        raise s.unsupported("packing of this shape")
    while len(parts) > 2:
        parts = [s.temporary(f"pack_b{2 * size}", parts[k:k + 2], 8 if size == 32 else 4, "move") for k in (0, 2)]
        size *= 2
    s.emit(Kind.ALU, f"pack_b{2 * size}", [d], parts, "move", width=8 if bits == 64 else 4)


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
                _part(s, element, fn, [part])
                continue
            part, position = s.temporary(fn, [part], 4, "move"), k % (len(elements) // 2)
        if size == 16:
            _part(s, element, ("low_b32", "high_b32")[position], [part])
        else:
            _part(s, element, "byte_b32", [part, immediate(8 * position)])


def _part(s: Selection, element: ir.Operand, fn: str, sources: list) -> None:
    d, finish = s.destination(element, "b32")
    s.emit(Kind.ALU, fn, [d], sources, "move")
    finish()


# --------------------------------------------------------------------------------------------------------- conversions
@builds("convert")
def convert(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``cvt``: one lane function, or two where half precision or saturation asks for it."""
    to, from_ = m.bound["type"], m.bound["type2"]
    if "f64" in (to, from_):
        s.need("fp64")
    source = s.value(i.operands[1], from_)
    d, finish = s.destination(i.operands[0], to)
    steps = _steps(s, to, from_, m.bound)
    operation = "convert64" if "64" in to + from_ else "convert"
    environment = s.environment(m.bound) if "f16" not in (to, from_) else 0
    for fn, width, charge in steps[:-1]:
        source = s.temporary(fn, [source], width, charge or operation, fpenv=environment)
    fn, width, charge = steps[-1]
    s.emit(Kind.ALU, fn, [d], [source], charge or operation, width=width, fpenv=environment)
    finish()


def _steps(s: Selection, to: str, from_: str, bound: dict[str, str]) -> list[tuple[str, int, str | None]]:
    """List the lane functions of a conversion, with lane bytes of the result and a charge other than the usual one."""
    whole, sat, width = bound["whole"], bound["sat"], lane_bytes(to)
    integer = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}
    if to in integer and from_ in integer:
        if sat:
            return [(f"cvt_sat_{to}_{from_}", width, None)]
        if to[1:] == from_[1:] and to[1:] in ("32", "64"):
            return [(mov(width), width, "move")]
        return [(f"cvt_{to}_{from_}", width, None)]
    if to in integer:
        if not whole:
            raise s.fault(f"a conversion from {from_} to {to} needs .rni, .rzi, .rmi or .rpi")
        first = [("cvt_f32_f16", 4, None)] if from_ == "f16" else []
        return [*first, (f"cvt_{whole}_{to}_{'f32' if first else from_}", width, None)]
    if from_ in integer:
        if to == "f16":
            if sat:
                return [(f"cvt_f32_{from_}", 4, None), ("sat_f32", 4, "fp32_add"), ("cvt_rn_f16_f32", 4, None)]
            return [(f"cvt_{bound['rnd'] or 'rn'}_f16_{from_}", 4, None)]
        return [(f"cvt_{to}_{from_}", width, None), *([(f"sat_{to}", width, f"fp{to[1:]}_add")] if sat else [])]
    return _among_floats(to, from_, whole, bound)


def _among_floats(to: str, from_: str, whole: str, bound: dict[str, str]) -> list[tuple[str, int, str | None]]:
    sat, ftz, width = bound["sat"], bound["_ftz"], lane_bytes(to)
    steps: list[tuple[str, int, str | None]] = []
    if from_ == "f16" and (to != "f16" or whole or sat):
        steps.append(("cvt_f32_f16" if to != "f64" else "cvt_f64_f16", lane_bytes("f64" if to == "f64" else "f32"), None))
    elif to != from_ and to != "f16":
        steps.append((f"cvt{ftz if to == 'f64' else ''}_{to}_{from_}", width, None))
    working = "f64" if "f64" in (to, from_) and to != "f32" else "f32"
    if whole:
        steps.append((f"{whole}{ftz if working == 'f32' else ''}_{working}", lane_bytes(working), None))
    if sat:
        steps.append((f"sat_{working}", lane_bytes(working), None))
    if to == "f16" and (from_ != "f16" or steps):
        steps.append((f"cvt_{bound['rnd'] or 'rn'}_f16_{working}", 4, None))
    if not steps and to == "f16":
        steps.append(("canonical_f16", 4, None))
    if not steps:
        steps.append(("flush_f32", 4, None) if ftz else (mov(width), width, "move"))
    return steps


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
    if window is None:
        s.emit(Kind.ALU, mov(width), [d], [source], "move", width=width, origin=origin)
    else:
        fn = "sub" if m.bound["to"] else "add"
        if isinstance(source, Const) and fn == "add":  # the address of a variable
            s.emit(Kind.ALU, mov(width), [d], [immediate(source.value + window, width)], "move", width=width, origin=origin)
        else:
            s.emit(Kind.ALU, f"{fn}_b{8 * width}", [d], [source, immediate(window, width)], m.operation, width=width,
                   origin=origin)
    finish()


@builds("space_test")
def space_test(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``isspacep``: is a generic address inside a window."""
    operand = i.operands[1]
    type = "u32" if isinstance(operand, ir.Register) and lane_bytes(operand.type) == 4 else "u64"
    width = lane_bytes(type)
    start, size, order = {
        "shared": (GENERIC_SHARED, GENERIC_WINDOW, "lt"), "local": (GENERIC_LOCAL, GENERIC_WINDOW, "lt"),
        "global": (GENERIC_SHARED, 2 * GENERIC_WINDOW, "ge")}[m.bound["space"]]
    w = "64" if width == 8 else ""
    distance = s.temporary(f"sub_b{8 * width}", [s.value(operand, type), immediate(start, width)], width, f"int{w}_add")
    s.emit(Kind.SETP, f"{order}_{type}", predicate_pair(s, i.operands[0]), [distance, immediate(size, width), None],
           f"int{w}_compare")
