"""Conversions between numbers: ``cvt`` in all its forms."""
from __future__ import annotations

import attrs

from archdef.testing.reference import floats
from archdef.testing.reference import narrow as narrow_floats
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.formats import FORMATS, TF32
from archdef.testing.reference.types import INTEGERS, clamp, limits, read, width

_WHOLE = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


@means("cvt")
def convert(c: Context, i, words: Words) -> Step:
    """``cvt``."""
    if words.flag("pack"):
        return pack(c, i, words)
    if {*narrow_floats.NARROW, narrow_floats.EXPONENT} & set(i.types):
        return narrow_floats.convert(c, i, words)
    if i.types[-1:] == ("f32",) and (i.types[0] in ("f16x2", "bf16x2", "tf32") or {"relu", "satfinite"} & set(words.left)):
        return narrow(c, i, words)
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
                result = FORMATS["f32"].flush(result)     # of f16 and bf16, whose subnormal numbers keep their value in f32
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
        source, target = FORMATS[from_], attrs.evolve(FORMATS[to], flushes=ftz and to == "f32")
        if source.is_nan(a):
            if to == from_ and source.bits > 16 and not (ftz or whole):
                return a                                     # a plain move
            if to == from_ or ftz and from_ == "f32":
                a = source.nan(a)
            if ftz and (from_, to) == ("bf16", "f32"):
                return target.default_nan
            return a if to == from_ else floats.change_format(target, source, a, mode or "rn")
        if whole:  # to a whole number first, in the format that is no wider
            a = floats.round_to_whole(source, a, _WHOLE[whole])
        return a if to == from_ else floats.change_format(target, source, a, mode or "rn")

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


def narrow(c: Context, i, words: Words) -> Step:
    """``cvt`` of f32 to 16-bit floats, single or in pairs (the first source is the upper half), and to tf32.

    ``.relu`` clamps from below, ``.satfinite`` to the greatest finite number; NaN stays NaN through both. On an H100 the NaN of tf32
    has zeros below. There ``.rna`` only cuts a NaN's bits, so that it may become an infinity, and with ``.satfinite`` takes one more
    unit away, as it does to reach the greatest finite number from infinity.
    """
    to, _ = i.types
    form = TF32 if to == "tf32" else FORMATS[to.removesuffix("x2")]
    mode = words.one("rn", "rz", *(["rna"] if to == "tf32" else []))
    relu, finite = words.flag("relu"), words.flag("satfinite")

    def one(a):
        result = floats.change_format(form, FORMATS["f32"], a, mode)
        if finite and not form.is_nan(result):
            most = form.infinity - 1
            result = result & form.sign | min(result & ~form.sign, most)
        return floats.rectify(form, result) if relu else result
    if to.endswith("x2"):
        return c.calculate(i, to, ["f32", "f32"], lambda a, b: one(a) << 16 | one(b))
    if to == "tf32":
        def in_register(a):
            return (a & ~0x1FFF) - (finite << 13) if mode == "rna" and FORMATS["f32"].is_nan(a) else one(a) << 13
        return c.calculate(i, to, ["f32"], in_register)
    return c.calculate(i, to, ["f32"], one)


def pack(c: Context, i, words: Words) -> Step:
    """``cvt.pack.sat``: a and b, clamped, side by side, b lowest; what is left of the register above them is c, moved up."""
    words.one("sat")
    to, *from_ = i.types
    bits = width(to)
    if from_[0] != "s32" or from_[1:] not in ([], ["b32"]) or bits == 16 and from_[1:]:
        raise unknown(i, "meaning for these types")

    def function(a, b, d=0):
        low, high = (clamp(to, read("s32", x)) & (1 << bits) - 1 for x in (b, a))
        return (d << bits | high) << bits | low
    return c.calculate(i, "b32", ["s32", "s32", *from_[1:]], function)
