"""Floating-point instructions: modifiers around the arithmetic of `floats`, and the approximations.

Every function here serves all formats: f16, bf16, f32, f64, and pairs of the 16-bit ones, whose halves are computed one by one.
"""
from __future__ import annotations

from collections.abc import Callable

import attrs

from archdef.testing.reference import approximate, floats
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.formats import FORMATS, Format

ROUNDINGS = ("rn", "rz", "rm", "rp")
FULL = frozenset(("f32", "f64"))
ANY = FULL | {"f16", "bf16", "f16x2", "bf16x2"}


def form_of(i, types=ANY) -> Format:
    """Give the format of an instruction of one type; of a pair, that of its halves."""
    if len(i.types) != 1 or i.types[0] not in types:
        raise unknown(i, "meaning for these types")
    return FORMATS[i.types[0].removesuffix("x2")]


def flags(i, words: Words, form: Format, *, sat: bool = True) -> tuple[bool, bool]:
    """Take ``.ftz`` and ``.sat``, which only f32 and f16 have."""
    ftz, saturates = words.flag("ftz"), sat and words.flag("sat")
    if form.name not in ("f32", "f16") and (ftz or saturates):
        raise unknown(i, f"flushing or saturation of .{form.name}")
    return ftz, saturates


def around(form: Format, ftz: bool, sat: bool, function: Callable, relu: bool = False) -> Callable:
    """Make a function of patterns out of one of a format and patterns: flush inputs and result, saturate it to [0, 1] or clamp it
    from below.
    """
    rounds = attrs.evolve(form, flushes=ftz)

    def whole(*patterns):
        if ftz:
            patterns = [form.flush(p) for p in patterns]
        result = function(rounds, *patterns)
        if ftz:
            result = form.flush(result)
        if relu:
            result = floats.rectify(form, result)
        return floats.saturate(form, result) if sat else result
    return whole


def in_halves(function: Callable) -> Callable:
    """Make a function of pairs out of one of 16-bit patterns."""
    return lambda *pairs: sum(function(*[p >> at & 0xFFFF for p in pairs]) << at for at in (0, 16))


def calculate(c: Context, i, count: int, function: Callable) -> Step:
    """Make the step of an instruction whose operands all have its one type."""
    (type,) = i.types
    return c.calculate(i, type, [type] * count, in_halves(function) if type.endswith("x2") else function)


def sum_or_product(c: Context, i, words: Words) -> Step:
    """``add``, ``sub``, ``mul``; without a direction they round to nearest."""
    form, mode = form_of(i), words.one(*ROUNDINGS, default="rn")
    ftz, sat = flags(i, words, form)
    function = {"add": floats.add, "sub": floats.subtract, "mul": floats.multiply}[i.opcode]
    return calculate(c, i, 2, around(form, ftz, sat, lambda f, a, b: function(f, a, b, mode)))


@means("fma")
def multiply_add(c: Context, i, words: Words) -> Step:
    """``fma``; ``mad``, which PTX defines as the same for targets from sm_20 on."""
    form = form_of(i)
    mode = words.one(*ROUNDINGS, default="rn" if i.opcode == "mad" else None)
    ftz, sat = flags(i, words, form)
    relu = form.bits == 16 and words.flag("relu")
    return calculate(c, i, 3, around(form, ftz, sat, lambda f, a, b, d: floats.fma(f, a, b, d, mode), relu))


def divide(c: Context, i, words: Words) -> Step:
    """``div``: correctly rounded, or ``.approx``/``.full``, for which the nearest value is given."""
    form = form_of(i, FULL)
    if words.flag("approx"):
        ftz, _ = flags(i, words, form, sat=False)
        return calculate(c, i, 2, around(form, ftz, False, approximate.divide))
    mode = "rn" if words.flag("full") else words.one(*ROUNDINGS)
    ftz, _ = flags(i, words, form, sat=False)
    return calculate(c, i, 2, around(form, ftz, False, lambda f, a, b: floats.divide(f, a, b, mode)))


