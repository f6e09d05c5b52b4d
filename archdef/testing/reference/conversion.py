"""Moves and conversions."""
from __future__ import annotations

from archdef.ptx import ir
from archdef.testing.reference import floats
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.formats import FORMATS
from archdef.testing.reference.memory import LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW_BYTES
from archdef.testing.reference.types import INTEGERS, SCALARS, clamp, limits, read, width

_WHOLE = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


@means("mov")
def move(c: Context, i, words: Words) -> Step:
    """``mov``: registers, constants, addresses; packing ``{a, b}`` into a wider register and unpacking it, lowest first."""
    (type,), (target, source) = i.types, i.operands
    if type not in SCALARS:
        raise unknown(i, f"moves of .{type}")
    if type == "pred":
        store, read_predicate = c.predicate_destinations(i, target)[0], c.predicate(i, source)
        return Step("plain", lambda t: store(t, read_predicate(t)))
    bits = width(type)
    if isinstance(source, ir.Vector):
        part = bits // len(source.elements)
        parts = [c.source(i, element, f"b{part}") for element in source.elements]
        store = c.destination(i, target, type)
        return Step("plain", lambda t: store(t, sum(p(t) << part * k for k, p in enumerate(parts))))
    if isinstance(target, ir.Vector):
        part = bits // len(target.elements)
        stores = [c.destination(i, element, f"b{part}") for element in target.elements]
        whole = c.source(i, source, type)

        def unpack(t):
            value = whole(t)
            for k, store in enumerate(stores):
                store(t, value >> part * k & (1 << part) - 1)
        return Step("plain", unpack)
    return c.calculate(i, type, [type], lambda a: a)


@means("cvt")
def convert(c: Context, i, words: Words) -> Step:
    """``cvt``."""
    if len(i.types) != 2 or set(i.types) - INTEGERS - set(FORMATS):
        raise unknown(i, "conversion between these types")
    to, from_ = i.types
    whole, mode = words.one(*_WHOLE, default=""), words.one("rn", "rz", "rm", "rp", default="")
    ftz, sat = words.flag("ftz"), words.flag("sat")
    if ftz and "f32" not in i.types:
        raise unknown(i, "flushing without .f32")

    def function(a):
        if from_ in FORMATS:
            if ftz and from_ == "f32" and to != "f16":   # an H100 rounds subnormals to f16 as they are
                a = FORMATS["f32"].flush(a)
            result = to_integer(a) if to in INTEGERS else to_float(a)
        else:
            a = read(from_, a)
            if to in INTEGERS:
                return clamp(to, a) if sat else a
            result = floats.from_whole(FORMATS[to], a, mode or "rn")
        if to in FORMATS:
            if ftz and to == "f32":
                result = FORMATS["f32"].flush(result)
            if sat:
                result = floats.saturate(FORMATS[to], result)
        return result

    def to_integer(a):
        form, (low, high) = FORMATS[from_], limits(to)
        if form.is_nan(a):
            return not_a_number(from_, to)
        if form.is_infinite(a):
            return low if form.is_negative(a) else high
        return clamp(to, floats.to_whole(form, a, _WHOLE[whole]))

    def to_float(a):
        source, target = FORMATS[from_], FORMATS[to]
        if whole:  # to a whole number first, in the format that is no wider
            a = floats.round_to_whole(source, a, _WHOLE[whole])
        if to == from_:
            return a if not source.is_nan(a) or not (sat or ftz or whole) else source.nan(a)
        return floats.change_format(target, source, a, mode or "rn")

    if from_ in FORMATS and to in INTEGERS and not whole:
        raise unknown(i, "conversion to an integer without .rni, .rzi, .rmi or .rpi")
    return c.calculate(i, to, [from_], function)


def not_a_number(from_: str, to: str) -> int:
    """Give what a NaN becomes.

    PTX ISA, cvt: 0 for sources of f16 and f32 and destinations up to 32 bits; the highest bit alone for 64 bits. (Editions before
    7 say so of integers of 64 bits only; f64 to 32 bits and less follows hardware.)
    """
    if from_ == "f64" or width(to) == 64:
        return 1 << width(to) - 1
    return 0


# ------------------------------------------------------------------------------------------------------ generic addresses
_WINDOWS = {"shared": SHARED_WINDOW, "shared::cta": SHARED_WINDOW, "local": LOCAL_WINDOW, "param": PARAMETER_WINDOW,
            "param::entry": PARAMETER_WINDOW, "global": 0, "const": 0}


@means("cvta")
def generic(c: Context, i, words: Words) -> Step:
    """``cvta``: from an address inside a space to a generic one; ``.to`` back."""
    (type,), back = i.types, words.flag("to")
    window = _WINDOWS[words.one(*_WINDOWS)]
    return c.calculate(i, type, [type], lambda a: a - window if back else a + window)


@means("isspacep")
def is_space(c: Context, i, words: Words) -> Step:
    """``isspacep``: does a generic address lie in a space."""
    space = words.one("global", "shared", "local", "shared::cta").removesuffix("::cta")
    operand = i.operands[1]
    read_address = c.source(i, operand, "u32" if isinstance(operand, ir.Register) and width(operand.type) == 32 else "u64")
    store, other = c.predicate_destinations(i, i.operands[0])

    def act(t):
        address = read_address(t)
        inside = {name: start <= address < start + WINDOW_BYTES
                  for name, start in (("shared", SHARED_WINDOW), ("local", LOCAL_WINDOW))}
        value = inside[space] if space in inside else not any(inside.values())
        store(t, value)
        other(t, not value)
    return Step("plain", act)
