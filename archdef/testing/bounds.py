"""What PTX allows approximate instructions to be wrong by: bounds on the distance from the exact value.

PTX ISA, pages of div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh; the laxest bound where editions differ. For ``rsqrt.approx.f64`` no
bound is published; two units in the last place are asked.
"""
from __future__ import annotations

from decimal import Decimal, localcontext

from archdef.testing.reference import approximate
from archdef.testing.reference.formats import F64, FORMATS, Format


def _relative(log2: float):
    bound = Decimal(2) ** Decimal(log2)
    return lambda exact, unit, x: abs(exact) * bound


def _absolute(log2: float, inside=None, outside=None):
    """An absolute error; where `inside` does not hold, another rule, or anything if there is none."""
    bound = Decimal(2) ** Decimal(log2)

    def allowed(exact, unit, x):
        if inside is None or inside(x):
            return bound
        return outside(exact, unit, x) if outside else None
    return allowed


def _units(count: int):
    return lambda exact, unit, x: unit * count


_SMALL_ANGLE = approximate.PI * 2
ALLOWED = {
    ("div", "approx"): _units(2), ("div", "full"): _units(2), ("rcp", "approx"): _units(1), ("sqrt", "approx"): _relative(-22.4),
    ("rsqrt", "approx"): _relative(-22.4), ("tanh", "approx"): _relative(-10.9), ("ex2", "approx"): _relative(-22),
    ("sin", "approx"): _absolute(-20.5, lambda x: abs(x) <= _SMALL_ANGLE, _absolute(-14.7, lambda x: abs(x) <= 50 * _SMALL_ANGLE)),
    ("cos", "approx"): _absolute(-20.5, lambda x: abs(x) <= _SMALL_ANGLE, _absolute(-14.7, lambda x: abs(x) <= 50 * _SMALL_ANGLE)),
    ("lg2", "approx"): _absolute(-22, lambda x: Decimal("0.5") <= x <= 2, _relative(-22))}


HALVES = {("ex2", "f16"): _relative(-9.9), ("ex2", "bf16"): _relative(-7),
          ("tanh", "f16"): _absolute(-10.987), ("tanh", "bf16"): _absolute(-8)}


def rule(opcode: str, modifiers: tuple[str, ...]):
    """Give the function ``accepts(operands, engine, reference)`` of an approximate form; None for exact ones."""
    kind = next((m for m in modifiers if m in ("approx", "full")), None)
    if kind is None:
        return None
    type = next(m for m in modifiers if m.removesuffix("x2") in FORMATS)
    if type.endswith("x2"):
        one = rule(opcode, tuple(m.removesuffix("x2") for m in modifiers))
        return lambda operands, a, b: all(one([x >> at & 0xFFFF for x in operands], a >> at & 0xFFFF, b >> at & 0xFFFF) for at in (0, 16))
    form = FORMATS[type]
    allowed = _units(2) if form.bits == 64 else ALLOWED[opcode, kind] if form.bits == 32 else HALVES[opcode, type]
    if form.bits == 64 and "ftz" in modifiers:  # upper word only: one place of it
        return lambda operands, a, b: a & 0xFFFFFFFF == 0 and (abs(a - b) <= 1 << 33 or _lost_nan(operands[0], a))

    def accepts(operands, a, b):
        return close(form, allowed, operands[0] if len(operands) == 1 else None, a, b)
    return accepts


def _lost_nan(operand: int, a: int) -> bool:
    """A NaN whose upper word alone is an infinity: PTX says NaN, an instruction that sees the upper word only gives zero."""
    return F64.is_nan(operand) and F64.is_infinite(operand & ~0xFFFFFFFF) and F64.is_zero(a)


def close(form: Format, allowed, operand: int | None, a: int, b: int) -> bool:
    """Tell whether `a` is near enough to `b`, the exact value rounded. Infinities, NaNs and signs of zero must be the same.

    A result that may lie on either side of the least normal number may be flushed.
    """
    if form.is_nan(a) or form.is_nan(b) or form.is_infinite(a) or form.is_infinite(b):
        return a == b or {a, b} == {form.infinity - 1, form.infinity}
    with localcontext() as context:
        context.prec = 60
        exact, found = approximate.exact(form, b), approximate.exact(form, a)
        unit = Decimal(2) ** (max(form.number(b).magnitude.bit_length() - form.precision, 0) + form.number(b).exponent)
        x = approximate.exact(form, operand) if operand is not None and not form.is_nan(operand) and not form.is_infinite(
            operand) else Decimal(0)
        bound = allowed(exact, unit, x)
        return bound is None or abs(found - exact) <= bound + unit / 2