@means("rcp", "sqrt")
def reciprocal(c: Context, i, words: Words) -> Step:
    """``rcp``, ``sqrt``."""
    form, function = form_of(i, FULL), floats.reciprocal if i.opcode == "rcp" else floats.square_root
    if words.flag("approx"):
        if form.bits == 64:
            if i.opcode != "rcp" or not words.flag("ftz"):
                raise unknown(i, "approximation of this type")
            return calculate(c, i, 1, lambda a: approximate.upper_word(a, function))
        mode = "rn"
    else:
        mode = words.one(*ROUNDINGS)
    ftz, _ = flags(i, words, form, sat=False)
    return calculate(c, i, 1, around(form, ftz, False, lambda f, a: function(f, a, mode)))


@means("rsqrt", "sin", "cos", "lg2", "ex2", "tanh")
def transcendental(c: Context, i, words: Words) -> Step:
    """Approximations: the reference gives the exact value, rounded to nearest."""
    form = form_of(i, ANY if i.opcode in ("ex2", "tanh") else FULL)
    if not words.flag("approx"):
        raise unknown(i, "form that is not .approx")
    if form.bits == 64:
        if i.opcode != "rsqrt":
            raise unknown(i, "meaning for .f64")
        if words.flag("ftz"):
            return calculate(c, i, 1, lambda a: approximate.upper_word(a, approximate.reciprocal_root))
    if form.name == "bf16" and i.opcode == "ex2":            # PTX has no other form of it
        ftz = words.one("ftz") == "ftz"
    else:
        ftz, _ = flags(i, words, form, sat=False)
    function = approximate.FUNCTIONS[i.opcode]
    return calculate(c, i, 1, around(form, ftz, False, lambda f, a: function(f, a, "rn")))


def extreme(c: Context, i, words: Words) -> Step:
    """``min``, ``max``; ``.xorsign.abs``: of the magnitudes, with the sign of a product."""
    form = form_of(i)
    ftz, _ = flags(i, words, form, sat=False)
    nan = words.flag("NaN")
    choose = floats.least if i.opcode == "min" else floats.greatest
    if not words.flag("xorsign"):
        return calculate(c, i, 2, around(form, ftz, False, lambda f, a, b: choose(f, a, b, nan)))
    words.one("abs")

    def of_magnitudes(_, a, b):
        result = choose(form, a & ~form.sign, b & ~form.sign, nan)
        return result if form.is_nan(result) else result & ~form.sign | (a ^ b) & form.sign
    return calculate(c, i, 2, around(form, ftz, False, of_magnitudes))


def sign(c: Context, i, words: Words) -> Step:
    """``neg``, ``abs``: of the sign bit alone. PTX leaves NaNs open; on an H100 they come out as of any arithmetic."""
    form = form_of(i)
    ftz, _ = flags(i, words, form, sat=False)
    change = (lambda a: a & ~form.sign) if i.opcode == "abs" else (lambda a: a ^ form.sign)
    return calculate(c, i, 1, around(form, ftz, False, lambda _, a: form.nan(a) if form.is_nan(a) else change(a)))


@means("copysign")
def copy_sign(c: Context, i, words: Words) -> Step:
    """``copysign``: the sign of a on the magnitude of b."""
    form = form_of(i, FULL)
    return calculate(c, i, 2, lambda a, b: b & ~form.sign | a & form.sign)


@means("testp")
def test(c: Context, i, words: Words) -> Step:
    """``testp``; a subnormal number is not normal, a zero is."""
    form = form_of(i, FULL)
    which = words.one("finite", "infinite", "number", "notanumber", "normal", "subnormal")
    holds = {
        "finite": lambda a: not form.is_nan(a) and not form.is_infinite(a), "infinite": form.is_infinite,
        "number": lambda a: not form.is_nan(a), "notanumber": form.is_nan, "subnormal": form.is_subnormal,
        "normal": lambda a: not (form.is_nan(a) or form.is_infinite(a) or form.is_subnormal(a))}[which]
    (read,) = c.sources(i, [form.name])
    store, other = c.predicate_destinations(i, i.operands[0])

    def act(t):
        value = holds(read(t))
        store(t, value)
        other(t, not value)
    return Step("plain", act)
